package response

import (
	"bytes"
	"runtime"

	"pubd/geo"
	"pubd/httpapi/jsonappend"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index/schema"
	"pubd/index/segment"
)

// formats has the media types as they are sent. The functions append what comes before the hits, and a hit.
var formats = [params.FormatCount]struct {
	mediaType      []byte
	open           func(dst []byte, h *hit) []byte
	append         func(dst []byte, h *hit) []byte
	between, after string
	enveloped      bool // followed by the envelope
}{
	params.JSON:        {[]byte("application/json; charset=utf-8"), opening(`{"results":[`), appendHit, ",", "]", true},
	params.GeoJSON:     {[]byte("application/geo+json"), opening(`{"type":"FeatureCollection","features":[`), appendFeature, ",", "]", true},
	params.CSV:         {[]byte("text/csv; charset=utf-8; header=present"), appendColumns, appendRow, "", "", false},
	params.NDJSON:      {[]byte("application/x-ndjson"), opening(""), appendLine, "", "", false},
	params.Spreadsheet: {[]byte("text/csv; charset=utf-8; header=present"), appendColumns, appendRow, "", "", false},
}

// opening returns a function that appends a constant.
func opening(text string) func(dst []byte, h *hit) []byte {
	return func(dst []byte, _ *hit) []byte { return append(dst, text...) }
}

// appendHits appends the pubs of a result in the requested format, each with the requested members.
func appendHits(dst []byte, v *views.View, p *query.Params, r *Result, w *Workspace) []byte {
	f := &formats[p.Format]
	h := &w.hit
	*h = hit{view: v, members: p.Members, whole: p.Whole, escapes: p.Format == params.Spreadsheet, weights: &p.Query.Weights, result: &r.Found, workspace: w}
	dst = f.open(dst, h)
	switch {
	case !p.Plain:
		dst = h.appendChosen(dst, p)
	case p.Query.Circle == nil:
		dst = appendPubs(dst, v, r.Found.Pubs, nil)
	default:
		dst = appendPubs(dst, v, r.Found.Pubs, r.Found.Distances)
	}
	return append(dst, f.after...)
}

// appendChosen appends pubs member by member.
func (h *hit) appendChosen(dst []byte, p *query.Params) []byte {
	f, v, w := &formats[p.Format], h.view, h.workspace
	for i, ordinal := range h.result.Pubs {
		if i > 0 {
			dst = append(dst, f.between...)
		}
		h.ordinal, h.prepared = ordinal, v.Snapshot.Prepared(ordinal)
		if len(h.result.Distances) > 0 {
			h.distance = h.result.Distances[i]
		}
		if p.Detailed {
			w.details = appendDetails(w.details[:0], v.Snapshot.Details(ordinal), extraDetails+len(v.Extra))
		}
		if p.Timed {
			h.opening = v.Snapshot.Opening(ordinal, &p.Query.At)
		}
		dst = f.append(dst, h)
	}
	return dst
}

// appendHit appends a pub as a JSON object.
func appendHit(dst []byte, h *hit) []byte {
	chosen := h.members
	first := len(dst)
	if h.whole { // all members of the snapshot, as prepared
		dst = h.prepared.Append(dst)
		chosen = chosen[params.MemberDistance:]
	}
	for _, member := range chosen {
		dst = append(dst, ',', '"')
		dst = append(append(dst, member.String()...), '"', ':')
		dst = h.appendMember(dst, member)
	}
	if len(dst) == first {
		dst = append(dst, '{')
	}
	dst[first] = '{'
	return append(dst, '}')
}

// appendFeature appends a pub as a GeoJSON feature (RFC 7946).
func appendFeature(dst []byte, h *hit) []byte {
	dst = h.prepared.AppendValue(append(dst, `{"type":"Feature","id":`...), schema.ColumnUID)
	if at := h.view.Snapshot.Point(h.ordinal); at.Lat == at.Lat {
		dst = h.prepared.AppendValue(append(dst, `,"geometry":{"type":"Point","coordinates":[`...), schema.ColumnLongitude)
		dst = append(h.prepared.AppendValue(append(dst, ','), schema.ColumnLatitude), `]}`...)
	} else {
		dst = append(dst, `,"geometry":null`...)
	}
	return append(appendHit(append(dst, `,"properties":`...), h), '}')
}

// appendLine appends a pub as a line of JSON.
func appendLine(dst []byte, h *hit) []byte { return append(appendHit(dst, h), '\n') }

// appendPubs appends pubs as they were prepared, with their distances if there are any. Some are touched before they are
// copied, which halves the time if they are scattered in memory.
func appendPubs(dst []byte, v *views.View, pubs []uint32, distances []geo.Kilometres) []byte {
	var batch [16]segment.Prepared
	for done := 0; done < len(pubs); {
		n, seen := min(len(batch), len(pubs)-done), byte(0)
		for i, pub := range pubs[done : done+n] {
			batch[i] = v.Snapshot.Prepared(pub)
		}
		for i := range batch[:n] {
			seen |= batch[i].Touch()
		}
		runtime.KeepAlive(seen)
		for i := range batch[:n] {
			if dst = batch[i].Append(dst); distances != nil {
				dst = jsonappend.Metres(append(dst, `,"distance":`...), distances[done+i])
			}
			dst = append(dst, '}', ',')
		}
		done += n
	}
	return bytes.TrimSuffix(dst, []byte(","))
}
