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
// column, or a box.
type condition struct {
	size    int // of the set, or a little more
	order   *order
	column  *valueIndex
	numbers []uint32 // of the values, ascending
	box     *geo.Box
}

// A sieve is the filter of a query, as conditions of one snapshot.
type sieve struct {
	conditions []condition
	numbers    []uint32 // that conditions have
	excluded   []uint32 // ordinals, ascending
}

// isOpen tells whether all pubs pass, rated or not.
func (s *sieve) isOpen() bool { return len(s.conditions) == 0 && len(s.excluded) == 0 }

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
		for _, number := range c.numbers {
			c.size += len(c.column.pubs.at(number).ids)
		}
		f.conditions = append(f.conditions, c)
	}
	for _, least := range filter.Least {
		c := condition{order: &f.s.orders[least.Key][1]}
		c.size = f.s.atLeast(least)
		f.conditions = append(f.conditions, c)
	}
	if filter.Box != nil {
		f.conditions = append(f.conditions, condition{box: filter.Box, size: f.s.points.Around(filter.Box)})
	}
	for _, uid := range filter.Exclude {
		if ordinal, ok := f.s.Lookup(uid); ok {
			f.excluded = append(f.excluded, ordinal)
		}
	}
	slices.Sort(f.excluded)
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
	case c.box != nil:
		return c.box.Contains(s.points.Point(ordinal))
	default:
		_, found := slices.BinarySearch(c.numbers, c.column.of[ordinal])
		return found
	}
}

// passes tells whether a pub meets all conditions but one, and is not left out.
func (f finder) passes(ordinal uint32, but int) bool {
	for i := range f.conditions {
		if i != but && !f.s.has(&f.conditions[i], ordinal) {
			return false
		}
	}
	if len(f.excluded) > 0 {
		if _, found := slices.BinarySearch(f.excluded, ordinal); found {
			return false
		}
	}
	return true
}

// sift gives those of the pubs that meet all conditions.
func (f finder) sift(pubs set) set {
	ids := f.list(pubs)
	start := len(f.ids)
	for _, pub := range ids {
		if f.passes(pub, -1) {
			f.ids = append(f.ids, pub)
		}
	}
	return set{ids: f.ids[start:len(f.ids):len(f.ids)]}
}

// everyPub is where no condition is the rarest.
const everyPub = -1

// collect finds all pubs that pass the filters: it goes through the rarest of the conditions, among them the circle and being rated.
func (f finder) collect() set {
	size, rarest := len(f.s.pubs), everyPub
	for i := range f.conditions {
		if c := &f.conditions[i]; c.size < size {
			size, rarest = c.size, i
		}
	}
	low, high := f.s.namesakes(f.q.Marker)
	start := len(f.ids)
	put := func(pub uint32) {
		if f.passes(pub, rarest) && (pub < low || pub >= high) && (!f.q.Rated || f.s.rated.bits.has(pub)) &&
			(f.q.Circle == nil || f.q.Circle.Contains(f.s.points.Vector(pub))) {
			f.work.add(pub)
		}
	}
	switch {
	case f.q.Circle != nil && f.s.points.Count(f.q.Circle, f.q.Rated) < size:
		rarest = everyPub
		f.ids = f.s.points.Members(f.ids, f.q.Circle, f.q.Rated)
		for _, pub := range f.ids[start:] {
			if f.passes(pub, everyPub) && (pub < low || pub >= high) {
				f.work.add(pub)
			}
		}
	case f.q.Rated && len(f.s.rated.ids) < size:
		rarest = everyPub
		for _, pub := range f.s.rated.ids {
			put(pub)
		}
	case rarest == everyPub:
		for pub := range uint32(len(f.s.pubs)) {
			put(pub)
		}
	case f.conditions[rarest].order != nil:
		for _, pub := range f.conditions[rarest].order.ordinals[:size] {
			put(pub)
		}
	case f.conditions[rarest].box != nil:
		f.ids = f.s.points.InBox(f.ids, f.conditions[rarest].box)
		for _, pub := range f.ids[start:] {
			put(pub)
		}
	default:
		c := &f.conditions[rarest]
		for _, number := range c.numbers {
			for _, pub := range c.column.pubs.at(number).ids {
				put(pub)
			}
		}
	}
	f.ids = f.ids[:start]
	if count := f.work.len(); dense(count, len(f.s.pubs)) {
		return set{bits: f.lend(), count: count}
	}
	f.ids = f.work.drain(f.ids)
	return set{ids: f.ids[start:len(f.ids):len(f.ids)]}
}
