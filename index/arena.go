package index

import "slices"

// An arena lends memory for the sets that are made while a query is answered. What it lent is valid until reset.
type arena struct {
	ids     []uint32
	pending []set
	work    workset // empty between two calls
	shared  bitset  // what common finds, where that is bits
	unions  []bitset
	lent    int // how many of unions are
	size    int
}

// reset takes all memory back and makes ready for sets out of size pubs.
func (a *arena) reset(size int) {
	a.ids, a.lent = a.ids[:0], 0
	a.begin()
	if a.size != size {
		a.size, a.work, a.shared, a.unions = size, newWorkset(size), newBitset(size), nil
	}
}

// begin begins a union.
func (a *arena) begin() { a.pending = a.pending[:0] }

// add adds a set to the union.
func (a *arena) add(s set) {
	if s.len() > 0 {
		a.pending = append(a.pending, s)
	}
}

// union gives the union of the sets added since begin.
func (a *arena) union() set {
	switch len(a.pending) {
	case 0:
		return set{}
	case 1:
		return a.pending[0]
	}
	for _, s := range a.pending {
		a.work.addSet(s)
	}
	return a.gathered()
}

// gathered gives what was collected.
func (a *arena) gathered() set { return a.gatheredOf(a.work.len()) }

// gatheredOf is gathered where it is known how many were collected.
func (a *arena) gatheredOf(count int) set {
	if dense(count, a.size) {
		return set{bits: a.lend(), count: count}
	}
	start := len(a.ids)
	a.ids = a.work.drain(a.ids)
	return set{ids: a.ids[start:len(a.ids):len(a.ids)]}
}

// lend moves what was collected into a bitset that is lent.
func (a *arena) lend() bitset {
	if a.lent == len(a.unions) {
		a.unions = append(a.unions, newBitset(a.size))
	}
	lent := a.unions[a.lent]
	a.lent++
	copy(lent, a.work.words)
	a.work.clear()
	return lent
}

// sorted sorts ids and removes repeated ones, in place.
func (a *arena) sorted(ids []uint32) []uint32 {
	for _, id := range ids {
		a.work.add(id)
	}
	return a.work.drain(ids[:0])
}

// common gives what all sets have; it reorders the sets. What it gave before may be overwritten where it is bits.
func (a *arena) common(all []set) set {
	slices.SortStableFunc(all, func(x, y set) int { return x.len() - y.len() })
	result := all[0]
	start := len(a.ids)
	for i, other := range all[1:] {
		switch {
		case result.len() == 0:
			return set{}
		case other.is(all[i]): // a word that is there twice
		case result.bits != nil && other.bits != nil && result.len() > a.size/64:
			result = set{bits: a.shared, count: a.shared.common(result.bits, other.bits)}
		default:
			a.ids = appendCommon(a.ids[:start], a.list(result), other)
			result = set{ids: a.ids[start:len(a.ids):len(a.ids)]}
		}
	}
	return result
}

// list gives the ids of a set.
func (a *arena) list(s set) []uint32 {
	if s.ids != nil {
		return s.ids
	}
	start := len(a.ids)
	a.ids = s.bits.appendTo(a.ids, 0)
	return a.ids[start:len(a.ids):len(a.ids)]
}

// is tells whether two sets share their ids.
func (s set) is(other set) bool {
	return len(s.ids) > 0 && len(s.ids) == len(other.ids) && &s.ids[0] == &other.ids[0]
}
