package index

import (
	"math"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/schema"
)

// IsNumber reports whether an extra column that is a facet, by its position among those, is one of numbers.
func (s *Snapshot) IsNumber(extra int) bool { return s.areNumbers>>extra&1 == 1 }

// numbers returns the order by a number, which the snapshot must have.
func (s *Snapshot) numbers(n schema.Number) *ranking.Numeric {
	switch {
	case n >= schema.ExtraNumber:
		return &s.extraNumbers[n-schema.ExtraNumber]
	case n == schema.NumberReviews:
		return &s.orders[schema.SortReviewCount]
	}
	return &s.orders[schema.Metric(n).Sort()]
}

// Range is the numbers of a column from Least to Most, both included.
type Range struct {
	Number      schema.Number
	Least, Most float64
}

// Spread is how the numbers of a column are spread over pubs: over Count that have one, their mean, and the least and
// the greatest; without any, these are NaN.
type Spread struct {
	Count                 int
	Least, Greatest, Mean float64
}

// spreads returns, for each number that the query asks for, how it is spread over pubs. It counts them by distinct
// number, unless there are more of those; the counts of all pubs are known.
func (s search) spreads(found postings.Set) []Spread {
	const scale = 1 << 32 // more than there are pubs: no sum is infinite, and a power of two is exact
	memory := &s.w.counts
	memory.spreads = memory.spreads[:0]
	var pubs []uint32
	if len(s.query.Spreads) > 0 && found.Len() < s.snapshot.Len() {
		pubs = s.w.sets.List(found)
	}
	for _, n := range s.query.Spreads {
		order, spread, sum := s.snapshot.numbers(n), Spread{Least: math.NaN(), Greatest: math.NaN(), Mean: math.NaN()}, 0.0
		add := func(value float64, pubs int) {
			if spread.Count == 0 {
				spread.Least, spread.Greatest = value, value
			}
			spread.Least, spread.Greatest = min(spread.Least, value), max(spread.Greatest, value)
			spread.Count += pubs
			sum += value / scale * float64(pubs)
		}
		switch groups := int(order.Groups()); {
		case found.Len() == s.snapshot.Len():
			order.EachGroup(add)
		case groups > len(pubs):
			for _, pub := range pubs {
				if value := order.Value(pub); schema.IsPresent(value) {
					add(value, 1)
				}
			}
		case groups > 0:
			byNumber := memory.zeroed(groups + 1) // the last is of pubs without one
			order.CountGroups(byNumber, pubs)
			for i, count := range byNumber[:groups] {
				if count > 0 {
					add(order.ValueOf(uint32(i)), int(count))
				}
			}
			clear(byNumber)
		}
		if spread.Count > 0 {
			spread.Mean = min(max(sum/float64(spread.Count)*scale, spread.Least), spread.Greatest)
		}
		memory.spreads = append(memory.spreads, spread)
	}
	return memory.spreads
}

// writeExtraFacets writes the index of each extra column that is a facet, and the order by its numbers if it has those.
func writeExtraFacets(file *indexfile.Writer, pubs *corpus.Rows, rated postings.Bitmap, extra []schema.ExtraColumn) {
	coded, facet, areNumbers := indexfile.Writing(file), schema.ExtraFacet, uint32(0)
	for i, column := range extra {
		if !column.IsFacet() {
			continue
		}
		values := make([]string, pubs.Len())
		var memory []string
		for row := range values {
			if memory = pubs.Extra(row, memory); memory != nil {
				values[row] = memory[i]
			}
		}
		v := newValueIndex(pubs, schema.AppendValue, func(row int, do func(value string)) { do(values[row]) })
		v.code(coded, facetSection(facet), true, pubs.Len())
		if numbers, only := numbersOf(values); column.Type() == schema.NumberType || only && column.Type() == "" {
			areNumbers |= 1 << (facet - schema.ExtraFacet)
			order := ranking.NewNumeric(numbers, rated)
			order.Code(coded, facetSection(facet)+".order", pubs.Len())
		}
		facet++
	}
	indexfile.Put(file, "extra.numbers", []uint32{areNumbers})
}

// readExtraFacets reads what writeExtraFacets wrote.
func (s *Snapshot) readExtraFacets(r *indexfile.Reader, size int) {
	for _, column := range s.details.extra {
		if column.IsFacet() {
			s.extraFacets = append(s.extraFacets, column.Name())
		}
	}
	r.Check(len(s.extraFacets) <= schema.MaxExtraFacets, "details.names", "it has too many facets")
	areNumbers := indexfile.TakeN[uint32](r, "extra.numbers", 1)
	if r.Err() != nil {
		return
	}
	s.areNumbers = areNumbers[0]
	for i := range s.extraFacets {
		facet := schema.ExtraFacet + schema.Facet(i)
		s.facets[facet].code(indexfile.Reading(r), facetSection(facet), true, size)
		if s.IsNumber(i) {
			s.extraNumbers[i].Code(indexfile.Reading(r), facetSection(facet)+".order", size)
		}
	}
}

// numbersOf returns texts as numbers, NaN for one that is none, and whether there are numbers and no other texts.
func numbersOf(texts []string) (numbers []float64, only bool) {
	others := false
	for _, text := range texts {
		number, ok := schema.ParseDecimal([]byte(text))
		if !ok {
			number, others = math.NaN(), others || text != ""
		}
		numbers, only = append(numbers, number), only || ok
	}
	return numbers, only && !others
}
