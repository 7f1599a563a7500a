package index

import (
	"math"
	"slices"
)

// FairScale says how fair scores weigh the reviews of a pub against those of all: the Bayesian average
// (v·R + m·C)/(v + m) of a pub with v reviews and total R.
type FairScale struct {
	Mean    float64 // C, the mean total of the rated pubs that have one
	Reviews float64 // m, the median number of their reviews
}

// scored rounds a score, 0 or more, to four decimals: what is shown is what is ordered by.
func scored(score float64) float64 {
	if !isPresent(score) {
		return score
	}
	return float64(int64(score*1e4+0.5)) / 1e4
}

// scoreFairly gives each pub its fair score; NaN where it is not rated or has no total.
func (s *Snapshot) scoreFairly() {
	sum, reviews := 0.0, []int64{}
	for _, ordinal := range s.rated.ids {
		if pub := &s.pubs[ordinal]; isPresent(pub.Ratings[Total]) {
			sum += pub.Ratings[Total]
			reviews = append(reviews, pub.ReviewCount)
		}
	}
	if n := len(reviews); n > 0 {
		slices.Sort(reviews)
		s.fairScale = FairScale{Mean: scored(sum / float64(n)), Reviews: (float64(reviews[(n-1)/2]) + float64(reviews[n/2])) / 2}
	}
	s.fair = make([]float64, len(s.pubs))
	for i := range s.fair {
		s.fair[i] = math.NaN()
	}
	for _, ordinal := range s.rated.ids {
		pub := &s.pubs[ordinal]
		v, m := float64(pub.ReviewCount), s.fairScale.Reviews
		switch {
		case v+m == 0: // nobody counts reviews: every total is worth the same
			s.fair[ordinal] = scored(pub.Ratings[Total])
		default:
			s.fair[ordinal] = scored((v*pub.Ratings[Total] + m*s.fairScale.Mean) / (v + m))
		}
	}
	s.orders[SortFair] = newOrders(keysOf(s.fair, isPresent), s.rated.bits)
}

// Fair is a pub's fair score; NaN where it has none.
func (s *Snapshot) Fair(ordinal uint32) float64 { return s.fair[ordinal] }

// FairScale is the scale of the snapshot's fair scores.
func (s *Snapshot) FairScale() FairScale { return s.fairScale }
