package schema

import (
	"pubd/index/features"
	"strings"
)

// Facet is a column whose values many pubs share. A pub may have several values of Features, and at most one of each
// other. It indexes [pubd/index.Filter.Values].
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

// Value returns the value of a pub; empty if it is missing. Features are several values.
func (f Facet) Value(pub *Pub) string { return *Columns[f.Column()].Text(pub) }

// Each calls do with the values of a pub.
func (f Facet) Each(pub *Pub, do func(value string)) {
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

// eachFeature calls do with the features of a list that a pub has or, with denied, is said not to have: by name if the
// vocabulary knows them, else as they are written.
func eachFeature(list string, denied bool, do func(feature string)) {
	for feature := range strings.SplitSeq(list, ";") {
		feature = strings.TrimSpace(feature)
		rest, isDenied := strings.CutPrefix(feature, "-")
		if isDenied != denied || rest == "" {
			continue
		}
		if name, ok := features.BuiltIn().Named(rest); ok {
			rest = name
		}
		do(rest)
	}
}

// EachDenied calls do with the features that a pub is said not to have.
func EachDenied(pub *Pub, do func(feature string)) { eachFeature(pub.Features, true, do) }
