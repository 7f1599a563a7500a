package spool

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

const (
	// reserved is the number of addresses of a region, more than any array needs: 47 bits are enough for 512 regions.
	reserved = 1 << 38
	// leastStep and mostStep are how many bytes a region grows by at least and, if no more is needed, at most.
	leastStep, mostStep = 64 << 10, 64 << 20
	// hugePage is the size of a large page.
	hugePage = 2 << 20
)

// region is a range of addresses, the beginning of which has memory.
type region struct {
	space  *Space
	memory []byte // all addresses
	size   int64  // bytes that have memory
	anon   int64  // of them, anonymous
	pieces []piece
}

// piece is a part of the file of a space.
type piece struct{ offset, size int64 }

// reserve returns a region without memory; nil if there are not enough addresses, as with 39 bits or a limit of them.
func (s *Space) reserve() *region {
	memory, err := syscall.Mmap(-1, 0, reserved, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	r := &region{space: s, memory: memory}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.regions == nil {
		s.regions = map[*region]bool{}
	}
	s.regions[r] = true
	return r
}

// extend gives a region memory for at least some bytes.
func (r *region) extend(need int64) {
	if need > reserved {
		panic(Full{fmt.Errorf("an array of %d GiB", need>>30)})
	}
	step := max(need-r.size, min(max(r.size/2, leastStep), mostStep))
	if r.size >= hugePage {
		step = (step + hugePage - 1) / hugePage * hugePage
	}
	step = min((step+leastStep-1)/leastStep*leastStep, reserved-r.size)
	file, offset := r.space.take(step)
	memory := r.memory[r.size : r.size+step]
	if file == nil {
		if err := syscall.Mprotect(memory, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
			panic(Full{fmt.Errorf("%d MiB: %w", step>>20, err)})
		}
		if step >= hugePage {
			_ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE)
		}
		r.anon += step
	} else if _, _, errno := syscall.Syscall6(syscall.SYS_MMAP, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(step),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_FIXED, file.Fd(), uintptr(offset)); errno != 0 {
		panic(Full{fmt.Errorf("%s: %d MiB: %w", r.space.folder, step>>20, errno)})
	} else {
		r.pieces = append(r.pieces, piece{offset, step})
	}
	r.size += step
}

// take returns where the next bytes of memory come from: a file at an offset or, if it is nil, anonymous memory.
func (s *Space) take(size int64) (file *os.File, offset int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if size <= s.free {
		s.free -= size
		return nil, 0
	}
	if s.folder == "" {
		panic(Full{fmt.Errorf("%d MiB: %w", size>>20, ErrNoMemory)})
	}
	if s.file == nil {
		made, err := os.CreateTemp(s.folder, ".building-*")
		if err != nil {
			panic(Full{err})
		}
		s.file = made
		if err := os.Remove(made.Name()); err != nil {
			panic(Full{err})
		}
	}
	// Without room on the disk, this fails; a write to a page without room would end the process.
	const extending = 0
	err := error(syscall.EINTR)
	for err == syscall.EINTR {
		err = syscall.Fallocate(int(s.file.Fd()), extending, s.end, size)
	}
	if errors.Is(err, syscall.EOPNOTSUPP) {
		err = s.file.Truncate(s.end + size)
	}
	if err != nil {
		panic(Full{fmt.Errorf("%s: %d MiB for a temporary file, beside its %d MiB: %w", s.folder, size>>20, s.end>>20, err)})
	}
	offset = s.end
	s.end += size
	return s.file, offset
}

// release gives the memory back.
func (r *region) release() {
	r.space.mu.Lock()
	defer r.space.mu.Unlock()
	if r.space.regions[r] {
		delete(r.space.regions, r)
		r.unmap()
		r.space.free += r.anon
		const emptying = 1 | 2 // FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE
		for _, p := range r.pieces {
			_ = syscall.Fallocate(int(r.space.file.Fd()), emptying, p.offset, p.size) // otherwise it keeps room on the disk
		}
	}
}

// unmap gives the memory and the addresses back.
func (r *region) unmap() {
	_ = syscall.Munmap(r.memory)
	r.memory = nil
}
