package indexfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Mapping is the content of a file in memory that the garbage collector does not manage.
type Mapping struct {
	Content []byte
	all     []byte // what was mapped
	inPlace bool   // paged from the file
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
	size := info.Size()
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
		return &Mapping{all, all, true}, nil
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
		adviseHugePages(all)
	}
	return &Mapping{all, all, false}, nil
}

// ReadRandomly tells the kernel that reads of a section of a file mapped in place are random, so that a page fault
// reads only one page: if the file is larger than memory, read-ahead would evict pages in use.
func (m *Mapping) ReadRandomly(s Section) {
	if m.inPlace {
		memoryPage := int64(os.Getpagesize())
		adviseRandomReads(m.all[s.Offset/memoryPage*memoryPage : s.Offset+s.Size])
	}
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
	m.Content, m.all = nil, nil
}
