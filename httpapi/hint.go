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
	"pubd/index/schema"
	"pubd/index/text"
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

// hints are what a response may say of its request, by the first that has something to say: text that is not escaped, or
// nothing. found is empty for a lookup and for suggestions.
var hints = [...]func(v *view, p *params.Params, found *index.Result) string{
	func(_ *view, p *params.Params, _ *index.Result) string { return p.Hint() },
	(*view).hintOfPoint, (*view).hintOfBox, (*view).hintOfValues,
}

// appendHint appends the member hint, if the request probably means something else than it says, and the end of the
// body.
func (v *view) appendHint(dst []byte, p *params.Params, found *index.Result) []byte {
	for _, hintOf := range hints {
		if hint := hintOf(v, p, found); hint != "" {
			dst = schema.AppendString(append(dst, `,"hint":`...), hint)
			break
		}
	}
	return append(dst, '}')
}

// hintOfPoint returns a hint for a point with latitude and longitude the other way round.
func (v *view) hintOfPoint(p *params.Params, found *index.Result) string {
	at := geo.Point{Lat: p.Lat, Lng: p.Lng}
	switch {
	case p.Query.Circle == nil || !v.isSwapped(at):
		return ""
	case p.Query.Near:
		return fmt.Sprintf("pubs are elsewhere, the latitude comes first: write near=%v,%v", at.Lng, at.Lat)
	case found.Total == 0:
		return fmt.Sprintf("no pub is near there: write lat=%v&lng=%v", at.Lng, at.Lat)
	}
	return ""
}

// hintOfBox returns a hint for a box with latitudes and longitudes the other way round. Exchanged, it must be a box
// again: longitudes that are latitudes, the west before the east.
func (v *view) hintOfBox(p *params.Params, found *index.Result) string {
	box := p.Query.Filter.Box
	if found.Total > 0 || box == nil || box.West > box.East || max(-box.West, box.East) > 90 || !v.isSwapped(box.Middle()) {
		return ""
	}
	return fmt.Sprintf("no pub is near there, longitudes come first: write bbox=%v,%v,%v,%v", box.South, box.West, box.North, box.East)
}

// hintOfValues returns a hint for a search that finds nothing because no pub has any of the values of a facet: the most
// similar value.
func (v *view) hintOfValues(p *params.Params, found *index.Result) string {
	if found.Total > 0 {
		return ""
	}
	for facet, asked := range p.Query.Filter.Values {
		f := schema.Facet(facet)
		isKnown := func(value []byte) bool {
			_, known := v.snapshot.FindValue(f, value)
			return known
		}
		if len(asked) == 0 || f == schema.Features || slices.ContainsFunc(asked, isKnown) {
			continue
		}
		value, _, _ := bytes.Cut(asked[0], []byte{0})
		hint := fmt.Sprintf("no pub has the %s %s", p.FacetName(f), value[:min(len(value), longestSegment)])
		if len(asked) > 1 || len(value) > longestSegment {
			hint = "no pub has any of the values of " + p.FacetName(f)
		}
		outward, _, isSpaced := bytes.Cut(value, []byte(" ")) // of a postcode in full
		if !isSpaced {
			outward = value[:max(0, len(value)-3)]
		}
		if f == schema.Postcode && isKnown(outward) {
			return fmt.Sprintf("postcode is what comes before the space: write postcode=%s, or search=%s", bytes.ToUpper(outward), params.AppendEscaped(nil, value, ""))
		}
		if nearest := v.nearestValue(f, value); len(asked) == 1 && nearest != "" {
			return hint + ": did you mean " + nearest + "?"
		}
		return hint + ": facets=" + p.FacetName(f) + " lists the values"
	}
	return ""
}

// checkFeatures returns a fault if a query has features that neither the snapshot nor the vocabulary knows.
func (v *view) checkFeatures(p *params.Params) fault.Fault {
	vocabulary := p.Query.Vocabulary
	if !p.HasFeatures() { // as most
		return fault.Fault{}
	}
	return p.CheckFeatures(func(folded []byte) bool { return v.snapshot.KnowsFeature(folded, vocabulary) }, func(folded []byte) string {
		return cmp.Or(vocabulary.Nearest(string(folded)), v.nearestValue(schema.Features, folded))
	})
}

// isSwapped reports whether a point is outside the smallest box around all pubs, but inside with latitude and longitude
// exchanged. A pole is rather meant.
func (v *view) isSwapped(at geo.Point) bool {
	around, ok := v.snapshot.Bounds()
	return ok && at.Lat != 90 && at.Lat != -90 && !around.Contains(at) && around.Contains(geo.Point{Lat: at.Lng, Lng: at.Lat})
}

// nearestValue returns the value of a facet of at most manyValues that is most similar to a folded text, at most two edits
// away; empty if there is none.
func (v *view) nearestValue(f schema.Facet, folded []byte) (nearest string) {
	if v.snapshot.Values(f) > manyValues || len(folded) > longestSegment {
		return ""
	}
	least := 3
	for number := range v.snapshot.Values(f) {
		value, shown, _ := v.snapshot.ValueAt(f, number)
		if len(value) > longestSegment || len(shown) > 2*longestSegment {
			continue
		}
		if edits := text.Edits(string(folded), string(value)); edits < least {
			nearest, least = string(shown), edits
		}
	}
	return nearest
}
