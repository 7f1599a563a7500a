package indexfile

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Mapping is the content of a file in memory that the garbage collector does not manage.
type Mapping struct {
	Content []byte
	all     []byte   // what was mapped
	file    *os.File // that is paged from; nil for a copy, and for a file without a name, such as sealed memory
	seen    stamp    // of file
	intact  atomic.Pointer[stamp]
}

// A stamp changes when a file is written to, and when it is renamed, removed or touched.
type stamp struct {
	size              int64
	modified, changed unix.Timespec
}

// stampOf returns the stamp of a file; the zero stamp if it has none.
func stampOf(f *os.File) stamp {
	var info unix.Stat_t
	if unix.Fstat(int(f.Fd()), &info) != nil {
		return stamp{}
	}
	return stamp{info.Size, info.Mtim, info.Ctim}
}

// Map maps a file. A file of at most private bytes is copied into anonymous memory, in large pages if the kernel has
// them: later changes of the file have no effect, and random reads have fewer TLB misses. A larger file is mapped in
// place and paged by the kernel; if anyone truncates it, reads past its new end fault, which Go turns into panics in
// goroutines that called debug.SetPanicOnFault.
func Map(f *os.File, private int64) (*Mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size, seen := info.Size(), stampOf(f)
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case size == 0:
		return nil, damaged("", "not an index file of pubd: it is empty")
	case size > private:
		all, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
		if err != nil {
			return nil, fmt.Errorf("map %d bytes: %w", size, err)
		}
		m := &Mapping{Content: all, all: all, seen: seen}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink == 0 { // nobody else can change it
			return m, nil
		}
		handle, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			m.Unmap()
			return nil, fmt.Errorf("duplicate the handle: %w", err)
		}
		m.file = os.NewFile(uintptr(handle), f.Name())
		m.intact.Store(&seen)
		return m, nil
	}
	m, err := newPrivate(int(size))
	if err != nil {
		return nil, err
	}
	const piece = 256 << 10 // a goroutine in a long system call would keep its processor from those that answer requests
	for at := int64(0); at < size; at += piece {
		if _, err := f.ReadAt(m.Content[at:min(at+piece, size)], at); err != nil {
			m.Unmap()
			return nil, fmt.Errorf("read %d bytes: %w", size, err)
		}
	}
	return m, m.protect()
}

// Copy returns a mapping with a private copy of bytes.
func Copy(content []byte) (*Mapping, error) {
	m, err := newPrivate(max(1, len(content)))
	if err != nil {
		return nil, err
	}
	copy(m.Content, content)
	return m, m.protect()
}

// hugePage is the size of a large page.
const hugePage = 2 << 20

func newPrivate(size int) (*Mapping, error) {
	all, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("%d bytes of memory: %w", size, err)
	}
	if size >= hugePage {
		_ = unix.Madvise(all, unix.MADV_HUGEPAGE)
	}
	return &Mapping{Content: all, all: all}, nil
}

// ReadRandomly tells the kernel that reads of a section of a file mapped in place are random, so that a page fault
// reads only one page: if the file is larger than memory, read-ahead would evict pages in use.
func (m *Mapping) ReadRandomly(s Section) {
	if m.file != nil {
		memoryPage := int64(os.Getpagesize())
		_ = unix.Madvise(m.all[s.Offset/memoryPage*memoryPage:s.Offset+s.Size], unix.MADV_RANDOM)
	}
}

// WasChanged reports whether the file of a mapping in place may have other content than at the last call, or than when
// it was mapped: its size or its times differ, which a rename or touch changes, too. It is false for what has no file. It
// must not be called concurrently.
func (m *Mapping) WasChanged() bool {
	if m.file == nil {
		return false
	}
	before := m.seen
	m.seen = stampOf(m.file)
	return m.seen != before
}

// Check has the content checked, of which readers must know whether anyone has written to it since.
func (m *Mapping) Check(check func() error) error {
	if m.file == nil {
		return check()
	}
	begun := stampOf(m.file)
	err := check()
	if err == nil {
		m.intact.Store(&begun)
	}
	return err
}

// IsOverwritten reports whether anyone has written to the file of a mapping in place since it was mapped or found intact
// by Check. It takes less than a microsecond, does not wait for a server, and may be called concurrently.
func (m *Mapping) IsOverwritten() bool {
	if m.file == nil {
		return false
	}
	var now unix.Statx_t
	if unix.Statx(int(m.file.Fd()), "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_SIZE|unix.STATX_MTIME, &now) != nil {
		return false
	}
	intact := m.intact.Load()
	return int64(now.Size) != intact.size || now.Mtime.Sec != intact.modified.Sec || int64(now.Mtime.Nsec) != intact.modified.Nsec
}

// protect makes memory read-only.
func (m *Mapping) protect() error {
	if err := syscall.Mprotect(m.all, syscall.PROT_READ); err != nil {
		m.Unmap()
		return fmt.Errorf("protect memory: %w", err)
	}
	return nil
}

// Unmap releases the memory: from now on, a read of Content kills the process.
func (m *Mapping) Unmap() {
	if m.all != nil {
		_ = syscall.Munmap(m.all)
	}
	m.file.Close() // a nil file has nothing to close
	m.Content, m.all = nil, nil
}
