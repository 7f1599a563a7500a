package postings

// Collector collects ordinals in any order, possibly repeated, and returns them in ascending order. It records which
// blocks are used, so that the cost depends on the members rather than on the size of the universe.
type Collector struct {
	words Bitmap
	used  []bool // by block
}

// blockWords is the number of words of a block, a power of 2.
const blockWords = 64

// NewCollector returns an empty collector for size ordinals.
func NewCollector(size int) *Collector {
	n := words(size)
	return &Collector{make(Bitmap, n), make([]bool, (n+blockWords-1)/blockWords)}
}

// Add adds an ordinal.
func (c *Collector) Add(ordinal uint32) {
	c.words.Add(ordinal)
	c.used[ordinal/(64*blockWords)] = true
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
		c.used[word/blockWords] = true
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
	for block := range c.used {
		c.used[block] = true
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

// block returns the words of a block.
func (c *Collector) block(block int) Bitmap {
	return c.words[block*blockWords : min((block+1)*blockWords, len(c.words))]
}

// Len returns the number of members.
func (c *Collector) Len() (count int) {
	for i, used := range c.used {
		if used {
			count += c.block(i).Count()
		}
	}
	return count
}

// Clear removes everything.
func (c *Collector) Clear() {
	for i, used := range c.used {
		if used {
			clear(c.block(i))
			c.used[i] = false
		}
	}
}

// Drain appends the members in ascending order and removes them.
func (c *Collector) Drain(dst []uint32) []uint32 {
	for i, used := range c.used {
		if !used {
			continue
		}
		block := c.block(i)
		dst = block.AppendTo(dst, uint32(i*blockWords*64))
		clear(block)
		c.used[i] = false
	}
	return dst
}

// Bitmap returns the members as a bitmap, which must not be changed.
func (c *Collector) Bitmap() Bitmap { return c.words }
