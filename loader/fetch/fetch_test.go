package fetch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pubd/bench/testkit"
	"pubd/loader/fetch/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// The newest built indexes stay in the cache, and other files.
func TestBuildsArePruned(t *testing.T) {
	c := Cache{folder: t.TempDir()}
	var want []string
	for i := range maxBuilds + 3 {
		place := c.built(fmt.Sprintf("%064d", i), i%2, nil)
		if i == 0 {
			place += ".other"
		}
		testkit.OK(t, os.WriteFile(place, nil, 0o600))
		testkit.OK(t, os.Chtimes(place, time.Time{}, time.Unix(int64(i), 0)))
		if i == 0 || i >= 3 {
			want = append(want, place)
		}
	}
	testkit.OK(t, c.pruneBuilds())
	kept, err := filepath.Glob(filepath.Join(c.folder, "*"))
	testkit.FailIf(t, err != nil || !slices.Equal(kept, want), "got %q, %v, want %q", kept, err, want)
}

// Of the old signatures in the cache, that of the manifest there is kept. A new one may be that of a manifest which
// another server is about to write.
func TestSignaturesArePruned(t *testing.T) {
	c := NewCache(t.TempDir(), storage.Local(filepath.Join(t.TempDir(), manifest.Name)))
	for _, content := range []string{"the manifest before", "the newest"} {
		testkit.OK(t, c.keepManifest([]byte(content), []byte("a signature")))
		testkit.OK(t, os.Chtimes(c.Signature([]byte(content)), time.Time{}, time.Now().Add(-2*signatureAge)))
	}
	upcoming := c.Signature([]byte("of another server"))
	testkit.OK(t, os.WriteFile(upcoming, nil, 0o600))
	testkit.OK(t, c.prunePublished(new(manifest.Manifest))) // by a server that has not seen the newest, in the same cache
	kept := testkit.Must(filepath.Glob(filepath.Join(c.folder, "*.minisig")))(t)
	want := []string{c.Signature([]byte("the newest")), upcoming}
	slices.Sort(want)
	testkit.FailIf(t, !slices.Equal(kept, want), "got %q, want %q", kept, want)
}

// What another process downloads to a shared cache, this one downloads to the same disk, not to memory.
func TestPartInUse(t *testing.T) {
	place := filepath.Join(t.TempDir(), "part")
	var disks [2]uint64
	for i := range disks {
		file := testkit.Must(openPart(place))(t)
		defer file.Close()
		disks[i] = testkit.Must(file.Stat())(t).Sys().(*syscall.Stat_t).Dev
	}
	files := testkit.Must(filepath.Glob(place + "*"))(t)
	testkit.FailIf(t, disks[0] != disks[1] || len(files) != 1, "got files on %v, with the names %q", disks, files)
}

// A download that is resumed needs room for the rest.
func TestRoomForRest(t *testing.T) {
	t.Parallel()
	if !testkit.InOwnMounts(t) {
		return
	}
	p, folder := manifest.Snapshot{Index: manifest.Index{Key: "pubs.idx.zst", Size: 1 << 20, ExpandedSize: 1 << 19}}, testkit.Must(os.MkdirTemp("", "cache"))(t)
	if err := unix.Mount("small", folder, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a disk of 1 MiB cannot be mounted: %v", err)
	}
	nobody := testkit.Must(storage.Parse("http://127.0.0.1:1/" + manifest.Name))(t)
	d := New(Options{Location: nobody, Cache: folder, Patience: time.Minute,
		Progress: func(string, string, bool) (func(int64, int64), func()) { return func(int64, int64) {}, func() {} }})
	for _, has := range []int64{0, 1<<20 - 1} { // holes, which leave the disk as free as it is
		testkit.OK(t, os.WriteFile(d.cache.part(p), nil, 0o600))
		testkit.OK(t, os.Truncate(d.cache.part(p), has))
		_, err := d.download(t.Context(), p)
		testkit.FailIf(t, errors.Is(err, worker.ErrNoRoom) != (has == 0), "with %d bytes: got %v", has, err)
	}
}

// Others cannot read keys in the cache, whatever was there before, nor the file that becomes them.
func TestCachedKeysArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	folder := t.TempDir()
	c, place := NewCache(folder, storage.Location{}), filepath.Join(folder, "keys")
	testkit.OK(t, os.WriteFile(place, nil, 0o666))
	file := testkit.Must(c.create(place))(t)
	before, err := file.Stat()
	file.Abort()
	testkit.OK(t, err)
	testkit.OK(t, c.Keep(place, []byte("secret"), 0o600))
	after := testkit.Must(os.Stat(place))(t)
	testkit.FailIf(t, before.Mode().Perm() != 0o600 || after.Mode().Perm() != 0o600,
		"got %v before it is in place, and %v then", before.Mode(), after.Mode())
}
