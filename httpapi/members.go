package httpapi

import (
	"strconv"

	"pubd/index"
)

// A member is one that the pubs of an answer may have; its number is its place among them.
const (
	memberDistance = iota + 14 // behind those of the snapshot
	memberFair
	memberWeighted
	memberRankings
	memberLocalRankings
	memberMatch
	memberLabel
	memberNamesakes // comes with the label
	memberCount
)

const (
	fieldNames = "UID, name, location, trading, latitude, longitude, common_category, beer, atmos, fengshui, service, toilets, total, " +
		"review_count, distance"
	includeNames = "rankings, local_rankings, match, label"
)

// A hit is a pub of an answer.
type hit struct {
	*view
	*arguments
	answer  *index.Answer
	place   int // in the answer
	ordinal uint32
	label   []byte
}

func (h *hit) pub() *index.Pub { return h.view.snapshot.Pub(h.ordinal) }

// members says how each member is written, as JSON.
var members = [memberCount]struct {
	name   string
	append func(dst []byte, h *hit) []byte
}{
	{"UID", func(dst []byte, h *hit) []byte { return appendString(dst, h.pub().UID) }},
	{"name", func(dst []byte, h *hit) []byte { return appendString(dst, h.pub().Name) }},
	{"location", func(dst []byte, h *hit) []byte { return appendOptional(dst, h.pub().Location) }},
	{"trading", func(dst []byte, h *hit) []byte { return appendOptional(dst, h.pub().Trading) }},
	{"latitude", func(dst []byte, h *hit) []byte { return appendNumber(dst, h.pub().Latitude) }},
	{"longitude", func(dst []byte, h *hit) []byte { return appendNumber(dst, h.pub().Longitude) }},
	{"common_category", func(dst []byte, h *hit) []byte { return appendOptional(dst, h.pub().Category) }},
	{"beer", appendRating(index.Beer)},
	{"atmos", appendRating(index.Atmos)},
	{"fengshui", appendRating(index.Fengshui)},
	{"service", appendRating(index.Service)},
	{"toilets", appendRating(index.Toilets)},
	{"total", appendRating(index.Total)},
	{"review_count", func(dst []byte, h *hit) []byte { return strconv.AppendInt(dst, h.pub().ReviewCount, 10) }},
	memberDistance:      {"distance", func(dst []byte, h *hit) []byte { return appendMetres(dst, h.answer.Distances[h.place]) }},
	memberFair:          {"fair", func(dst []byte, h *hit) []byte { return appendNumber(dst, h.view.snapshot.Fair(h.ordinal)) }},
	memberWeighted:      {"weighted", func(dst []byte, h *hit) []byte { return appendNumber(dst, h.query.Weights.Weigh(&h.pub().Ratings)) }},
	memberRankings:      {"rankings", appendRankings},
	memberLocalRankings: {"local_rankings", appendLocalRankings},
	memberMatch:         {"match", appendMatch},
	memberLabel: {"label", func(dst []byte, h *hit) []byte {
		h.label = h.view.snapshot.AppendLabel(h.label[:0], h.ordinal)
		return appendText(dst, h.label)
	}},
	memberNamesakes: {"namesakes", func(dst []byte, h *hit) []byte {
		return strconv.AppendInt(dst, int64(h.view.snapshot.Namesakes(h.ordinal)), 10)
	}},
}

func appendRating(metric index.Metric) func(dst []byte, h *hit) []byte {
	return func(dst []byte, h *hit) []byte { return appendNumber(dst, h.pub().Ratings[metric]) }
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

func appendRankings(dst []byte, h *hit) []byte {
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

func appendLocalRankings(dst []byte, h *hit) []byte {
	return appendByMetric(dst, func(dst []byte, metric index.Metric) []byte {
		rank, of := h.view.snapshot.LocalRank(h.ordinal, metric)
		if rank == 0 {
			return append(dst, "null"...)
		}
		dst = strconv.AppendUint(append(dst, `{"rank":`...), uint64(rank), 10)
		return append(strconv.AppendUint(append(dst, `,"of":`...), uint64(of), 10), '}')
	})
}

func appendMatch(dst []byte, h *hit) []byte {
	dst = append(dst, `{"name":[`...)
	dst = h.appendMatched(dst, h.pub().Name)
	dst = append(dst, `],"location":[`...)
	return append(h.appendMatched(dst, h.pub().Location), `]}`...)
}

func (h *hit) appendMatched(dst []byte, text string) []byte {
	first := true
	h.answer.EachMatch(text, func(word []byte) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), word...), '"')
	})
	return dst
}
