package testkit

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
