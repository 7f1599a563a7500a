package index

import (
	"strings"

	"pubd/index/indexfile"
	"pubd/index/postings"
)

// Sort is a key that results are ordered by. The zero value is SortName.
type Sort uint8

// The sort keys. Those of the metrics are in between; see [Metric.Sort]. SortRelevance has the best match first, and
// SortRandom is a shuffle, both regardless of the direction.
const (
	SortName Sort = iota
	SortLocation
	SortReviewCount
	sortRatings // the first of the metrics
)

// The sort keys after those of the metrics.
const (
	SortDistance = sortRatings + MetricCount + iota
	SortRelevance
	SortFair
	SortWeighted
	SortRandom
	SortCount
)

// A Need is what a query must have for a sort key.
type Need uint8

// The needs: nothing, a circle, weights, or a seed.
const (
	NeedsNothing Need = iota
	NeedsPoint
	NeedsWeights
	NeedsSeed
)

// A sortRow has all about a sort key. There is a prepared order of all pubs by a key that has keys or values.
type sortRow struct {
	name, doc string
	needs     Need
	expensive bool
	rank      ranker
	// keys returns keys of pubs, in the order of ordinals, as [ranking.NewOrder] takes them.
	keys func(pubs *Rows) []uint32
	// values returns a function of the ordinal whose values, NaN for a missing one, are as [ranking.NewNumeric] takes
	// them. It may write what else answers need of them.
	values func(file *indexfile.Writer, pubs *Rows, rated postings.Bitmap) func(ordinal int) float64
}

var sorts = withMetrics([SortCount]sortRow{
	SortName: {name: Columns[ColumnName].Name, doc: "by folded name, then name", keys: nameKeys, rank: search.byOrder},
	SortLocation: {name: Columns[ColumnLocation].Name, doc: "by folded location, then location", keys: locationKeys,
		rank: search.byOrder},
	SortReviewCount: byColumn(ColumnReviewCount, "by the number of reviews"),
	SortFair: {name: "fair", values: fairValues, rank: search.byOrder,
		doc: "the Bayesian average (v·R + m·C)/(v + m) of a total R with v reviews; C and m are in the response"},
	SortDistance: {name: "distance", needs: NeedsPoint, rank: search.byDistance,
		doc: "the nearest first; where features are wished (`beer garden`), within the pubs known to have them, the others, and those known not to"},
	SortRelevance: {name: "relevance", expensive: true, rank: search.byRelevance,
		doc: "the best match first: the whole name, then names that lack no word but generic ones, then pubs in the place that is searched for, " +
			"then names that begin with the words, then the rest; within each, fewer corrections first, then names with fewer other words. " +
			"With a point, nearness counts first: each doubling of 0.5 km is a point, each correction two; then the better match, " +
			"then the nearer pub. Last by fair score"},
	SortWeighted: {name: "weighted", needs: NeedsWeights, expensive: true, rank: search.byMean,
		doc: "the mean of the metrics, weighted by `weights`; pubs that lack one of them come last"},
	SortRandom: {name: "random", needs: NeedsSeed, expensive: true, rank: search.byChance,
		doc: "a shuffle that is the same for the same `seed` and snapshot"},
})

// withMetrics adds the keys of the metrics.
func withMetrics(rows [SortCount]sortRow) [SortCount]sortRow {
	for metric := range Metric(MetricCount) {
		rows[metric.Sort()] = byColumn(metric.Column(), "by the "+strings.ToLower(metric.Label())+" rating")
	}
	return rows
}

// byColumn returns the row of a key that is a column of numbers.
func byColumn(column int, doc string) sortRow {
	c := &Columns[column]
	values := func(_ *indexfile.Writer, pubs *Rows, _ postings.Bitmap) func(ordinal int) float64 {
		var pub Pub
		return func(ordinal int) float64 { return c.number(pubs.Get(ordinal, &pub)) }
	}
	return sortRow{name: c.Name, doc: doc, rank: search.byOrder, values: values}
}

// String returns the key as requests and answers write it, such as "review_count".
func (s Sort) String() string { return sorts[s].name }

// Doc describes the order, for the documentation.
func (s Sort) Doc() string { return sorts[s].doc }

// Needs returns what a query must have.
func (s Sort) Needs() Need { return sorts[s].needs }

// IsExpensive reports whether it takes more work than that of a page, as all pubs found are ranked.
func (s Sort) IsExpensive() bool { return sorts[s].expensive }

// isPrepared reports whether there is a prepared order of all pubs by the key.
func (s Sort) isPrepared() bool { return sorts[s].keys != nil || sorts[s].values != nil }

func (s Sort) isMetric() bool { return sortRatings <= s && s < sortRatings+MetricCount }

// section returns the beginning of the names of the sections of a prepared order.
func (s Sort) section() string { return "orders." + s.String() }
