package index

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
