package text

import (
	"bytes"

	"pubd/index/indexfile"
	"pubd/index/spool"
)

// Dictionary numbers distinct terms in ascending order. Its terms are in one arena. It is immutable and safe for
// concurrent use.
type Dictionary struct {
	arena  []byte
	starts []uint32 // term i is arena[starts[i]:starts[i+1]]
	slots  Slots    // empty if exact terms are rarely looked up
}

// NewDictionary returns the dictionary of ascending terms; hashed makes exact lookups fast.
func NewDictionary(terms [][]byte, hashed bool) Dictionary {
	size := 0
	for _, term := range terms {
		size += len(term)
	}
	d := Dictionary{arena: make([]byte, 0, size), starts: make([]uint32, 1, len(terms)+1)}
	for _, term := range terms {
		d.arena = append(d.arena, term...)
		d.starts = append(d.starts, spool.Uint32(len(d.arena)))
	}
	if hashed {
		d.Hash()
	}
	return d
}

// Hash makes exact lookups fast.
func (d *Dictionary) Hash() { d.slots = NewSlots(d.Len(), d.At) }

// Len returns the number of terms.
func (d *Dictionary) Len() int { return len(d.starts) - 1 }

// At returns a term by its number.
func (d *Dictionary) At(number uint32) []byte { return d.arena[d.starts[number]:d.starts[number+1]] }

// Find returns the number of a term. It does not allocate, and takes constant time in a hashed dictionary.
func (d *Dictionary) Find(term []byte) (number uint32, ok bool) {
	if len(d.slots) > 0 {
		return d.slots.Find(Hash(term), func(number uint32) bool { return bytes.Equal(d.At(number), term) })
	}
	number = d.lowerBound(term)
	return number, int(number) < d.Len() && bytes.Equal(d.At(number), term)
}

// Range is the terms Low <= number < High.
type Range struct{ Low, High uint32 }

// PrefixRange returns the range of the terms that begin with a prefix.
func (d *Dictionary) PrefixRange(prefix []byte) Range {
	low, isTerm := uint32(0), false
	if len(d.slots) > 0 {
		low, isTerm = d.Find(prefix) // as most are: a lookup takes less time than a binary search
	}
	if !isTerm {
		low = d.lowerBound(prefix)
	}
	return Range{low, d.after(low, uint32(d.Len()), prefix)}
}

// after returns the number of the first term from low to high-1, or high, that does not begin with a prefix. Low is the
// first that does, if there is one. It takes logarithmic time in the number of those that do, which are often few.
func (d *Dictionary) after(low, high uint32, prefix []byte) uint32 {
	step := uint32(1)
	for step <= high-low && bytes.HasPrefix(d.At(low+step-1), prefix) {
		step *= 2
	}
	for low, high = low+step/2, min(low+step-1, high); low < high; {
		if middle := low + (high-low)/2; bytes.HasPrefix(d.At(middle), prefix) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// lowerBound returns the number of the first term that is not less than another. Most searches need it: a condition that
// is a function would take twice as long.
func (d *Dictionary) lowerBound(term []byte) uint32 {
	low, high := uint32(0), uint32(d.Len())
	for low < high {
		if middle := low + (high-low)/2; bytes.Compare(d.At(middle), term) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Code writes or reads a dictionary as sections whose names begin with name.
func (d *Dictionary) Code(f indexfile.Codec, name string) {
	indexfile.Array(f, name+".arena", &d.arena)
	indexfile.Array(f, name+".offsets", &d.starts)
	indexfile.CheckOffsets(f.Reader, name+".offsets", d.starts, len(d.arena))
	d.slots.Code(f, name+".slots", d.Len())
}
