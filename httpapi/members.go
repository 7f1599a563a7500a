package httpapi

import (
	"bytes"

	"pubd/geo"
	"pubd/httpapi/params"
	"pubd/index"
)

// A hit is a pub of a response, with what its members are written from.
type hit struct {
	view      *view
	members   []params.Member
	whole     bool // all prepared members are among them
	escapes   bool // texts that a spreadsheet would run as formulas
	weights   *index.Weights
	result    *index.Result
	workspace *workspace
	ordinal   uint32
	prepared  index.Prepared
	distance  geo.Kilometres // from the centre of the circle, if there is one
}

// extraDetails is the index of the first extra column among the details of a pub.
const extraDetails = index.ColumnCount - index.PreparedColumns

// appendExtra appends the extra columns of a pub as an object.
func appendExtra(dst []byte, h hit) []byte {
	dst = append(dst, '{')
	for i, name := range h.view.extra {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(index.AppendString(dst, name), ':')
		dst = append(dst, h.workspace.details[extraDetails+i]...)
	}
	return append(dst, '}')
}

// appendDetails appends the n details of a pub, null if missing.
func appendDetails(dst [][]byte, rest []byte, n int) [][]byte {
	for range n {
		if len(rest) == 0 {
			dst = append(dst, null)
			continue
		}
		end := valueEnd(rest)
		dst, rest = append(dst, rest[:end]), rest[min(end+1, len(rest)):]
	}
	return dst
}

var null = []byte("null")

// valueEnd returns the end of the string, number or null at the beginning of rest.
func valueEnd(rest []byte) int {
	if rest[0] != '"' {
		if end := bytes.IndexByte(rest, ','); end >= 0 {
			return end
		}
		return len(rest)
	}
	end := 1
	for ; rest[end] != '"'; end++ {
		if rest[end] == '\\' { // and the escaped character
			end++
		}
	}
	return end + 1
}

// appendMember appends the value of a member.
func (h hit) appendMember(dst []byte, member params.Member) []byte {
	s := h.view.snapshot
	switch member {
	case params.MemberDistance:
		return appendMetres(dst, h.distance)
	case params.MemberFair:
		return index.AppendNumber(dst, s.Fair(h.ordinal))
	case params.MemberWeighted:
		ratings := s.Ratings(h.ordinal)
		return index.AppendNumber(dst, h.weights.Mean(&ratings))
	case params.MemberRankings:
		return appendByMetric(dst, func(dst []byte, metric index.Metric) []byte {
			if rank := s.Rank(h.ordinal, metric); rank > 0 {
				return appendInt(dst, int(rank))
			}
			return append(dst, "null"...)
		})
	case params.MemberLocalRankings:
		return appendByMetric(dst, func(dst []byte, metric index.Metric) []byte {
			if rank, among := s.LocalRank(h.ordinal, metric); rank > 0 {
				return append(appendInteger(appendInteger(dst, `{"rank":`, int(rank)), `,"of":`, int(among)), '}')
			}
			return append(dst, "null"...)
		})
	case params.MemberMatch:
		return appendHighlights(dst, h)
	case params.MemberLabel:
		h.workspace.label = s.AppendLabel(h.workspace.label[:0], h.ordinal)
		return index.AppendString(dst, h.workspace.label)
	case params.MemberNamesakes:
		return appendInt(dst, s.Namesakes(h.ordinal))
	case params.MemberExtra:
		return appendExtra(dst, h)
	}
	if member >= params.MemberRequested {
		return append(dst, h.workspace.details[member-params.MemberRequested]...)
	}
	return h.prepared.AppendValue(dst, int(member))
}

// appendByMetric appends an object with a member for each metric.
func appendByMetric(dst []byte, value func(dst []byte, metric index.Metric) []byte) []byte {
	dst = append(dst, '{')
	for metric := range index.Metric(index.MetricCount) {
		if metric > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), metric.String()...), `":`...)
		dst = value(dst, metric)
	}
	return append(dst, '}')
}

func appendHighlights(dst []byte, h hit) []byte {
	fields := h.workspace.search.Highlights(h.view.snapshot, h.result, h.ordinal)
	dst = append(dst, '{')
	for _, field := range fields {
		dst = append(append(append(dst, '"'), field.Field...), `":`...)
		dst = append(appendList(dst, field.Words, func(dst, word []byte) []byte {
			return append(append(append(dst, '"'), word...), '"')
		}), ',')
	}
	dst = append(dst, `"spans":{`...)
	for _, field := range fields {
		if len(field.Spans) == 0 {
			continue
		}
		dst = append(append(append(dst, '"'), field.Field...), `":`...)
		dst = append(appendList(dst, field.Spans, func(dst []byte, span [2]int) []byte {
			return appendList(dst, span[:], appendInt)
		}), ',')
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), "}}"...)
}
