package index

import (
	"math"

	"pubd/geo"
)

// Weights are what each metric counts for in a weighted mean, 0 or more; not all are 0 where they are asked for.
type Weights [MetricCount]float64

// Weigh is the weighted mean of a pub's ratings, to four decimals; NaN where it lacks one that counts.
func (w *Weights) Weigh(ratings *Ratings) float64 {
	s := newScale(w)
	return s.weigh(ratings)
}

// A scale is weights without those that are 0.
type scale struct {
	metrics [MetricCount]Metric
	weights [MetricCount]float64
	count   int
	sum     float64
}

func newScale(w *Weights) (s scale) {
	for metric, weight := range w {
		if weight > 0 {
			s.metrics[s.count], s.weights[s.count] = Metric(metric), weight
			s.count++
			s.sum += weight
		}
	}
	return s
}

func (s *scale) weigh(ratings *Ratings) float64 {
	sum := 0.0
	for i, metric := range s.metrics[:s.count] {
		sum += s.weights[i] * ratings[metric]
	}
	return scored(sum / s.sum)
}

// fewWeighed is how many hits are weighed one by one rather than by threshold.
const fewWeighed = 1024

// weighted gives the hits at places first to first+n-1 by their weighted means.
func (f finder) weighted(hits set, first, n int) []uint32 {
	wanted := first + n
	if hits.len() > fewWeighed && f.threshold(hits, wanted) {
		return f.scoredPage(nil, first, n)
	}
	f.hits = f.hits[:0]
	ids := f.list(hits)
	start := len(f.ids)
	last := math.Inf(1)
	s := newScale(&f.q.Weights)
	for _, pub := range ids {
		switch score := f.signed(s.weigh(&f.s.ratings[pub])); {
		case score < last: // of equal ones those that came before come first
			last = f.keep(score, pub, wanted, last)
		case !isPresent(score):
			f.ids = append(f.ids, pub)
		}
	}
	return f.scoredPage(f.ids[start:len(f.ids):len(f.ids)], first, n)
}

// keep takes a hit among the scored ones, of which now and then all but the wanted best are dropped, and gives the score of
// the last of these once there are as many; scores that are not less need not be kept when ordinals ascend.
func (f finder) keep(score float64, pub uint32, wanted int, last float64) float64 {
	f.hits = append(f.hits, geo.Hit{Separation: score, Ordinal: pub})
	if len(f.hits) < max(2*wanted, 64) {
		return last
	}
	geo.Arrange(f.hits, wanted-1, wanted)
	f.hits = f.hits[:wanted]
	return f.hits[wanted-1].Separation
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
	s := newScale(&f.q.Weights)
	var orders [MetricCount][]uint32
	for i, metric := range s.metrics[:s.count] {
		orders[i] = f.s.orders[SortBeer+Sort(metric)][direction(f.q.Descending)].rated
	}
	f.hits = f.hits[:0]
	defer f.work.clear()
	look, last := 2*wanted, math.Inf(1)
	for depth := 0; depth < len(f.s.rated.ids) && depth*s.count < hits.len()/4; depth++ {
		var bound Ratings
		for i, metric := range s.metrics[:s.count] {
			pub := orders[i][depth]
			bound[metric] = f.s.ratings[pub][metric]
			if f.work.words.has(pub) || !f.holds(hits, pub) {
				continue
			}
			f.work.add(pub)
			if score := f.signed(s.weigh(&f.s.ratings[pub])); score <= last { // ordinals come in no order
				last = f.keep(score, pub, wanted, last)
			}
		}
		if len(f.hits) < wanted || depth < look {
			continue
		}
		look = depth + depth/8 + 1
		limit := s.weigh(&bound)
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
