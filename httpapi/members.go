package httpapi

import (
	"bytes"
	"strconv"

	"pubd/geo"
	"pubd/index"
)

// The members of a pub in a response; the number is the position.
const (
	memberUID         = 0
	memberLatitude    = 4
	memberLongitude   = 5
	memberReviewCount = 13
)

const (
	memberDistance = iota + 14 // behind those of the snapshot
	memberFair
	memberWeighted
	memberRankings
	memberLocalRankings
	memberMatch
	memberLabel
	memberNamesakes // comes with the label
	memberAddress
	memberPostcode // these come with the address
	memberArea
	memberAltNames
	memberExtra
	memberCount
)

// ownMembers are the members that fields can choose.
const (
	addressMembers = 1<<memberAddress | 1<<memberPostcode | 1<<memberArea | 1<<memberAltNames
	ownMembers     = 1<<(memberDistance+1) - 1 | addressMembers
)

// includes are the values of include, with the members that each adds.
var includes = [...]struct {
	name    string
	members uint64
}{
	{"rankings", 1 << memberRankings},
	{"local_rankings", 1 << memberLocalRankings},
	{"match", 1 << memberMatch},
	{"label", 1<<memberLabel | 1<<memberNamesakes},
	{"address", addressMembers},
	{"extra", 1 << memberExtra},
}

const (
	fieldNames = "UID, name, location, trading, latitude, longitude, common_category, beer, atmos, fengshui, service, toilets, total, " +
		"review_count, distance, address, postcode, area, alt_names"
	includeNames = "rankings, local_rankings, match, label, address, extra"
)

// A hit is a pub of a response, with what its members are written from.
type hit struct {
	view      *view
	params    *params
	result    *index.Result
	workspace *workspace
	ordinal   uint32
	distance  geo.Kilometres // from the centre of the circle, if there is one
}

// members says how to write each member as JSON. Those of the snapshot are part of the prepared pub.
var members = [memberCount]struct {
	name   string
	append func(dst []byte, h hit) []byte
}{
	{name: "UID"}, {name: "name"}, {name: "location"}, {name: "trading"}, {name: "latitude"}, {name: "longitude"}, {name: "common_category"},
	{name: "beer"}, {name: "atmos"}, {name: "fengshui"}, {name: "service"}, {name: "toilets"}, {name: "total"}, {name: "review_count"},
	memberDistance: {"distance", func(dst []byte, h hit) []byte { return appendMetres(dst, h.distance) }},
	memberFair:     {"fair", func(dst []byte, h hit) []byte { return index.AppendNumber(dst, h.view.snapshot.Fair(h.ordinal)) }},
	memberWeighted: {"weighted", func(dst []byte, h hit) []byte {
		ratings := h.view.snapshot.Ratings(h.ordinal)
		return index.AppendNumber(dst, h.params.query.Weights.Mean(&ratings))
	}},
	memberRankings:      {"rankings", appendRankings},
	memberLocalRankings: {"local_rankings", appendLocalRankings},
	memberMatch:         {"match", appendMatch},
	memberLabel: {"label", func(dst []byte, h hit) []byte {
		h.workspace.label = h.view.snapshot.AppendLabel(h.workspace.label[:0], h.ordinal)
		return index.AppendString(dst, h.workspace.label)
	}},
	memberNamesakes: {"namesakes", func(dst []byte, h hit) []byte {
		return strconv.AppendInt(dst, int64(h.view.snapshot.Namesakes(h.ordinal)), 10)
	}},
	memberAddress:  {"address", appendDetail(0)},
	memberPostcode: {"postcode", appendDetail(1)},
	memberArea:     {"area", appendDetail(2)},
	memberAltNames: {"alt_names", appendDetail(3)},
	memberExtra:    {"extra", appendExtra},
}

// extraDetails is the index of the first extra column among the details of a pub.
const extraDetails = 4

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
type memberValues [memberDistance][]byte

// read finds the values in a prepared pub.
func (v *memberValues) read(rest []byte) {
	for member := range v {
		rest = rest[len(`,"":`)+len(members[member].name):]
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
func (h hit) appendMember(dst []byte, member uint8) []byte {
	if member < memberDistance {
		return append(dst, h.workspace.values[member]...)
	}
	return members[member].append(dst, h)
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
		rank, of := h.view.snapshot.LocalRank(h.ordinal, metric)
		if rank == 0 {
			return append(dst, "null"...)
		}
		dst = strconv.AppendUint(append(dst, `{"rank":`...), uint64(rank), 10)
		return append(strconv.AppendUint(append(dst, `,"of":`...), uint64(of), 10), '}')
	})
}

func appendMatch(dst []byte, h hit) []byte {
	fields := h.workspace.search.Matches(h.view.snapshot, h.result, h.ordinal)
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
