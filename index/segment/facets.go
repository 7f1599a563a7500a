package segment

import (
	"math"
	"strconv"

	"pubd/index/corpus"
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/schema"
	"pubd/index/text"
)

// IsNumber reports whether an extra column that is a facet, by its position among those, is one of numbers.
func (s *Segment) IsNumber(extra int) bool { return s.areNumbers>>extra&1 == 1 }

// OrderOf returns the order by a number, which the snapshot must have.
func (s *Segment) OrderOf(n schema.Number) *ranking.Numeric {
	switch {
	case n >= schema.ExtraNumber:
		return &s.extraNumbers[n-schema.ExtraNumber]
	case n == schema.NumberReviews:
		return &s.Orders[schema.SortReviewCount]
	}
	return &s.Orders[schema.Metric(n).Sort()]
}

// facetSection returns the beginning of the names of the sections of a facet.
func facetSection(f schema.Facet) string {
	if f >= schema.ExtraFacet {
		return "extra." + strconv.Itoa(int(f-schema.ExtraFacet))
	}
	return f.String()
}

// WriteFacets writes the pubs by value of each facet, and of each feature that they are said not to have, and the orders and
// local ranks by metric. It takes memory for a number of each pub.
func WriteFacets(file *indexfile.Writer, pubs *corpus.Rows, extra []schema.ExtraColumn, rated postings.Bitmap, numbers []float64) {
	coded := indexfile.Writing(file)
	for facet := range schema.ExtraFacet {
		v := NewValues(pubs, text.AppendFolded, pubs.Each(facet.Each))
		v.Code(coded, facetSection(facet), facet != schema.Features, pubs.Len())
		if facet == schema.Location {
			for metric := range schema.Metric(schema.MetricCount) {
				order := WriteOrder(file, metric.Sort(), pubs, rated, numbers)
				local := newLocalRanks(&order, rated, &v)
				local.code(coded, "local."+metric.String(), v.Terms.Len(), order.Groups())
			}
		}
	}
	writeExtraFacets(file, pubs, rated, extra)
	denied := NewValues(pubs, text.AppendFolded, pubs.Each(schema.EachDenied))
	denied.Code(coded, deniedFeatures, false, pubs.Len())
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
		v := NewValues(pubs, schema.AppendValue, func(row int, do func(value string)) { do(values[row]) })
		v.Code(coded, facetSection(facet), true, pubs.Len())
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
func (s *Segment) readExtraFacets(r *indexfile.Reader, size int) {
	for _, column := range s.Details.Extra {
		if column.IsFacet() {
			s.ExtraFacets = append(s.ExtraFacets, column.Name())
		}
	}
	r.Check(len(s.ExtraFacets) <= schema.MaxExtraFacets, "details.names", "it has too many facets")
	areNumbers := indexfile.TakeN[uint32](r, "extra.numbers", 1)
	if r.Err() != nil {
		return
	}
	s.areNumbers = areNumbers[0]
	for i := range s.ExtraFacets {
		facet := schema.ExtraFacet + schema.Facet(i)
		s.Facets[facet].Code(indexfile.Reading(r), facetSection(facet), true, size)
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
