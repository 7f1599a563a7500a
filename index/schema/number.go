package schema

// Number is a column of numbers that answers filter by and describe. The metrics are the first ones. From ExtraNumber on
// they are the extra columns that are facets of numbers: Number(ExtraNumber + i) is that of the facet
// ExtraFacet + i.
type Number uint8

// The numbers after those of the metrics.
const (
	NumberReviews = Number(MetricCount) + iota
	ExtraNumber
	NumberCount = ExtraNumber + Number(MaxExtraFacets)
)

// Column returns the position in [Columns] of a number that is no extra column.
func (n Number) Column() int {
	if n == NumberReviews {
		return ColumnReviewCount
	}
	return Metric(n).Column()
}

// String returns the name of the column of a number that is no extra column.
func (n Number) String() string { return Columns[n.Column()].Name }
