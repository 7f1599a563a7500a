package response

import (
	"bytes"
	"strconv"

	"pubd/geo"
	"pubd/httpapi/jsonappend"
	"pubd/httpapi/params"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/hours"
	"pubd/index/ranking"
	"pubd/index/schema"
	"pubd/index/segment"
)

// A hit is a pub of a response, with what its members are written from.
type hit struct {
	view      *views.View
	members   []params.Member
	whole     bool // all prepared members are among them
	escapes   bool // texts that a spreadsheet would run as formulas
	weights   *ranking.Weights
	result    *index.Result
	workspace *Workspace
	ordinal   uint32
	prepared  segment.Prepared
	distance  geo.Kilometres // from the centre of the circle, if there is one
	opening   hours.Opening  // if the members depend on the time
}

// extraDetails is the index of the first extra column among the details of a pub.
const extraDetails = schema.ColumnCount - schema.PreparedColumns

// appendExtra appends the extra columns of a pub as an object.
func appendExtra(dst []byte, h *hit) []byte {
	dst = append(dst, '{')
	for i, name := range h.view.Extra {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(schema.AppendString(dst, name), ':')
		dst = append(dst, h.workspace.details[extraDetails+i]...)
	}
	return append(dst, '}')
}

// appendDetails appends the first n details of a pub, null if missing.
func appendDetails(dst [][]byte, rest []byte, n int) [][]byte {
	for range n {
		var value []byte
		if value, rest = segment.CutDetail(rest); value == nil {
			value = null
		}
		dst = append(dst, value)
	}
	return dst
}

var null = []byte("null")

// appendMember appends the value of a member.
func (h *hit) appendMember(dst []byte, member params.Member) []byte {
	s := h.view.Snapshot
	switch member {
	case params.MemberDistance:
		return jsonappend.Metres(dst, h.distance)
	case params.MemberFair:
		return schema.AppendNumber(dst, s.Fair(h.ordinal))
	case params.MemberWeighted:
		ratings := s.Ratings(h.ordinal)
		return schema.AppendNumber(dst, h.weights.Mean(&ratings))
	case params.MemberRankings:
		return jsonappend.ByMetric(dst, func(dst []byte, metric schema.Metric) []byte {
			if rank := s.Rank(h.ordinal, metric); rank > 0 {
				return jsonappend.Int(dst, int(rank))
			}
			return append(dst, "null"...)
		})
	case params.MemberLocalRankings:
		return jsonappend.ByMetric(dst, func(dst []byte, metric schema.Metric) []byte {
			if rank, among := s.LocalRank(h.ordinal, metric); rank > 0 {
				return append(jsonappend.Integer(jsonappend.Integer(dst, `{"rank":`, int(rank)), `,"of":`, int(among)), '}')
			}
			return append(dst, "null"...)
		})
	case params.MemberMatch:
		return appendHighlights(dst, h)
	case params.MemberLabel:
		h.workspace.label = s.AppendLabel(h.workspace.label[:0], h.ordinal)
		return schema.AppendString(dst, h.workspace.label)
	case params.MemberNamesakes:
		return jsonappend.Int(dst, s.Namesakes(h.ordinal))
	case params.MemberExtra:
		return appendExtra(dst, h)
	case params.MemberFeatures:
		return appendFeatures(dst, h.workspace.details[member-params.MemberRequested])
	case params.MemberOpen, params.MemberCloses, params.MemberOpens:
		return appendOpening(dst, h, member)
	case params.MemberWeek:
		return appendWeek(dst, h)
	}
	if member >= params.MemberRequested {
		return append(dst, h.workspace.details[member-params.MemberRequested]...)
	}
	return h.prepared.AppendValue(dst, int(member))
}

// appendFeatures appends the features of a JSON text as a list.
func appendFeatures(dst, text []byte) []byte {
	dst = append(dst, '[')
	if text[0] == '"' {
		for feature := range bytes.SplitSeq(text[1:len(text)-1], []byte(";")) {
			if feature = bytes.TrimSpace(feature); len(feature) > 0 {
				dst = append(append(append(dst, '"'), feature...), `",`...)
			}
		}
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), ']')
}

// appendOpening appends whether a pub is open, or when that changes, as local time.
func appendOpening(dst []byte, h *hit, member params.Member) []byte {
	opening := &h.opening
	at := opening.Closes
	switch {
	case member == params.MemberOpen && opening.State != hours.Unknown:
		return strconv.AppendBool(dst, opening.State == hours.Open)
	case member == params.MemberOpens:
		at = opening.Opens
	}
	if at == 0 || member == params.MemberOpen {
		return append(dst, null...)
	}
	return append(at.Time().AppendFormat(append(dst, '"'), "2006-01-02T15:04"), '"')
}

// appendWeek appends from and to when a pub is open on each day of this week, from Monday on; null if it is not known.
func appendWeek(dst []byte, h *hit) []byte {
	calendar := h.view.Snapshot.Hours(h.ordinal)
	if calendar == nil {
		return append(dst, null...)
	}
	dst = append(dst, '[')
	for day, monday := hours.Local(0), h.opening.At.Monday(); day < 7; day++ {
		h.workspace.spans = calendar(monday + day*24*60).AppendSpans(h.workspace.spans[:0])
		dst = append(jsonappend.List(dst, h.workspace.spans, func(dst []byte, span hours.Span) []byte {
			return append(span.Append(append(dst, '"')), '"')
		}), ',')
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), ']')
}

func appendHighlights(dst []byte, h *hit) []byte {
	fields := h.workspace.Search.Highlights(h.view.Snapshot, h.result, h.ordinal)
	dst = append(dst, '{')
	for _, field := range fields {
		dst = append(append(append(dst, '"'), field.Field...), `":`...)
		dst = append(jsonappend.List(dst, field.Words, func(dst, word []byte) []byte {
			return append(append(append(dst, '"'), word...), '"')
		}), ',')
	}
	dst = append(dst, `"spans":{`...)
	for _, field := range fields {
		if len(field.Spans) == 0 {
			continue
		}
		dst = append(append(append(dst, '"'), field.Field...), `":`...)
		dst = append(jsonappend.List(dst, field.Spans, func(dst []byte, span [2]int) []byte {
			return jsonappend.List(dst, span[:], jsonappend.Int)
		}), ',')
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), "}}"...)
}
