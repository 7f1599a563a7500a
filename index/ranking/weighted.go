package ranking

import (
	"math"

	"pubd/geo/topk"
	"pubd/index/indexfile"
	"pubd/index/postings"
)

// Weights are the weights of the metrics in a weighted mean, 0 or more, not all 0.
type Weights [MetricCount]float64

// Mean returns the weighted mean of a pub's ratings, to four decimals; NaN if it lacks one that counts.
func (w *Weights) Mean(ratings *Ratings) float64 {
	s := newScale(w, 1)
	return s.mean(ratings)
}

// scale is weights that add up to 1, without those that are 0.
type scale struct {
	metrics [MetricCount]int
	shares  [MetricCount]float64
	count   int
	// signed are the shares for approximate ratings by metric: 0 if it does not count, negative if the highest score comes first. counts
	// has all bits set for a metric that counts.
	signed [MetricCount]float32
	counts [MetricCount]uint32
}

// newScale returns the scale of weights; sign is -1 if the highest score comes first, and 1 if the lowest does.
func newScale(w *Weights, sign float64) (s scale) {
	sum := 0.0
	for _, weight := range w {
		sum += weight
	}
	for metric, weight := range w {
		if weight > 0 {
			share := weight / sum
			s.metrics[s.count], s.shares[s.count] = metric, share
			s.signed[metric], s.counts[metric] = float32(sign*share/units), math.MaxUint32
			s.count++
		}
	}
	return s
}

func (s *scale) mean(ratings *Ratings) float64 {
	sum := 0.0
	for i, metric := range s.metrics[:s.count] {
		sum += s.shares[i] * ratings[metric]
	}
	return Round(sum)
}

// approximate is a pub's ratings in a quarter of the memory, mostly in one cache line. They suffice to select the few pubs whose exact
// ratings are needed. A rating is in units, or none.
type approximate [MetricCount]uint16

const (
	none  = math.MaxUint16
	units = (none - 1) / 10.0 // of one point
)

var unrated = approximate{none, none, none, none, none, none}

func newApproximate(ratings *Ratings) (a approximate) {
	for metric, rating := range ratings {
		a[metric] = none
		if isPresent(rating) {
			a[metric] = uint16(math.Round(max(0, min(10, rating)) * units))
		}
	}
	return a
}

// If an estimate exceeds another by tolerance, its pub comes later. An estimate is off by up to half a unit, 0.00008, plus the rounding of
// float32, 0.000003; scores are rounded by up to 0.00005.
const tolerance = 3e-4

// estimate is the approximate mean, smaller for an earlier rank; NaN without a mean. It has only one branch, which is rarely taken.
func (s *scale) estimate(r *approximate) float64 {
	r0, r1, r2, r3, r4, r5 := uint32(r[0]), uint32(r[1]), uint32(r[2]), uint32(r[3]), uint32(r[4]), uint32(r[5])
	missing := (r0+1)&s.counts[0] | (r1+1)&s.counts[1] | (r2+1)&s.counts[2] | (r3+1)&s.counts[3] | (r4+1)&s.counts[4] | (r5+1)&s.counts[5]
	if missing > none {
		return math.NaN()
	}
	return float64(s.signed[0]*float32(int32(r0)) + s.signed[1]*float32(int32(r1)) + s.signed[2]*float32(int32(r2)) +
		s.signed[3]*float32(int32(r3)) + s.signed[4]*float32(int32(r4)) + s.signed[5]*float32(int32(r5)))
}

// bound returns the estimate of a hypothetical pub with all extreme ratings.
func (s *scale) bound(ratings *extreme) float64 {
	sum := float32(0)
	for _, metric := range s.metrics[:s.count] {
		sum += s.signed[metric] * ratings[metric]
	}
	return float64(sum)
}

// Means orders pubs by weighted means of their ratings. It is immutable.
type Means struct {
	approximate []approximate // by ordinal
	tree        tree
	exact       *[MetricCount]Numeric
}

// NewMeans returns the means of ratings by ordinal. exact are the orders by metric, which have the same ratings.
func NewMeans(count int, ratings func(ordinal uint32) *Ratings) Means {
	m := Means{approximate: make([]approximate, count)}
	for ordinal := range m.approximate {
		m.approximate[ordinal] = newApproximate(ratings(uint32(ordinal)))
	}
	m.tree = newTree(m.approximate)
	return m
}

// Write writes the arrays as sections whose names begin with name.
func (m *Means) Write(w *indexfile.Writer, name string) {
	indexfile.Put(w, name+".ratings", m.approximate)
	m.tree.write(w, name+".tree")
}

// ReadMeans reads the means of size pubs from the sections whose names begin with name; exact are the orders by metric.
func ReadMeans(r *indexfile.Reader, name string, size int, exact *[MetricCount]Numeric) Means {
	return Means{indexfile.TakeN[approximate](r, name+".ratings", size), readTree(r, name+".tree", size), exact}
}

// score returns the exact weighted mean of a pub.
func (m *Means) score(s *scale, ordinal uint32) float64 {
	var ratings Ratings
	for _, metric := range s.metrics[:s.count] {
		ratings[metric] = m.exact[metric].Value(ordinal)
	}
	return s.mean(&ratings)
}

// AppendWindow appends the hits of ranks first to first+n-1 by their weighted means. The caller ensures that there are as many.
func (m *Means) AppendWindow(dst []uint32, hits postings.Set, weights *Weights, descending bool, first, n int, w *Workspace) []uint32 {
	sign := 1.0
	if descending {
		sign = -1
	}
	s := newScale(weights, sign)
	found := hits.Len()
	var scores []topk.Item
	skipped, total := 0, 0
	if first+n > max(deepPage, found/deepShare) {
		scores, skipped, total = m.between(&s, sign, hits, first, n, w)
	} else {
		scores, skipped, total = m.best(&s, sign, hits, first, n, w)
	}
	var others []uint32
	if total < first+n { // all that have a score
		others = m.unscored(&s, hits, w)
	}
	w.items = scores
	return appendItems(dst, scores, others, first-skipped, n)
}

// appendItems appends the hits of ranks first to first+n-1 out of items followed by others.
func appendItems(dst []uint32, items []topk.Item, others []uint32, first, n int) []uint32 {
	if end := min(first+n, len(items)); first < end {
		topk.PartialSort(items, first, end)
		for _, item := range items[first:end] {
			dst = append(dst, item.ID)
		}
		n -= end - first
		first = end
	}
	first = max(0, first-len(items))
	return append(dst, others[min(first, len(others)):min(len(others), first+n)]...)
}

// unscored returns the hits that have no score.
func (m *Means) unscored(s *scale, hits postings.Set, w *Workspace) []uint32 {
	return w.Pool.Filter(hits, func(ordinal uint32) bool { return !isPresent(s.estimate(&m.approximate[ordinal])) }).IDs()
}

// best returns the same as between, for an early page. If it returns fewer than first+n hits, those are all hits with a score.
func (m *Means) best(s *scale, sign float64, hits postings.Set, first, n int, w *Workspace) (scores []topk.Item, skipped, total int) {
	most := first + n
	top := newTop(w, most)
	if found := hits.Len(); found*found > 4*most*len(m.approximate) { // so that the best are found soon
		m.descend(s, sign < 0, hits, &top)
	} else {
		for _, ordinal := range w.Pool.List(hits) {
			if estimate := s.estimate(&m.approximate[ordinal]); estimate <= top.limit {
				top.add(estimate, ordinal)
			}
		}
	}
	w.heap = top.heap
	items := top.items[:0]
	for _, item := range top.items {
		if item.Key <= top.limit {
			items = append(items, item)
		}
	}
	total = len(items)
	low, high := math.Inf(1), math.Inf(1)
	if first < total {
		end := min(most, total)
		topk.PartialSort(items, first, end)
		low, high = items[first].Key-tolerance, items[end-1].Key+tolerance
	}
	scores = items[:0]
	for _, item := range items {
		switch {
		case item.Key < low:
			skipped++
		case item.Key <= high:
			scores = append(scores, topk.Item{Key: sign * m.score(s, item.ID), ID: item.ID})
		}
	}
	return scores, skipped, total
}

// top collects the items that may be among the smallest ones, by estimates of their scores; most is their number.
type top struct {
	items []topk.Item
	heap  []float64 // the smallest estimates, the largest of them on top
	most  int       // 1 or more
	// limit is the maximum estimate of another such item.
	limit float64
}

func newTop(w *Workspace, most int) top { return top{w.items[:0], w.heap[:0], most, math.Inf(1)} }

// add adds an item whose estimate does not exceed the limit.
func (t *top) add(estimate float64, ordinal uint32) {
	t.items = append(t.items, topk.Item{Key: estimate, ID: ordinal})
	heap := t.heap
	at := len(heap)
	switch {
	case at < t.most:
		heap = append(heap, estimate)
		for ; at > 0 && heap[(at-1)/2] < estimate; at = (at - 1) / 2 {
			heap[at] = heap[(at-1)/2]
		}
		t.heap = heap
	case estimate < heap[0]:
		at = 0
		for later := 1; later < len(heap); later = 2*at + 1 {
			if later+1 < len(heap) && heap[later] < heap[later+1] {
				later++
			}
			if heap[later] <= estimate {
				break
			}
			heap[at] = heap[later]
			at = later
		}
	default:
		return
	}
	heap[at] = estimate
	if len(heap) == t.most {
		t.limit = heap[0] + tolerance
	}
}

// branch is a node of the tree with a lower bound of the estimates below it.
type branch struct {
	node  int
	bound float64
}

// descend collects the best hits from the tree, the more promising child of each node first, and skips nodes whose best
// ratings, if one pub had them all, would not suffice (Tao, Hristidis, Papadias and
// Papakonstantinou, Branch-and-Bound Processing of Ranked Queries, 2007).
func (m *Means) descend(s *scale, descending bool, hits postings.Set, found *top) {
	t := &m.tree
	bounds := t.least
	if descending {
		bounds = t.greatest
	}
	var path [64]branch // still to be visited; each level adds one
	path[0] = branch{1, s.bound(&bounds[1])}
	for left := 1; left > 0; {
		left--
		node := path[left].node
		if !(path[left].bound <= found.limit) {
			continue
		}
		if below := 2 * node; below < len(bounds) {
			worse, better := branch{below, s.bound(&bounds[below])}, branch{below + 1, s.bound(&bounds[below+1])}
			if worse.bound < better.bound {
				worse, better = better, worse
			}
			path[left], path[left+1] = worse, better
			left += 2
			continue
		}
		start, end := t.span(node)
		for i := start; i < end; i++ {
			if estimate := s.estimate(&t.ratings[i]); estimate <= found.limit && hits.Has(t.pubs[i]) {
				found.add(estimate, t.pubs[i])
			}
		}
	}
}

// A page that ends beyond deepPage hits, and beyond one in deepShare of all hits, is too late for a heap of the best, which finds the few best
// of many without examining most.
const (
	deepPage  = 2048
	deepShare = 16
)

// bins is the number of ranges of estimates in which hits are counted. A range is wider than the tolerance.
const bins = 1 << 14

// between returns, for a late page, the hits that may be on it with their scores, the number of hits before them, and the number of hits with a
// score. It counts the hits by ranges of their estimates: the page is in the ranges of its ranks and the adjacent ones, and only hits in those
// are scored.
func (m *Means) between(s *scale, sign float64, hits postings.Set, first, n int, w *Workspace) (scores []topk.Item, skipped, total int) {
	if len(w.bins) < bins {
		w.bins = make([]uint32, bins)
	}
	const width = 10.0 / bins
	least := min(0, 10*sign)
	pubs, estimates := m.estimates(s, hits, w)
	for _, estimate := range estimates {
		if estimate == estimate {
			w.bins[min(max(int((float64(estimate)-least)*(1/width)), 0), bins-1)]++
		}
	}
	low, high := math.Inf(1), math.Inf(1)
	for i, count := range w.bins[:bins] {
		before := total
		if total += int(count); before <= first && first < total {
			low = least + width*float64(i-1)
		}
		if before < first+n && first+n <= total {
			high = least + width*float64(i+2)
		}
	}
	clear(w.bins)
	scores = w.items[:0]
	for i, estimate := range estimates {
		switch {
		case float64(estimate) < low:
			skipped++
		case float64(estimate) <= high:
			scores = append(scores, topk.Item{Key: sign * m.score(s, pubs[i]), ID: pubs[i]})
		}
	}
	return scores, skipped, total
}

// estimates returns pubs, which include all hits that may have a score, and their estimates, NaN for pubs that are not hits or have no score.
// If nearly all pubs of the tree are hits, it goes through the tree, where ratings are contiguous in memory.
func (m *Means) estimates(s *scale, hits postings.Set, w *Workspace) (pubs []uint32, estimates []float32) {
	estimates = w.estimates[:0]
	if t := &m.tree; hits.Bitmap() != nil && hits.Len() > len(t.pubs)/4 {
		pubs = t.pubs
		bits := hits.Bitmap()
		for i, pub := range pubs {
			estimate := s.estimate(&t.ratings[i])
			if !bits.Has(pub) {
				estimate = math.NaN()
			}
			estimates = append(estimates, float32(estimate))
		}
	} else {
		pubs = w.Pool.List(hits)
		for _, pub := range pubs {
			estimates = append(estimates, float32(s.estimate(&m.approximate[pub])))
		}
	}
	w.estimates = estimates
	return pubs, estimates
}
