// Package proof is what the tests share whose results are rows of docs/reliability.md.
package proof

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pubd/bench/stage"
)

// Full selects the full forms of rows.
var Full = os.Getenv("PUBD_FULL") != ""

// Pick returns the value for the form that runs.
func Pick[T any](short, long T) T {
	if Full {
		return long
	}
	return short
}

// Patience is how long anything may take that takes seconds when all is well.
const Patience = time.Minute

// Main runs tests that need pubd, which it builds, and a directory, which it removes. They are in program and scratch by then. It returns
// the exit code.
func Main(m *testing.M, program, scratch *string) int {
	var err error
	if *scratch, err = os.MkdirTemp("", "proof-"); err == nil {
		defer os.RemoveAll(*scratch)
		*program, err = stage.BuildPubd(context.Background(), *scratch)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Row begins a row of the table.
func Row(t *testing.T, did, passes string) {
	t.Attr("did", did)
	t.Attr("passes", passes)
}

// Figure reports how much was tried and what came of it.
func Figure(t *testing.T, n, format string, values ...any) {
	t.Helper()
	text := strings.ReplaceAll(fmt.Sprintf(format, values...), "\n", " ")
	t.Attr("n", n)
	t.Attr("figure", text)
	t.Logf("%s: %s", n, text)
}

// Eventually waits until something is so, and fails the test if it is not within Patience.
func Eventually(t testing.TB, what string, isSo func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience); !isSo(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) || t.Context().Err() != nil {
			t.Fatalf("not so after %v: %s", Patience, what)
		}
	}
}
