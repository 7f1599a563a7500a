package index

import "math/bits"

// A set is a set of ordinals. ids holds them in ascending order; bits, where there are enough of them to pay for
// it, has their bits set too. What is found on the way may have bits alone. Sets are immutable and share memory.
type set struct {
	ids   []uint32
	bits  bitset
	count int // of a set without ids
}

// len is the number of ordinals.
func (s set) len() int {
	if s.ids == nil {
		return s.count
	}
	return len(s.ids)
}

// A bitset holds ordinal o as bit o%64 of word o/64.
type bitset []uint64

func newBitset(size int) bitset { return make(bitset, (size+63)/64) }

func (b bitset) add(ordinal uint32) { b[ordinal/64] |= 1 << (ordinal % 64) }

func (b bitset) has(ordinal uint32) bool { return b[ordinal/64]&(1<<(ordinal%64)) != 0 }

// remove takes out the ordinals from low to high.
func (b bitset) remove(low, high uint32) {
	for ; low < high; low++ {
		b[low/64] &^= 1 << (low % 64)
	}
}

// common puts the members of both sets into b and counts them.
func (b bitset) common(x, y bitset) (count int) {
	b, y = b[:len(x)], y[:len(x)]
	for i, word := range x {
		word &= y[i]
		b[i] = word
		count += bits.OnesCount64(word)
	}
	return count
}

// countOf is how many members of a set are members of b, too.
func (b bitset) countOf(s set) (count int) {
	if s.bits != nil {
		for i, word := range s.bits {
			count += bits.OnesCount64(word & b[i])
		}
		return count
	}
	for _, id := range s.ids {
		count += int(b[id/64] >> (id % 64) & 1)
	}
	return count
}

// appendTo appends the members in ascending order, each counted from first on.
func (b bitset) appendTo(dst []uint32, first uint32) []uint32 {
	for i, word := range b {
		for base := first + uint32(i*64); word != 0; word &= word - 1 {
			dst = append(dst, base+uint32(bits.TrailingZeros64(word)))
		}
	}
	return dst
}

// take appends n members after the first ones, in ascending order.
func (b bitset) take(dst []uint32, first, n int) []uint32 {
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

// minDense is how many ids a set has at least when it has bits.
const minDense = 512

// dense tells whether so many of size pubs deserve bits. Bits take at most eight times the memory of the ids, but no more
// than some dozens of sets have so many; and to look one pub up in them takes a single step.
func dense(count, size int) bool { return count >= minDense && count >= size/defaultRarity }

const defaultRarity = 256

// lowerBound is the place of the first id that is at least the ordinal.
func lowerBound(ids []uint32, ordinal uint32) int {
	low, high := 0, len(ids)
	for low < high {
		if middle := int(uint(low+high) >> 1); ids[middle] < ordinal {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// appendCommon appends the ids that are also in the other set. ids may share memory with dst when it begins there.
func appendCommon(dst, ids []uint32, other set) []uint32 {
	if other.bits != nil {
		start := len(dst)
		dst = grow(dst, len(ids))
		n := start
		for _, id := range ids {
			dst[n] = id
			n += int(other.bits[id/64] >> (id % 64) & 1)
		}
		return dst[:n]
	}
	if len(other.ids) < 16*len(ids) {
		return appendMerged(dst, ids, other.ids)
	}
	rest := other.ids
	for _, id := range ids {
		rest = rest[gallop(rest, id):]
		if len(rest) == 0 {
			break
		}
		if rest[0] == id {
			dst = append(dst, id)
		}
	}
	return dst
}

// appendMerged is appendCommon for sets of like size: it goes through both, without a branch to mispredict.
func appendMerged(dst, x, y []uint32) []uint32 {
	start := len(dst)
	dst = grow(dst, min(len(x), len(y))+1)
	i, j, n := 0, 0, start
	for i < len(x) && j < len(y) {
		a, b := x[i], y[j]
		dst[n] = a
		n += one(a == b)
		i += one(a <= b)
		j += one(b <= a)
	}
	return dst[:n]
}

func one(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// gallop is lowerBound for a place that is likely near the front.
func gallop(ids []uint32, ordinal uint32) int {
	if len(ids) == 0 || ids[0] >= ordinal {
		return 0
	}
	step := 1
	for step < len(ids) && ids[step] < ordinal {
		step *= 2
	}
	low := step / 2
	return low + lowerBound(ids[low:min(step+1, len(ids))], ordinal)
}

// grow lengthens dst by n elements of any value.
func grow(dst []uint32, n int) []uint32 {
	if len(dst)+n <= cap(dst) {
		return dst[:len(dst)+n]
	}
	return append(dst, make([]uint32, n)...)
}
