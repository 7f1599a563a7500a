// Package ranking orders pubs by prepared keys, by weighted means of ratings, and at random. It knows only ordinals
// and numbers.
package ranking

import (
	"math"

	"pubd/geo/topk"
	"pubd/index/postings"
)

// MetricCount is the number of metrics. The last one is the total of the others.
const MetricCount = 6

// Ratings holds a pub's rating per metric, each in [0, 10]; NaN means that there is none.
type Ratings [MetricCount]float64

// Parts returns the ratings without the total.
func (r *Ratings) Parts() []float64 { return r[:MetricCount-1] }

// Workspace is the working memory of rankings. It serves one goroutine at a time.
type Workspace struct {
	Pool  *postings.Pool
	items []topk.Item
	keys  []uint32 // of weighted means
	ranks []uint32 // by such a key
}

// Round rounds a score, 0 or more, to four decimals. Pubs are ordered by rounded scores, because answers show those.
func Round(score float64) float64 {
	if !isPresent(score) {
		return score
	}
	return float64(int64(score*1e4+0.5)) / 1e4
}

func isPresent(value float64) bool { return !math.IsNaN(value) }
