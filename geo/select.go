package geo

import (
	"math"
	"math/bits"
	"slices"

	"pubd/geo/topk"
)

// Workspace is the working memory of Select. The zero value is ready to use; it grows as queries need it.
// It is not safe for concurrent use.
type Workspace struct {
	groups, blocks    []span
	order, keys, hits []topk.Item
}

// span is a run of points, inside of which are in the circle, with keys from near to far. A key is the squared chord
// from the centre, negated for descending order, so that smaller keys always come first.
type span struct {
	near, far float64
	run       int32 // number of the group or block
	inside    int32 // 0 for a block that is partly in the circle, whose points are not counted yet
	full      bool  // a full run, entirely inside
}

// Select returns the hits of ranks first to first+n-1 among the points, or the marked points, in c, and the total
// number of those points. The hits are those that SelectFrom would select from all of them, but Select only looks
// where those ranks can be. Past the end there are no hits. The hits are valid until s is used again. Select costs as
// much as Count plus the square root of the total, and does not allocate once s has grown.
func (x *Index) Select(s *Workspace, c *Circle, marked, descending bool, first, n int) (hits []topk.Item, total int) {
	hits, before, total := x.Window(s, c, marked, descending, first, n)
	return x.ranked(c, hits, descending, first-before, min(n, total-first)), total
}

// Window returns the points that Select selects and all that are equally far, and possibly others, in no order, with
// negative keys if they are descending; how many come before them; and the total number. Past the end there are none.
func (x *Index) Window(s *Workspace, c *Circle, marked, descending bool, first, n int) (hits []topk.Item, before, total int) {
	p := x.packing(marked)
	q := query{packing: p, circle: c, sign: 1, ceiling: c.limit}
	if descending {
		q.sign, q.floor, q.ceiling = -1, -c.limit, 0
	}
	if first == 0 && n > blockSize && q.gatherAll(s, n) {
		return s.hits, 0, len(s.hits)
	}
	total = q.spanGroups(s)
	if first >= total || n == 0 {
		return nil, 0, total
	}
	n = min(n, total-first)
	if first+n <= blockSize {
		q.gatherFirst(s, first+n)
		return s.hits, 0, total
	}
	low, high := s.bracket(s.groups, groupSize, first, n, q.ceiling)
	before = q.spanBlocks(s, low, high)
	low, high = s.bracket(s.blocks, blockSize, first-before, n, q.ceiling)
	before += q.gather(s, low, high)
	return s.hits, before, total
}

// ranked sorts hits, whose keys are negative for descending order, and returns those of ranks first to first+n-1 with
// their squared chords.
func (x *Index) ranked(c *Circle, hits []topk.Item, descending bool, first, n int) []topk.Item {
	if n <= 0 || len(hits) == 0 {
		return nil
	}
	x.sortRanks(c, hits, first, first+n)
	hits = hits[first : first+n]
	if descending {
		topk.Negate(hits)
	}
	return hits
}

// query is one call to Select.
type query struct {
	*packing
	circle         *Circle
	sign           float64
	floor, ceiling float64 // the keys of the points in the circle are from floor to ceiling
}

// keys returns bounds of the keys of the points of b; chord is that of its centre.
func (q *query) keys(b *Cap, chord float64) (near, far float64) {
	near, far = b.distanceBounds(chord, twiceSin(chord))
	if q.sign < 0 {
		return -far, -near
	}
	return near, far
}

// spanGroups collects the groups with points in the circle, and returns the number of those points.
func (q *query) spanGroups(s *Workspace) (total int) {
	spans := slices.Grow(s.groups[:0], len(q.Groups))[:len(q.Groups)]
	n := 0
	q.search(q.circle, func(_, _ [2]float64, group uint32) bool {
		b := &q.Groups[group]
		chord := ChordSquared(q.circle.center, b.Center)
		if inside := q.countGroup(q.circle, int(group), chord); inside > 0 {
			total += inside
			near, far := q.keys(b, chord)
			spans[n] = span{near, far, int32(group), int32(inside), inside == groupSize}
			n++
		}
		return true
	})
	s.groups = spans[:n]
	return total
}

// bracket returns bounds of the keys of the hits of ranks first to first+n-1, and of all hits equally far away. spans
// are runs of up to size points. With k counted from 0, at most k spans begin before the k-th smallest near, so at
// most k·size points are before it; and k+1 full spans end by the k-th smallest far.
func (s *Workspace) bracket(spans []span, size, first, n int, ceiling float64) (low, high float64) {
	low, high = -everywhere, ceiling
	if k := first / size; k > 0 {
		s.keys = s.keys[:0]
		for i := range spans {
			s.keys = append(s.keys, topk.Item{Key: spans[i].near, ID: uint32(i)})
		}
		topk.PartialSort(s.keys, k, k+1)
		low = s.keys[k].Key
	}
	s.keys = s.keys[:0]
	for i := range spans {
		if spans[i].full {
			s.keys = append(s.keys, topk.Item{Key: spans[i].far, ID: uint32(i)})
		}
	}
	if k := (first + n - 1) / size; k < len(s.keys) {
		topk.PartialSort(s.keys, k, k+1)
		high = min(high, s.keys[k].Key)
	}
	return low - Tolerance(low), min(high+Tolerance(high), ceiling)
}

// gatherAll collects all points in the circle, and reports whether there are at most limit.
func (q *query) gatherAll(s *Workspace, limit int) bool {
	s.hits = s.hits[:0]
	q.runs(q.circle, func(start, end int, _ bool) bool {
		for ; start < end && len(s.hits) <= limit; start += blockSize {
			q.gatherBlock(s, start/blockSize, q.ceiling)
		}
		return len(s.hits) <= limit
	})
	return len(s.hits) <= limit
}

// gatherFirst collects the points of the collected groups up to the rank end, at most blockSize, all that are equally
// far as the last of them, and possibly others; there must be as many. It begins with the block that is probably the
// first, and passes over those that come after enough of the points that it has by then.
func (q *query) gatherFirst(s *Workspace, end int) {
	center := q.circle.center
	group := &s.groups[0]
	for i := range s.groups {
		if s.groups[i].near < group.near {
			group = &s.groups[i]
		}
	}
	_, _, first, last := q.group(int(group.run))
	least := q.sign * ChordSquared(center, q.Blocks[first].Center)
	for block := first + 1; block < last; block++ {
		if key := q.sign * ChordSquared(center, q.Blocks[block].Center); key < least {
			first, least = block, key
		}
	}
	_, high := q.keys(&q.Blocks[first], q.sign*least)
	high = min(high+Tolerance(high), q.ceiling)
	low := max(group.near, q.floor)
	s.hits = s.hits[:0]
	q.gatherBlock(s, first, high)
	if high = s.cut(end, low, high); len(s.hits) < end {
		high = q.ceiling
	}
	width, limit := twiceSin(math.Abs(high)), 3*end
	for i := range s.groups {
		if s.groups[i].near > high {
			continue
		}
		_, _, block, last := q.group(int(s.groups[i].run))
		for ; block < last; block++ {
			if block == first || !q.reaches(&q.Blocks[block], high, width) {
				continue
			}
			if q.gatherBlock(s, block, high); len(s.hits) >= limit {
				high = s.cut(end, low, high)
				width, limit = twiceSin(math.Abs(high)), 2*(len(s.hits)+end)
			}
		}
	}
	s.cut(end, low, high)
}

// reaches reports whether a cap may have points in the circle with keys up to high; width is twiceSin of its absolute
// value.
func (q *query) reaches(b *Cap, high, width float64) bool {
	chord := ChordSquared(q.circle.center, b.Center)
	if q.sign > 0 {
		_, far := b.distanceBounds(high, width)
		return chord <= far
	}
	near, _ := b.distanceBounds(-high, width)
	_, far := b.distanceBounds(q.circle.limit, q.circle.width)
	return near < chord && chord <= far
}

// cut drops hits that come after those up to the rank end and the equally far ones, and returns a bound of the keys of
// the others; high if there are no more hits than end. All keys must be from low to high. It counts them in ranges of
// equal width, at some 3 ns per hit, which is cheaper than sorting what it drops.
func (s *Workspace) cut(end int, low, high float64) float64 {
	if len(s.hits) <= end {
		return high
	}
	const ranges = 64
	scale := (ranges - 1) / (high - low)
	if !(scale < math.MaxFloat64) { // all equally far
		return high
	}
	var counts [ranges]uint32
	for i := range s.hits {
		counts[uint((s.hits[i].Key-low)*scale)%ranges]++
	}
	last, count := 0, counts[0]
	for count < uint32(end) && last < ranges-1 {
		last++
		count += counts[last]
	}
	bound := low + float64(last+1)/scale
	high = min(high, bound+Tolerance(bound)) // the tolerance is more than what rounding can add
	kept := 0
	for _, hit := range s.hits {
		s.hits[kept] = hit
		kept += topk.One(hit.Key <= high)
	}
	s.hits = s.hits[:kept]
	return high
}

// spanBlocks collects those blocks of the collected groups that may have points with keys from low to high, and
// returns the number of points in the circle that are before low and in none of these blocks.
func (q *query) spanBlocks(s *Workspace, low, high float64) (skipped int) {
	s.blocks = s.blocks[:0]
	for i := range s.groups {
		g := &s.groups[i]
		switch {
		case g.near > high:
			continue
		case g.far < low:
			skipped += int(g.inside)
			continue
		}
		_, _, block, end := q.group(int(g.run))
		for ; block < end; block++ {
			b := &q.Blocks[block]
			near, far := q.keys(b, ChordSquared(q.circle.center, b.Center))
			if near > high || far < q.floor {
				continue
			}
			inside := 0
			if near >= q.floor && far <= q.ceiling {
				start, end := q.block(block)
				inside = end - start
				if far < low {
					skipped += inside
					continue
				}
			}
			s.blocks = append(s.blocks, span{near, far, int32(block), int32(inside), inside == blockSize})
		}
	}
	return skipped
}

// gather collects the points of the collected blocks that are in the circle and have keys up to high. It skips blocks
// that end before low, and returns the number of points skipped.
func (q *query) gather(s *Workspace, low, high float64) (skipped int) {
	s.hits = s.hits[:0]
	for i := range s.blocks {
		sp := &s.blocks[i]
		switch {
		case sp.near > high:
			continue
		case sp.far < low && sp.inside > 0:
			skipped += int(sp.inside)
			continue
		}
		q.gatherBlock(s, int(sp.run), high)
	}
	return skipped
}

// gatherBlock collects the points of a block that are in the circle and have keys up to high.
func (q *query) gatherBlock(s *Workspace, block int, high float64) {
	start, end := q.block(block)
	kept := len(s.hits)
	s.hits = slices.Grow(s.hits, blockSize)
	room := (*[blockSize]topk.Item)(s.hits[kept : kept+blockSize])
	s.hits = s.hits[:kept+q.keep(room, q.Vectors[start:end], q.Ordinals[start:end], high)]
}

// keep moves the hits with keys from floor to high to the front of room, and returns their number. It is branch-free:
// each hit is written, and overwritten by the next unless it is kept.
func (q *query) keep(room *[blockSize]topk.Item, vectors []Vector, ordinals []uint32, high float64) int {
	center, sign, floor := q.circle.center, q.sign, q.floor
	n := uint(0)
	for i, v := range vectors {
		key := sign * ChordSquared(center, v)
		room[n%blockSize] = topk.Item{Key: key, ID: ordinals[i]}
		n += uint(topk.One(key <= high) & topk.One(key >= floor))
	}
	return int(n)
}

// SelectAmong returns the hits of ranks first to first+n-1 among a number of chosen points, as SelectFrom would select
// them. All chosen points must be in c, and first must be less than their number. Ordinal o is bit o%64 of
// chosen[o/64]; there must be a bit for every ordinal. The hits are valid until s is used again. It does not allocate
// once s has grown.
func (x *Index) SelectAmong(s *Workspace, c *Circle, chosen []uint64, count int, descending bool, first, n int) []topk.Item {
	n = min(n, count-first)
	hits, before := x.WindowAmong(s, c, chosen, count, descending, first, n)
	return x.ranked(c, hits, descending, first-before, n)
}

// WindowAmong returns the points that SelectAmong selects and all that are equally far, and possibly others, in no order,
// with negative keys if they are descending; and how many come before them. There must be n from first on. It goes
// through the groups in their order, until those that follow are too far away. It costs 10 ns per group of x, 1 ns per
// point of the groups up to the last rank, and 10 ns per point of those that may have the ranks; but at most about twice
// as much as going through all chosen points, which it does for a large part of them.
func (x *Index) WindowAmong(s *Workspace, c *Circle, chosen []uint64, count int, descending bool, first, n int) (hits []topk.Item, before int) {
	const few, scan = 4, 8 // what a chosen point costs, in points of groups
	q := query{packing: &x.all, circle: c, sign: 1}
	if descending {
		q.sign, q.floor = -1, -everywhere
	}
	s.groups, s.order, s.hits = s.groups[:0], s.order[:0], s.hits[:0]
	for g := range q.Groups {
		near, _ := q.keys(&q.Groups[g], ChordSquared(c.center, q.Groups[g].Center))
		s.order = append(s.order, topk.Item{Key: near, ID: uint32(g)})
	}
	rest, seen := s.order, 0
	for size := few; seen < first+n && len(rest) > 0; size *= 2 {
		if n > count/few || (len(s.order)-len(rest))*groupSize > scan*count {
			return q.gatherChosen(s, x.vectors, chosen), 0
		}
		size = min(size, len(rest))
		topk.PartialSort(rest, 0, size)
		for _, group := range rest[:size] {
			seen += q.spanChosen(s, group.ID, chosen)
		}
		rest = rest[size:]
	}
	high := s.keyAt(first+n-1, func(sp *span) float64 { return sp.far })
	high += Tolerance(high)
	for _, group := range rest {
		if group.Key <= high {
			q.spanChosen(s, group.ID, chosen)
		}
	}
	low := s.keyAt(first, func(sp *span) float64 { return sp.near })
	low -= Tolerance(low)
	least, kept := float64(everywhere), s.groups[:0]
	for _, sp := range s.groups {
		if sp.far < low {
			before += int(sp.inside)
		} else if sp.near <= high {
			least, kept = min(least, sp.near), append(kept, sp)
		}
	}
	least = max(least, q.floor)
	last := first - before + n
	limit := 3 * last
	for _, sp := range kept {
		if sp.near > high {
			continue
		}
		start, end, _, _ := q.group(int(sp.run))
		for i, ordinal := range q.Ordinals[start:end] {
			if chosen[ordinal/64]>>(ordinal%64)&1 == 0 {
				continue
			}
			if key := q.sign * ChordSquared(c.center, q.Vectors[start+i]); key <= high {
				s.hits = append(s.hits, topk.Item{Key: key, ID: ordinal})
			}
		}
		if len(s.hits) >= limit {
			high = s.cut(last, least, high)
			limit = 2 * (len(s.hits) + last)
		}
	}
	return s.hits, before
}

// gatherChosen collects all chosen points.
func (q *query) gatherChosen(s *Workspace, vectors []Vector, chosen []uint64) []topk.Item {
	for i, word := range chosen {
		for ; word != 0; word &= word - 1 {
			ordinal := uint32(i*64 + bits.TrailingZeros64(word))
			s.hits = append(s.hits, topk.Item{Key: q.sign * ChordSquared(q.circle.center, vectors[ordinal]), ID: ordinal})
		}
	}
	return s.hits
}

// spanChosen collects a group if it has chosen points, and returns their number.
func (q *query) spanChosen(s *Workspace, group uint32, chosen []uint64) (inside int) {
	start, end, _, _ := q.group(int(group))
	for _, ordinal := range q.Ordinals[start:end] {
		inside += int(chosen[ordinal/64] >> (ordinal % 64) & 1)
	}
	if inside > 0 {
		b := &q.Groups[group]
		near, far := q.keys(b, ChordSquared(q.circle.center, b.Center))
		s.groups = append(s.groups, span{near: near, far: far, run: int32(group), inside: int32(inside)})
	}
	return inside
}

// keyAt returns a bound of the key of the point at a rank: a lower bound by the near keys of the groups, an upper
// bound by their far keys. The groups before the bound in that order have at most rank points, and with the next group
// more.
func (s *Workspace) keyAt(rank int, key func(*span) float64) float64 {
	s.keys = s.keys[:0]
	for i := range s.groups {
		s.keys = append(s.keys, topk.Item{Key: key(&s.groups[i]), ID: uint32(i)})
	}
	topk.PartialSort(s.keys, 0, len(s.keys))
	for _, k := range s.keys {
		if rank -= int(s.groups[k.ID].inside); rank < 0 {
			return k.Key
		}
	}
	return everywhere
}
