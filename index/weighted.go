package index

import (
	"math"

	"pubd/geo"
)

// Weights are what each metric counts for in a weighted mean, 0 or more; not all are 0 where they are asked for.
type Weights [MetricCount]float64

// Weigh is the weighted mean of a pub's ratings, to four decimals; NaN where it lacks one that counts.
func (w *Weights) Weigh(ratings *Ratings) float64 {
	s := newScale(w, 1)
	return s.weigh(ratings)
}

// A scale is weights that add up to 1, without those that are 0.
type scale struct {
	metrics [MetricCount]Metric
	shares  [MetricCount]float64
	rough   [MetricCount]float32 // shares, below 0 where the highest score comes first
	count   int
}

// newScale makes the scale of weights; sign is -1 where the highest score comes first, and 1 where the lowest does.
func newScale(w *Weights, sign float64) (s scale) {
	sum := 0.0
	for _, weight := range w {
		sum += weight
	}
	for metric, weight := range w {
		if weight > 0 {
			s.metrics[s.count], s.shares[s.count], s.rough[s.count] = Metric(metric), weight/sum, float32(sign*weight/sum)
			s.count++
		}
	}
	return s
}

func (s *scale) weigh(ratings *Ratings) float64 {
	sum := 0.0
	for i, metric := range s.metrics[:s.count] {
		sum += s.shares[i] * ratings[metric]
	}
	return scored(sum)
}

// roughRatings are those of a pub in half the memory and mostly one line of the cache: of many pubs they tell which few need be
// weighed.
type roughRatings [MetricCount]float32

// roughness is more than a guess at one score may differ from a guess at another that is not before it: guesses, of ratings
// up to 10, are off by some millionths, and scores are rounded by up to half of a ten thousandth.
const roughness = 2e-4

// guess is about what weigh gives, smaller the earlier it comes; NaN where that gives NaN.
func (s *scale) guess(ratings *roughRatings) float64 {
	sum := float32(0)
	for i, metric := range s.metrics[:s.count] {
		sum += s.rough[i] * ratings[metric]
	}
	return float64(sum)
}

// weighted gives the hits at places first to first+n-1 by their weighted means.
func (f finder) weighted(hits set, first, n int) []uint32 {
	s := newScale(&f.q.Weights, f.signed(1))
	if first+n > max(deepWeighted, hits.len()/deepShare) {
		return f.weightedDeep(&s, hits, first, n)
	}
	top := newBest(f.Answer, first+n)
	if found := hits.len(); found*found > 4*top.most*len(f.s.pubs) { // so that the best are soon found
		f.descend(&s, hits, &top)
	} else {
		for _, pub := range f.list(hits) {
			if guess := s.guess(&f.s.ratings[pub]); guess <= top.limit {
				top.add(guess, pub)
			}
		}
	}
	scores := f.hits[:0]
	for _, hit := range f.hits {
		if hit.Separation <= top.limit {
			scores = append(scores, geo.Hit{Separation: f.signed(s.weigh(&f.s.pubs[hit.Ordinal].Ratings)), Ordinal: hit.Ordinal})
		}
	}
	f.hits = scores
	var others []uint32
	if len(scores) < first+n { // all that have a score
		others = f.unscored(&s, hits)
	}
	return f.scoredPage(others, first, n)
}

// unscored returns the hits that have no score. It has no branch to mispredict.
func (f finder) unscored(s *scale, hits set) []uint32 {
	all := f.list(hits)
	start := len(f.ids)
	f.ids = grow(f.ids, len(all))
	end := start
	for _, pub := range all {
		f.ids[end] = pub
		end += one(!isPresent(s.guess(&f.s.ratings[pub])))
	}
	f.ids = f.ids[:end]
	return f.ids[start:end:end]
}

// deepWeighted is how many hits up to the end of a page, and deepShare which part of all hits, are more than a heap of the best should
// hold: it finds the few best of many without a look at most.
const (
	deepWeighted = 2048
	deepShare    = 16
)

// weightedBins is how many ranges hits are counted in by their guesses. A range is wider than roughness.
const weightedBins = 1 << 14

// weightedDeep is weighted for a page far from the first. It counts the hits by ranges of their guesses: the page is in the ranges of
// its ranks and those next to them, and only hits in these are weighed.
func (f finder) weightedDeep(s *scale, hits set, first, n int) []uint32 {
	if len(f.counts) < weightedBins {
		f.counts = make([]uint32, weightedBins)
	}
	bins := f.counts[:weightedBins]
	const width = 10.0 / weightedBins
	least := 0.0
	if f.q.Descending {
		least = -10
	}
	f.eachGuess(s, hits, func(guess float64, _ uint32) {
		bins[min(max(int((guess-least)/width), 0), weightedBins-1)]++
	})
	low, high := math.Inf(1), math.Inf(1)
	scores := 0
	for i, count := range bins {
		before := scores
		if scores += int(count); before <= first && first < scores {
			low = least + width*float64(i-1)
		}
		if before < first+n && first+n <= scores {
			high = least + width*float64(i+2)
		}
	}
	clear(bins)
	f.hits = f.hits[:0]
	skipped := 0
	f.eachGuess(s, hits, func(guess float64, pub uint32) {
		switch {
		case guess < low:
			skipped++
		case guess <= high:
			f.hits = append(f.hits, geo.Hit{Separation: f.signed(s.weigh(&f.s.pubs[pub].Ratings)), Ordinal: pub})
		}
	})
	var others []uint32
	if scores < first+n {
		others = f.unscored(s, hits)
	}
	return f.scoredPage(others, first-skipped, n)
}

// eachGuess calls do with the guess at each score of hits. It goes through the tree where that has hardly any others, as ratings lie
// together there.
func (f finder) eachGuess(s *scale, hits set, do func(guess float64, pub uint32)) {
	if t := f.s.tree; hits.bits != nil && hits.len() > len(t.pubs)/4 {
		for i, pub := range t.pubs {
			if guess := s.guess(&t.ratings[i]); isPresent(guess) && hits.bits.has(pub) {
				do(guess, pub)
			}
		}
		return
	}
	for _, pub := range f.list(hits) {
		if guess := s.guess(&f.s.ratings[pub]); isPresent(guess) {
			do(guess, pub)
		}
	}
}

// best collects in an answer the hits that may be among the wanted ones, with guesses at their scores.
type best struct {
	*Answer
	most int // are wanted, 1 or more
	// limit is what the guess at another such hit does not exceed.
	limit float64
}

func newBest(a *Answer, most int) best {
	a.hits, a.guesses = a.hits[:0], a.guesses[:0]
	return best{a, most, math.Inf(1)}
}

// add adds a hit whose guess does not exceed the limit. The wanted smallest guesses are a heap, the largest on top.
func (b *best) add(guess float64, pub uint32) {
	b.hits = append(b.hits, geo.Hit{Separation: guess, Ordinal: pub})
	heap := b.guesses
	at := len(heap)
	switch {
	case at < b.most:
		heap = append(heap, guess)
		for ; at > 0 && heap[(at-1)/2] < guess; at = (at - 1) / 2 {
			heap[at] = heap[(at-1)/2]
		}
		b.guesses = heap
	case guess < heap[0]:
		at = 0
		for later := 1; later < len(heap); later = 2*at + 1 {
			if later+1 < len(heap) && heap[later] < heap[later+1] {
				later++
			}
			if heap[later] <= guess {
				break
			}
			heap[at] = heap[later]
			at = later
		}
	default:
		return
	}
	heap[at] = guess
	if len(heap) == b.most {
		b.limit = heap[0] + roughness
	}
}

// signed is a score that is smaller the earlier it comes.
func (f finder) signed(score float64) float64 {
	if f.q.Descending {
		return -score
	}
	return score
}

// scoredPage gives a page of the scored hits and, behind them, of others.
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

// A branch is a node of a tree of ratings, with what no guess at a pub below is before.
type branch struct {
	node  int
	guess float64
}

// descend collects the best hits from the tree of ratings, the more promising half of each node first, and leaves out what
// is below a node whose best ratings, if one pub had them all, would not be enough (Tao, Hristidis, Papadias and
// Papakonstantinou, Branch-and-Bound Processing of Ranked Queries, 2007).
func (f finder) descend(s *scale, hits set, top *best) {
	t := f.s.tree
	bounds := t.extremes[direction(f.q.Descending)]
	var path [64]branch // that are still to be looked at; a node deep down adds one
	path[0] = branch{1, s.guess(&bounds[1])}
	for left := 1; left > 0; {
		left--
		node := path[left].node
		if !(path[left].guess <= top.limit) {
			continue
		}
		if below := 2 * node; below < len(bounds) {
			worse, better := branch{below, s.guess(&bounds[below])}, branch{below + 1, s.guess(&bounds[below+1])}
			if worse.guess < better.guess {
				worse, better = better, worse
			}
			path[left], path[left+1] = worse, better
			left += 2
			continue
		}
		start, end := t.span(node)
		for i := start; i < end; i++ {
			if guess := s.guess(&t.ratings[i]); guess <= top.limit && f.holds(hits, t.pubs[i]) {
				top.add(guess, t.pubs[i])
			}
		}
	}
}

// holds tells whether a pub is among some hits.
func (f finder) holds(hits set, pub uint32) bool {
	if hits.bits != nil {
		return hits.bits.has(pub)
	}
	at := lowerBound(hits.ids, pub)
	return at < len(hits.ids) && hits.ids[at] == pub
}
