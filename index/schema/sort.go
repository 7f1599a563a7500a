package schema

import "strings"

// Sort is a key that results are ordered by. The zero value is SortName.
type Sort uint8

// The sort keys. Those of the metrics are in between; see [Metric.Sort]. SortRelevance has the best match first, and
// SortRandom is a shuffle, both regardless of the direction.
const (
	SortName Sort = iota
	SortLocation
	SortReviewCount
	SortRatings // the first of the metrics
)

// The sort keys after those of the metrics.
const (
	SortDistance = SortRatings + MetricCount + iota
	SortRelevance
	SortFair
	SortWeighted
	SortRandom
	SortCount
)

// A Need is a requirement of a sort key on the query.
type Need uint8

// The needs: nothing, a circle, weights, or a seed.
const (
	NeedsNothing Need = iota
	NeedsPoint
	NeedsWeights
	NeedsSeed
)

// An Order is a key with a prepared order of all pubs.
type Order uint8

// The orders: none, as it depends on the query, or one of texts or of numbers.
const (
	NoOrder Order = iota
	OrderOfTexts
	OrderOfNumbers
)

// A sortRow has all about a sort key that does not depend on an index.
type sortRow struct {
	name, doc string
	order     Order
	column    int // of an order, unless it is that of fair scores
	needs     Need
	expensive bool
}

var sorts = withMetrics([SortCount]sortRow{
	SortName:        {name: Columns[ColumnName].Name, doc: "by folded name, then name", order: OrderOfTexts, column: ColumnName},
	SortLocation:    {name: Columns[ColumnLocation].Name, doc: "by folded location, then location", order: OrderOfTexts, column: ColumnLocation},
	SortReviewCount: byNumber(ColumnReviewCount, "by the number of reviews"),
	SortFair: {name: "fair", order: OrderOfNumbers,
		doc: "the Bayesian average (v·R + m·C)/(v + m) of a total R with v reviews; C and m are in the response"},
	SortDistance: {name: "distance", needs: NeedsPoint,
		doc: "the nearest first; where features are wished (`beer garden`), within the pubs known to have them, the others, and those known not to"},
	SortRelevance: {name: "relevance", expensive: true,
		doc: "the best match first: the whole name, then names that lack no word but generic ones, then pubs in the place that is searched for, " +
			"then names that begin with the words, then the rest; within each, fewer corrections first, then names with fewer other words. " +
			"With a point, nearness counts first: each doubling of 0.5 km is a point, each correction two; then the better match, " +
			"then the nearer pub. Last by fair score"},
	SortWeighted: {name: "weighted", needs: NeedsWeights, expensive: true,
		doc: "the mean of the metrics, weighted by `weights`; pubs that lack one of them come last"},
	SortRandom: {name: "random", needs: NeedsSeed, expensive: true,
		doc: "a shuffle that is the same for the same `seed` and snapshot"},
})

// withMetrics adds the keys of the metrics.
func withMetrics(rows [SortCount]sortRow) [SortCount]sortRow {
	for metric := range Metric(MetricCount) {
		rows[metric.Sort()] = byNumber(metric.Column(), "by the "+strings.ToLower(metric.Label())+" rating")
	}
	return rows
}

// byNumber returns the row of a key that is a column of numbers.
func byNumber(column int, doc string) sortRow {
	return sortRow{name: Columns[column].Name, doc: doc, order: OrderOfNumbers, column: column}
}

// String returns the key as requests and answers write it, such as "review_count".
func (s Sort) String() string { return sorts[s].name }

// Doc describes the order, for the documentation.
func (s Sort) Doc() string { return sorts[s].doc }

// Needs returns what a query must have.
func (s Sort) Needs() Need { return sorts[s].needs }

// IsExpensive reports whether it takes more work than that of a page, as all pubs found are ranked.
func (s Sort) IsExpensive() bool { return sorts[s].expensive }

// Order returns what there is a prepared order by.
func (s Sort) Order() Order { return sorts[s].order }

// Column returns the position in [Columns] of what is ordered by, 0 for fair scores.
func (s Sort) Column() int { return sorts[s].column }

// IsMetric reports whether the key is that of a metric.
func (s Sort) IsMetric() bool { return SortRatings <= s && s < SortRatings+MetricCount }
