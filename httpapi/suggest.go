package httpapi

import (
	"math"
	"strconv"
	"time"

	"pubd/httpapi/params"
	"pubd/index"
	"pubd/index/schema"
)

// appendSuggestions appends the body of suggest.
func (v *view) appendSuggestions(dst []byte, p *params.Params, r *result) []byte {
	dst = appendList(append(dst, `{"suggestions":`...), r.suggestions, appendSuggestion)
	return v.appendHint(appendInteger(dst, `,"total_pubs":`, v.snapshot.Len()), p, &r.found)
}

func appendSuggestion(dst []byte, s index.Suggestion) []byte {
	dst = schema.AppendString(append(dst, `{"text":`...), s.Text)
	dst = append(append(dst, `,"type":"`...), s.Kind.String()...)
	dst = appendInteger(dst, `","pubs":`, s.Pubs)
	if s.Kind == index.SuggestedPub {
		dst = schema.AppendString(append(dst, `,"name":`...), s.Name)
		if len(s.Location) > 0 {
			dst = schema.AppendString(append(dst, `,"location":`...), s.Location)
		}
		if len(s.UID) > 0 {
			dst = schema.AppendString(append(dst, `,"UID":`...), s.UID)
		}
	}
	if !math.IsNaN(float64(s.Distance)) {
		dst = appendMetres(append(dst, `,"distance":`...), s.Distance)
	}
	return append(dst, '}')
}

// appendStats appends the answer of stats.
func (v *view) appendStats(dst []byte) []byte {
	s := v.snapshot
	dst = append(append(append(dst, `{"snapshot":"`...), v.id...), `","loaded_at":"`...)
	dst = append(v.loadedAt.UTC().AppendFormat(dst, time.RFC3339), '"')
	dst = appendInteger(dst, `,"pubs":`, s.Len())
	dst = appendInteger(dst, `,"rated":`, s.Rated())
	dst = appendByMetric(append(dst, `,"metrics":`...), func(dst []byte, metric schema.Metric) []byte {
		found := s.Statistics(metric)
		dst = appendInteger(dst, `{"count":`, found.Count)
		dst = schema.AppendNumber(append(dst, `,"mean":`...), found.Mean)
		for i, name := range []string{`,"min":`, `,"lower_quartile":`, `,"median":`, `,"upper_quartile":`, `,"max":`} {
			dst = schema.AppendNumber(append(dst, name...), found.Quartiles[i])
		}
		return append(appendList(append(dst, `,"histogram":`...), found.Histogram[:], appendInt), '}')
	})
	for facet := range schema.Area {
		if facet == schema.Features && s.Values(facet) == 0 {
			continue
		}
		dst = append(append(append(dst, `,"`...), facet.String()...), `":`...)
		dst = appendCounts(dst, s.CountAll(facet))
	}
	if s.TellsHours() {
		dst = append(dst, `,"hours":true`...)
	}
	return append(dst, '}')
}

// appendCounts appends values with their number of pubs.
func appendCounts(dst []byte, counts []index.Count) []byte {
	return appendList(dst, counts, func(dst []byte, c index.Count) []byte {
		dst = schema.AppendString(append(dst, `{"value":`...), c.Value)
		return append(appendInteger(dst, `,"count":`, c.Pubs), '}')
	})
}

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }
