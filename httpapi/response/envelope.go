package response

import (
	"cmp"
	"strconv"

	"pubd/httpapi/jsonappend"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/features"
	"pubd/index/schema"
)

// appendLookupEnvelope appends the envelope of a lookup.
func appendLookupEnvelope(dst []byte, v *views.View, p *query.Params, r *Result) []byte {
	dst = jsonappend.Integer(append(dst, `,"page":1,"total_pages":1`...), `,"total_results":`, len(r.Found.Pubs))
	dst = jsonappend.Integer(dst, `,"total_pubs":`, v.Snapshot.Len())
	if p.Pubid == nil {
		dst = jsonappend.List(append(dst, `,"missing":`...), r.Missing, schema.AppendString)
	}
	return appendHint(dst, v, p, &r.Found)
}

// appendEnvelope appends the envelope of a search.
func appendEnvelope(dst []byte, v *views.View, p *query.Params, r *Result) []byte {
	answer := &r.Found
	standard := p.Operation == params.Search
	if standard || p.HasPage {
		dst = jsonappend.Integer(dst, `,"page":`, int(p.Query.Page))
	}
	if standard {
		dst = jsonappend.Integer(dst, `,"total_pages":`, p.PageCount(answer.Total))
	}
	dst = jsonappend.Integer(dst, `,"total_results":`, answer.Total)
	dst = jsonappend.Integer(dst, `,"total_pubs":`, v.Snapshot.Len())
	if !standard {
		dst = jsonappend.Integer(dst, `,"total_pages":`, p.PageCount(answer.Total))
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
		if answer.Alone {
			dst = jsonappend.Integer(dst, `,"inside":`, answer.Inside)
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
		dst = jsonappend.Integer(dst, `,"unknown":`, answer.Unknown)
	}
	if p.Query.Sort == schema.SortFair {
		scale := v.Snapshot.FairScale()
		dst = schema.AppendNumber(append(dst, `,"fair":{"mean":`...), scale.Mean)
		dst = append(schema.AppendNumber(append(dst, `,"reviews":`...), scale.Reviews), '}')
	}
	dst = jsonappend.Object(dst, `,"facets":`, p.Query.Counts, func(dst []byte, i int, facet schema.Facet) []byte {
		return jsonappend.Counts(append(append(append(dst, '"'), p.FacetName(facet)...), `":`...), answer.Counts[i])
	})
	dst = jsonappend.Object(dst, `,"facets_stats":`, p.Query.Spreads, func(dst []byte, i int, number schema.Number) []byte {
		spread := answer.Spreads[i]
		dst = append(append(append(dst, '"'), p.NumberName(number)...), `":{"min":`...)
		dst = schema.AppendNumber(append(schema.AppendNumber(dst, spread.Least), `,"max":`...), spread.Greatest)
		return append(schema.AppendNumber(append(dst, `,"mean":`...), spread.Mean), '}')
	})
	if answer.Added > 0 {
		dst = jsonappend.Integer(appendRelaxed(append(dst, `,"more":`...), &answer.More), `,"added":`, answer.Added)
		dst = append(dst, '}')
	}
	return appendHint(dst, v, p, answer)
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
