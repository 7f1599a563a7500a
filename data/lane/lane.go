// Package lane decides which tests run. The quick lane is go test ./...: every package, in seconds, with Go alone. The
// long lane is the same command with PUBD_LONG=1: more cases, larger data, and other programs, where they are
// installed. A test is skipped by [Long] or [Programs], and [Pick] chooses how much it does.
//
// An environment variable selects the lane, because go test ./... rejects a flag that not all packages define, and
// -short would make the long lane the default. It is read each time, so that go test knows that a cached result
// depends on it. Only tests and bench import this package.
package lane

import (
	"os"
	"os/exec"
	"testing"
)

// Variable is the environment variable that selects the long lane, unless it is empty.
const Variable = "PUBD_LONG"

// IsLong reports whether all tests run. It reads the environment each time, so that go test knows that a cached result
// depends on it.
func IsLong() bool { return os.Getenv(Variable) != "" }

// Pick returns the value for the lane.
func Pick[T any](quick, long T) T {
	if IsLong() {
		return long
	}
	return quick
}

// Long skips a test in the quick lane, for a reason such as "reads a million rows".
func Long(t testing.TB, reason string) {
	t.Helper()
	if !IsLong() {
		t.Skipf("only with %s=1: %s", Variable, reason)
	}
}

// Programs skips a test in the quick lane, and where one of the programs that it runs is not installed.
func Programs(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		Long(t, "runs "+name)
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("not installed:", name)
		}
	}
}
