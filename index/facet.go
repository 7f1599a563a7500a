package index

import (
	"runtime"
	"strconv"
	"strings"
)

// Facet is a column whose values many pubs share. A pub may have several values of Features, and at most one of each
// other. It indexes [Filter.Values].
type Facet uint8

// The facets. From ExtraFacet on they are the extra columns of the snapshot that are facets, in their order.
const (
	Trading Facet = iota
	Category
	Location
	Features
	Area
	Postcode // the outward code
	ExtraFacet
	FacetCount = ExtraFacet + MaxExtraFacets
)

// MaxExtraFacets is the maximum number of extra columns that are facets.
const MaxExtraFacets = 8

var facetColumns = [ExtraFacet]int{
	Trading: ColumnTrading, Category: ColumnCategory, Location: ColumnLocation, Features: ColumnFeatures,
	Area: ColumnArea, Postcode: ColumnPostcode,
}

// Column returns the position in [Columns] of a facet that is no extra column.
func (f Facet) Column() int { return facetColumns[f] }

// String returns the name of the column of a facet that is no extra column, such as "common_category".
func (f Facet) String() string { return Columns[f.Column()].Name }

// section returns the beginning of the names of its sections in an index file.
func (f Facet) section() string {
	if f >= ExtraFacet {
		return "extra." + strconv.Itoa(int(f-ExtraFacet))
	}
	return f.String()
}

// Value returns the value of a pub; empty if it is missing. Features are several values.
func (f Facet) Value(pub *Pub) string { return *Columns[f.Column()].Text(pub) }

// each calls do with the values of a pub.
func (f Facet) each(pub *Pub, do func(value string)) {
	switch f {
	case Features:
		eachFeature(pub.Features, false, do)
	case Postcode:
		do(outward(pub.Postcode))
	default:
		do(f.Value(pub))
	}
}

// outward returns the first word of a postcode, or of a British one without a space what is before the last three
// characters; one of digits and letters of any other form as it is.
func outward(postcode string) string {
	if first, _, apart := strings.Cut(postcode, " "); apart {
		return first
	}
	if n := len(postcode); 5 <= n && n <= 7 && isDigit(postcode[n-3]) && isLetter(postcode[0]) && isLetter(postcode[n-2]) && isLetter(postcode[n-1]) {
		return postcode[:n-3]
	}
	return postcode
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// ExtraFacets returns the names of the extra columns that are facets, in the order of the facets from ExtraFacet on.
func (s *Snapshot) ExtraFacets() []string { return s.extraFacets }

// Facets returns the number of facets of the snapshot: all of lower numbers.
func (s *Snapshot) Facets() Facet { return ExtraFacet + Facet(len(s.extraFacets)) }

// Values returns the number of values of a facet. Values with the same folded form are one; those without words are
// missing.
func (s *Snapshot) Values(facet Facet) int { return s.facets[facet].values.Len() }

// ValueAt returns a value of a facet by its number, in the order of the folded values: the folded value and its most
// frequent spelling, in the memory of the snapshot, and the number of its pubs.
func (s *Snapshot) ValueAt(facet Facet, number int) (folded, spelling []byte, pubs int) {
	v := &s.facets[facet]
	return v.folded(uint32(number)), v.text(uint32(number)), v.pubs.Count(uint32(number))
}

// FindValue returns the number of a value of a facet, as [Filter.Values] has it; of several, the first.
func (s *Snapshot) FindValue(facet Facet, value []byte) (number int, ok bool) {
	found := s.facets[facet].find(value)
	runtime.KeepAlive(s)
	return int(found.Low), found.Low < found.High
}
