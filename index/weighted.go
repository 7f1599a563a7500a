package index

import (
	"math"

	"pubd/geo"
)

// Weights are what each metric counts for in a weighted mean, 0 or more; not all are 0 where they are asked for.
type Weights [MetricCount]float64

// Weigh is the weighted mean of a pub's ratings, to four decimals; NaN where it lacks one that counts.
func (w *Weights) Weigh(ratings *Ratings) float64 {
	sum, weights := 0.0, 0.0
	for metric, weight := range w {
		if weight > 0 {
			sum += weight * ratings[metric]
			weights += weight
		}
	}
	return scored(sum / weights)
}

// fewWeighed is how many hits are weighed one by one rather than by threshold.
const fewWeighed = 1024

// weighted gives the hits at places first to first+n-1 by their weighted means.
func (f finder) weighted(hits set, first, n int) []uint32 {
	if hits.len() > fewWeighed && f.threshold(hits, first+n) {
		return f.scoredPage(nil, first, n)
	}
	f.hits = f.hits[:0]
	ids := f.list(hits)
	start := len(f.ids)
	for _, pub := range ids {
		if score := f.q.Weights.Weigh(&f.s.ratings[pub]); isPresent(score) {
			f.hits = append(f.hits, geo.Hit{Separation: f.signed(score), Ordinal: pub})
		} else {
			f.ids = append(f.ids, pub)
		}
	}
	return f.scoredPage(f.ids[start:len(f.ids):len(f.ids)], first, n)
}

// signed is a score that is smaller the earlier it comes.
func (f finder) signed(score float64) float64 {
	if f.q.Descending {
		return -score
	}
	return score
}

// scoredPage gives a page of the scored hits and, behind them, of the others.
func (f finder) scoredPage(others []uint32, first, n int) []uint32 {
	start := len(f.ids)
	if end := min(first+n, len(f.hits)); first < end {
		geo.Arrange(f.hits, first, end)
		for _, hit := range f.hits[first:end] {
			f.ids = append(f.ids, hit.Ordinal)
		}
		n -= end - first
		first = end
	}
	first -= len(f.hits)
	f.ids = append(f.ids, others[max(0, first):min(len(others), max(0, first)+n)]...)
	return f.ids[start:]
}

// threshold collects as scored hits the first ones of the order, and maybe more: it goes down the orders of the metrics
// together until what it has not seen cannot be among them (Fagin, Lotem and Naor, Optimal Aggregation Algorithms for
// Middleware, 2003). It gives up where going through the hits would be cheaper.
func (f finder) threshold(hits set, wanted int) (found bool) {
	var metrics [MetricCount]Metric
	count := 0
	for metric, weight := range f.q.Weights {
		if weight > 0 {
			metrics[count] = Metric(metric)
			count++
		}
	}
	f.hits = f.hits[:0]
	defer f.work.clear()
	look := 2 * wanted
	for depth := 0; depth < len(f.s.rated.ids) && depth*count < hits.len()/4; depth++ {
		var bound Ratings
		for _, metric := range metrics[:count] {
			pub := f.s.orders[SortBeer+Sort(metric)][direction(f.q.Descending)].rated[depth]
			bound[metric] = f.s.ratings[pub][metric]
			if f.work.words.has(pub) || !f.holds(hits, pub) {
				continue
			}
			f.work.add(pub)
			if score := f.q.Weights.Weigh(&f.s.ratings[pub]); isPresent(score) {
				f.hits = append(f.hits, geo.Hit{Separation: f.signed(score), Ordinal: pub})
			}
		}
		if len(f.hits) < wanted || depth < look {
			continue
		}
		look = 2 * depth
		limit := f.q.Weights.Weigh(&bound)
		if math.IsNaN(limit) { // a metric has no more: what is unseen lacks it
			return true
		}
		geo.Arrange(f.hits, wanted-1, wanted)
		if f.hits[wanted-1].Separation < f.signed(limit) {
			return true
		}
	}
	return false
}

// holds tells whether a pub is among some hits.
func (f finder) holds(hits set, pub uint32) bool {
	if hits.bits != nil {
		return hits.bits.has(pub)
	}
	at := lowerBound(hits.ids, pub)
	return at < len(hits.ids) && hits.ids[at] == pub
}
