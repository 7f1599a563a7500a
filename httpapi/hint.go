package httpapi

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"pubd/geo"
	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index"
)

// longestSegment is the longest segment of an unknown path, and the longest unknown value, that a hint repeats.
const longestSegment = 64

// hintAt returns a hint for an unknown path: the request that is meant.
func hintAt(path []byte) string {
	const pubs = "/api/v1/pubs/"
	path = withoutSlash(path)
	segment, below := bytes.CutPrefix(path, []byte(pubs))
	switch {
	case below && (len(segment) == 0 || len(segment) > longestSegment || bytes.IndexByte(segment, '/') >= 0):
		return "a pub is at " + pubs + "?pubid=UID"
	case below:
		return string(params.AppendEscaped([]byte("a pub is at "+pubs+"?pubid="), segment, "%"))
	case bytes.HasPrefix(path, []byte("/api/")) || bytes.HasSuffix(path, []byte("/pubs")) || bytes.HasSuffix(path, []byte("/search")):
		return "pubs are at " + pubs + "?search=WORDS; /docs has all of the API"
	}
	return ""
}

// manyValues is the number of values of a facet up to which one is compared with each.
const manyValues = 200

// hintOf returns a hint for a search that finds nothing because its box has latitude and longitude the other way round,
// or because no pub has any of the values of a facet: the most similar value, escaped for JSON; empty if there is
// nothing to say. An exchanged lat and lng gets none: without filters, a search has the members of the contract alone.
func (v *view) hintOf(p *params.Params, found *index.Result) string {
	if found.Total > 0 {
		return ""
	}
	// Exchanged, it must be a box again: longitudes that are latitudes, the west before the east.
	if box := p.Query.Filter.Box; box != nil && box.West <= box.East && max(-box.West, box.East) <= 90 && v.isSwapped(box.Middle()) {
		return fmt.Sprintf("no pub is near there, longitudes come first: write bbox=%v,%v,%v,%v", box.South, box.West, box.North, box.East)
	}
	for facet, asked := range p.Query.Filter.Values {
		f := index.Facet(facet)
		isKnown := func(value []byte) bool {
			_, known := v.snapshot.FindValue(f, value)
			return known
		}
		if len(asked) == 0 || f == index.Features || slices.ContainsFunc(asked, isKnown) {
			continue
		}
		hint := fmt.Sprintf("no pub has the %s %s", p.FacetName(f), asked[0][:min(len(asked[0]), longestSegment)])
		if len(asked) > 1 || len(asked[0]) > longestSegment {
			hint = "no pub has any of the values of " + p.FacetName(f)
		}
		if nearest := v.nearestValue(f, asked[0]); len(asked) == 1 && nearest != "" {
			hint += ": did you mean " + nearest + "?"
		} else {
			hint += ": facets=" + p.FacetName(f) + " lists the values"
		}
		quoted := index.AppendString(nil, hint)
		return string(quoted[1 : len(quoted)-1])
	}
	return ""
}

// checkFeatures returns a fault if a query has features that neither the snapshot nor the vocabulary knows.
func (v *view) checkFeatures(p *params.Params) fault.Fault {
	vocabulary := p.Query.Vocabulary
	return p.CheckFeatures(func(folded []byte) bool { return v.snapshot.KnowsFeature(folded, vocabulary) }, func(folded []byte) string {
		return cmp.Or(vocabulary.Nearest(string(folded)), v.nearestValue(index.Features, folded))
	})
}

// isSwapped reports whether a point is outside the smallest box around all pubs, but inside with latitude and longitude
// exchanged.
func (v *view) isSwapped(at geo.Point) bool {
	around, ok := v.snapshot.Bounds()
	return ok && !around.Contains(at) && around.Contains(geo.Point{Lat: at.Lng, Lng: at.Lat})
}

// nearestValue returns the value of a facet of at most manyValues that is most similar to a folded text, at most two edits
// away; empty if there is none.
func (v *view) nearestValue(f index.Facet, folded []byte) (nearest string) {
	if v.snapshot.Values(f) > manyValues || len(folded) > longestSegment {
		return ""
	}
	least := 3
	for number := range v.snapshot.Values(f) {
		value, shown, _ := v.snapshot.ValueAt(f, number)
		if len(value) > longestSegment || len(shown) > 2*longestSegment {
			continue
		}
		if edits := index.Edits(string(folded), string(value)); edits < least {
			nearest, least = string(shown), edits
		}
	}
	return nearest
}
