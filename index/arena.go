package index

import "slices"

// An arena lends memory for the sets that are made while a query is answered. What it lent is valid until reset.
type arena struct {
	ids     []uint32
	pending []set
	work    workset // empty between two calls
	found   bitset  // what common finds, where that is bits
	size    int
}

// reset takes all memory back and makes ready for sets out of size pubs.
func (a *arena) reset(size int) {
	a.ids = a.ids[:0]
	a.begin()
	if a.size != size {
		a.size, a.work, a.found = size, newWorkset(size), newBitset(size)
	}
}

// begin begins a union.
func (a *arena) begin() { a.pending = a.pending[:0] }

// add adds a set to the union.
func (a *arena) add(s set) {
	if len(s.ids) > 0 {
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
	start := len(a.ids)
	for _, s := range a.pending {
		if s.bits != nil {
			a.work.addAll(s.bits)
			continue
		}
		for _, id := range s.ids {
			a.work.add(id)
		}
	}
	a.ids = a.work.drain(a.ids)
	return set{ids: a.ids[start:len(a.ids):len(a.ids)]}
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
			result = set{bits: a.found, count: a.found.common(result.bits, other.bits)}
		default:
			a.ids = appendCommon(a.ids[:start], a.list(result), other)
			result = set{ids: a.ids[start:len(a.ids):len(a.ids)]}
		}
	}
	return result
}

// commonAround gives what all sets have of some ids that are in no order; it lends their memory, and reorders the sets. Sets with
// bits come first: they need no order, and leave little to put in order.
func (a *arena) commonAround(ids []uint32, all []set) set {
	start := len(a.ids)
	a.ids = append(a.ids, ids...)
	rest := all[:0]
	for _, s := range all {
		if s.bits == nil {
			rest = append(rest, s)
			continue
		}
		a.ids = appendCommon(a.ids[:start], a.ids[start:], s)
	}
	a.ids = a.ids[:start+len(a.sorted(a.ids[start:]))]
	for _, s := range rest {
		a.ids = appendCommon(a.ids[:start], a.ids[start:], s)
	}
	return set{ids: a.ids[start:len(a.ids):len(a.ids)]}
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
