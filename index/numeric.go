package index

import (
	"math"
	"strings"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/ranking"
)

// Number is a column of numbers that answers filter by and describe. The metrics are the first ones. From ExtraNumber on
// they are the extra columns that are facets of numbers: Number(ExtraNumber + i) is that of the facet
// ExtraFacet + i.
type Number uint8

// The numbers after those of the metrics.
const (
	NumberReviews = Number(MetricCount) + iota
	ExtraNumber
	NumberCount = ExtraNumber + Number(MaxExtraFacets)
)

// Column returns the position in [Columns] of a number that is no extra column.
func (n Number) Column() int {
	if n == NumberReviews {
		return ColumnReviewCount
	}
	return Metric(n).Column()
}

// String returns the name of the column of a number that is no extra column.
func (n Number) String() string { return Columns[n.Column()].Name }

// IsNumber reports whether an extra column that is a facet, by its position among those, is one of numbers.
func (s *Snapshot) IsNumber(extra int) bool { return s.areNumbers>>extra&1 == 1 }

// numbers returns the order by a number, which the snapshot must have.
func (s *Snapshot) numbers(n Number) *ranking.Numeric {
	switch {
	case n >= ExtraNumber:
		return &s.extraNumbers[n-ExtraNumber]
	case n == NumberReviews:
		return &s.orders[SortReviewCount]
	}
	return &s.orders[Metric(n).Sort()]
}

// Range is the numbers of a column from Least to Most, both included.
type Range struct {
	Number      Number
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
				if value := order.Value(pub); isPresent(value) {
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

// An ExtraColumn is an extra column to keep: its name, after [FacetPrefix] if it is a facet, and then perhaps before
// [NumberType] or [TextType].
type ExtraColumn string

// FacetPrefix precedes the name of an extra column that is a facet. No name begins with it.
const FacetPrefix = "facet:"

// What follows the name of a facet whose values are declared to be numbers or texts. Otherwise, a facet that has only
// numbers is one of numbers.
const (
	NumberType = ":number"
	TextType   = ":text"
)

// ExtraColumns returns columns that are no facets, by their names.
func ExtraColumns(names []string) []ExtraColumn {
	var columns []ExtraColumn
	for _, name := range names {
		columns = append(columns, ExtraColumn(name))
	}
	return columns
}

// Name returns the name of the column.
func (c ExtraColumn) Name() string {
	name, isFacet := strings.CutPrefix(string(c), FacetPrefix)
	if isFacet {
		name = strings.TrimSuffix(strings.TrimSuffix(name, NumberType), TextType)
	}
	return name
}

// Type returns NumberType or TextType if the column is declared to have that; otherwise nothing.
func (c ExtraColumn) Type() string { return strings.TrimPrefix(string(c), FacetPrefix+c.Name()) }

// IsFacet reports whether answers filter by the values of the column, and count them.
func (c ExtraColumn) IsFacet() bool { return strings.HasPrefix(string(c), FacetPrefix) }

// writeExtraFacets writes the index of each extra column that is a facet, and the order by its numbers if it has those.
func writeExtraFacets(file *indexfile.Writer, pubs *Rows, rated postings.Bitmap, extra []ExtraColumn) {
	coded, facet, areNumbers := indexfile.Writing(file), ExtraFacet, uint32(0)
	for i, column := range extra {
		if !column.IsFacet() {
			continue
		}
		values := make([]string, pubs.Len())
		var memory []string
		for row := range values {
			if memory = pubs.extraOf(row, memory); memory != nil {
				values[row] = memory[i]
			}
		}
		v := newValueIndex(pubs, AppendValue, func(row int, do func(value string)) { do(values[row]) })
		v.code(coded, facet.section(), true, pubs.Len())
		if numbers, only := numbersOf(values); column.Type() == NumberType || only && column.Type() == "" {
			areNumbers |= 1 << (facet - ExtraFacet)
			order := ranking.NewNumeric(numbers, rated)
			order.Code(coded, facet.section()+".order", pubs.Len())
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
	r.Check(len(s.extraFacets) <= MaxExtraFacets, "details.names", "it has too many facets")
	areNumbers := indexfile.TakeN[uint32](r, "extra.numbers", 1)
	if r.Err() != nil {
		return
	}
	s.areNumbers = areNumbers[0]
	for i := range s.extraFacets {
		facet := ExtraFacet + Facet(i)
		s.facets[facet].code(indexfile.Reading(r), facet.section(), true, size)
		if s.IsNumber(i) {
			s.extraNumbers[i].Code(indexfile.Reading(r), facet.section()+".order", size)
		}
	}
}

// numbersOf returns texts as numbers, NaN for one that is none, and whether there are numbers and no other texts.
func numbersOf(texts []string) (numbers []float64, only bool) {
	others := false
	for _, text := range texts {
		number, ok := ParseDecimal([]byte(text))
		if !ok {
			number, others = math.NaN(), others || text != ""
		}
		numbers, only = append(numbers, number), only || ok
	}
	return numbers, only && !others
}
