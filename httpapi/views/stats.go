package views

import (
	"time"

	"pubd/httpapi/jsonappend"
	"pubd/index/schema"
)

// appendStats appends the answer of stats.
func (v *View) appendStats(dst []byte) []byte {
	s := v.Snapshot
	dst = append(append(append(dst, `{"snapshot":"`...), v.ID...), `","loaded_at":"`...)
	dst = append(v.LoadedAt.UTC().AppendFormat(dst, time.RFC3339), '"')
	dst = jsonappend.Integer(dst, `,"pubs":`, s.Len())
	dst = jsonappend.Integer(dst, `,"rated":`, s.Rated())
	dst = jsonappend.ByMetric(append(dst, `,"metrics":`...), func(dst []byte, metric schema.Metric) []byte {
		found := s.Statistics(metric)
		dst = jsonappend.Integer(dst, `{"count":`, found.Count)
		dst = schema.AppendNumber(append(dst, `,"mean":`...), found.Mean)
		for i, name := range []string{`,"min":`, `,"lower_quartile":`, `,"median":`, `,"upper_quartile":`, `,"max":`} {
			dst = schema.AppendNumber(append(dst, name...), found.Quartiles[i])
		}
		return append(jsonappend.List(append(dst, `,"histogram":`...), found.Histogram[:], jsonappend.Int), '}')
	})
	for facet := range schema.Area {
		if facet == schema.Features && s.Values(facet) == 0 {
			continue
		}
		dst = append(append(append(dst, `,"`...), facet.String()...), `":`...)
		dst = jsonappend.Counts(dst, s.CountAll(facet))
	}
	if s.TellsHours() {
		dst = append(dst, `,"hours":true`...)
	}
	return append(dst, '}')
}
