package views

import (
	"cmp"

	"pubd/geo"
	"pubd/httpapi/fault"
	"pubd/httpapi/query"
	"pubd/index/schema"
	"pubd/index/text"
)

// LongestValue is the longest unknown value that is compared with others, and that a hint repeats.
const LongestValue = 64

// manyValues is the number of values of a facet up to which one is compared with each.
const manyValues = 200

// CheckFeatures returns a fault if a query has features that neither the snapshot nor the vocabulary knows.
func (v *View) CheckFeatures(p *query.Params) fault.Fault {
	vocabulary := p.Query.Vocabulary
	if !p.HasFeatures() { // as most
		return fault.Fault{}
	}
	return p.CheckFeatures(func(folded []byte) bool { return v.Snapshot.KnowsFeature(folded, vocabulary) }, func(folded []byte) string {
		return cmp.Or(vocabulary.Nearest(string(folded)), v.NearestValue(schema.Features, folded))
	})
}

// IsSwapped reports whether no pub is within 100 km of a point, but one is with latitude and longitude exchanged. A pole is
// rather meant. It costs next to nothing where no pub is as far south and east, else some 50 ns for each few hundred pubs
// that are near.
func (v *View) IsSwapped(at geo.Point) bool {
	const near geo.Kilometres = 100
	exchanged := geo.Point{Lat: at.Lng, Lng: at.Lat}
	if around, ok := v.Snapshot.Bounds(); !ok || !around.Contains(exchanged) || max(at.Lat, -at.Lat) == 90 {
		return false
	}
	return v.Snapshot.CountWithin(exchanged, near) > 0 && v.Snapshot.CountWithin(at, near) == 0
}

// NearestValue returns the value of a facet of at most manyValues that is most similar to a folded text, at most two edits
// away; empty if there is none.
func (v *View) NearestValue(f schema.Facet, folded []byte) (nearest string) {
	if v.Snapshot.Values(f) > manyValues || len(folded) > LongestValue {
		return ""
	}
	least := 3
	for number := range v.Snapshot.Values(f) {
		value, shown, _ := v.Snapshot.ValueAt(f, number)
		if len(value) > LongestValue || len(shown) > 2*LongestValue {
			continue
		}
		if edits := text.Edits(string(folded), string(value)); edits < least {
			nearest, least = string(shown), edits
		}
	}
	return nearest
}
