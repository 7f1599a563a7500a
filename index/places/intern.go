package places

import (
	"bytes"

	"pubd/index/spool"
	"pubd/index/text"
)

// interner numbers distinct texts in the order in which they first come.
type interner struct {
	space *spool.Space
	arena *spool.Array[byte]
	ends  *spool.Array[uint64] // by number: the end of its text
	slots *spool.Array[uint32] // by hash, with open addressing: a number plus one, or 0
}

func newInterner(space *spool.Space) interner {
	t := interner{space, spool.New[byte](space), spool.New[uint64](space), spool.New[uint32](space)}
	t.slots.Extend(1024)
	return t
}

// count returns the number of texts.
func (t *interner) count() int { return t.ends.Len() }

// at returns a text by its number, valid until release.
func (t *interner) at(number uint32) []byte {
	start := uint64(0)
	if number > 0 {
		start = t.ends.Values()[number-1]
	}
	return t.arena.Values()[start:t.ends.Values()[number]]
}

// slot returns the slot of a text, which is empty if it has no number.
func (t *interner) slot(text []byte, hash uint64) uint64 {
	slots := t.slots.Values()
	mask := uint64(len(slots) - 1)
	slot := hash & mask
	for slots[slot] != 0 && !bytes.Equal(t.at(slots[slot]-1), text) {
		slot = (slot + 1) & mask
	}
	return slot
}

// find returns the number of a text.
func (t *interner) find(written []byte) (number uint32, ok bool) {
	slot := t.slots.Values()[t.slot(written, text.Hash(written))]
	return slot - 1, slot > 0
}

// add returns the number of a text, which it gives it if it has none.
func (t *interner) add(written []byte) (number uint32, isNew bool) {
	hash := text.Hash(written)
	slot := t.slot(written, hash)
	if number := t.slots.Values()[slot]; number > 0 {
		return number - 1, false
	}
	number = spool.Uint32(2*t.count()+1) / 2 // an occurrence doubles it
	t.arena.Append(written...)
	t.ends.Append(uint64(t.arena.Len()))
	t.slots.Values()[slot] = number + 1
	if 4*t.count() > 3*t.slots.Len() {
		t.grow()
	}
	return number, true
}

// grow doubles the slots.
func (t *interner) grow() {
	slots := spool.New[uint32](t.space)
	slots.Extend(2 * t.slots.Len())
	t.slots.Release()
	t.slots = slots
	values := slots.Values()
	mask := uint64(len(values) - 1)
	for number := range uint32(t.count()) {
		slot := text.Hash(t.at(number)) & mask
		for values[slot] != 0 {
			slot = (slot + 1) & mask
		}
		values[slot] = number + 1
	}
}

func (t *interner) release() {
	t.arena.Release()
	t.ends.Release()
	t.slots.Release()
}
