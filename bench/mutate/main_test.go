package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFlipsOf(t *testing.T) {
	const source = "package p\n\nfunc f(a, b int, ok bool) int {\n\tfor a < b && !ok {\n\t\ta++\n\t}\n\tif ok {\n\t\treturn a\n\t}\n\treturn b\n}\n"
	path := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	flips, err := flipsOf(goPackage{}, path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"4: && -> ||", "4: < -> <=", "7: ok -> !(ok)"}
	for i, f := range flips {
		got := string(rune('0'+f.at.Line)) + ": " + source[f.from:f.to] + " -> " + f.with
		if i >= len(want) || got != want[i] {
			t.Errorf("flip %d: got %s, want %v", i, got, want)
		}
	}
	if len(flips) != len(want) {
		t.Errorf("got %d flips, want %d", len(flips), len(want))
	}
}
