package postings

import "slices"

// Pool lends memory for sets while a query is answered. A set that it returns belongs to the caller until the pool is
// reset or released. After a panic it must not be used any more. It serves one goroutine at a time; the zero value
// must be reset before its first use.
type Pool struct {
	ids       []uint32
	bitmaps   []Bitmap
	lent      int // how many of bitmaps are
	collector *Collector
	size      int
}

// Reset takes all memory back and prepares the pool for sets out of size ordinals.
func (p *Pool) Reset(size int) {
	p.ids, p.lent = p.ids[:0], 0
	if p.collector == nil || p.size != size {
		p.size, p.collector, p.bitmaps = size, NewCollector(size), nil
	}
}

// Release takes back the memory of all sets.
func (p *Pool) Release() { p.ids, p.lent = p.ids[:0], 0 }

// Collector returns an empty collector, to be emptied again by the next call of Collected, Drain or Clear.
func (p *Pool) Collector() *Collector { return p.collector }

// Collected returns what was collected.
func (p *Pool) Collected() Set { return p.CollectedN(p.collector.Len()) }

// CollectedN is like Collected if their number is known.
func (p *Pool) CollectedN(count int) Set {
	if isDense(count, p.size) {
		bits := p.lend()
		copy(bits, p.collector.words)
		p.collector.Clear()
		return OfBitmap(bits, count)
	}
	start := len(p.ids)
	p.ids = p.collector.Drain(p.ids)
	return p.listFrom(start)
}

// lend lends a bitmap with unspecified content.
func (p *Pool) lend() Bitmap {
	if p.lent == len(p.bitmaps) {
		p.bitmaps = append(p.bitmaps, NewBitmap(p.size))
	}
	p.lent++
	return p.bitmaps[p.lent-1]
}

// listFrom returns the set of the ids appended from an index on.
func (p *Pool) listFrom(start int) Set { return Of(p.ids[start:len(p.ids):len(p.ids)]) }

// List returns the ordinals of a set in ascending order.
func (p *Pool) List(s Set) []uint32 {
	if s.bits == nil || s.ids != nil {
		return s.ids
	}
	start := len(p.ids)
	p.ids = s.bits.AppendTo(p.ids, 0)
	return p.ids[start:len(p.ids):len(p.ids)]
}

// Filter returns the set of the ordinals of a set for which keep returns true.
func (p *Pool) Filter(s Set, keep func(ordinal uint32) bool) Set {
	ids := p.List(s)
	start := len(p.ids)
	p.ids = slices.Grow(p.ids, len(ids))[:start+len(ids)]
	end := start
	for _, id := range ids { // without a branch to mispredict
		p.ids[end] = id
		end += one(keep(id))
	}
	p.ids = p.ids[:end]
	return p.listFrom(start)
}

// Union returns the union of sets.
func (p *Pool) Union(sets []Set) Set {
	switch len(sets) {
	case 0:
		return Set{}
	case 1:
		return sets[0]
	}
	for _, s := range sets {
		p.collector.AddSet(s)
	}
	return p.Collected()
}

// Intersect returns the intersection of at least one set. It reorders the sets.
func (p *Pool) Intersect(sets []Set) Set {
	slices.SortStableFunc(sets, func(x, y Set) int { return x.Len() - y.Len() })
	result := sets[0]
	var own Bitmap // that this call borrowed
	start := len(p.ids)
	for i, other := range sets[1:] {
		switch {
		case result.Len() == 0:
			return Set{}
		case other.Same(sets[i]): // a repeated word
		case result.bits != nil && other.bits != nil && result.Len() > p.size/64:
			if own == nil {
				own = p.lend()
			}
			result = OfBitmap(own, own.intersect(result.bits, other.bits))
		default:
			p.ids = appendCommon(p.ids[:start], p.List(result), other)
			result = p.listFrom(start)
		}
	}
	return result
}

// Both returns the ordinals that two sets have.
func (p *Pool) Both(a, b Set) Set {
	if a.Len() == 0 || b.Len() == 0 {
		return Set{}
	}
	return p.Intersect([]Set{a, b})
}

// Either returns the ordinals that one of two sets has.
func (p *Pool) Either(a, b Set) Set {
	switch {
	case b.Len() == 0:
		return a
	case a.Len() == 0:
		return b
	}
	return p.Union([]Set{a, b})
}

// Difference returns the ordinals of a set without those of a subset of it.
func (p *Pool) Difference(s, part Set) Set {
	if part.Len() == 0 {
		return s
	}
	p.collector.AddSet(s)
	p.collector.RemoveSet(part)
	return p.CollectedN(s.Len() - part.Len())
}

// minDense is the minimum number of ordinals of a set with a bitmap.
const minDense = 512

// A set has a bitmap if it has at least one in defaultRarity ordinals.
const defaultRarity = 256

// isDense reports whether a set of count out of size ordinals should have a bitmap, in which a lookup takes a single
// step. A bitmap takes at most eight times the memory of the list, but only some dozens of sets are that large.
func isDense(count, size int) bool { return count >= minDense && count >= size/defaultRarity }

// Keep returns a copy of a set in the memory of the pool.
func (p *Pool) Keep(s Set) Set {
	if s.bits != nil && s.ids == nil {
		bits := p.lend()
		copy(bits, s.bits)
		return OfBitmap(bits, s.count)
	}
	start := len(p.ids)
	p.ids = append(p.ids, s.ids...)
	return p.listFrom(start)
}
