package httpapi

import (
	"bytes"
	"cmp"
	"math"
	"runtime"
	"strconv"

	"pubd/geo"
	"pubd/httpapi/params"
	"pubd/index"
	"pubd/index/features"
	"pubd/index/schema"
)

// encode is the third stage of a request: it copies what is prepared and does not search. The body and the lines of the
// header are written into the given memory.
func (c *call) encode(r *result, w *workspace, body, memory []byte) Response {
	p, v := c.params, c.view
	lines := appendField(append(memory, headersOfAnswers...), "ETag", c.etag[:])
	lines = appendField(lines, "X-Snapshot", v.id)
	if c.unchanged {
		return Response{Status: 304, lines: lines, memory: lines, body: body}
	}
	out := Response{Status: 200, mediaType: formats[p.Format].mediaType}
	lines = appendHeader(lines, "X-Ignored-Params", p.AppendIgnored)
	switch p.Operation {
	case params.Suggest:
		out.body = v.appendSuggestions(body, p, r)
	case params.Stats:
		out.body = append(body, v.stats...)
	case params.Points:
		if out.mediaType = binaryType; p.Everything {
			out.body = append(body, v.points()...)
			break
		}
		out.body = appendPoints(body, v.snapshot, r.found.Pubs)
		lines = appendNumber(lines, "X-Total-Results", int64(r.found.Total))
	case params.Export:
		lines = c.encodeExport(r, &out, lines)
	default:
		total, pageCount := len(r.found.Pubs), 1
		if p.Operation != params.Lookup {
			total, pageCount = r.found.Total, p.PageCount(r.found.Total)
		}
		if pageCount > 1 && (p.Operation == params.Search || p.HasPage) {
			lines = appendHeader(lines, "Link", func(dst []byte) []byte {
				return p.AppendLinks(dst, pageCount, v.id)
			})
		}
		out.body = v.appendHits(body, p, r, w)
		switch {
		case !formats[p.Format].enveloped:
			lines = appendNumber(lines, "X-Total-Results", int64(total))
		case p.Operation == params.Lookup:
			out.body = v.appendLookupEnvelope(out.body, p, r)
		default:
			out.body = v.appendEnvelope(out.body, p, r)
		}
	}
	out.lines, out.memory = lines, lines
	return out
}

// encodeStatic encodes the response to a call that needs no index.
func (c *call) encodeStatic() Response {
	switch {
	case c.preflight:
		return Response{Status: 204, lines: headersOfPreflight}
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
		dst = appendList(append(dst, `,"missing":`...), r.missing, schema.AppendString)
	}
	return v.appendHint(dst, p, &r.found)
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
	}
	dst = appendInteger(dst, `,"total_results":`, answer.Total)
	dst = appendInteger(dst, `,"total_pubs":`, v.snapshot.Len())
	if !standard {
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
		dst = schema.AppendNumber(append(dst, `,"distance":`...), p.Radius)
	}
	if p.Query.Circle != nil {
		dst = schema.AppendNumber(append(dst, `,"lat":`...), p.Lat)
		dst = schema.AppendNumber(append(dst, `,"lng":`...), p.Lng)
	}
	if answer.Step != index.NotRelaxed || len(answer.Denied) > 0 {
		dst = appendRelaxed(append(dst, `,"relaxed":`...), &answer.Relaxed)
		dst = appendWished(appendMember(dst, "unused", answer.Unused), &answer.Relaxed)
		if answer.Place != nil && answer.Inside > 0 {
			dst = appendInteger(dst, `,"inside":`, answer.Inside)
		}
		if answer.Best {
			dst = append(dst, `,"sort":"fair"`...)
		}
		dst = appendMember(dst, "denied", answer.Denied)
		if answer.Here {
			dst = append(dst, `,"here":true`...)
		}
		dst = append(dst, '}')
	}
	if p.Query.Open {
		dst = appendInteger(dst, `,"unknown":`, answer.Unknown)
	}
	if p.Query.Sort == schema.SortFair {
		scale := v.snapshot.FairScale()
		dst = schema.AppendNumber(append(dst, `,"fair":{"mean":`...), scale.Mean)
		dst = append(schema.AppendNumber(append(dst, `,"reviews":`...), scale.Reviews), '}')
	}
	dst = appendObject(dst, `,"facets":`, p.Query.Counts, func(dst []byte, i int, facet schema.Facet) []byte {
		return appendCounts(append(append(append(dst, '"'), p.FacetName(facet)...), `":`...), answer.Counts[i])
	})
	dst = appendObject(dst, `,"facets_stats":`, p.Query.Spreads, func(dst []byte, i int, number schema.Number) []byte {
		spread := answer.Spreads[i]
		dst = append(append(append(dst, '"'), p.NumberName(number)...), `":{"min":`...)
		dst = schema.AppendNumber(append(schema.AppendNumber(dst, spread.Least), `,"max":`...), spread.Greatest)
		return append(schema.AppendNumber(append(dst, `,"mean":`...), spread.Mean), '}')
	})
	if answer.Added > 0 {
		dst = appendInteger(appendRelaxed(append(dst, `,"more":`...), &answer.More), `,"added":`, answer.Added)
		dst = append(dst, '}')
	}
	return v.appendHint(dst, p, answer)
}

// appendRelaxed appends how a query was relaxed, without the words that were not used and the closing brace.
func appendRelaxed(dst []byte, r *index.Relaxed) []byte {
	dst = append(append(dst, `{"step":"`...), r.Step.String()...)
	dst = append(appendWords(append(dst, `","query":"`...), r.Words), '"')
	dst = appendMember(dst, "corrected", r.Corrected)
	dst = appendMember(dst, "place", r.Place)
	if len(r.Larger) > 0 {
		dst = append(appendWords(append(dst[:len(dst)-1], ", "...), r.Larger), '"')
	}
	return dst
}

// appendWished appends the features that a query wishes, and when the pubs are to be open.
func appendWished(dst []byte, r *index.Relaxed) []byte {
	opening, open := `,"features":[`, ""
	for _, feature := range r.Features {
		switch feature {
		case features.OpenNow, features.OpenLate, features.OpenAt:
			open = cmp.Or(open, feature)
			continue
		}
		dst = append(append(append(append(dst, opening...), '"'), feature...), '"')
		opening = ","
	}
	if opening == "," {
		dst = append(dst, ']')
	}
	switch open {
	case features.OpenNow:
		dst = append(dst, `,"open":"now"`...)
	case features.OpenLate:
		dst = append(dst, `,"open":"late"`...)
	case features.OpenAt:
		dst = append(r.Time.Append(append(dst, `,"open":"`...)), '"')
	}
	return dst
}

// appendMember appends a member with folded words; nothing if there are none.
func appendMember(dst []byte, name string, words [][]byte) []byte {
	if len(words) == 0 {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":"`...)
	return append(appendWords(dst, words), '"')
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

// appendPubs appends pubs as they were prepared, with their distances if there are any. Some are touched before they are
// copied, which halves the time if they are scattered in memory.
func (v *view) appendPubs(dst []byte, pubs []uint32, distances []geo.Kilometres) []byte {
	var batch [16]index.Prepared
	for done := 0; done < len(pubs); {
		n, seen := min(len(batch), len(pubs)-done), byte(0)
		for i, pub := range pubs[done : done+n] {
			batch[i] = v.snapshot.Prepared(pub)
		}
		for i := range batch[:n] {
			seen |= batch[i].Touch()
		}
		runtime.KeepAlive(seen)
		for i := range batch[:n] {
			if dst = batch[i].Append(dst); distances != nil {
				dst = appendMetres(append(dst, `,"distance":`...), distances[done+i])
			}
			dst = append(dst, '}', ',')
		}
		done += n
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

// appendList appends a JSON array.
func appendList[T any](dst []byte, list []T, appendItem func(dst []byte, item T) []byte) []byte {
	dst = append(dst, '[')
	for i, item := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendItem(dst, item)
	}
	return append(dst, ']')
}

// appendObject appends a name and an object whose members are those of a list; nothing if it is empty.
func appendObject[T any](dst []byte, name string, list []T, appendMember func(dst []byte, i int, of T) []byte) []byte {
	for i, of := range list {
		if i == 0 {
			dst = append(append(dst, name...), '{')
		} else {
			dst = append(dst, ',')
		}
		dst = appendMember(dst, i, of)
	}
	if len(list) > 0 {
		dst = append(dst, '}')
	}
	return dst
}

func appendInteger(dst []byte, name string, value int) []byte {
	return strconv.AppendInt(append(dst, name...), int64(value), 10)
}
