package spool

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"pubd/bench/testkit"
)

// A large array stays where it is.
func TestArrayStays(t *testing.T) {
	space := InMemory()
	defer space.Close()
	a := New[byte](space)
	a.Extend(onHeap)
	before := a.Values()
	for range 100 {
		a.Append(bytes.Repeat([]byte{1}, 1<<20)...)
	}
	testkit.FailIf(t, &before[0] != &a.Values()[0], "it moved")
}

// What is released is free again, of memory and of the disk.
func TestReleasedMemoryIsFree(t *testing.T) {
	const size = 8 << 20
	space := InFolder(t.TempDir(), size)
	defer space.Close()
	for range 3 {
		inMemory, inFile := New[byte](space), New[byte](space)
		inMemory.Extend(size)
		testkit.StopIf(t, space.file == nil != (space.end == 0) || space.free >= size,
			"%d bytes of memory are left, and a file of %d", space.free, space.end)
		inFile.Extend(size)
		testkit.StopIf(t, space.end == 0, "no file is used")
		inMemory.Release()
		inFile.Release()
		testkit.StopIf(t, space.free != size, "%d bytes of memory are free again, not %d", space.free, size)
	}
	if blocks, err := blocksOf(space.file); err != nil || blocks > 8 {
		t.Errorf("the file has %d blocks on the disk, %v", blocks, err)
	}
}

// A space that cannot get memory says so, to whoever catches it.
func TestFull(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	fill := func() (err error) {
		defer Catch(&err)
		space := InFolder(missing, 0)
		defer space.Close()
		New[byte](space).Extend(1 << 20)
		return nil
	}
	if err := fill(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v", err)
	}
	defer func() {
		if cause := recover(); cause != "another" {
			t.Errorf("another panic became %v", cause)
		}
	}()
	func() (err error) {
		defer Catch(&err)
		panic("another")
	}()
}

// When the disk is full, the space says so, keeps what it has, and has room again for what is released.
func TestFullDisk(t *testing.T) {
	const half, large = 4 << 20, 9 << 20
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=9m"); err != nil {
		t.Skip("needs the right to mount a file system: ", err)
	}
	defer syscall.Unmount(folder, 0)
	space := InFolder(folder, 0)
	defer space.Close()
	extend := func(a *Array[byte], n int) (err error) {
		defer Catch(&err)
		copy(a.Extend(n), bytes.Repeat([]byte{1}, n))
		return nil
	}
	one, other, third := New[byte](space), New[byte](space), New[byte](space)
	for _, a := range []*Array[byte]{one, other} {
		testkit.OK(t, extend(a, half))
	}
	for _, n := range []int{half, large} {
		if err := extend(third, n); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), folder) {
			t.Fatalf("got %v", err)
		}
	}
	if n := bytes.Count(one.Values(), []byte{1}); n != half {
		t.Errorf("%d bytes are left", n)
	}
	other.Release()
	if err := extend(third, half); err != nil {
		t.Error(err)
	}
}

// Where no addresses are left, an array has its values in the heap.
func TestWithoutAddresses(t *testing.T) {
	space := InMemory()
	defer space.Close()
	for range 1 << 48 / reserved {
		if space.reserve() == nil {
			break
		}
	}
	a := New[uint32](space)
	defer a.Release()
	for i := range uint32(onHeap) {
		a.Append(i)
	}
	testkit.FailIf(t, a.region != nil, "there were addresses")
	for i, value := range a.Values() {
		testkit.StopIf(t, value != uint32(i), "value %d is %d", i, value)
	}
}

// The garbage collector does not see a large array.
func TestNotInTheHeap(t *testing.T) {
	space := InMemory()
	defer space.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	New[uint64](space).Extend(4 << 20)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("it took %d bytes of the heap", took)
	}
}

// blocksOf returns how many blocks of 512 bytes a file takes of the disk.
func blocksOf(f *os.File) (int64, error) {
	var info syscall.Stat_t
	err := syscall.Fstat(int(f.Fd()), &info)
	return info.Blocks, err
}
