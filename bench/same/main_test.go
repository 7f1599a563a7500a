package main

import (
	"io"
	"strings"
	"testing"

	"pubd/bench/stage"
	"pubd/bench/testkit"
	"pubd/index/schema"
)

// A program does what itself does, and its answers differ from those about another seed.
func TestSame(t *testing.T) {
	testkit.Long(t, "starts ten servers")
	program := testkit.Must(stage.CompilePubd(t.Context(), t.TempDir()))(t)
	var out strings.Builder
	c := comparison{out: &out, programs: [2]string{program, program}}
	if err := c.run(t.Context(), 500, 1, nil); err != nil || c.differences > 0 {
		t.Errorf("got %v and\n%s\nwant no difference", err, out.String())
	}
	c.compare("other", [2][]byte{[]byte("same a"), []byte("same b")})
	testkit.FailIf(t, !strings.HasSuffix(out.String(), "\nother: byte 5 of 6 and 6\n- \"same a\"\n+ \"same b\"\n"),
		"a difference is printed as\n%s", out.String())
}

// Two programs that do not answer are not the same.
func TestNoAnswerIsADifference(t *testing.T) {
	absent := [2]*stage.Server{{API: "127.0.0.1:0"}, {API: "127.0.0.1:0"}}
	pubs := []schema.Pub{{UID: "1", Name: "The Anchor", Location: "Bath", Latitude: 51.4, Longitude: -2.4}}
	c := comparison{out: io.Discard}
	if _, err := c.compareAnswers(absent, newAsker(pubs, 1), 3); err != nil || c.differences != 3 {
		t.Errorf("got %v and %d differences, want 3", err, c.differences)
	}
}
