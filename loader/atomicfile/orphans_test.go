package atomicfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pubd/bench/testkit"
)

// Files of a killed process are removed by the next one, but not those of a running one, or of another name or kind.
func TestTempFolder(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	elsewhere := t.TempDir()
	others := []string{"pubd-publish-12", "pubd-publish-13", "pubd-publish-notes"}
	for _, err := range []error{
		os.Symlink(elsewhere, filepath.Join(temporary, others[0])),
		os.WriteFile(filepath.Join(temporary, others[1]), nil, 0o600),
		os.Mkdir(filepath.Join(temporary, others[2]), 0o700),
		os.WriteFile(filepath.Join(elsewhere, "file"), nil, 0o600),
	} {
		testkit.OK(t, err)
	}
	left := filepath.Join(temporary, "pubd-publish-14")
	testkit.OK(t, os.MkdirAll(filepath.Join(left, "folder"), 0o700))
	first, removeFirst, err := TempFolder("", "pubd-publish-")
	testkit.OK(t, err)
	second, removeSecond, err := TempFolder("", "pubd-publish-")
	testkit.OK(t, err)
	want := func(what string, names ...string) {
		t.Helper()
		got := testkit.Names(t, temporary)
		names = append(names, others...)
		testkit.FailIf(t, !slices.Equal(got, slices.Sorted(slices.Values(names))),
			"%s: got %q, want %q", what, got, names)
	}
	want("two at work", filepath.Base(first), filepath.Base(second))
	removeFirst()
	removeSecond()
	want("none at work")
	testkit.Must(os.Stat(filepath.Join(elsewhere, "file")))(t)
}
