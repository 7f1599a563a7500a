package ranking

import (
	"math"
	"math/bits"

	"pubd/geo/topk"
	"pubd/index/indexfile"
)

// tree finds the pubs with the best weighted means without examining most others: a k-d tree (Bentley,
// Multidimensional Binary Search Trees Used for Associative Searching, 1975) whose nodes have the minimum and the maximum
// rating of each metric below them. It has the pubs with any rating, and is immutable.
type tree struct {
	pubs    []uint32      // leaf by leaf
	ratings []approximate // of pubs
	// least and greatest are the extreme ratings by node, noneBelow for no rating. The root is node 1, the children of
	// node i are 2i and 2i+1, and the second half of the nodes are leaves.
	least, greatest []extreme
}

// extreme is a rating per metric in the units of approximate ones, +Inf or -Inf for no rating.
type extreme [MetricCount]float32

// leafSize is the maximum number of pubs of a leaf.
const leafSize = 32

// newTree returns the tree of ratings by ordinal.
func newTree(ratings []approximate) tree {
	var t tree
	for pub := range ratings {
		if ratings[pub] != unrated {
			t.pubs = append(t.pubs, uint32(pub))
		}
	}
	nodes := 2
	for nodes/2*leafSize < len(t.pubs) {
		nodes *= 2
	}
	t.least, t.greatest = make([]extreme, nodes), make([]extreme, nodes)
	items := make([]topk.Item, len(t.pubs))
	for node := 1; node < nodes; node++ {
		start, end := t.span(node)
		pubs := t.pubs[start:end]
		for metric := range MetricCount {
			t.least[node][metric], t.greatest[node][metric] = extremesOf(pubs, ratings, metric)
		}
		if node < nodes/2 {
			split(pubs, ratings, widest(&t.least[node], &t.greatest[node]), items[start:end])
		}
	}
	t.ratings = make([]approximate, len(t.pubs))
	for i, pub := range t.pubs {
		t.ratings[i] = ratings[pub]
	}
	return t
}

// span returns the range of the pubs below a node.
func (t *tree) span(node int) (start, end int) {
	level := bits.Len(uint(node)) - 1
	number := node - 1<<level
	return number * len(t.pubs) >> level, (number + 1) * len(t.pubs) >> level
}

// widest returns the metric whose extremes differ most.
func widest(least, greatest *extreme) (metric int) {
	width := float32(-1)
	for i := range least {
		if w := greatest[i] - least[i]; w > width {
			metric, width = i, w
		}
	}
	return metric
}

// split moves the half of the pubs that is lower in a metric to the front.
func split(pubs []uint32, ratings []approximate, metric int, items []topk.Item) {
	for i, pub := range pubs {
		items[i] = topk.Item{Key: -1, ID: pub}
		if rating := ratings[pub][metric]; rating != none {
			items[i].Key = float64(rating)
		}
	}
	topk.PartialSort(items, len(items)/2, len(items)/2+1)
	for i, item := range items {
		pubs[i] = item.ID
	}
}

// extremesOf returns the minimum and the maximum rating of pubs by metric, +Inf and -Inf if they have none.
func extremesOf(pubs []uint32, ratings []approximate, metric int) (least, greatest float32) {
	least, greatest = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, pub := range pubs {
		if rating := ratings[pub][metric]; rating != none {
			least, greatest = min(least, float32(rating)), max(greatest, float32(rating))
		}
	}
	return least, greatest
}

func (t *tree) write(w *indexfile.Writer, name string) {
	indexfile.Put(w, name+".pubs", t.pubs)
	indexfile.Put(w, name+".ratings", t.ratings)
	indexfile.Put(w, name+".least", t.least)
	indexfile.Put(w, name+".greatest", t.greatest)
}

func readTree(r *indexfile.Reader, name string, size int) tree {
	t := tree{pubs: indexfile.Take[uint32](r, name+".pubs"), least: indexfile.Take[extreme](r, name+".least")}
	t.ratings = indexfile.TakeN[approximate](r, name+".ratings", len(t.pubs))
	t.greatest = indexfile.TakeN[extreme](r, name+".greatest", len(t.least))
	indexfile.CheckBelow(r, name+".pubs", t.pubs, size)
	r.Check(len(t.least) >= 2 && len(t.least)&(len(t.least)-1) == 0, name+".least", "its length is not a power of 2")
	return t
}
