package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts pubd")
	}
	directory := t.TempDir()
	var out bytes.Buffer
	args := []string{"-sizes", "300,200", "-rounds", "1", "-window", "1ms", "-out", directory}
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	written, err := os.ReadFile(filepath.Join(directory, "growth.md"))
	if err != nil {
		t.Fatal(err)
	}
	if drawn, err := os.ReadFile(filepath.Join(directory, "growth.svg")); err != nil || !bytes.HasPrefix(drawn, []byte("<svg")) {
		t.Errorf("growth.svg is %.20q, %v", drawn, err)
	}
	for _, want := range []string{"| 200 |", "| 300 |", "| lookup |", "| words of no pub |"} {
		if !strings.Contains(string(written), want) {
			t.Errorf("growth.md has no %q:\n%s", want, written)
		}
	}
	if !strings.HasSuffix(out.String(), string(written)) {
		t.Errorf("printed %q, which does not end with what was written", &out)
	}
}

func TestRefusedFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-sizes 1,x", `-sizes "1,x": must be numbers of pubs with commas between`},
		{"-sizes 0", `-sizes "0": must be numbers of pubs with commas between`},
		{"-rounds 0", "-rounds 0, -window 200ms: must be more than 0"},
	} {
		if err := run(t.Context(), strings.Fields(c.args), new(bytes.Buffer)); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.args, err, c.want)
		}
	}
}
