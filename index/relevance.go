package index

import (
	"math"
	"slices"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/relax"
)

// relevance is the working memory of ranking by relevance.
type relevance struct {
	fits
	corrections []uint8  // by pub of a set
	levels      []uint16 // by pub of a set, best first
	ofLevel     []uint32 // by level, how many pubs of the set
	members     []uint32 // the pubs of some levels, one level after the other
}

const (
	// maxOther is the weight of the other words of a name from which on names rank alike, more than 60 words.
	maxOther = 127
	// maxPoints is the maximum number of points: for a distance, for a correction of each word, and for other words.
	maxPoints = 17 + 2*MaxRelaxedWords + 2
)

// byRelevance ranks by tier, then by corrections, by the number of other words of the name, and by fair score; with a
// point, by points for distance and faults, then by tier, by distance and by fair score. Pubs that were added to a few
// come after those.
func (s search) byRelevance(m matches, p page, first, n int) page {
	if s.query.All {
		p.pubs = s.appendTied(p.pubs, m.set, first, n)
		return p
	}
	if m.more == nil {
		p.pubs = s.appendRelevant(p.pubs, m.set, &m.explanation, first, n)
		return p
	}
	before := m.answer.Pubs.Len()
	if first < before {
		p.pubs = s.appendRelevant(p.pubs, m.answer.Pubs, &m.explanation, first, min(n, before-first))
	}
	if after := first + n - before; after > 0 {
		from := max(first-before, 0)
		p.pubs = s.appendRelevant(p.pubs, m.added, m.more, from, after-from)
	}
	return p
}

// appendRelevant appends pubs that matched in the same way.
func (s search) appendRelevant(dst []uint32, set postings.Set, how *explanation, first, n int) []uint32 {
	r := &s.w.relevance
	s.prepareFits(&r.fits, how)
	defer r.fits.clear()
	pubs := s.w.sets.List(set)
	corrections := s.corrections(pubs, how)
	inPlace := s.inPlace(how)
	if s.query.Circle != nil {
		return s.appendByPoints(dst, pubs, corrections, inPlace, first, n)
	}
	steps := uint32(1)
	if len(corrections) > 0 {
		steps += MaxRelaxedWords
	}
	r.begin(pubs, tierCount*steps*(maxOther+1))
	s.eachFit(pubs, inPlace, func(low, high int, f fit) {
		level := f.tier*steps*(maxOther+1) + min(f.other, maxOther)
		if len(corrections) == 0 {
			r.rank(low, high, level)
			return
		}
		for i := low; i < high; i++ {
			r.rank(i, i+1, level+uint32(corrections[i])*(maxOther+1))
		}
	})
	return s.appendByLevel(dst, pubs, first, n)
}

// appendByPoints appends pubs by points and tier, then by distance.
func (s search) appendByPoints(dst, pubs []uint32, corrections []uint8, inPlace postings.Set, first, n int) []uint32 {
	r, circle := &s.w.relevance, s.query.Circle
	r.begin(pubs, (maxPoints+1)*tierCount)
	s.eachFit(pubs, inPlace, func(low, high int, f fit) {
		level := f.tier
		if f.tier > tierPlace && f.hasOther {
			level += 2 * tierCount
		}
		for i := low; i < high; i++ {
			r.levels[i] = uint16(level)
		}
	})
	for i, count := range corrections {
		r.levels[i] += 2 * tierCount * uint16(count)
	}
	for i, pub := range pubs {
		r.levels[i] += tierCount * uint16(doublings(circle.ChordSquared(s.snapshot.points.Vector(pub))))
		r.ofLevel[r.levels[i]]++
	}
	return s.appendByLevel(dst, pubs, first, n)
}

// begin prepares to rank pubs on a number of levels.
func (r *relevance) begin(pubs []uint32, levels uint32) {
	r.levels = slices.Grow(r.levels[:0], len(pubs))[:len(pubs)]
	r.ofLevel = slices.Grow(r.ofLevel[:0], int(levels))[:levels]
	clear(r.ofLevel)
}

// rank puts the pubs from low to high-1 on a level.
func (r *relevance) rank(low, high int, level uint32) {
	for i := low; i < high; i++ {
		r.levels[i] = uint16(level)
	}
	r.ofLevel[level] += uint32(high - low)
}

// appendByLevel appends n pubs of the best levels from the first on, those of each level as equally relevant ones.
// There must be as many, and at least one.
func (s search) appendByLevel(dst, pubs []uint32, first, n int) []uint32 {
	r, low := &s.w.relevance, 0
	for first >= int(r.ofLevel[low]) {
		first -= int(r.ofLevel[low])
		low++
	}
	high, count := low, 0
	for ; count < first+n; high++ {
		count += int(r.ofLevel[high])
	}
	members, next := slices.Grow(r.members[:0], count)[:count], r.ofLevel[low:high]
	r.members = members
	end := uint32(0)
	for level, size := range next {
		next[level] = end
		end += size
	}
	for i, level := range r.levels {
		if level -= uint16(low); int(level) < len(next) {
			members[next[level]] = pubs[i]
			next[level]++
		}
	}
	start := 0
	for _, end := range next {
		size := int(end) - start
		if take := min(size-first, n); take > 0 {
			dst = s.appendTied(dst, postings.Of(members[start:end]), first, take)
			n -= take
		}
		first, start = 0, int(end)
	}
	return dst
}

// doublingChords are the squared chords of 0.5 km, 1 km, 2 km and so on.
var doublingChords = func() (chords [17]float64) {
	for i := range chords {
		radius := geo.Kilometres(0.5) * geo.Kilometres(math.Ldexp(1, i))
		if radius >= math.Pi*geo.EarthRadius {
			chords[i] = math.Inf(1)
			continue
		}
		chord := 2 * math.Sin(float64(radius/(2*geo.EarthRadius)))
		chords[i] = chord * chord
	}
	return chords
}()

// doublings returns how often 0.5 km must be doubled to reach a squared chord; as often as possible for NaN.
func doublings(chord float64) (n int) {
	for n < len(doublingChords)-1 && !(chord <= doublingChords[n]) {
		n++
	}
	return n
}

// corrections returns, by pub, how many of the words that matched the pub has not as they stand; none if it has all.
func (s search) corrections(pubs []uint32, how *explanation) []uint8 {
	if how.answer == nil || len(how.words) == 0 {
		return nil
	}
	r := &s.w.relevance
	counts := slices.Grow(r.corrections[:0], len(pubs))[:len(pubs)]
	clear(counts)
	r.corrections = counts
	for word := range how.words {
		standing := s.snapshot.relax.Standing(how.answer, word, &s.w.relax)
		bits := standing.Bitmap()
		collector := s.w.sets.Collector()
		if bits == nil {
			collector.AddSet(standing)
			bits = collector.Bitmap()
		}
		for i, pub := range pubs {
			if !bits.Has(pub) {
				counts[i]++
			}
		}
		collector.Clear()
	}
	return counts
}

// inPlace returns the pubs in the place that the query or its core is, as a phrase or by each word; none if another
// place was found.
func (s search) inPlace(how *explanation) postings.Set {
	if len(how.words) == 0 || how.answer != nil && how.answer.Step == Place {
		return postings.Set{}
	}
	m, x := &s.w.matching, s.snapshot
	pending := m.pending[:0]
	m.core = relax.Core(m.core[:0], m.words)
	phrase, ok := x.places.Phrase(m.words, &s.w.strict.Places)
	if ok {
		pending = append(pending, x.places.Having(phrase))
	}
	if len(m.core) < len(m.words) {
		if phrase, ok := x.places.Phrase(m.core, &s.w.strict.Places); ok {
			pending = append(pending, x.places.Having(phrase))
		}
	}
	operands := m.operands[:0]
	for _, word := range m.words {
		operands = append(operands, x.strict.PlacedIn(word))
	}
	m.operands = operands
	if placed := s.w.sets.Intersect(operands); placed.Len() > 0 {
		pending = append(pending, placed)
	}
	m.pending = pending
	return s.w.sets.Union(pending)
}

// appendTied appends equally relevant pubs: by distance if the query has a point, then by fair score.
func (s search) appendTied(dst []uint32, set postings.Set, first, n int) []uint32 {
	order := s.snapshot.order(SortFair)
	if s.query.Circle == nil {
		return order.AppendWindow(dst, set, true, first, n, &s.w.rank)
	}
	end := first + n
	items := s.w.items[:0]
	for _, pub := range s.w.sets.List(set) {
		items = append(items, topk.Item{Key: s.query.Circle.ChordSquared(s.snapshot.points.Vector(pub)), ID: pub})
	}
	s.w.items = items
	topk.PartialSort(items, first, end)
	// Only pubs as far as those of the page need their true distance.
	nearest, farthest, nearer := items[first].Key, items[end-1].Key, 0
	nearest, farthest = nearest-geo.Tolerance(nearest), farthest+geo.Tolerance(farthest)
	near := items[:0]
	for _, item := range items {
		if item.Key < nearest {
			nearer++
		} else if item.Key <= farthest {
			near = append(near, item)
		}
	}
	s.snapshot.points.Measure(s.query.Circle, near)
	topk.PartialSort(near, 0, len(near))
	first, end = first-nearer, end-nearer
	for at, next := 0, 0; at < end; at = next {
		for next = at + 1; next < len(near) && near[next].Key == near[at].Key; next++ {
		}
		switch low, high := max(at, first), min(next, end); {
		case low >= high:
		case next-at == 1:
			dst = append(dst, near[at].ID)
		default:
			equal := s.w.sets.Collector()
			for _, item := range near[at:next] {
				equal.Add(item.ID)
			}
			dst = order.AppendWindow(dst, s.w.sets.Collected(), true, low-at, high-low, &s.w.rank)
		}
	}
	return dst
}
