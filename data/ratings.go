package data

import "math/bits"

// A review has the ratings of a pub: five ratings in hundredths, in the order of the
// columns, or absent. count is the number of reviews, 0 for an unrated pub.
type review struct {
	ratings [5]int64
	count   uint64
}

const absent = -1

// newReview draws a review. Ratings vary around the quality of the pub, so that they
// are correlated; one pub in eighteen lacks one or two of them.
func newReview(d dice) review {
	if !d.chance(450) {
		return review{ratings: [5]int64{absent, absent, absent, absent, absent}}
	}
	quality := 640 + d.swing(420)
	var r review
	for i := range r.ratings {
		r.ratings[i] = min(max(quality+d.swing(330), 0), 1000)
	}
	if d.chance(55) {
		r.ratings[d.below(5)] = absent
		if d.chance(400) {
			r.ratings[d.below(5)] = absent
		}
	}
	tail := min(bits.TrailingZeros64(d.source.Uint64()), 8)
	r.count = 1 + d.below(7<<tail)
	return r
}

// total returns the mean of the ratings that are not absent, rounded half up, or absent.
func (r *review) total() int64 {
	var sum, n int64
	for _, v := range r.ratings {
		if v != absent {
			sum += v
			n++
		}
	}
	if n == 0 {
		return absent
	}
	return (2*sum + n) / (2 * n)
}
