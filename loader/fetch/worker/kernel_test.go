package worker

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pubd/bench/testkit"
)

// Nobody can change an index that is served from memory.
func TestAnonymousIndexIsSealed(t *testing.T) {
	file := testkit.Must(NewAnonymousFile())(t)
	_, err := file.WriteAt([]byte("index"), 4096)
	testkit.StopIf(t, err != nil, "%v", err)
	used, err := unix.Mmap(int(file.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	testkit.OK(t, err)
	go func() { // as the kernel may use pages for a while
		time.Sleep(50 * time.Millisecond)
		_ = unix.Munmap(used)
	}()
	readOnly := testkit.Must(Sealed(file))(t)
	defer readOnly.Close()
	_, err = file.Stat()
	testkit.FailIf(t, !errors.Is(err, os.ErrClosed), "the file that may be written: got %v, want it closed", err)
	again, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", readOnly.Fd()), os.O_RDWR, 0)
	testkit.OK(t, err)
	defer again.Close()
	_, writing := again.WriteAt([]byte("x"), 0)
	_, mapping := unix.Mmap(int(again.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	_, unsealing := unix.FcntlInt(again.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_FUTURE_WRITE)
	for what, err := range map[string]error{"shrink": again.Truncate(1), "grow": again.Truncate(1 << 20), "write": writing, "map for writing": mapping, "seal": unsealing} {
		testkit.FailIf(t, !errors.Is(err, unix.EPERM), "%s: got %v, want EPERM", what, err)
	}
	mapped, err := unix.Mmap(int(readOnly.Fd()), 0, 4101, unix.PROT_READ, unix.MAP_SHARED)
	testkit.FailIf(t, err != nil || string(mapped[4096:]) != "index", "map for reading: got %v", err)
}
