package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/data"
)

// pubs returns a snapshot whose pubs are u1, u2, … and say in trading which generation they are of; all stand at 52°, -1°.
func pubs(count int, generation string) string {
	var text strings.Builder
	text.WriteString("UID,name,trading,latitude,longitude\n")
	for i := range count {
		fmt.Fprintf(&text, "u%d,Lion %d,%s,52,-1\n", i+1, i+1, generation)
	}
	return text.String()
}

// write writes a new file into a folder of the test's own.
func write(t *testing.T, name, content string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// replace replaces a file in one step.
func replace(t *testing.T, path, content string) {
	t.Helper()
	fresh := path + ".new"
	if err := os.WriteFile(fresh, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(fresh, path); err != nil {
		t.Fatal(err)
	}
}

// generated returns the CSV of a made-up directory.
func generated(t *testing.T, count int, seed uint64) string {
	t.Helper()
	var text bytes.Buffer
	if err := data.Generate(&text, count, seed, nil); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// generation returns the generation of pubs that a server answers from.
func generation(p *process, key string) string {
	p.t.Helper()
	got := p.ask("pubid=u1", key)
	_, rest, _ := strings.Cut(got.body, `"trading":"`)
	text, _, ok := strings.Cut(rest, `"`)
	if got.status != 200 || !ok {
		p.t.Fatalf("pubid=u1: got %d %q, want 200 and a pub with trading", got.status, got.body)
	}
	return text
}
