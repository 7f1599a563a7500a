package spool

// A Table finds numbers by the hashes of what they stand for, with open addressing: at least half of its slots are
// free. It is used by one goroutine.
type Table struct {
	space *Space
	slots *Array[tableSlot]
	count int
}

// tableSlot has a hash and a number plus one, or is free: 0.
type tableSlot struct{ hash, number uint32 }

// NewTable returns an empty table, whose memory is in a space.
func NewTable(space *Space) *Table {
	t := &Table{space: space, slots: New[tableSlot](space)}
	t.slots.Extend(64)
	return t
}

// Release gives the memory back. The table must not be used any more.
func (t *Table) Release() { t.slots.Release() }

// Find returns the number with a hash for which is returns true.
func (t *Table) Find(hash uint32, is func(number uint32) bool) (number uint32, ok bool) {
	slot := &t.slots.Values()[t.slot(hash, is)]
	return slot.number - 1, slot.number > 0
}

// FindOrAdd is Find that adds a number with the hash if there is none. The number must be below 2^32 - 1.
func (t *Table) FindOrAdd(hash, added uint32, is func(number uint32) bool) (number uint32, isNew bool) {
	slot := &t.slots.Values()[t.slot(hash, is)]
	if slot.number > 0 {
		return slot.number - 1, false
	}
	*slot = tableSlot{hash, added + 1}
	if t.count++; 2*t.count > t.slots.Len() {
		t.grow()
	}
	return added, true
}

// slot returns the slot that has the number with a hash for which is returns true, or would have it.
func (t *Table) slot(hash uint32, is func(number uint32) bool) uint32 {
	slots := t.slots.Values()
	mask := uint32(len(slots) - 1)
	at := hash & mask
	for slots[at].number != 0 && (slots[at].hash != hash || !is(slots[at].number-1)) {
		at = (at + 1) & mask
	}
	return at
}

// grow doubles the slots.
func (t *Table) grow() {
	old := t.slots
	t.slots = New[tableSlot](t.space)
	slots := t.slots.Extend(2 * old.Len())
	mask := uint32(len(slots) - 1)
	for _, s := range old.Values() {
		if s.number == 0 {
			continue
		}
		at := s.hash & mask
		for slots[at].number != 0 {
			at = (at + 1) & mask
		}
		slots[at] = s
	}
	old.Release()
}
