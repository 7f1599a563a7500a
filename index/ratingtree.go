package index

import (
	"math"
	"math/bits"
	"slices"

	"pubd/geo"
)

// A ratingTree finds the pubs with the best sums of weighted ratings without looking at most others: a k-d tree (Bentley,
// Multidimensional Binary Search Trees Used for Associative Searching, 1975) whose nodes know the least and the greatest
// rating of each metric below them. It has the pubs that have any rating, and is immutable.
type ratingTree struct {
	pubs    []uint32       // leaf by leaf
	ratings []roughRatings // of pubs
	// extremes are by node the least and the greatest ratings, +Inf and -Inf where there is none. The root is node 1, below
	// node i are 2i and 2i+1, and the second half of the nodes are leaves.
	extremes [2][]roughRatings
}

// leafSize is at most how many pubs a leaf has.
const leafSize = 32

// newRatingTree makes the tree of ratings by ordinal.
func newRatingTree(ratings []roughRatings) *ratingTree {
	t := &ratingTree{}
	for pub := range ratings {
		if slices.ContainsFunc(ratings[pub][:], func(rating float32) bool { return rating == rating }) { // not NaN
			t.pubs = append(t.pubs, uint32(pub))
		}
	}
	nodes := 2
	for nodes/2*leafSize < len(t.pubs) {
		nodes *= 2
	}
	for i := range t.extremes {
		t.extremes[i] = make([]roughRatings, nodes)
	}
	hits := make([]geo.Hit, len(t.pubs))
	for node := 1; node < nodes; node++ {
		start, end := t.span(node)
		t.split(node, t.pubs[start:end], ratings, hits[start:end])
	}
	t.ratings = make([]roughRatings, len(t.pubs))
	for i, pub := range t.pubs {
		t.ratings[i] = ratings[pub]
	}
	return t
}

// span is where the pubs below a node begin and end.
func (t *ratingTree) span(node int) (start, end int) {
	level := bits.Len(uint(node)) - 1
	number := node - 1<<level
	return number * len(t.pubs) >> level, (number + 1) * len(t.pubs) >> level
}

// split takes the extremes of a node's pubs, and puts the half first that is lower in the metric that differs most, unless it
// is a leaf.
func (t *ratingTree) split(node int, pubs []uint32, ratings []roughRatings, hits []geo.Hit) {
	least, greatest := &t.extremes[0][node], &t.extremes[1][node]
	widest, width := 0, float32(-1)
	for metric := range least {
		least[metric], greatest[metric] = extremes(pubs, ratings, metric)
		if w := greatest[metric] - least[metric]; w > width {
			widest, width = metric, w
		}
	}
	if node >= len(t.extremes[0])/2 {
		return
	}
	for i, pub := range pubs {
		hits[i] = geo.Hit{Separation: -1, Ordinal: pub}
		if rating := ratings[pub][widest]; rating == rating {
			hits[i].Separation = float64(rating)
		}
	}
	geo.Arrange(hits, len(hits)/2, len(hits)/2+1)
	for i, hit := range hits {
		pubs[i] = hit.Ordinal
	}
}

// extremes gives the least and the greatest rating of some pubs, +Inf and -Inf where they have none.
func extremes(pubs []uint32, ratings []roughRatings, metric int) (least, greatest float32) {
	least, greatest = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, pub := range pubs {
		rating := ratings[pub][metric]
		if rating < least {
			least = rating
		}
		if rating > greatest {
			greatest = rating
		}
	}
	return least, greatest
}
