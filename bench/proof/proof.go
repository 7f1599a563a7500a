// Package proof is the frame of tests whose results are rows of docs/reliability.md. [Main] builds pubd before the
// tests. A test begins its row with [Row] or [QuickRow], and reports with [Figure] how much was tried and the result.
// All this becomes attributes of the test in the output of go test -json; bench/reliability/table writes them into the
// document.
//
// A row has two forms, and [Pick] takes the value of one: the short one runs everywhere, the full one takes hours and
// runs only in the long lane, without a time limit or with one of at least an hour, so that nobody starts it by
// accident.
//
// The tests run pubd as a program, and go test does not see on which sources that depends: its cache would keep
// results of another version. So a row opens all folders of the module. [Eventually] polls less and less often,
// because polling takes processor time from what is measured.
package proof

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/data/lane"
)

// Full reports whether rows have their full forms, which take hours: in the long lane, with go test -timeout 0 or at
// least an hour.
func Full() bool {
	timeout := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration)
	return lane.IsLong() && (timeout == 0 || timeout >= time.Hour)
}

// Pick returns the value for the form.
func Pick[T any](short, full T) T {
	if Full() {
		return full
	}
	return short
}

// Patience is the timeout for anything that normally takes seconds.
const Patience = time.Minute

// Main runs the tests of a package and returns the exit code. Before, it builds pubd and creates a directory, whose
// paths it stores in program and scratch.
func Main(m *testing.M, program, scratch *string) int {
	flag.Parse()
	var err error
	if *scratch, err = os.MkdirTemp("", "proof-"); err == nil {
		defer os.RemoveAll(*scratch)
		*program, err = stage.CompilePubd(context.Background(), *scratch)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Row begins a row of the table: the stimulus and the required result. It skips the test in the quick lane.
func Row(t *testing.T, did, passes string) {
	t.Helper()
	lane.Long(t, "starts pubd and loads it")
	QuickRow(t, did, passes)
}

// QuickRow begins a row whose short form is quick.
func QuickRow(t *testing.T, did, passes string) {
	t.Helper()
	t.Attr("did", did)
	t.Attr("passes", passes)
	openSources(t)
}

// openSources opens the folders of the module, once: then "go test" knows that a result depends on what is in them,
// and does not repeat it from its cache when pubd has changed. It sees what tests open, not what is opened before
// them.
func openSources(t testing.TB) {
	opened.Do(func() {
		const root = "../.." // of bench/reliability
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && path != root && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

var opened sync.Once

// Figure reports how much was tried, and the result.
func Figure(t *testing.T, n, format string, values ...any) {
	t.Helper()
	text := strings.ReplaceAll(fmt.Sprintf(format, values...), "\n", " ")
	t.Attr("n", n)
	t.Attr("figure", text)
	t.Logf("%s: %s", n, text)
}

// Eventually waits until a condition holds, and fails the test if it does not within Patience. It polls less and less
// often, because polling takes processor time from what it waits for: it waits at most a sixteenth too long.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(max(5*time.Millisecond, time.Since(begun)/16)) {
		if time.Since(begun) > Patience || t.Context().Err() != nil {
			t.Fatalf("does not hold after %v: %s", Patience, what)
		}
	}
}
