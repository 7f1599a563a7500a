// Package testkit has what the tests of all packages share: [OK], [Must], [FailIf], [StopIf] and [Equal] report,
// [Cases] and [Golden] read testdata, [File] writes a file, [Eventually] waits, [Serve] serves, and [Long], [Programs]
// and [Pick] decide what runs. Only tests and bench import it.
//
// go test ./... is the quick lane: every package, in seconds, with Go alone. The long lane is the same command with
// PUBD_LONG=1: more cases, larger data, and other programs, where they are installed. An environment variable selects
// it, because go test ./... rejects a flag that not all packages define, and -short would make the long lane the default.
package testkit

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TB is what these functions need of a test, a benchmark or a property of package rapid.
type TB interface {
	Helper()
	Errorf(format string, values ...any)
	Fatalf(format string, values ...any)
	Skip(values ...any)
}

// OK ends a test with an error. It skips the test if the error is that a program is not installed.
func OK(t TB, err error) {
	t.Helper()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	StopIf(t, err != nil, "%v", err)
}

// Must returns a value, and ends the test if there is an error: testkit.Must(os.ReadFile(path))(t).
func Must[T any](value T, err error) func(t TB) T {
	return func(t TB) T {
		t.Helper()
		OK(t, err)
		return value
	}
}

// FailIf reports a failure, and lets the test go on.
func FailIf(t TB, wrong bool, format string, values ...any) {
	if wrong {
		t.Helper()
		t.Errorf(format, values...)
	}
}

// StopIf ends a test that cannot go on.
func StopIf(t TB, wrong bool, format string, values ...any) {
	if wrong {
		t.Helper()
		t.Fatalf(format, values...)
	}
}

// Equal reports a difference between what a test got and what it wants. Long texts are cut.
func Equal[T any](t TB, label string, got, want T) {
	if !reflect.DeepEqual(got, want) {
		t.Helper()
		t.Errorf("%.200s:\n got %.4000s\nwant %.4000s", label, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
	}
}

// Contains reports the parts that a text lacks.
func Contains(t TB, label, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		FailIf(t, !strings.Contains(text, part), "%s:\n got %s\nwant %q in it", label, text, part)
	}
}

// Read returns the content of a file.
func Read(t TB, path string) []byte {
	t.Helper()
	return Must(os.ReadFile(path))(t)
}

// File writes a file in a new folder of the test, and returns its path.
func File[T string | []byte](t testing.TB, name string, content T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	OK(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// Names returns the names of the files in a folder.
func Names(t TB, folder string) (names []string) {
	t.Helper()
	for _, entry := range Must(os.ReadDir(folder))(t) {
		names = append(names, entry.Name())
	}
	return names
}

// A Case is what is given, and what is made of it.
type Case struct{ Given, Want string }

var repeated = regexp.MustCompile(`\{(\d+)\*([^}]+)\}`)

// Cases returns the lines of a file in testdata, "given -> want", without comments, which begin with #. In them,
// {n*text} stands for n times the text.
func Cases(t TB, file string) (list []Case) {
	t.Helper()
	for line := range strings.Lines(string(Read(t, filepath.Join("testdata", file)))) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		line = repeated.ReplaceAllStringFunc(line, func(found string) string {
			parts := repeated.FindStringSubmatch(found)
			n, _ := strconv.Atoi(parts[1])
			return strings.Repeat(parts[2], n)
		})
		given, want, found := strings.Cut(line, " ->")
		FailIf(t, !found, "%s: %s: has no arrow", file, line)
		list = append(list, Case{given, strings.TrimPrefix(want, " ")})
	}
	FailIf(t, len(list) == 0, "%s: has no line", file)
	return list
}

// Update is the flag -update of a test: golden files are rewritten.
var Update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares a text with a file, or rewrites the file with -update.
func Golden(t TB, file, got string) {
	t.Helper()
	if *Update {
		OK(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got), 0o644)))
	}
	want, err := os.ReadFile(file)
	StopIf(t, err != nil, "%v (go test -update writes it)", err)
	FailIf(t, got != string(want), "%s, without the lines that both have:\ngot\n%s\nwant (go test -update takes it over)\n%s", file, only(got, string(want)), only(string(want), got))
}

// only returns the lines of a text that another one does not have, or less often.
func only(text, other string) string {
	left := map[string]int{}
	for _, line := range strings.SplitAfter(other, "\n") {
		left[line]++
	}
	return strings.Join(slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		left[line]--
		return left[line] >= 0
	}), "")
}

// An Output records what is written to it. It is safe for concurrent use.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Patience is the timeout for what normally takes little time; machines may be busy.
const Patience = time.Minute

// Eventually waits until a condition holds, for [Patience].
func Eventually(t TB, what string, holds func() bool) {
	t.Helper()
	Within(t, Patience, what, holds)
}

// Within waits until a condition holds. It polls less and less often, because polling takes processor time from what it
// waits for, but often enough to see what lasts a moment.
func Within(t TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(min(max(2*time.Millisecond, time.Since(begun)/16), 20*time.Millisecond)) {
		StopIf(t, time.Since(begun) > limit, "%s: not within %v", what, limit)
	}
}
