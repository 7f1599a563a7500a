// Package postings has sets of ordinals, the operations on them, and the storage of many sets in a file.
//
// A [Set] is an ascending list or, if it has at least one in 256 ordinals, a bitmap, or both. It is immutable. A
// [Builder] makes [Lists], the numbered sets of a file, which are used in place; a [Sparse] has sets for
// some of many numbers. Both are safe for concurrent use. A query combines sets in a [Pool], which serves one
// goroutine and lends its memory until it is reset or released: nothing is allocated once it has grown.
//
// An intersection begins with the smallest set. Two bitmaps are intersected 64 ordinals at a time, lists of similar
// length are merged, and a short list is looked up in a long one. A [Collector] takes ordinals in any order and
// returns them sorted: a bitmap with a note of the blocks in use, so that few ordinals cost little. Ordinals are
// stored at fixed width, not compressed, so that sets are used from the mapped file as they are.
package postings

import (
	"math/bits"
	"slices"
)

// Set is a set of ordinals: an ascending list if there are few, a bitmap if there are many, or both. The zero value is
// empty. Sets are immutable and share memory.
type Set struct {
	ids   []uint32
	bits  Bitmap
	count int
}

// Of returns the set of ascending ordinals.
func Of(ids []uint32) Set { return Set{ids: ids, count: len(ids)} }

// OfBitmap returns the set of the count members of a bitmap.
func OfBitmap(bits Bitmap, count int) Set { return Set{bits: bits, count: count} }

// Len returns the number of ordinals.
func (s Set) Len() int { return s.count }

// IDs returns the ordinals in ascending order, or nil if the set is only a bitmap.
func (s Set) IDs() []uint32 { return s.ids }

// Bitmap returns the bitmap, or nil if the set is only a list.
func (s Set) Bitmap() Bitmap { return s.bits }

// Has reports whether an ordinal is in the set.
func (s Set) Has(ordinal uint32) bool {
	if s.bits != nil {
		return s.bits.Has(ordinal)
	}
	at := LowerBound(s.ids, ordinal)
	return at < len(s.ids) && s.ids[at] == ordinal
}

// Same reports whether two sets share their memory.
func (s Set) Same(other Set) bool {
	if len(s.ids) > 0 || len(other.ids) > 0 {
		return len(s.ids) == len(other.ids) && &s.ids[0] == &other.ids[0]
	}
	return len(s.bits) > 0 && len(other.bits) > 0 && &s.bits[0] == &other.bits[0]
}

// Bitmap holds ordinal o as bit o%64 of word o/64.
type Bitmap []uint64

// NewBitmap returns the empty set out of size ordinals.
func NewBitmap(size int) Bitmap { return make(Bitmap, words(size)) }

// words returns the number of words of a bitmap.
func words(size int) int { return (size + 63) / 64 }

// Add adds an ordinal.
func (b Bitmap) Add(ordinal uint32) { b[ordinal/64] |= 1 << (ordinal % 64) }

// Has reports whether an ordinal is in the set.
func (b Bitmap) Has(ordinal uint32) bool { return b[ordinal/64]&(1<<(ordinal%64)) != 0 }

// RemoveRange removes the ordinals low <= o < high.
func (b Bitmap) RemoveRange(low, high uint32) {
	for ; low < high; low++ {
		b[low/64] &^= 1 << (low % 64)
	}
}

// Count returns the number of members.
func (b Bitmap) Count() (count int) {
	for _, word := range b {
		count += bits.OnesCount64(word)
	}
	return count
}

// intersect sets b to the intersection of two bitmaps and counts its members. b may be one of them.
func (b Bitmap) intersect(x, y Bitmap) (count int) {
	b, y = b[:len(x)], y[:len(x)]
	for i, word := range x {
		word &= y[i]
		b[i] = word
		count += bits.OnesCount64(word)
	}
	return count
}

// CountCommon returns the number of members of a set that are also members of b.
func (b Bitmap) CountCommon(s Set) (count int) {
	if s.bits != nil {
		other := s.bits[:len(b)]
		for i, word := range b {
			count += bits.OnesCount64(word & other[i])
		}
		return count
	}
	for _, id := range s.ids {
		count += int(b[id/64] >> (id % 64) & 1)
	}
	return count
}

// AppendTo appends the members in ascending order, each plus first.
func (b Bitmap) AppendTo(dst []uint32, first uint32) []uint32 {
	for i, word := range b {
		for base := first + uint32(i*64); word != 0; word &= word - 1 {
			dst = append(dst, base+uint32(bits.TrailingZeros64(word)))
		}
	}
	return dst
}

// AppendSome skips the first members and appends the following n, in ascending order. The caller ensures that there
// are as many.
func (b Bitmap) AppendSome(dst []uint32, first, n int) []uint32 {
	i := 0
	for ; ; i++ {
		count := bits.OnesCount64(b[i])
		if first < count {
			break
		}
		first -= count
	}
	for ; n > 0; i++ {
		word := b[i]
		for ; first > 0; first-- {
			word &= word - 1
		}
		for ; word != 0 && n > 0; word &= word - 1 {
			dst = append(dst, uint32(i*64+bits.TrailingZeros64(word)))
			n--
		}
	}
	return dst
}

// LowerBound returns the index of the first id that is at least the ordinal.
func LowerBound(ids []uint32, ordinal uint32) int {
	at, _ := slices.BinarySearch(ids, ordinal)
	return at
}
