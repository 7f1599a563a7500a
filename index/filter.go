package index

import (
	"slices"

	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/schema"
)

// filter is the filter of a query, compiled for one snapshot.
type filter struct {
	conditions []condition
	numbers    []uint32 // memory of the conditions
	excluded   []uint32 // ordinals, ascending
	// rated accepts only rated pubs.
	rated bool
	// circle, unless nil, accepts only pubs in it. For a circle that contains every point, it is enough that they have
	// coordinates.
	circle *geo.Circle
	// inside is a lower bound of the number of pubs in the circle, or of rated pubs if only those are wanted; -1 until
	// it is counted.
	inside int
	// Pubs with low <= ordinal < high are left out: the namesakes of the marker, or one pub.
	low, high uint32
}

// condition is a set of pubs, in one of three forms.
type condition struct {
	// The pubs that are in a group of the order by a number from low on, and below high.
	ranged    bool
	number    schema.Number
	low, high uint32
	// The pubs that have one of some values of a facet, ascending.
	faceted bool
	facet   schema.Facet
	numbers []uint32
	// The pubs themselves.
	pubs postings.Set
}

// isOpen reports whether all pubs in the circle pass, rated or not.
func (f *filter) isOpen() bool {
	return len(f.conditions) == 0 && len(f.excluded) == 0 && (f.circle != nil || f.low == f.high)
}

// compile looks up the values, UIDs and names of a query.
func (s *Snapshot) compile(q *Query, w *Workspace) search {
	f := &w.filter
	*f = filter{conditions: f.conditions[:0], numbers: f.numbers[:0], excluded: f.excluded[:0], rated: q.Rated, inside: -1}
	for facet, values := range q.Filter.Values {
		if schema.Facet(facet) == schema.Features {
			for _, value := range values { // a pub must have all
				f.conditions = append(f.conditions, condition{pubs: s.segment.OfferingAny(value, q.Vocabulary, &w.sets)})
			}
		} else if len(values) > 0 {
			start := len(f.numbers)
			f.numbers = s.segment.Facets[facet].AppendNumbers(f.numbers, values)
			f.conditions = append(f.conditions, condition{faceted: true, facet: schema.Facet(facet), numbers: f.numbers[start:len(f.numbers):len(f.numbers)]})
		}
	}
	for _, r := range q.Filter.Ranges {
		low, high := s.segment.OrderOf(r.Number).Between(r.Least, r.Most)
		f.conditions = append(f.conditions, condition{ranged: true, number: r.Number, low: low, high: high})
	}
	if box := q.Filter.Box; box != nil && !s.segment.Points.BoxCovers(box) {
		f.conditions = append(f.conditions, condition{pubs: s.inBox(box, w)})
	}
	for _, uid := range q.Filter.Exclude {
		if ordinal, ok := s.Lookup(uid); ok {
			f.excluded = append(f.excluded, ordinal)
		}
	}
	slices.Sort(f.excluded)
	f.low, f.high = s.segment.Names.Called(q.Marker)
	if q.Circle != nil && q.Marker == nil && len(f.excluded) == 1 {
		f.low, f.high, f.excluded = f.excluded[0], f.excluded[0]+1, f.excluded[:0]
	}
	compiled := search{s, s.segment, q, f, w}
	bySpace := q.isPrepared() && q.bySpace() && compiled.mayLeaveOut() && len(f.conditions) == 0 && len(f.excluded) == 0
	if q.Circle != nil && (bySpace || !s.segment.Points.Covers(q.Circle)) {
		f.circle = q.Circle
	}
	if f.circle == nil && (q.Circle != nil || q.Filter.Box != nil) && s.segment.Located.Len() < s.Len() {
		f.conditions = append(f.conditions, condition{pubs: s.segment.Located})
	}
	return compiled
}

// inBox returns the pubs in a box.
func (s *Snapshot) inBox(box *geo.Box, w *Workspace) postings.Set {
	w.matching.ordinals = s.segment.Points.AppendInBox(w.matching.ordinals[:0], box)
	w.sets.Collector().AddAll(w.matching.ordinals)
	return w.sets.Collected()
}

// meets reports whether a pub meets a condition.
func (s search) meets(c *condition, ordinal uint32) bool {
	switch {
	case c.ranged:
		group, present := s.segment.OrderOf(c.number).Group(ordinal)
		return present && c.low <= group && group < c.high
	case c.faceted:
		_, found := slices.BinarySearch(c.numbers, s.segment.Facets[c.facet].ByPub.At(ordinal))
		return found
	default:
		return c.pubs.Has(ordinal)
	}
}

// passes reports whether a pub meets all conditions and is not excluded. It ignores the circle and the pubs that the
// circle leaves out.
func (s search) passes(ordinal uint32) bool {
	f := s.filter
	for i := range f.conditions {
		if !s.meets(&f.conditions[i], ordinal) {
			return false
		}
	}
	if f.circle == nil && f.low <= ordinal && ordinal < f.high {
		return false
	}
	_, found := slices.BinarySearch(f.excluded, ordinal)
	return !found
}

// fewPubs is the number of pubs up to which they are tested one by one rather than as a set.
const fewPubs = 256

// apply returns the members of a set that pass.
func (s search) apply(pubs postings.Set, pool *postings.Pool) postings.Set {
	switch {
	case s.filter.isOpen():
		return pubs
	case pubs.Len() > fewPubs:
		return s.without(s.intersect(pubs, pool), pool)
	default:
		return pool.Filter(pubs, s.passes)
	}
}

// intersect returns the members of a set that meet all conditions.
func (s search) intersect(pubs postings.Set, pool *postings.Pool) postings.Set {
	operands := s.w.matching.operands[:0]
	if !pubs.Same(s.segment.All) {
		operands = append(operands, pubs)
	}
	for i := range s.filter.conditions {
		operands = append(operands, s.setOf(&s.filter.conditions[i], pool))
	}
	s.w.matching.operands = operands
	if len(operands) == 0 {
		return pubs
	}
	return pool.Intersect(operands)
}

// setOf returns the pubs that meet a condition.
func (s search) setOf(c *condition, pool *postings.Pool) postings.Set {
	switch {
	case c.ranged:
		return s.segment.OrderOf(c.number).Pubs(c.low, c.high, pool)
	case c.faceted:
		pending := s.w.matching.pending[:0]
		for _, number := range c.numbers {
			pending = append(pending, s.segment.Facets[c.facet].Pubs.At(number))
		}
		s.w.matching.pending = pending
		return pool.Union(pending)
	default:
		return c.pubs
	}
}

// without returns the members of a set that are not left out. A circle leaves out pubs later.
func (s search) without(pubs postings.Set, pool *postings.Pool) postings.Set {
	low, high := s.filter.low, s.filter.high
	if s.filter.circle != nil {
		low, high = 0, 0
	}
	if len(s.filter.excluded) == 0 && low == high {
		return pubs
	}
	collector := pool.Collector()
	collector.AddSet(pubs)
	collector.RemoveRange(low, high)
	for _, pub := range s.filter.excluded {
		collector.RemoveRange(pub, pub+1)
	}
	return pool.Collected()
}

// collect returns all pubs that pass the filter.
func (s search) collect() postings.Set {
	pool := &s.w.sets
	found := s.segment.All
	if s.filter.rated {
		found = s.segment.Rated
	}
	found = s.without(s.intersect(found, pool), pool)
	if s.filter.circle == nil {
		return found
	}
	return s.within(found, pool)
}
