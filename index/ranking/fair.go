package ranking

import "slices"

// FairScale is how fair scores weigh the reviews of a pub against those of all pubs. The fair score of a pub with v
// reviews and total R is the Bayesian average (v·R + m·C)/(v + m).
type FairScale struct {
	Mean    float64 // C, the mean total of the rated pubs that have one
	Reviews float64 // m, the median number of their reviews
}

// NewFairScale returns the scale for the totals and the numbers of reviews of rated pubs. It sorts the latter.
func NewFairScale(totals []float64, reviews []int64) FairScale {
	n := len(totals)
	if n == 0 {
		return FairScale{}
	}
	sum := 0.0
	for _, total := range totals {
		sum += total
	}
	slices.Sort(reviews)
	return FairScale{Mean: Round(sum / float64(n)), Reviews: (float64(reviews[(n-1)/2]) + float64(reviews[n/2])) / 2}
}

// Score returns the fair score of a rated pub; NaN if it has no total.
func (f FairScale) Score(total float64, reviews int64) float64 {
	v, m := float64(reviews), f.Reviews
	if v+m == 0 { // without review counts, all totals have the same weight
		return Round(total)
	}
	return Round((v*total + m*f.Mean) / (v + m))
}
