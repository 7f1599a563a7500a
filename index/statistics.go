package index

import (
	"math"
	"runtime"

	"pubd/index/ranking"
)

// Bins is how many bins a histogram of ratings has: each is half a point wide, the last one has its end, too.
const Bins = 20

// Statistics are about the rated pubs that have a metric.
type Statistics struct {
	Count int
	Mean  float64 // to four decimals; NaN without any
	// Quartiles are the least value, the three quartiles (of neighbouring values, the mean) and the greatest; NaN without any.
	Quartiles [5]float64
	Histogram [Bins]int
}

// Statistics computes those of a metric. It goes through all rated pubs.
func (s *Snapshot) Statistics(metric Metric) (found Statistics) {
	var values []float64
	sum := 0.0
	s.byRating[metric].EachRated(func(value float64) {
		values = append(values, value)
		sum += value
		found.Histogram[max(0, min(int(value*Bins/10), Bins-1))]++
	})
	found.Count, found.Mean = len(values), ranking.Round(sum/float64(len(values)))
	for i := range found.Quartiles {
		found.Quartiles[i] = math.NaN()
		if last := len(values) - 1; last >= 0 {
			found.Quartiles[i] = ranking.Round((values[last*i/4] + values[(last*i+3)/4]) / 2)
		}
	}
	runtime.KeepAlive(s)
	return found
}
