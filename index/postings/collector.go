package postings

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// Collector collects ordinals in any order, possibly repeated, and returns them in ascending order. It records which
// blocks are used, so that the cost depends on the members rather than on the size of the universe.
type Collector struct {
	words Bitmap
	used  []byte // by block, 1 if it is used; padded, as eight are read at once
}

// blockWords is the number of words of a block, which are a cache line.
const blockWords = 8

// NewCollector returns an empty collector for size ordinals.
func NewCollector(size int) *Collector {
	n := words(size)
	return &Collector{make(Bitmap, n), make([]byte, (n+8*blockWords-1)/(8*blockWords)*8)}
}

// Add adds an ordinal.
func (c *Collector) Add(ordinal uint32) {
	c.words.Add(ordinal)
	c.used[ordinal/(64*blockWords)] = 1
}

// AddAll adds ordinals.
func (c *Collector) AddAll(ids []uint32) {
	for _, id := range ids {
		c.Add(id)
	}
}

// AddCommon adds the ordinals that are also members of a bitmap.
func (c *Collector) AddCommon(ids []uint32, other Bitmap) {
	for _, id := range ids { // without a branch to mispredict
		word := id / 64
		c.words[word] |= other[word] & (1 << (id % 64))
		c.used[word/blockWords] = 1
	}
}

// AddSet adds the members of a set.
func (c *Collector) AddSet(s Set) {
	if s.bits == nil {
		c.AddAll(s.ids)
		return
	}
	into := c.words[:len(s.bits)]
	for i, word := range s.bits {
		into[i] |= word
	}
	for i := 0; i < len(c.words); i += blockWords {
		c.used[i/blockWords] = 1
	}
}

// RemoveRange removes the ordinals low <= o < high.
func (c *Collector) RemoveRange(low, high uint32) { c.words.RemoveRange(low, high) }

// RemoveSet removes the members of a set.
func (c *Collector) RemoveSet(s Set) {
	if s.bits != nil {
		for i, word := range s.bits {
			c.words[i] &^= word
		}
		return
	}
	for _, id := range s.ids {
		c.words[id/64] &^= 1 << (id % 64)
	}
}

// allUsed are the bytes of eight blocks that are used.
const allUsed = 0x0101010101010101

// blocks yields the words of the blocks that are used, eight blocks together if all are, with the number of the first
// word.
func (c *Collector) blocks() iter.Seq2[int, Bitmap] {
	return func(yield func(first int, block Bitmap) bool) {
		for i := 0; i < len(c.used); i += 8 {
			some, size := binary.LittleEndian.Uint64(c.used[i:]), blockWords
			if some == allUsed {
				some, size = 1, 8*blockWords
			}
			for ; some != 0; some &= some - 1 {
				first := (i + bits.TrailingZeros64(some)/8) * blockWords
				if !yield(first, c.words[first:min(first+size, len(c.words))]) {
					return
				}
			}
		}
	}
}

// Len returns the number of members.
func (c *Collector) Len() (count int) {
	for _, block := range c.blocks() {
		count += block.Count()
	}
	return count
}

// Clear removes everything.
func (c *Collector) Clear() {
	for _, block := range c.blocks() {
		clear(block)
	}
	clear(c.used)
}

// Drain appends the members in ascending order and removes them.
func (c *Collector) Drain(dst []uint32) []uint32 {
	for first, block := range c.blocks() {
		dst = block.AppendTo(dst, uint32(64*first))
		clear(block)
	}
	clear(c.used)
	return dst
}

// Bitmap returns the members as a bitmap, which must not be changed.
func (c *Collector) Bitmap() Bitmap { return c.words }
