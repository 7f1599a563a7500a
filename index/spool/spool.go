// Package spool keeps the large arrays of a build outside of the Go heap. An [Array] grows by appending and never moves
// once it is large: it takes a range of addresses, and memory only for what it has. Growing copies nothing, releasing
// gives memory back at once, and the garbage collector neither walks nor counts it.
//
// A [Space] says where the memory comes from: all of it anonymous or, beyond a number of bytes, from a file without a
// name in a folder, whose pages the kernel writes out and takes back when memory is short. So a build needs disk, not
// memory, for what is large.
//
// Values are flat: numbers, and arrays and structs of them, without pointers. An array is used by one goroutine at a
// time, a space by many; an array without a space lies in the heap. A space that is
// full panics with a [Full], which [Catch] turns into an error where a build begins, as does [Uint32] for a number that
// is too large. Where addresses are short, arrays are ordinary slices.
package spool

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"unsafe"

	"pubd/index/indexfile"
)

// onHeap is the size in bytes up to which an array is an ordinary slice.
const onHeap = 32 << 10

// A Space lends memory to arrays.
type Space struct {
	folder string

	mu      sync.Mutex // guards what follows
	free    int64      // bytes of anonymous memory left before the file is used
	file    *os.File   // nil until it is needed
	end     int64      // of the file
	regions map[*region]bool
}

// InMemory returns a space of anonymous memory, without a limit.
func InMemory() *Space { return InFolder("", math.MaxInt64) }

// InFolder returns a space of some bytes of anonymous memory and, beyond, of a file in a folder, which is made when it
// is needed and has no name. If folder is empty there is no more: an array that needs it panics with [ErrNoMemory].
func InFolder(folder string, memory int64) *Space { return &Space{folder: folder, free: memory} }

// Close takes back the memory of all arrays: a later use of their values kills the process.
func (s *Space) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.regions {
		r.unmap()
	}
	clear(s.regions)
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// ErrNoMemory means that a space has no folder, and less memory than is needed.
var ErrNoMemory = errors.New("more than there is")

// Full is the value of the panic of a space that has no memory left, and of a number that is too large.
type Full struct{ Err error }

// Catch sets err if the function that defers it panics because a space is full.
func Catch(err *error) {
	switch cause := recover().(type) {
	case nil:
	case Full:
		*err = fmt.Errorf("memory for building: %w", cause.Err)
	default:
		panic(cause)
	}
}

// Beside calls do on another goroutine, or at once if there is one worker, and returns what waits until do has ended, and
// panics with a [Full] if it did. It may be called more than once: who defers it ends no sooner than do.
func Beside(workers int, do func()) (wait func()) {
	if workers == 1 {
		do()
		return func() {}
	}
	ended := make(chan any, 1)
	go func() {
		defer func() {
			cause := recover()
			if _, full := cause.(Full); cause != nil && !full {
				panic(cause) // a defect, with the stack of this goroutine
			}
			ended <- cause
		}()
		do()
	}()
	return sync.OnceFunc(func() {
		if cause := <-ended; cause != nil {
			panic(cause)
		}
	})
}

// Uint32 returns a number in 32 bits, with which most of an index file refers to values of arrays. It panics with a
// [Full] if it is larger.
func Uint32(number int) uint32 {
	if uint64(number) > math.MaxUint32 {
		panic(Full{fmt.Errorf("%d values or bytes of one kind: must be below 2^32", number)})
	}
	return uint32(number)
}

// Array is a growing array of flat values.
type Array[T any] struct {
	space  *Space
	values []T
	region *region // nil while the values are in the heap
}

// New returns an empty array in a space, or in the heap if space is nil. It panics for values with pointers or padding.
func New[T any](space *Space) *Array[T] {
	values, _ := indexfile.ValuesOf[T](nil)
	return &Array[T]{space: space, values: values}
}

// Values returns the values, which are valid until Release. What is appended later is not among them.
func (a *Array[T]) Values() []T { return a.values }

// Len returns the number of values.
func (a *Array[T]) Len() int { return len(a.values) }

// Append appends values.
func (a *Array[T]) Append(values ...T) {
	if len(a.values)+len(values) > cap(a.values) {
		a.grow(len(values))
	}
	a.values = append(a.values, values...)
}

// Extend appends n zero values and returns them.
func (a *Array[T]) Extend(n int) []T {
	if len(a.values)+n > cap(a.values) {
		a.grow(n)
	}
	start := len(a.values)
	a.values = a.values[:start+n]
	clear(a.values[start:])
	return a.values[start:]
}

// Truncate removes all but the first n values.
func (a *Array[T]) Truncate(n int) { a.values = a.values[:n] }

// Release gives the memory back: a later use of the values kills the process. The array is empty.
func (a *Array[T]) Release() {
	if a.region != nil {
		a.region.release()
	}
	a.values, a.region = nil, nil
}

// grow makes room for n more values.
func (a *Array[T]) grow(n int) {
	size := int64(unsafe.Sizeof(*new(T)))
	need := (int64(len(a.values)) + int64(n)) * size
	if a.region == nil && 2*need > onHeap && a.space != nil {
		a.region = a.space.reserve()
	}
	if a.region == nil {
		a.values = append(make([]T, 0, 2*need/size), a.values...)
		return
	}
	first := a.region.size == 0
	a.region.extend(need)
	values, _ := indexfile.ValuesOf[T](a.region.memory[:a.region.size/size*size])
	if first {
		copy(values, a.values)
	}
	a.values = values[:len(a.values)]
}
