package index

import (
	"math"
	"slices"
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
	MetricCount = 6
)

var metricNames = [MetricCount]string{"beer", "atmos", "fengshui", "service", "toilets", "total"}

// String is the name of the metric as answers and snapshot files write it, such as "beer".
func (m Metric) String() string { return metricNames[m] }

// Ratings holds a pub's rating per metric, each in [0, 10]; NaN means that there is none.
type Ratings [MetricCount]float64

// Pub is one pub as a snapshot file gives it. Strings are valid UTF-8 without control characters; an empty
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
}

// Directory is the content of one snapshot file, in any order.
type Directory struct {
	Pubs []Pub
	// CountsReviews tells whether the file has review counts. Where it has none, a pub with any rating is rated.
	CountsReviews bool
}

// IsRated tells whether a pub of the directory is rated: it has reviews, where reviews are counted, and any rating.
func (d *Directory) IsRated(pub *Pub) bool {
	return (pub.ReviewCount > 0 || !d.CountsReviews) && slices.ContainsFunc(pub.Ratings[:], isPresent)
}

func isPresent(value float64) bool { return !math.IsNaN(value) }
