package index

import "runtime"

// Facet is a column whose values many pubs share. Its value indexes [Filter.Values].
type Facet uint8

// The facets, in the order in which faults are reported.
const (
	Trading Facet = iota
	Category
	Location
	FacetCount = 3
)

var facetColumns = [FacetCount]int{Trading: ColumnTrading, Category: ColumnCategory, Location: ColumnLocation}

// Column returns the position of the facet in [Columns].
func (f Facet) Column() int { return facetColumns[f] }

// String returns the name of its column, such as "common_category".
func (f Facet) String() string { return Columns[f.Column()].Name }

// Value returns the value of a pub; empty if it is missing.
func (f Facet) Value(pub *Pub) string { return *Columns[f.Column()].Text(pub) }

// Values returns the number of values of a facet. Values with the same folded form are one; those without words are
// missing.
func (s *Snapshot) Values(facet Facet) int { return s.facets[facet].values.Len() }

// ValueAt returns a value of a facet by its number, in the order of the folded values: the folded value and its most
// frequent spelling, in the memory of the snapshot, and the number of its pubs.
func (s *Snapshot) ValueAt(facet Facet, number int) (folded, spelling []byte, pubs int) {
	v := &s.facets[facet]
	return v.values.At(uint32(number)), v.text(uint32(number)), v.pubs.Count(uint32(number))
}

// FindValue returns the number of a folded value of a facet.
func (s *Snapshot) FindValue(facet Facet, folded []byte) (number int, ok bool) {
	found, ok := s.facets[facet].values.Find(folded)
	runtime.KeepAlive(s)
	return int(found), ok
}
