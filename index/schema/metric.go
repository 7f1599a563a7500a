package schema

import (
	"math"

	"pubd/index/ranking"
)

// Metric is one of the ratings of a pub. Its value indexes [Ratings].
type Metric uint8

// The metrics, in the order in which an answer shows them. The last one, Total, is the mean of the others unless a
// snapshot file says otherwise.
const (
	Beer Metric = iota
	Atmos
	Fengshui
	Service
	Toilets
	Total
	MetricCount = ranking.MetricCount
)

var metrics = [...]struct{ name, label, doc string }{
	Beer:     {"beer", "Beer", "Average rating of the beer, from 0 to 10."},
	Atmos:    {"atmos", "Atmosphere", "Average rating of the atmosphere, from 0 to 10."},
	Fengshui: {"fengshui", "Feng shui", "Average rating of the feng shui, from 0 to 10."},
	Service:  {"service", "Service", "Average rating of the service, from 0 to 10."},
	Toilets:  {"toilets", "Toilets", "Average rating of the toilets, from 0 to 10."},
	Total:    {"total", "Total", "Composite average rating, from 0 to 10."},
}

// Another number of metrics does not compile: change ranking.MetricCount, too, which is the length of [Ratings].
var _ = [MetricCount]struct{}([len(metrics)]struct{}{})

// String returns the name of the metric as answers and snapshot files write it, such as "beer".
func (m Metric) String() string { return metrics[m].name }

// Label returns what people read, such as "Feng shui".
func (m Metric) Label() string { return metrics[m].label }

// Column returns the position of the metric in [Columns].
func (m Metric) Column() int { return ColumnRatings + int(m) }

// Sort returns the key that orders by the metric.
func (m Metric) Sort() Sort { return SortRatings + Sort(m) }

// Ratings holds a pub's rating per metric, each in [0, 10]; NaN means that there is none.
type Ratings = ranking.Ratings

// Rated returns ratings by metric. Metrics that are not given have none.
func Rated(values map[Metric]float64) (ratings Ratings) {
	for metric := range Metric(MetricCount) {
		value, given := values[metric]
		if ratings[metric] = value; !given {
			ratings[metric] = math.NaN()
		}
	}
	return ratings
}
