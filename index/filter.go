package index

import (
	"slices"

	"pubd/geo"
)

// Filter is what a pub must be, besides being rated, to be found. The zero value lets all pass.
type Filter struct {
	// Values names folded values of each column; a pub must have one of them where there are any.
	Values [ColumnCount][][]byte
	// Least names what a pub must have at least.
	Least []Least
	// Box, unless nil, is where it must be.
	Box *geo.Box
	// Exclude names UIDs that it must not have.
	Exclude [][]byte
}

// Least is the least value of a sort key: of a metric or of the number of reviews.
type Least struct {
	Key   Sort
	Value float64
}

// A condition is a prepared set of pubs, in one of three forms: so many first places of an order, some values of a
// column, or the pubs themselves, as bits.
type condition struct {
	size    int // of the set, of an order
	order   *order
	key     Sort // of the order
	column  *valueIndex
	numbers []uint32 // of the values, ascending
	pubs    set
}

// A sieve is the filter of a query, as conditions of one snapshot.
type sieve struct {
	conditions []condition
	numbers    []uint32 // that conditions have
	excluded   []uint32 // ordinals, ascending
	// low and high are the ordinals that a circle leaves out: the namesakes of the marker, or one pub.
	low, high uint32
	// around reports whether pubs are compared with the circle. That they have coordinates is enough where it holds every point.
	around bool
}

// isOpen reports whether all pubs pass, rated or not, that are in the circle.
func (s *sieve) isOpen() bool {
	return len(s.conditions) == 0 && len(s.excluded) == 0 && (s.around || s.low == s.high)
}

// prepare looks the conditions of the filter up.
func (f finder) prepare() {
	f.conditions, f.numbers, f.excluded = f.conditions[:0], f.numbers[:0], f.excluded[:0]
	filter := &f.q.Filter
	for column, values := range filter.Values {
		if len(values) == 0 {
			continue
		}
		c := condition{column: f.s.columns[column]}
		start := len(f.numbers)
		for _, value := range values {
			if number, ok := c.column.values.find(value); ok {
				f.numbers = append(f.numbers, uint32(number))
			}
		}
		slices.Sort(f.numbers[start:])
		f.numbers = f.numbers[:start+len(slices.Compact(f.numbers[start:]))]
		c.numbers = f.numbers[start:len(f.numbers):len(f.numbers)]
		f.conditions = append(f.conditions, c)
	}
	for _, least := range filter.Least {
		c := condition{order: &f.s.orders[least.Key][1], key: least.Key}
		c.size = f.s.atLeast(least)
		f.conditions = append(f.conditions, c)
	}
	if filter.Box != nil && !f.s.points.BoxCovers(filter.Box) {
		f.conditions = append(f.conditions, condition{pubs: f.inBox(filter.Box)})
	}
	for _, uid := range filter.Exclude {
		if ordinal, ok := f.s.Lookup(uid); ok {
			f.excluded = append(f.excluded, ordinal)
		}
	}
	slices.Sort(f.excluded)
	f.low, f.high = f.s.namesakes(f.q.Marker)
	if f.q.Circle != nil && f.q.Marker == nil && len(f.excluded) == 1 {
		f.low, f.high, f.excluded = f.excluded[0], f.excluded[0]+1, f.excluded[:0]
	}
	f.around = f.q.Circle != nil && (!f.s.points.Covers(f.q.Circle) || f.isPrepared() && f.q.Sort == SortDistance)
	if !f.around && (f.q.Circle != nil || filter.Box != nil) && f.s.located.len() < len(f.s.pubs) {
		f.conditions = append(f.conditions, condition{pubs: f.s.located})
	}
}

// isPrepared reports whether what was prepared answers the query: it is about all pubs, or those in a circle.
func (f finder) isPrepared() bool {
	return f.q.All && !f.q.Counted && (f.q.Sort == SortDistance || int(f.q.Sort) < sortCount) && len(f.conditions) == 0 && len(f.excluded) == 0
}

// atLeast is how many first places of a key's descending order have a value or more.
func (s *Snapshot) atLeast(least Least) int {
	ordinals := s.orders[least.Key][1].ordinals
	low, high := 0, len(ordinals)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if s.value(ordinals[middle], least.Key) >= least.Value { // NaN, which comes last, is not
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// value is a pub's value of a metric, or its number of reviews.
func (s *Snapshot) value(ordinal uint32, key Sort) float64 {
	if key == SortReviewCount {
		return float64(s.pubs[ordinal].ReviewCount)
	}
	return s.pubs[ordinal].Ratings[key-SortBeer]
}

// has tells whether a pub meets a condition.
func (s *Snapshot) has(c *condition, ordinal uint32) bool {
	switch {
	case c.order != nil:
		return c.order.places[ordinal] < uint32(c.size)
	case c.column == nil:
		return c.pubs.bits.has(ordinal)
	default:
		_, found := slices.BinarySearch(c.numbers, c.column.of[ordinal])
		return found
	}
}

// passes tells whether a pub meets all conditions and is not left out.
func (f finder) passes(ordinal uint32) bool {
	for i := range f.conditions {
		if !f.s.has(&f.conditions[i], ordinal) {
			return false
		}
	}
	if !f.around && f.low <= ordinal && ordinal < f.high {
		return false
	}
	_, found := slices.BinarySearch(f.excluded, ordinal)
	return !found
}

// fewSifted is how many pubs are tested one by one rather than as a set.
const fewSifted = 256

// sift gives those of the pubs that meet all conditions.
func (f finder) sift(pubs set) set {
	if pubs.len() > fewSifted {
		return f.without(f.meet(pubs))
	}
	ids := f.list(pubs)
	start := len(f.ids)
	for _, pub := range ids {
		if f.passes(pub) {
			f.ids = append(f.ids, pub)
		}
	}
	return set{ids: f.ids[start:len(f.ids):len(f.ids)]}
}

// meet gives those of the pubs that meet all conditions, but maybe are left out.
func (f finder) meet(pubs set) set {
	if len(f.conditions) == 0 {
		return pubs
	}
	f.wanted = f.wanted[:0]
	if !pubs.is(f.s.all) {
		f.wanted = append(f.wanted, f.kept(pubs))
	}
	for i := range f.conditions {
		f.wanted = append(f.wanted, f.setOf(&f.conditions[i]))
	}
	return f.kept(f.common(f.wanted))
}

// setOf gives the pubs that meet a condition.
func (f finder) setOf(c *condition) set {
	switch {
	case c.order != nil:
		return f.firstOf(c)
	case c.column == nil:
		return c.pubs
	}
	f.begin()
	for _, number := range c.numbers {
		f.add(c.column.pubs.at(number))
	}
	return f.union()
}

// inBox gives the pubs in a box: once, as a query that is relaxed asks for them again and again.
func (f finder) inBox(box *geo.Box) set {
	start := len(f.ids)
	f.ids = f.s.points.InBox(f.ids, box)
	f.work.addSet(set{ids: f.ids[start:]})
	f.ids = f.ids[:start]
	return set{count: f.work.len(), bits: f.lend()}
}

// firstOf gives the first places of an order, by the longest prepared beginning.
func (f finder) firstOf(c *condition) set {
	place := 0
	if step := len(f.s.pubs) / beginnings; step > 0 && c.size >= step {
		part := min(c.size/step, beginnings)
		f.work.addSet(set{bits: f.s.beginnings[c.key][part-1]})
		place = part * step
	}
	f.work.addSet(set{ids: c.order.ordinals[place:c.size]})
	return f.gathered()
}

// beginnings is how many beginnings of an order are prepared as sets, each longer by as much.
const beginnings = 16

// prepareBeginnings prepares those of the descending orders that a filter asks for.
func (s *Snapshot) prepareBeginnings() {
	step := len(s.pubs) / beginnings
	for key := SortReviewCount; key <= SortTotal; key++ {
		bits := newBitset(len(s.pubs))
		for part := range beginnings {
			for _, pub := range s.orders[key][1].ordinals[part*step : (part+1)*step] {
				bits.add(pub)
			}
			s.beginnings[key] = append(s.beginnings[key], slices.Clone(bits))
		}
	}
}

// without gives the pubs but those that are left out.
func (f finder) without(pubs set) set {
	low, high := f.low, f.high
	if f.around { // these are left out of it later
		low, high = 0, 0
	}
	if len(f.excluded) == 0 && low == high {
		return pubs
	}
	f.work.addSet(pubs)
	f.work.words.remove(low, high)
	for _, pub := range f.excluded {
		f.work.words.remove(pub, pub+1)
	}
	return f.gathered()
}

// collect finds all pubs that pass the filters.
func (f finder) collect() set {
	found := f.s.all
	if f.q.Rated {
		found = f.s.rated
	}
	found = f.without(f.meet(found))
	if !f.around {
		return found
	}
	low, high := f.low, f.high
	if f.s.points.Count(f.q.Circle, f.q.Rated) >= scattered*found.len() {
		for _, pub := range f.list(found) {
			if (pub < low || pub >= high) && f.q.Circle.Contains(f.s.points.Vector(pub)) {
				f.work.add(pub)
			}
		}
		return f.gathered()
	}
	start := len(f.ids)
	f.ids = f.s.points.Members(f.ids, f.q.Circle, f.q.Rated)
	for _, pub := range f.ids[start:] {
		f.work.add(pub)
	}
	f.ids = f.ids[:start]
	f.work.words.remove(low, high)
	around := f.gathered()
	if found.is(f.s.all) || found.is(f.s.rated) { // no condition but the circle
		return around
	}
	f.sets = append(f.sets[:0], f.kept(found), around)
	return f.common(f.sets)
}
