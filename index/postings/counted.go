package postings

import "math/bits"

// Counted is a bitmap with, by word, how many members come before it, so that counting those up to one takes constant time (Jacobson,
// Space-efficient Static Trees and Graphs, 1989). It is immutable, and takes half a bit a member of the universe besides the bitmap.
type Counted struct {
	bits   Bitmap
	before []uint32
	count  int
}

// NewCounted returns a bitmap, which must not change any more, with its counts.
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

// Len returns the number of members.
func (c *Counted) Len() int { return c.count }

// Has reports whether an ordinal is a member.
func (c *Counted) Has(ordinal uint32) bool { return c.bits.Has(ordinal) }

// UpTo returns the number of members that are at most an ordinal.
func (c *Counted) UpTo(ordinal uint32) int {
	return int(c.before[ordinal/64]) + bits.OnesCount64(c.bits[ordinal/64]<<(63-ordinal%64))
}
