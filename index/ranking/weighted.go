package ranking

import (
	"math"
	"slices"

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
	weighed [MetricCount]int
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
			s.weighed[s.count], s.shares[s.count] = metric, weight/sum
			s.count++
		}
	}
	return s
}

// mean returns the weighted mean, not rounded; NaN if a rating that counts is missing.
func (s *scale) mean(ratings *Ratings) float64 {
	sum := 0.0
	for i, metric := range s.weighed[:s.count] {
		sum += s.shares[i] * ratings[metric]
	}
	return sum
}

// A key orders pubs by rounded means: it is the ten-thousandths of the mean or, if the highest mean comes first, those
// that it lacks. Pubs without a mean come last.
const (
	maxKey = 10 * 1e4
	noMean = maxKey + 1
)

// pastKeys are the bits of the least number that truncates to no key. Those of negative numbers and NaN are greater.
var pastKeys = math.Float64bits(maxKey + 1)

// means are the orders by the metrics that count, with their shares of the mean.
type means struct {
	metrics [MetricCount]*Numeric
	scale
}

func newMeans(metrics []Numeric, weights *Weights) means {
	m := means{scale: newScale(weights)}
	for i, metric := range m.weighed[:m.count] {
		m.metrics[i] = &metrics[metric]
	}
	return m
}

// chunk is the number of pubs whose means are computed together, so that the values of one metric at a time are in a
// processor's cache.
const chunk = 512

// keys puts the keys of at most chunk pubs into dst, and returns them. It adds the same products in the same order as
// mean.
func (m *means) keys(dst *[chunk]uint32, pubs []uint32, descending bool) []uint32 {
	var memory [chunk]float64
	sums := memory[:len(pubs)]
	for i, metric := range m.metrics[:m.count] {
		switch numbers := &metric.numbers; {
		case len(numbers.halves) > 0:
			addProducts(sums, pubs, numbers.halves, metric.values, m.shares[i])
		case len(numbers.bytes) > 0:
			addProducts(sums, pubs, numbers.bytes, metric.values, m.shares[i])
		default:
			addProducts(sums, pubs, numbers.words, metric.values, m.shares[i])
		}
	}
	base, sign := int64(0), int64(1)
	if descending {
		base, sign = maxKey, -1
	}
	for i, mean := range sums { // without branches to mispredict
		scaled := mean*1e4 + 0.5
		key := uint32(base + sign*int64(scaled))
		if math.Float64bits(scaled) >= pastKeys { // a mean is missing, or the file is corrupt
			key = noMean
		}
		dst[i] = key
	}
	return dst[:len(pubs)]
}

// addProducts adds, for each pub, its value multiplied by a share.
func addProducts[T uint8 | uint16 | uint32](sums []float64, pubs []uint32, numbers []T, values []float64, share float64) {
	sums = sums[:len(pubs)]
	for i, pub := range pubs {
		sums[i] += share * values[numbers[pub]]
	}
}

// fewScores is how many hits more than twice those up to the end of a page are kept before the others are dropped.
const fewScores = 4096

// AppendByMean appends the hits of ranks first to first+n-1 by the weighted means of metrics, of which there are
// MetricCount. The caller ensures that there are as many hits, and that n is not 0. It scores all hits, in about 15 ns
// each, and sorts those up to the end of the page.
func AppendByMean(dst []uint32, hits postings.Set, metrics []Numeric, weights *Weights, descending bool, first, n int, w *Workspace) []uint32 {
	m, items, end := newMeans(metrics, weights), w.items[:0], first+n
	limit := uint32(noMean + 1)
	var memory [chunk]uint32
	for some := range slices.Chunk(w.Pool.List(hits), chunk) {
		for i, key := range m.keys(&memory, some, descending) {
			if key >= limit { // with an equal key, it has a greater ordinal
				continue
			}
			items = append(items, topk.Item{Key: float64(key), ID: some[i]})
			if len(items) == 2*end+fewScores {
				topk.PartialSort(items, end-1, end)
				items, limit = items[:end], uint32(items[end-1].Key)
			}
		}
	}
	w.items = items
	topk.PartialSort(items, first, end)
	for _, item := range items[first:end] {
		dst = append(dst, item.ID)
	}
	return dst
}
