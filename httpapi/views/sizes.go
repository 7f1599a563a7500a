package views

import (
	"math/bits"

	"pubd/index"
	"pubd/index/schema"
	"pubd/index/segment"
)

// Sizes tell how many bytes some of many items take at most, such as pubs in a response. The sum of the largest n is
// known where n is a power of two. In between, each further one takes at most as much as the last: a few long items do
// not make every response seem large.
type Sizes []struct{ sum, last int64 }

// sizeStep is the step to which sizes are rounded up.
const sizeStep = 16

// A sizeCount is how many items there are of each size, in steps.
type sizeCount []int

func (c *sizeCount) add(size int) {
	step := (size + sizeStep - 1) / sizeStep
	for step >= len(*c) {
		*c = append(*c, 0)
	}
	(*c)[step]++
}

// sizes returns the sizes of the items.
func (c sizeCount) sizes() (s Sizes) {
	n, sum := 0, int64(0)
	for step := len(c) - 1; step >= 0; step-- {
		for item := 0; item < c[step]; {
			next := 1 << len(s) // up to which all of the rest are alike
			take := min(c[step]-item, next-n)
			item, n, sum = item+take, n+take, sum+int64(take*step*sizeStep)
			if n == next {
				s = append(s, struct{ sum, last int64 }{sum, int64(step * sizeStep)})
			}
		}
	}
	return s
}

// Most returns how many bytes n items take at most; 0 for none.
func (s Sizes) Most(n int) int64 {
	if n <= 0 || len(s) == 0 {
		return 0
	}
	at := min(bits.Len(uint(n)), len(s)) - 1
	return s[at].sum + int64(n-1<<at)*s[at].last
}

// measure sets the sizes of pubs. It takes 20 ns a pub, 100 ns in a snapshot that tells what pubs offer.
func (v *View) measure(s *index.Snapshot) {
	var prepared, whole, texts, hours sizeCount
	hasOffers := s.Has(schema.ColumnFeatures) || s.Has(schema.ColumnHours) || s.Has(schema.ColumnTimeZone)
	for ordinal := range uint32(s.Len()) {
		pub, details := s.Prepared(ordinal), s.Details(ordinal)
		size := pub.MaxSize()
		prepared.add(size)
		whole.add(size + len(details))
		size += len(details) - segment.KeySize()
		for column := schema.PreparedColumns; hasOffers && len(details) > 0 && column < schema.ColumnCount; column++ {
			var value []byte
			value, details = segment.CutDetail(details)
			switch column {
			case schema.ColumnHours:
				hours.add(len(value))
				size -= len(value)
			case schema.ColumnFeatures, schema.ColumnTimeZone:
				size -= len(value)
			}
		}
		texts.add(size)
	}
	v.Prepared, v.Whole, v.Texts, v.Hours = prepared.sizes(), whole.sizes(), texts.sizes(), hours.sizes()
}

// valueSizes returns the sizes of the values of facets as JSON, with their counts.
func valueSizes(s *index.Snapshot) Sizes {
	var values sizeCount
	var memory []byte
	for facet := range s.Facets() {
		for number := range s.Values(facet) {
			_, spelling, _ := s.ValueAt(facet, number)
			memory = schema.AppendString(memory[:0], spelling)
			values.add(len(memory) + len(`{"value":,"count":1000000000},`))
		}
	}
	return values.sizes()
}
