package ranking

import (
	"math"

	"pubd/geo/topk"
	"pubd/index/postings"
)

// Weights are the weights of the metrics in a weighted mean, 0 or more, not all 0.
type Weights [MetricCount]float64

// Mean returns the weighted mean of a pub's ratings, to four decimals; NaN if it lacks one that counts.
func (w *Weights) Mean(ratings *Ratings) float64 {
	s := newScale(w)
	return Round(s.mean(ratings))
}

// scale is weights that add up to 1, without those that are 0.
type scale struct {
	metrics [MetricCount]int
	shares  [MetricCount]float64
	count   int
}

func newScale(w *Weights) (s scale) {
	sum := 0.0
	for _, weight := range w {
		sum += weight
	}
	for metric, weight := range w {
		if weight > 0 {
			s.metrics[s.count], s.shares[s.count] = metric, weight/sum
			s.count++
		}
	}
	return s
}

// mean returns the weighted mean, not rounded; NaN if a rating that counts is missing.
func (s *scale) mean(ratings *Ratings) float64 {
	sum := 0.0
	for i, metric := range s.metrics[:s.count] {
		sum += s.shares[i] * ratings[metric]
	}
	return sum
}

// key returns the sort key of a pub: its rounded mean, negative if the highest comes first, or +Inf without a mean.
func (s *scale) key(ratings *Ratings, sign float64) float64 {
	if mean := s.mean(ratings); isPresent(mean) {
		return sign * Round(mean)
	}
	return math.Inf(1)
}

// AppendByMean appends the hits of ranks first to first+n-1 by the weighted means of ratings, which are by ordinal; hits without a mean come last.
// The caller ensures that there are as many, and that n is not 0. It scores all hits, in about 15 ns each, and keeps at most twice as many as come
// up to the end of the page, and a few.
func AppendByMean(dst []uint32, hits postings.Set, ratings []Ratings, weights *Weights, descending bool, first, n int, w *Workspace) []uint32 {
	s, sign := newScale(weights), 1.0
	if descending {
		sign = -1
	}
	end := first + n
	items := w.items[:0]
	limit := math.NaN() // until enough are kept, nothing is beyond it
	for _, pub := range w.Pool.List(hits) {
		key := s.key(&ratings[pub], sign)
		if key >= limit { // with an equal key, it has a greater ordinal
			continue
		}
		items = append(items, topk.Item{Key: key, ID: pub})
		if len(items) == 2*end+spare {
			topk.PartialSort(items, end-1, end)
			items, limit = items[:end], items[end-1].Key
		}
	}
	w.items = items
	topk.PartialSort(items, first, end)
	for _, item := range items[first:end] {
		dst = append(dst, item.ID)
	}
	return dst
}

// spare is how many hits are kept at least, so that they are rarely sorted.
const spare = 512
