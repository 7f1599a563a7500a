package atomicfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// A new file has no name, so that a killed process leaves none, or one that the next process removes.
func TestNothingIsLeft(t *testing.T) {
	folder := t.TempDir()
	place := filepath.Join(folder, "pubs.idx")
	file := testkit.Must(Create(place))(t)
	if file.name != "" {
		t.Skip("the file system needs names")
	}
	testkit.Must(file.WriteString("new"))(t)
	testkit.Equal(t, "names", len(testkit.Names(t, folder)), 0)
	testkit.OK(t, os.WriteFile(filepath.Join(folder, ".pubs.idx.12"), nil, 0o600))
	other := testkit.Must(Create(place))(t)
	testkit.Equal(t, "names of killed processes", len(testkit.Names(t, folder)), 0)
	other.Abort()
	testkit.OK(t, file.Commit())
	testkit.Equal(t, "content", string(testkit.Read(t, place)), "new")
	testkit.Equal(t, "names, written", strings.Join(testkit.Names(t, folder), " "), "pubs.idx")
}
