package postings

import (
	"math/bits"

	"pubd/index/indexfile"
)

// Counted is a bitmap with the number of members before each word, so that counting the members up to an ordinal takes
// constant time (Jacobson, Space-efficient Static Trees and Graphs, 1989). It is immutable, and takes half a bit per
// ordinal in addition to the bitmap.
type Counted struct {
	bits   Bitmap
	before []uint32
	count  int
}

// NewCounted returns a bitmap with its counts. The bitmap must not change afterwards.
func NewCounted(b Bitmap) Counted {
	c := Counted{bits: b, before: make([]uint32, len(b))}
	for i, word := range b {
		c.before[i] = uint32(c.count)
		c.count += bits.OnesCount64(word)
	}
	return c
}

// CountedOf returns the bitmap of ids below size.
func CountedOf(ids []uint32, size int) Counted {
	b := NewBitmap(size)
	for _, id := range ids {
		b.Add(id)
	}
	return NewCounted(b)
}

// Code writes or reads a bitmap of ordinals below size as the section called name.
func (c *Counted) Code(f indexfile.Codec, name string, size int) {
	indexfile.ArrayN(f, name, (*[]uint64)(&c.bits), words(size))
	CheckBitmaps(f.Reader, name, c.bits, size)
	*c = NewCounted(c.bits)
}

// Len returns the number of members.
func (c *Counted) Len() int { return c.count }

// Has reports whether an ordinal is a member.
func (c *Counted) Has(ordinal uint32) bool { return c.bits.Has(ordinal) }

// UpTo returns the number of members that are at most an ordinal.
func (c *Counted) UpTo(ordinal uint32) int {
	return int(c.before[ordinal/64]) + bits.OnesCount64(c.bits[ordinal/64]<<(63-ordinal%64))
}

// Before returns the number of members that are less than an ordinal, which may be the end of the bitmap.
func (c *Counted) Before(ordinal uint32) int {
	if ordinal == 0 {
		return 0
	}
	return c.UpTo(ordinal - 1)
}

// At returns the member of a rank, counted from 0. There must be one.
func (c *Counted) At(rank int) uint32 {
	i := LowerBound(c.before, uint32(rank)+1) - 1
	word := c.bits[i]
	for range rank - int(c.before[i]) {
		word &= word - 1
	}
	return uint32(i*64 + bits.TrailingZeros64(word))
}
