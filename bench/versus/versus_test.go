package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/stage"
)

func TestEveryClassHasATarget(t *testing.T) {
	for _, suite := range []*suite{contract, extensions} {
		if len(suite.targets) != len(suite.classes) {
			t.Fatalf("%s: %d targets for %d classes", suite.file, len(suite.targets), len(suite.classes))
		}
		for i, target := range suite.targets {
			if !(0 < target.reach && target.reach <= target.aim) {
				t.Errorf("%s: target %v", suite.classes[i].Name, target)
			}
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--rounds 0", "--rounds 0: must be 1 or more"},
		{"--classes 1,10", "--classes 10: must be from 1 to 9"},
		{"--alternatives oracle", "must be one of"},
		{"--data nowhere.csv --seconds x", "--seconds"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(test.args), &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: code %d, said %q, want 2 and %q", test.args, code, stderr.String(), test.want)
		}
	}
}

func TestComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("puts load on two servers for some seconds")
	}
	if _, _, err := cores(); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"nginx", "wrk"} {
		if _, err := stage.Tool(name, name); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--pubs=2000", "--requests=200", "--rounds=1", "--seconds=1", "--classes=1,7", "--alternatives=none",
		"--out", dir}, &stdout, &stderr); code != 0 {
		t.Fatalf("code %d, want 0: %s", code, stderr.String())
	}
	for _, want := range []string{"lookup", "within 2 km", "geometric mean"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
	for _, name := range []string{"versus.md", "versus.svg"} {
		if content, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(content) < 1000 {
			t.Errorf("%s: %d bytes, error %v", name, len(content), err)
		}
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
