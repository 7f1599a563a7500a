package httpapi

import (
	"bytes"
	"math"
	"runtime"
	"strconv"

	"pubd/geo"
	"pubd/httpapi/params"
	"pubd/index"
)

// encode is the third stage of a request: it copies what is prepared and does not search. The body and the values of
// headers are written into the given memory.
func (c *call) encode(r *result, w *workspace, body, memory []byte) Response {
	p, v := c.params, c.view
	out := Response{Status: 304, etag: c.etag, snapshot: v.idBytes, memory: memory, body: body}
	if c.unchanged {
		return out
	}
	out.Status, out.mediaType = 200, formats[p.Format].mediaType
	out.ignored = out.keep(p.AppendIgnored(out.memory))
	out.hint = out.keep(p.AppendHint(out.memory))
	switch p.Operation {
	case params.Suggest:
		out.body = v.appendSuggestions(body, r.suggestions)
	case params.Stats:
		out.body = append(body, v.stats...)
	case params.Points:
		if out.mediaType = binaryType; p.Everything {
			out.body = append(body, v.points()...)
			break
		}
		out.body = appendPoints(body, v.snapshot, r.found.Pubs)
		out.total = out.keep(strconv.AppendInt(out.memory, int64(r.found.Total), 10))
	case params.Export:
		return c.encodeExport(r, out)
	case params.Lookup:
		out.body = v.appendHits(body, p, r, w)
		if formats[p.Format].enveloped {
			out.body = v.appendLookupEnvelope(out.body, p, r)
		} else {
			out.total = out.keep(strconv.AppendInt(out.memory, int64(len(r.found.Pubs)), 10))
		}
	default:
		if pageCount := p.PageCount(r.found.Total); pageCount > 1 && (p.Operation == params.Search || p.HasPage) {
			out.links = out.keep(params.AppendLinks(out.memory, p.Raw, p.Query.Page, pageCount, v.idBytes))
		}
		out.body = v.appendHits(body, p, r, w)
		if formats[p.Format].enveloped {
			out.body = v.appendEnvelope(out.body, p, r)
		} else {
			out.total = out.keep(strconv.AppendInt(out.memory, int64(r.found.Total), 10))
		}
	}
	return out
}

// encodeStatic encodes the response to a call that needs no index.
func (c *call) encodeStatic() Response {
	switch {
	case c.preflight:
		return Response{Status: 204, preflight: true}
	case c.unchanged:
		return Response{Status: 304, document: c.document}
	}
	out := Response{Status: 200, document: c.document, mediaType: c.document.mediaType}
	if c.document.large != nil {
		out.Length = c.document.large.Size
	}
	return out
}

// appendLookupEnvelope appends the envelope of a lookup.
func (v *view) appendLookupEnvelope(dst []byte, p *params.Params, r *result) []byte {
	dst = appendInteger(append(dst, `,"page":1,"total_pages":1`...), `,"total_results":`, len(r.found.Pubs))
	dst = appendInteger(dst, `,"total_pubs":`, v.snapshot.Len())
	if p.Pubid == nil {
		dst = append(dst, `,"missing":[`...)
		for i, uid := range r.missing {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = index.AppendString(dst, uid)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendOpen appends a pub without its closing brace.
func (v *view) appendOpen(dst []byte, ordinal uint32) []byte {
	pub := v.snapshot.Prepared(ordinal)
	return pub.Append(dst)
}

// appendEnvelope appends the envelope of a search.
func (v *view) appendEnvelope(dst []byte, p *params.Params, r *result) []byte {
	answer := &r.found
	standard := p.Operation == params.Search
	if standard || p.HasPage {
		dst = appendInteger(dst, `,"page":`, int(p.Query.Page))
	}
	if standard {
		dst = appendInteger(dst, `,"total_pages":`, p.PageCount(answer.Total))
		dst = appendInteger(dst, `,"total_results":`, answer.Total)
		dst = appendInteger(dst, `,"total_pubs":`, v.snapshot.Len())
	} else {
		dst = appendInteger(dst, `,"total_results":`, answer.Total)
		dst = appendInteger(dst, `,"total_pubs":`, v.snapshot.Len())
		dst = appendInteger(dst, `,"total_pages":`, p.PageCount(answer.Total))
	}
	dst = append(append(dst, `,"sort":"`...), p.Query.Sort.String()...)
	if p.Query.Descending {
		dst = append(dst, `","order":"DESC"`...)
	} else {
		dst = append(dst, `","order":"ASC"`...)
	}
	dst = strconv.AppendBool(append(dst, `,"only_rated":`...), p.Query.Rated)
	if !standard {
		dst = index.AppendNumber(append(dst, `,"distance":`...), p.Radius)
	}
	if p.Query.Circle != nil {
		dst = index.AppendNumber(append(dst, `,"lat":`...), p.Lat)
		dst = index.AppendNumber(append(dst, `,"lng":`...), p.Lng)
	}
	if answer.Step != index.NotRelaxed {
		dst = append(appendRelaxed(append(dst, `,"relaxed":`...), &answer.Relaxed), '}')
	}
	if p.Query.Sort == index.SortFair {
		scale := v.snapshot.FairScale()
		dst = index.AppendNumber(append(dst, `,"fair":{"mean":`...), scale.Mean)
		dst = append(index.AppendNumber(append(dst, `,"reviews":`...), scale.Reviews), '}')
	}
	for i, facet := range p.Facets {
		opening := `,"`
		if i == 0 {
			opening = `,"facets":{"`
		}
		dst = append(append(append(dst, opening...), facet.String()...), `":`...)
		dst = appendCounts(dst, answer.Counts[facet])
	}
	if len(p.Facets) > 0 {
		dst = append(dst, '}')
	}
	if answer.Added > 0 {
		dst = appendInteger(appendRelaxed(append(dst, `,"more":`...), &answer.More), `,"added":`, answer.Added)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// appendRelaxed appends how a query was relaxed, without the closing brace.
func appendRelaxed(dst []byte, r *index.Relaxed) []byte {
	dst = append(append(dst, `{"step":"`...), r.Step.String()...)
	dst = append(appendWords(append(dst, `","query":"`...), r.Words), '"')
	if r.Corrected != nil {
		dst = append(appendWords(append(dst, `,"corrected":"`...), r.Corrected), '"')
	}
	if r.Place != nil {
		dst = append(appendWords(append(dst, `,"place":"`...), r.Place), '"')
	}
	return dst
}

// appendWords appends folded words, joined by a space.
func appendWords(dst []byte, words [][]byte) []byte {
	for i, word := range words {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, word...)
	}
	return dst
}

// A batch of pubs is touched before it is copied, which halves the time if they are scattered in memory.
type batch [16]index.Prepared

// fetch touches as many pubs as fit, and returns their number.
func (b *batch) fetch(s *index.Snapshot, pubs []uint32) (n int) {
	n = min(len(b), len(pubs))
	for i, pub := range pubs[:n] {
		b[i] = s.Prepared(pub)
	}
	var seen byte
	for i := range b[:n] {
		seen |= b[i].Touch()
	}
	runtime.KeepAlive(seen)
	return n
}

// appendPubs appends pubs as they were prepared.
func (v *view) appendPubs(dst []byte, pubs []uint32) []byte {
	var b batch
	for len(pubs) > 0 {
		n := b.fetch(v.snapshot, pubs)
		for i := range b[:n] {
			dst = append(b[i].Append(dst), '}', ',')
		}
		pubs = pubs[n:]
	}
	return bytes.TrimSuffix(dst, []byte(","))
}

// appendNear appends pubs with their distances.
func (v *view) appendNear(dst []byte, pubs []uint32, distances []geo.Kilometres) []byte {
	var b batch
	for len(pubs) > 0 {
		n := b.fetch(v.snapshot, pubs)
		for i := range b[:n] {
			dst = append(b[i].Append(dst), `,"distance":`...)
			dst = append(appendMetres(dst, distances[i]), '}', ',')
		}
		pubs, distances = pubs[n:], distances[n:]
	}
	return bytes.TrimSuffix(dst, []byte(","))
}

// appendMetres appends a distance in kilometres, rounded to 3 decimals, without trailing zeros.
func appendMetres(dst []byte, distance geo.Kilometres) []byte {
	metres := uint64(math.Round(float64(distance) * 1000))
	dst = strconv.AppendUint(dst, metres/1000, 10)
	if metres %= 1000; metres > 0 {
		dst = append(dst, '.', byte('0'+metres/100), byte('0'+metres/10%10), byte('0'+metres%10))
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

func appendInteger(dst []byte, name string, value int) []byte {
	return strconv.AppendInt(append(dst, name...), int64(value), 10)
}
