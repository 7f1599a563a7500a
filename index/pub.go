package index

import (
	"math"
	"slices"

	"pubd/index/places"
	"pubd/index/ranking"
)

// Metric is one of the six ratings of a pub. Its value indexes [Ratings].
type Metric uint8

// The metrics, in the order in which an answer shows them.
const (
	Beer Metric = iota
	Atmos
	Fengshui
	Service
	Toilets
	Total
	MetricCount = ranking.MetricCount
)

var metricNames = [MetricCount]string{"beer", "atmos", "fengshui", "service", "toilets", "total"}

// String returns the name of the metric as answers and snapshot files write it, such as "beer".
func (m Metric) String() string { return metricNames[m] }

// Ratings holds a pub's rating per metric, each in [0, 10]; NaN means that there is none.
type Ratings = ranking.Ratings

// Weights are the weights of the metrics in a weighted mean, 0 or more. For SortWeighted, not all may be 0.
type Weights = ranking.Weights

// FairScale is how fair scores weigh the reviews of a pub against those of all pubs.
type FairScale = ranking.FairScale

// Pub is one pub of a snapshot file. Strings are valid UTF-8 without control characters; an empty
// one means missing, which UID and Name never are.
type Pub struct {
	UID      string
	Name     string
	Location string
	Trading  string
	// Latitude and Longitude are degrees in [-90, 90] and [-180, 180]; both are NaN when unknown.
	Latitude, Longitude float64
	// Category is the member common_category.
	Category string
	Ratings  Ratings
	// ReviewCount is the number of reviews, 0 or more.
	ReviewCount int64

	Address  string
	Postcode string
	// Area is a place larger than Location: a county, an authority, a region or a country.
	Area string
	// AltNames are other names, separated by semicolons.
	AltNames string
	// Extra has the value of each extra column of the directory; nil if the pub has none.
	Extra []string
}

// Directory is the content of one snapshot file, in any order.
type Directory struct {
	Pubs []Pub
	// CountsReviews reports whether the file has review counts. If not, a pub with any rating is rated.
	CountsReviews bool
	// Extra has the names of the extra columns, at most [MaxExtra], whose values are kept unchanged.
	Extra []string
	// Gazetteer has places that queries may name besides those of the pubs.
	Gazetteer []GazetteerPlace
}

// GazetteerPlace is a place of a gazetteer.
type GazetteerPlace = places.Row

// MaxExtra is the maximum number of extra columns of a directory.
const MaxExtra = 32

// IsRated reports whether a pub of the directory is rated: it has any rating and, if the directory counts reviews, at
// least one review.
func (d *Directory) IsRated(pub *Pub) bool {
	return (pub.ReviewCount > 0 || !d.CountsReviews) && slices.ContainsFunc(pub.Ratings[:], isPresent)
}

func isPresent(value float64) bool { return !math.IsNaN(value) }

// Column is a member of a pub whose values many pubs share. Its value indexes [Filter.Values].
type Column uint8

// The columns, in the order in which faults are reported.
const (
	Trading Column = iota
	Category
	Location
	ColumnCount = 3
)

var columnNames = [ColumnCount]string{"trading", "common_category", "location"}

// String returns the name of the column as answers and snapshot files write it, such as "common_category".
func (c Column) String() string { return columnNames[c] }

func (c Column) of(pub *Pub) string {
	switch c {
	case Trading:
		return pub.Trading
	case Category:
		return pub.Category
	default:
		return pub.Location
	}
}
