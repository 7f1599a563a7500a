package text

import (
	"bytes"

	"github.com/cespare/xxhash/v2"

	"pubd/index/indexfile"
	"pubd/index/spool"
)

// Hash returns the hash of a text for Slots: xxhash, which is the same on all machines.
func Hash(text []byte) uint64 { return xxhash.Sum64(text) }

// Slots finds numbers by the hash of their texts, with open addressing: a slot holds a number plus one, or 0. At least
// half are empty.
type Slots []uint32

// NewSlots returns slots that find the numbers below count by their texts, which must be distinct.
func NewSlots(count int, at func(number uint32) []byte) Slots {
	size := 8
	for size < 2*count {
		size *= 2
	}
	s := make(Slots, size)
	for number := range uint32(count) {
		s.add(Hash(at(number)), number)
	}
	return s
}

// slot returns the slot of the first number with a hash for which is returns true or, if there is none, the free slot
// that would have it.
func (s Slots) slot(hash uint64, is func(number uint32) bool) *uint32 {
	mask := uint64(len(s) - 1)
	at := hash & mask
	for range s { // in a hostile file, no slot may be free
		if s[at] == 0 || is(s[at]-1) {
			break
		}
		at = (at + 1) & mask
	}
	return &s[at]
}

// add adds a number with a hash.
func (s Slots) add(hash uint64, number uint32) {
	*s.slot(hash, func(uint32) bool { return false }) = number + 1
}

// Find returns the first number with a hash for which is returns true.
func (s Slots) Find(hash uint64, is func(number uint32) bool) (number uint32, ok bool) {
	if len(s) == 0 {
		return 0, false
	}
	slot := *s.slot(hash, is)
	return slot - 1, slot > 0
}

// Code writes or reads slots for numbers below count as a section. The number of slots is 0 or a power of 2.
func (s *Slots) Code(f indexfile.Codec, name string, count int) {
	indexfile.Array(f, name, (*[]uint32)(s))
	f.Check(len(*s)&(len(*s)-1) == 0, name, "the number of slots is not a power of 2")
	indexfile.CheckBelow(f.Reader, name, *s, count+1)
}

// A Table is slots of numbers from 0 on, to which further ones are added. It is used by one goroutine.
type Table struct {
	space *spool.Space
	slots *spool.Array[uint32]
	count uint32
	hash  func(number uint32) uint64
}

// NewTable returns an empty table, whose memory is in a space. hash returns the hash of what a number stands for.
func NewTable(space *spool.Space, hash func(number uint32) uint64) *Table {
	t := &Table{space: space, slots: spool.New[uint32](space), hash: hash}
	t.slots.Extend(64)
	return t
}

// Release gives the memory back. The table must not be used any more.
func (t *Table) Release() { t.slots.Release() }

// Find returns the number with a hash for which is returns true.
func (t *Table) Find(hash uint64, is func(number uint32) bool) (number uint32, ok bool) {
	return Slots(t.slots.Values()).Find(hash, is)
}

// FindOrAdd is Find that adds the next number with the hash if there is none.
func (t *Table) FindOrAdd(hash uint64, is func(number uint32) bool) (number uint32, isNew bool) {
	slot := Slots(t.slots.Values()).slot(hash, is)
	if *slot > 0 {
		return *slot - 1, false
	}
	number = t.count
	t.count = spool.Uint32(int(t.count) + 1)
	*slot = t.count
	if size := t.slots.Len(); 2*int(t.count) > size {
		t.slots.Release()
		t.slots = spool.New[uint32](t.space)
		slots := Slots(t.slots.Extend(2 * size))
		for other := range number {
			slots.add(t.hash(other), other)
		}
		slots.add(hash, number)
	}
	return number, true
}

// Interner numbers distinct texts in the order in which they first come. It is used by one goroutine.
type Interner struct {
	Texts
	table *Table
}

// NewInterner returns an interner without texts, whose memory is in a space.
func NewInterner(space *spool.Space) *Interner {
	t := &Interner{Texts: NewTexts(space)}
	t.table = NewTable(space, func(number uint32) uint64 { return Hash(t.At(number)) })
	return t
}

// Release frees the memory.
func (t *Interner) Release() {
	t.Texts.Release()
	t.table.Release()
}

// Find returns the number of a text.
func (t *Interner) Find(text []byte) (number uint32, ok bool) {
	return t.table.Find(Hash(text), func(number uint32) bool { return bytes.Equal(t.At(number), text) })
}

// Intern returns the number of a text, which it gives it if it has none.
func (t *Interner) Intern(text []byte) (number uint32, isNew bool) {
	number, isNew = t.table.FindOrAdd(Hash(text), func(number uint32) bool { return bytes.Equal(t.At(number), text) })
	if isNew {
		t.Add(text)
	}
	return number, isNew
}
