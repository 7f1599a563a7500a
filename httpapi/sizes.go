package httpapi

import (
	"math/bits"

	"pubd/index"
)

// Sizes tell how many bytes some of many items take at most, such as pubs in a response. The sum of the largest n is
// known where n is a power of two. In between, each further one takes at most as much as the last: a few long items do
// not make every response seem large.
type sizes []struct{ sum, last int64 }

// sizeStep is the step to which sizes are rounded up.
const sizeStep = 16

// newSizes returns the sizes of items, of which there are count, in time and temporary memory proportional to their
// number and the largest.
func newSizes(count int, size func(item int) int) (s sizes) {
	var items []int // by size
	for item := range count {
		step := (size(item) + sizeStep - 1) / sizeStep
		for step >= len(items) {
			items = append(items, 0)
		}
		items[step]++
	}
	n, sum := 0, int64(0)
	for step := len(items) - 1; step >= 0; step-- {
		for item := 0; item < items[step]; {
			next := 1 << len(s) // up to which all of the rest are alike
			take := min(items[step]-item, next-n)
			item, n, sum = item+take, n+take, sum+int64(take*step*sizeStep)
			if n == next {
				s = append(s, struct{ sum, last int64 }{sum, int64(step * sizeStep)})
			}
		}
	}
	return s
}

// most returns how many bytes n items take at most; 0 for none.
func (s sizes) most(n int) int64 {
	if n <= 0 || len(s) == 0 {
		return 0
	}
	at := min(bits.Len(uint(n)), len(s)) - 1
	return s[at].sum + int64(n-1<<at)*s[at].last
}

// pubSizes returns the sizes of the JSON of pubs: as it is prepared, and with the details.
func pubSizes(s *index.Snapshot) (prepared, whole sizes) {
	size := func(ordinal int) int {
		pub := s.Prepared(uint32(ordinal))
		return pub.MaxSize()
	}
	prepared = newSizes(s.Len(), size)
	return prepared, newSizes(s.Len(), func(ordinal int) int { return size(ordinal) + len(s.Details(uint32(ordinal))) })
}

// valueSizes returns the sizes of the values of facets as JSON, with their counts.
func valueSizes(s *index.Snapshot) sizes {
	var all []int
	var memory []byte
	for facet := range index.Facet(index.FacetCount) {
		for number := range s.Values(facet) {
			_, spelling, _ := s.ValueAt(facet, number)
			memory = index.AppendString(memory[:0], spelling)
			all = append(all, len(memory)+len(`{"value":,"count":1000000000},`))
		}
	}
	return newSizes(len(all), func(item int) int { return all[item] })
}
