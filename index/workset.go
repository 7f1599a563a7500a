package index

import "math/bits"

// A workset is a bitset to collect ordinals in, out of order, and to give them back in order. It knows in which blocks
// there are any, so that few members cost little however many pubs there are.
type workset struct {
	words bitset
	used  []bool // by block
}

// blockWords is the number of words of a block, a power of 2.
const blockWords = 64

func newWorkset(size int) workset {
	words := newBitset(size)
	return workset{words, make([]bool, (len(words)+blockWords-1)/blockWords)}
}

func (w workset) add(ordinal uint32) {
	w.words.add(ordinal)
	w.used[ordinal/(64*blockWords)] = true
}

func (w workset) addSet(s set) {
	if s.bits == nil {
		for _, id := range s.ids {
			w.add(id)
		}
		return
	}
	for i, word := range s.bits {
		w.words[i] |= word
	}
	for block := range w.used {
		w.used[block] = true
	}
}

// block is the words of a block.
func (w workset) block(block int) bitset {
	return w.words[block*blockWords : min((block+1)*blockWords, len(w.words))]
}

// len is the number of members.
func (w workset) len() (count int) {
	for i, used := range w.used {
		if used {
			for _, word := range w.block(i) {
				count += bits.OnesCount64(word)
			}
		}
	}
	return count
}

// clear leaves the set empty.
func (w workset) clear() {
	for i, used := range w.used {
		if used {
			clear(w.block(i))
			w.used[i] = false
		}
	}
}

// drain appends the members in ascending order and leaves the set empty.
func (w workset) drain(dst []uint32) []uint32 {
	for i, used := range w.used {
		if !used {
			continue
		}
		words := w.block(i)
		dst = words.appendTo(dst, uint32(i*blockWords*64))
		clear(words)
		w.used[i] = false
	}
	return dst
}

// take appends n members after the first ones, in ascending order, and leaves the set empty.
func (w workset) take(dst []uint32, first, n int) []uint32 {
	for i, used := range w.used {
		if !used {
			continue
		}
		words := w.block(i)
		for j := 0; j < len(words) && n > 0; j++ {
			word := words[j]
			if count := bits.OnesCount64(word); first >= count {
				first -= count
				continue
			}
			for ; first > 0; first-- {
				word &= word - 1
			}
			for ; word != 0 && n > 0; word &= word - 1 {
				dst = append(dst, uint32((i*blockWords+j)*64+bits.TrailingZeros64(word)))
				n--
			}
		}
		clear(words)
		w.used[i] = false
	}
	return dst
}
