// Package ranking orders pubs by prepared keys, by weighted means of ratings, and at random. It knows only ordinals
// and numbers; package index decides what a key is.
//
// An [Order] is a permutation of all pubs with the group of equal keys of each, made when an index is built and used
// from the file in place. [Order.AppendWindow] takes a set of hits and appends those of some ranks. It walks the order
// if hits are dense, sorts them if they are few, and otherwise counts them by key: the cost
// does not grow with the depth of a page. The descending order is derived; pubs without a key come last in both. A
// [Numeric] has the value of each group, too: those from a minimum on are a range of places. [AppendByMean] scores all
// hits, because the weights are those of the query. [AppendShuffled] computes any position of a shuffle on demand.
// Groups and other small numbers of pubs are [Numbers] of as few bytes as they need.
//
// Scores are rounded before they are compared, because answers show the rounded ones. Orders are immutable and safe
// for concurrent use; a [Workspace] serves one goroutine.
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
	keys  []uint32 // of hits
}

// Round rounds a score, 0 or more, to four decimals. Pubs are ordered by rounded scores, because answers show those.
func Round(score float64) float64 {
	if !isPresent(score) {
		return score
	}
	return float64(int64(score*1e4+0.5)) / 1e4
}

func isPresent(value float64) bool { return !math.IsNaN(value) }
