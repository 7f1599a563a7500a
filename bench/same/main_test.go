package main

import (
	"strings"
	"testing"

	"pubd/bench/stage"
	"pubd/data/lane"
)

// A program does what itself does, and its answers differ from those about another seed.
func TestSame(t *testing.T) {
	lane.Long(t, "starts ten servers")
	program, err := stage.CompilePubd(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	c := comparison{out: &out, programs: [2]string{program, program}}
	if err := c.run(t.Context(), 500, 1, nil); err != nil || c.differences > 0 {
		t.Errorf("got %v and\n%s\nwant no difference", err, out.String())
	}
	c.compare("other", [2][]byte{[]byte("same a"), []byte("same b")})
	if !strings.HasSuffix(out.String(), "\nother: byte 5 of 6 and 6\n- \"same a\"\n+ \"same b\"\n") {
		t.Errorf("a difference is printed as\n%s", out.String())
	}
}
