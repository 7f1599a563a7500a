package httpapi

import (
	"bytes"
	"strconv"

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
	distance  geo.Kilometres // from the centre of the circle, if there is one
}

// writers append the value of each member that is no prepared column.
var writers = func() (w [params.MemberCount]func(dst []byte, h hit) []byte) {
	w = [params.MemberCount]func(dst []byte, h hit) []byte{
		params.MemberDistance: func(dst []byte, h hit) []byte { return appendMetres(dst, h.distance) },
		params.MemberFair:     func(dst []byte, h hit) []byte { return index.AppendNumber(dst, h.view.snapshot.Fair(h.ordinal)) },
		params.MemberWeighted: func(dst []byte, h hit) []byte {
			ratings := h.view.snapshot.Ratings(h.ordinal)
			return index.AppendNumber(dst, h.weights.Mean(&ratings))
		},
		params.MemberRankings:      appendRankings,
		params.MemberLocalRankings: appendLocalRankings,
		params.MemberMatch:         appendHighlights,
		params.MemberLabel: func(dst []byte, h hit) []byte {
			h.workspace.label = h.view.snapshot.AppendLabel(h.workspace.label[:0], h.ordinal)
			return index.AppendString(dst, h.workspace.label)
		},
		params.MemberNamesakes: func(dst []byte, h hit) []byte {
			return strconv.AppendInt(dst, int64(h.view.snapshot.Namesakes(h.ordinal)), 10)
		},
		params.MemberExtra: appendExtra,
	}
	for number := range extraDetails {
		w[params.MemberRequested+params.Member(number)] = appendDetail(number)
	}
	return w
}()

// extraDetails is the index of the first extra column among the details of a pub.
const extraDetails = index.ColumnCount - index.PreparedColumns

// appendDetail returns a function that appends one of the details of a pub.
func appendDetail(number int) func(dst []byte, h hit) []byte {
	return func(dst []byte, h hit) []byte { return append(dst, h.workspace.details[number]...) }
}

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

// memberValues are the values of the members of the snapshot, as JSON.
type memberValues [index.PreparedColumns][]byte

// read finds the values in a prepared pub.
func (v *memberValues) read(rest []byte) {
	for member := range v {
		rest = rest[len(`,"":`)+len(params.Member(member).String()):]
		end := valueEnd(rest)
		v[member], rest = rest[:end], rest[end:]
	}
}

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
	if member < params.MemberDistance {
		return append(dst, h.workspace.values[member]...)
	}
	return writers[member](dst, h)
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

func appendRankings(dst []byte, h hit) []byte {
	return appendByMetric(dst, func(dst []byte, metric index.Metric) []byte {
		return appendRank(dst, h.view.snapshot.Rank(h.ordinal, metric))
	})
}

func appendRank(dst []byte, rank uint32) []byte {
	if rank == 0 {
		return append(dst, "null"...)
	}
	return strconv.AppendUint(dst, uint64(rank), 10)
}

func appendLocalRankings(dst []byte, h hit) []byte {
	return appendByMetric(dst, func(dst []byte, metric index.Metric) []byte {
		rank, among := h.view.snapshot.LocalRank(h.ordinal, metric)
		if rank == 0 {
			return append(dst, "null"...)
		}
		dst = strconv.AppendUint(append(dst, `{"rank":`...), uint64(rank), 10)
		return append(strconv.AppendUint(append(dst, `,"of":`...), uint64(among), 10), '}')
	})
}

func appendHighlights(dst []byte, h hit) []byte {
	fields := h.workspace.search.Highlights(h.view.snapshot, h.result, h.ordinal)
	for i, field := range fields {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		dst = append(append(append(dst, separator, '"'), field.Field...), `":[`...)
		for i, word := range field.Words {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(append(dst, '"'), word...), '"')
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `,"spans":{`...)
	begun := false
	for _, field := range fields {
		if len(field.Spans) == 0 {
			continue
		}
		if begun {
			dst = append(dst, ',')
		}
		begun = true
		dst = append(append(append(dst, '"'), field.Field...), `":[`...)
		for i, span := range field.Spans {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(append(dst, '['), int64(span[0]), 10)
			dst = append(strconv.AppendInt(append(dst, ','), int64(span[1]), 10), ']')
		}
		dst = append(dst, ']')
	}
	return append(dst, "}}"...)
}
