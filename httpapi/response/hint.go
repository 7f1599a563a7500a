package response

import (
	"bytes"
	"fmt"
	"slices"

	"pubd/geo"
	"pubd/httpapi/query"
	"pubd/httpapi/request"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/schema"
)

// hints are what a response may say of its request, by the first that has something to say: text that is not escaped, or
// nothing. found is empty for a lookup and for suggestions.
var hints = [...]func(v *views.View, p *query.Params, found *index.Result) string{
	func(_ *views.View, p *query.Params, _ *index.Result) string { return p.Hint() },
	hintOfPoint, hintOfBox, hintOfValues,
}

// appendHint appends the member hint, if the request probably means something else than it says, and the end of the
// body.
func appendHint(dst []byte, v *views.View, p *query.Params, found *index.Result) []byte {
	for _, hintOf := range hints {
		if hint := hintOf(v, p, found); hint != "" {
			dst = schema.AppendString(append(dst, `,"hint":`...), hint)
			break
		}
	}
	return append(dst, '}')
}

// hintOfPoint returns a hint for a point with latitude and longitude the other way round.
func hintOfPoint(v *views.View, p *query.Params, found *index.Result) string {
	at := geo.Point{Lat: p.Lat, Lng: p.Lng}
	switch {
	case p.Query.Circle == nil || !p.Query.Near && found.Total > 0 || !v.IsSwapped(at):
		return ""
	case p.Query.Near:
		return fmt.Sprintf("pubs are elsewhere, the latitude comes first: write near=%v,%v", at.Lng, at.Lat)
	}
	return fmt.Sprintf("no pub is near there: write lat=%v&lng=%v", at.Lng, at.Lat)
}

// hintOfBox returns a hint for a box with latitudes and longitudes the other way round. Exchanged, it must be a box
// again: longitudes that are latitudes, the west before the east.
func hintOfBox(v *views.View, p *query.Params, found *index.Result) string {
	box := p.Query.Filter.Box
	if found.Total > 0 || box == nil || box.West > box.East || max(-box.West, box.East) > 90 || !v.IsSwapped(box.Middle()) {
		return ""
	}
	return fmt.Sprintf("no pub is near there, longitudes come first: write bbox=%v,%v,%v,%v", box.South, box.West, box.North, box.East)
}

// hintOfValues returns a hint for a search that finds nothing because no pub has any of the values of a facet: the most
// similar value.
func hintOfValues(v *views.View, p *query.Params, found *index.Result) string {
	if found.Total > 0 {
		return ""
	}
	for facet, asked := range p.Query.Filter.Values {
		f := schema.Facet(facet)
		isKnown := func(value []byte) bool {
			_, known := v.Snapshot.FindValue(f, value)
			return known
		}
		if len(asked) == 0 || f == schema.Features || slices.ContainsFunc(asked, isKnown) {
			continue
		}
		value, _, _ := bytes.Cut(asked[0], []byte{0})
		hint := fmt.Sprintf("no pub has the %s %s", p.FacetName(f), value[:min(len(value), views.LongestValue)])
		if len(asked) > 1 || len(value) > views.LongestValue {
			hint = "no pub has any of the values of " + p.FacetName(f)
		}
		outward, _, isSpaced := bytes.Cut(value, []byte(" ")) // of a postcode in full
		if !isSpaced {
			outward = value[:max(0, len(value)-3)]
		}
		if f == schema.Postcode && isKnown(outward) {
			return fmt.Sprintf("postcode is what comes before the space: write postcode=%s, or search=%s", bytes.ToUpper(outward), request.AppendEscaped(nil, value, ""))
		}
		if nearest := v.NearestValue(f, value); len(asked) == 1 && nearest != "" {
			return hint + ": did you mean " + nearest + "?"
		}
		return hint + ": facets=" + p.FacetName(f) + " lists the values"
	}
	return ""
}
