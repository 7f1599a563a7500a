package fetch

import (
	"os"
	"syscall"
	"testing"

	"pubd/bench/testkit"
)

// A load that reads a mapped file beyond its new end fails. It does not end the process.
func TestLoadOfTruncatedMapping(t *testing.T) {
	path := testkit.File(t, "pubs.idx", "content")
	f := testkit.Must(os.Open(path))(t)
	defer f.Close()
	mapped := testkit.Must(syscall.Mmap(int(f.Fd()), 0, len("content"), syscall.PROT_READ, syscall.MAP_SHARED))(t)
	defer syscall.Munmap(mapped)
	testkit.OK(t, os.Truncate(path, 0))
	testkit.FailIf(t, Recovered(func() error { _ = string(mapped); return nil }) == nil, "got no error")
}
