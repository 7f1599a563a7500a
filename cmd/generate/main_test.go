package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// The files of the repository are what the tables and the modules say.
func TestGenerated(t *testing.T) {
	files, err := generated("../..")
	testkit.OK(t, err)
	for name, want := range files {
		got, err := os.ReadFile(name)
		testkit.FailIf(t, err != nil || !bytes.Equal(got, want),
			"%s: is not what it would be: run go generate ./... (%v)", name, err)
	}
}

// What is wrong with a module is said with its line, and a text that there is not is an error.
func TestBundleErrors(t *testing.T) {
	for module, want := range map[string]string{"let = 1 1": "explorer.js:1", "import './b.js'": "b.js", "import * as texts from './texts.js'\ngo(texts.none)": `"none"`} {
		folder := t.TempDir()
		testkit.OK(t, os.WriteFile(folder+"/explorer.js", []byte(module), 0o600))
		_, err := bundle(folder, "explorer.js")
		testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), want),
			"%s: got error %v, want one with %s", module, err, want)
	}
}
