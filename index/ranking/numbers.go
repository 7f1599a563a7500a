package ranking

import (
	"math"
	"sort"

	"pubd/index/indexfile"
)

// Numbers are numbers by ordinal, each in as many bytes as the greatest possible one needs: 1, 2 or 4. They are
// immutable.
type Numbers struct {
	// One of them has the numbers.
	bytes  []uint8
	halves []uint16
	words  []uint32
}

// NewNumbers returns numbers, none greater than most.
func NewNumbers(numbers []uint32, most uint32) (n Numbers) {
	switch {
	case most <= math.MaxUint8:
		n.bytes = narrowed[uint8](numbers)
	case most <= math.MaxUint16:
		n.halves = narrowed[uint16](numbers)
	default:
		n.words = narrowed[uint32](numbers)
	}
	return n
}

func narrowed[T uint8 | uint16 | uint32](numbers []uint32) []T {
	list := make([]T, len(numbers))
	for i, number := range numbers {
		list[i] = T(number)
	}
	return list
}

// At returns the number of an ordinal.
func (n *Numbers) At(ordinal uint32) uint32 {
	switch {
	case len(n.halves) > 0:
		return uint32(n.halves[ordinal])
	case len(n.bytes) > 0:
		return uint32(n.bytes[ordinal])
	}
	return n.words[ordinal]
}

// Count adds to counts, by number, how many of some ordinals have it.
func (n *Numbers) Count(counts, ordinals []uint32) {
	switch {
	case len(n.halves) > 0:
		countEach(n.halves, counts, ordinals)
	case len(n.bytes) > 0:
		countEach(n.bytes, counts, ordinals)
	default:
		countEach(n.words, counts, ordinals)
	}
}

func countEach[T uint8 | uint16 | uint32](numbers []T, counts, ordinals []uint32) {
	for _, ordinal := range ordinals {
		counts[numbers[ordinal]]++
	}
}

// Search returns the first of the positions low to high-1, where numbers ascend, whose number is at least a minimum;
// high if there is none.
func (n *Numbers) Search(low, high, minimum uint32) uint32 {
	return low + uint32(sort.Search(int(high-low), func(i int) bool { return n.At(low+uint32(i)) >= minimum }))
}

// Code writes or reads a count of numbers as a section. None may be greater than most, which must be what they were
// made with.
func (n *Numbers) Code(f indexfile.Codec, name string, count int, most uint32) {
	switch {
	case most <= math.MaxUint8:
		codeNumbers(f, name, &n.bytes, count, most)
	case most <= math.MaxUint16:
		codeNumbers(f, name, &n.halves, count, most)
	default:
		codeNumbers(f, name, &n.words, count, most)
	}
}

func codeNumbers[T uint8 | uint16 | uint32](f indexfile.Codec, name string, numbers *[]T, count int, most uint32) {
	indexfile.ArrayN(f, name, numbers, count)
	greatest := T(0)
	for _, number := range *numbers {
		greatest = max(greatest, number)
	}
	f.Check(uint32(greatest) <= most, name, "it has a value out of range")
}
