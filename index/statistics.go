package index

import (
	"math"
	"runtime"

	"pubd/index/ranking"
	"pubd/index/schema"
)

// Bins is the number of bins of a histogram of ratings. Each is half a point wide; the last one includes its end.
const Bins = 20

// Statistics describe the ratings of the rated pubs in a metric.
type Statistics struct {
	Count int
	Mean  float64 // to four decimals; NaN without any
	// Quartiles are the minimum, the three quartiles (the mean of two values if they fall between) and the maximum;
	// NaN without any.
	Quartiles [5]float64
	Histogram [Bins]int
}

// Statistics computes the statistics of a metric. It goes through all rated pubs.
func (s *Snapshot) Statistics(metric schema.Metric) (found Statistics) {
	values := make([]float64, 0, s.segment.Rated.Len())
	sum := 0.0
	s.segment.Orders[metric.Sort()].EachRated(func(value float64) {
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
