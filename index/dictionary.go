package index

import (
	"bytes"
	"hash/maphash"
)

// A dictionary numbers distinct texts in the order in which they were added. Its texts lie in one piece of memory,
// which leaves the garbage collector nothing to follow. It is safe for concurrent use once it is complete.
type dictionary struct {
	text   []byte
	starts []uint32 // text i is text[starts[i]:starts[i+1]]
	slots  []uint32 // open addressing; a slot holds a number plus one, or 0
	seed   maphash.Seed
}

// newDictionary makes a dictionary for count texts of size bytes in all.
func newDictionary(count, size int) *dictionary {
	slots := 8
	for slots < 2*count {
		slots *= 2
	}
	return &dictionary{
		text: make([]byte, 0, size), starts: append(make([]uint32, 0, count+1), 0), slots: make([]uint32, slots),
		seed: maphash.MakeSeed(),
	}
}

// add gives a text, which must not be there yet, the next number.
func (d *dictionary) add(text []byte) {
	slot := d.slot(text)
	d.text = append(d.text, text...)
	d.starts = append(d.starts, uint32(len(d.text)))
	d.slots[slot] = uint32(d.len())
}

func (d *dictionary) len() int { return len(d.starts) - 1 }

func (d *dictionary) at(number int) []byte { return d.text[d.starts[number]:d.starts[number+1]] }

// find gives the number of a text. It takes constant time and does not allocate.
func (d *dictionary) find(text []byte) (number int, ok bool) {
	number = int(d.slots[d.slot(text)]) - 1
	return number, number >= 0
}

// slot is the slot of a text, or the empty one where it belongs.
func (d *dictionary) slot(text []byte) uint64 {
	mask := uint64(len(d.slots) - 1)
	for slot := maphash.Bytes(d.seed, text) & mask; ; slot = (slot + 1) & mask {
		if number := d.slots[slot]; number == 0 || bytes.Equal(d.at(int(number-1)), text) {
			return slot
		}
	}
}

// beginningWith gives the numbers low <= i < high of the texts that begin with a prefix, in a dictionary whose texts
// were added in ascending order.
func (d *dictionary) beginningWith(prefix []byte) (low, high int) {
	low = d.search(0, d.len(), func(text []byte) bool { return bytes.Compare(text, prefix) >= 0 })
	high = d.search(low, d.len(), func(text []byte) bool { return !bytes.HasPrefix(text, prefix) })
	return low, high
}

// search is the first number in a range for which a condition, false for all before, is true.
func (d *dictionary) search(low, high int, condition func(text []byte) bool) int {
	for low < high {
		if middle := int(uint(low+high) >> 1); condition(d.at(middle)) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
