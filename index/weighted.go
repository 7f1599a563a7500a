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
	sum := 0.0
	for i, metric := range s.metrics[:s.count] {
		sum += s.shares[i] * ratings[metric]
	}
	return scored(sum)
}

// A scale is weights that add up to 1, without those that are 0.
type scale struct {
	metrics [MetricCount]Metric
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
			s.metrics[s.count], s.shares[s.count] = Metric(metric), weight/sum
			s.count++
		}
	}
	return s
}

// Where many pubs are weighed for one answer, a pub's ratings are places among those that there are: half the memory, and
// one line of the cache.
type (
	levels  [MetricCount][]float64 // the distinct ratings, ascending, and behind them NaN
	leveled [MetricCount]uint32
)

// level makes the ratings of a metric levels; keys are what keysOf gives for them.
func (s *Snapshot) level(metric Metric, ratings []float64, keys []uint32) {
	none := uint32(0) // behind the last
	for _, key := range keys {
		if key != missing {
			none = max(none, key+1)
		}
	}
	s.levels[metric] = make([]float64, none+1)
	s.levels[metric][none] = math.NaN()
	for i, key := range keys {
		if key != missing {
			s.levels[metric][key] = ratings[i]
		}
		s.leveled[i][metric] = min(key, none)
	}
}

// weigh is as Weights.Weigh, before it is rounded.
func (s *scale) weigh(levels *levels, ratings *leveled) float64 {
	sum := 0.0
	for i, metric := range s.metrics[:s.count] {
		sum += s.shares[i] * levels[metric][ratings[metric]]
	}
	return sum
}

// rounding is more than a score is rounded by.
const rounding = 1e-4

// fewWeighed is how many hits are weighed one by one rather than by threshold.
const fewWeighed = 1024

// weighted gives the hits at places first to first+n-1 by their weighted means.
func (f finder) weighted(hits set, first, n int) []uint32 {
	top := best{f.hits[:0], first + n}
	defer func() { f.hits = top.hits[:0] }()
	if hits.len() > fewWeighed && f.threshold(hits, &top) {
		return f.scoredPage(top.hits, nil, first, n)
	}
	top.hits = top.hits[:0]
	ids := f.list(hits)
	start := len(f.ids)
	s := newScale(&f.q.Weights)
	for _, pub := range ids {
		switch score := f.signed(s.weigh(&f.s.levels, &f.s.leveled[pub])); {
		case score <= top.last()+rounding:
			top.add(f.signed(scored(f.signed(score))), pub)
		case !isPresent(score):
			f.ids = append(f.ids, pub)
		}
	}
	return f.scoredPage(top.hits, f.ids[start:len(f.ids):len(f.ids)], first, n)
}

// best holds so many of the hits that were added as are wanted, those with the smallest scores and, of equal ones, ordinals.
type best struct {
	hits   []geo.Hit // a heap, the last of them on top
	wanted int       // 1 or more
}

// last is the score that one more hit must not exceed.
func (b *best) last() float64 {
	if len(b.hits) < b.wanted {
		return math.Inf(1)
	}
	return b.hits[0].Separation
}

func (b *best) add(score float64, pub uint32) {
	hit := geo.Hit{Separation: score, Ordinal: pub}
	at := len(b.hits)
	if at < b.wanted {
		b.hits = append(b.hits, hit)
		for at > 0 && b.hits[(at-1)/2].Before(hit) {
			b.hits[at] = b.hits[(at-1)/2]
			at = (at - 1) / 2
		}
		b.hits[at] = hit
		return
	}
	if !hit.Before(b.hits[0]) {
		return
	}
	at = 0
	for {
		later := 2*at + 1
		if later >= len(b.hits) {
			break
		}
		if later+1 < len(b.hits) && b.hits[later].Before(b.hits[later+1]) {
			later++
		}
		if b.hits[later].Before(hit) {
			break
		}
		b.hits[at] = b.hits[later]
		at = later
	}
	b.hits[at] = hit
}

// signed is a score that is smaller the earlier it comes.
func (f finder) signed(score float64) float64 {
	if f.q.Descending {
		return -score
	}
	return score
}

// scoredPage gives a page of scored hits and, behind them, of others.
func (f finder) scoredPage(hits []geo.Hit, others []uint32, first, n int) []uint32 {
	start := len(f.ids)
	if end := min(first+n, len(hits)); first < end {
		geo.Arrange(hits, first, end)
		for _, hit := range hits[first:end] {
			f.ids = append(f.ids, hit.Ordinal)
		}
		n -= end - first
		first = end
	}
	first -= len(hits)
	f.ids = append(f.ids, others[max(0, first):min(len(others), max(0, first)+n)]...)
	return f.ids[start:]
}

// threshold finds the best hits, by going down the orders of the metrics together until what it has not seen cannot be
// among them (Fagin, Lotem and Naor, Optimal Aggregation Algorithms for Middleware, 2003). It gives up where going through
// the hits would be cheaper.
func (f finder) threshold(hits set, top *best) (found bool) {
	s := newScale(&f.q.Weights)
	var orders [MetricCount][]uint32
	for i, metric := range s.metrics[:s.count] {
		orders[i] = f.s.orders[SortBeer+Sort(metric)][direction(f.q.Descending)].rated
	}
	defer f.work.clear()
	for depth := 0; depth < len(f.s.rated.ids) && depth*s.count < hits.len()/4; depth++ {
		var bound leveled
		for i, metric := range s.metrics[:s.count] {
			pub := orders[i][depth]
			ratings := &f.s.leveled[pub]
			bound[metric] = ratings[metric]
			score := f.signed(s.weigh(&f.s.levels, ratings))
			if score <= top.last()+rounding && !f.work.words.has(pub) && f.holds(hits, pub) {
				f.work.add(pub)
				top.add(f.signed(scored(f.signed(score))), pub)
			}
		}
		if len(top.hits) < top.wanted {
			continue
		}
		// Where a metric has no more, what is unseen lacks it.
		if limit := f.signed(s.weigh(&f.s.levels, &bound)); !isPresent(limit) || top.last() < limit-rounding {
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
