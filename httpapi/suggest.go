package httpapi

import (
	"strconv"
	"time"

	"pubd/index"
)

// defaultSuggestions is how many suggestions there are without amount.
const defaultSuggestions = 10

// What suggest and stats heed, and what the amount of suggest must be.
var (
	suggestParameters = []parameter{paramSearch, paramAmount, paramSnapshot}
	statsParameters   = []parameter{paramSnapshot}
)

const ruleSuggestions = "must be an integer from 1 to 20"

// parseSuggest parses the query string of suggest, as parse does that of the pubs.
func (a *arguments) parseSuggest(raw []byte) fault {
	a.reset()
	a.operation = opSuggest
	if f := a.readOnce(raw); f.isSet() {
		return f
	}
	if !a.values.has(paramSearch) {
		return fault{row: missingCompanion, parameter: paramSearch, rule: "there is nothing to complete"}
	}
	a.query.Amount = defaultSuggestions
	f := a.parseSome(suggestParameters)
	if !f.isSet() && a.query.Amount > index.MaxSuggestions {
		f = fault{row: invalidParameter, parameter: paramAmount}
	}
	if f.parameter == paramAmount {
		f.rule = ruleSuggestions
	}
	return f
}

// readOnce reads a query string in which nothing may be given twice.
func (a *arguments) readOnce(raw []byte) fault {
	switch {
	case !a.values.read(raw):
		return fault{row: malformedQuery}
	case a.values.repeated:
		return fault{row: duplicateParameter, parameter: a.values.duplicate}
	}
	return fault{}
}

// parseStats parses the query string of stats.
func (a *arguments) parseStats(raw []byte) fault {
	a.reset()
	a.operation = opStats
	if f := a.readOnce(raw); f.isSet() {
		return f
	}
	return a.parseSome(statsParameters)
}

// appendSuggestions appends the answer of suggest.
func (v *view) appendSuggestions(dst []byte, x *exchange) []byte {
	a := &x.arguments
	dst = append(dst, `{"suggestions":[`...)
	for i, s := range v.snapshot.Suggest(x.workspace, a.query.Text, a.query.Amount) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"text":`...), s.Text)
		if s.Location {
			dst = append(dst, `,"type":"location","pubs":`...)
		} else {
			dst = append(dst, `,"type":"name","pubs":`...)
		}
		dst = append(strconv.AppendInt(dst, int64(s.Pubs), 10), '}')
	}
	return append(appendInteger(append(dst, ']'), `,"total_pubs":`, v.snapshot.Len()), '}')
}

// appendStats appends the answer of stats.
func (v *view) appendStats(dst []byte) []byte {
	s := v.snapshot
	dst = append(append(append(dst, `{"snapshot":"`...), v.id...), `","loaded_at":"`...)
	dst = append(v.loadedAt.UTC().AppendFormat(dst, time.RFC3339), '"')
	dst = appendInteger(dst, `,"pubs":`, s.Len())
	dst = appendInteger(dst, `,"rated":`, s.Rated())
	dst = appendByMetric(append(dst, `,"metrics":`...), func(dst []byte, metric index.Metric) []byte {
		found := s.Statistics(metric)
		dst = appendInteger(dst, `{"count":`, found.Count)
		dst = appendNumber(append(dst, `,"mean":`...), found.Mean)
		for i, name := range []string{`,"min":`, `,"lower_quartile":`, `,"median":`, `,"upper_quartile":`, `,"max":`} {
			dst = appendNumber(append(dst, name...), found.Quartiles[i])
		}
		dst = append(dst, `,"histogram":[`...)
		for i, n := range found.Histogram {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, int64(n), 10)
		}
		return append(dst, "]}"...)
	})
	for column := range index.Column(index.ColumnCount) {
		dst = append(append(append(dst, `,"`...), column.String()...), `":`...)
		dst = appendCounts(dst, s.CountAll(column))
	}
	return append(dst, '}')
}

// appendCounts appends how many pubs have some values.
func appendCounts(dst []byte, counts []index.Count) []byte {
	dst = append(dst, '[')
	for i, c := range counts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"value":`...), c.Value)
		dst = append(appendInteger(dst, `,"count":`, c.Pubs), '}')
	}
	return append(dst, ']')
}
