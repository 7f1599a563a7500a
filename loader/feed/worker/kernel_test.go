package worker

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Nobody can change an index that is served from memory.
func TestAnonymousIndexIsSealed(t *testing.T) {
	file, err := NewAnonymousFile()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte("index"), 4096); err != nil {
		t.Fatal(err)
	}
	readOnly, err := Sealed(file)
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	if _, err := file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file that may be written: got %v, want it closed", err)
	}
	again, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", readOnly.Fd()), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	_, writing := again.WriteAt([]byte("x"), 0)
	_, mapping := unix.Mmap(int(again.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	_, unsealing := unix.FcntlInt(again.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_FUTURE_WRITE)
	for what, err := range map[string]error{"shrink": again.Truncate(1), "grow": again.Truncate(1 << 20), "write": writing, "map for writing": mapping, "seal": unsealing} {
		if !errors.Is(err, unix.EPERM) {
			t.Errorf("%s: got %v, want EPERM", what, err)
		}
	}
	mapped, err := unix.Mmap(int(readOnly.Fd()), 0, 4101, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil || string(mapped[4096:]) != "index" {
		t.Errorf("map for reading: got %v", err)
	}
}
