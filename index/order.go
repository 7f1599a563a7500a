package index

import (
	"cmp"
	"math"
	"slices"
)

// Sort is a key that results are ordered by. The zero value is SortName.
type Sort uint8

// The sort keys. SortDistance needs a circle; SortRelevance has the best match first whatever the direction, SortRandom a
// shuffle.
const (
	SortName Sort = iota
	SortLocation
	SortReviewCount
	SortBeer
	SortAtmos
	SortFengshui
	SortService
	SortToilets
	SortTotal
	SortFair
	SortDistance
	SortRelevance
	SortWeighted
	SortRandom
	SortCount
	sortCount = int(SortFair) + 1 // those with a prepared order
)

var sortNames = [...]string{"name", "location", "review_count", "beer", "atmos", "fengshui", "service", "toilets", "total",
	"fair", "distance", "relevance", "weighted", "random"}

// String is the key as requests and answers write it, such as "review_count".
func (s Sort) String() string { return sortNames[s] }

// An order is a permutation of all pubs: by a key, missing values last, ties by ordinal.
type order struct {
	ordinals []uint32 // by place
	places   []uint32 // by ordinal
	rated    []uint32 // ordinals of the rated pubs, in this order
	identity bool     // each pub is at the place of its ordinal
}

// missing is the key of a pub that has no value.
const missing = math.MaxUint32

// keysOf numbers the distinct values in ascending order and gives the number of each; has tells which are there.
func keysOf[T cmp.Ordered](values []T, has func(T) bool) []uint32 {
	distinct := make([]T, 0, len(values))
	for _, value := range values {
		if has(value) {
			distinct = append(distinct, value)
		}
	}
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	keys := make([]uint32, len(values))
	for i, value := range values {
		keys[i] = missing
		if has(value) {
			key, _ := slices.BinarySearch(distinct, value)
			keys[i] = uint32(key)
		}
	}
	return keys
}

// newOrders gives the ascending and the descending order of pubs by their keys, by counting: it takes time linear in
// the pubs.
func newOrders(keys []uint32, rated bitset) (orders [2]order) {
	var last uint32
	for _, key := range keys {
		if key != missing {
			last = max(last, key)
		}
	}
	for direction := range orders {
		turned := func(key uint32) uint32 {
			switch {
			case key == missing:
				return last + 1
			case direction == 1:
				return last - key
			}
			return key
		}
		places := make([]uint32, last+2) // by key, the next free one
		for _, key := range keys {
			if key = turned(key); key <= last {
				places[key+1]++
			}
		}
		for key := range last + 1 {
			places[key+1] += places[key]
		}
		o := order{ordinals: make([]uint32, len(keys)), places: make([]uint32, len(keys))}
		for ordinal, key := range keys {
			place := places[turned(key)]
			places[turned(key)]++
			o.places[ordinal], o.ordinals[place] = place, uint32(ordinal)
		}
		for _, ordinal := range o.ordinals {
			if rated.has(ordinal) {
				o.rated = append(o.rated, ordinal)
			}
		}
		o.identity = slices.IsSorted(o.ordinals)
		orders[direction] = o
	}
	return orders
}

// window gives the hits at places first to first+n-1 when all are put in order, of hits that are all rated where rated
// is set. The arena lends the memory. Its cost follows the number of hits or, where they are many, how rare they are,
// never how deep the window lies.
func (o *order) window(hits set, rated bool, first, n int, a *arena) []uint32 {
	if o.identity && hits.ids != nil {
		return hits.ids[first : first+n]
	}
	start := len(a.ids)
	count := hits.len()
	switch {
	case o.identity:
		a.ids = hits.bits.take(a.ids, first, n)
		return a.ids[start:len(a.ids):len(a.ids)]
	case hits.bits != nil && o.walk(hits.bits, nil, count, rated, first, n, a):
		return a.ids[start:len(a.ids):len(a.ids)]
	default:
		for _, hit := range a.list(hits) {
			a.work.add(o.places[hit])
		}
		start = len(a.ids)
		a.ids = a.work.take(a.ids, first, n)
	}
	page := a.ids[start:len(a.ids):len(a.ids)]
	for i, place := range page {
		page[i] = o.ordinals[place]
	}
	return page
}

// walk appends a window of count hits, those in bits or, where these are nil, those that has tells, by going through the
// order from its nearer end until they are found. It gives up, having appended nothing, when going through the hits
// would have been cheaper.
func (o *order) walk(bits bitset, has func(uint32) bool, count int, rated bool, first, n int, a *arena) bool {
	all := o.ordinals
	if rated {
		all = o.rated
	}
	steps := 2*count + len(o.ordinals)/32
	fromEnd := count - first - n
	if expected := (min(first, fromEnd) + n) * len(all) / count; expected > steps {
		return false
	}
	steps = min(steps, len(all))
	start := len(a.ids)
	back := first > fromEnd
	skip := min(first, fromEnd)
	for i := range steps {
		ordinal := all[i]
		if back {
			ordinal = all[len(all)-1-i]
		}
		if bits != nil {
			if !bits.has(ordinal) {
				continue
			}
		} else if !has(ordinal) {
			continue
		}
		if skip--; skip < 0 {
			a.ids = append(a.ids, ordinal)
			if n--; n == 0 {
				if back {
					slices.Reverse(a.ids[start:])
				}
				return true
			}
		}
	}
	a.ids = a.ids[:start]
	return false
}
