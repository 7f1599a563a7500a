package index

import (
	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/relax"
)

// matchText finds the pubs that match the query's text and pass the filter. If there are none, it relaxes the query.
func (s search) matchText() matches {
	m := &s.w.matching
	m.folded = AppendFolded(m.folded[:0], s.query.Text)
	m.words = m.words[:0].AppendWords(m.folded).WithoutFiller()
	if len(m.words) == 0 {
		return matches{}
	}
	mayRelax := !s.query.Strict && len(m.words) <= MaxRelaxedWords
	if mayRelax && (s.query.Near || s.query.Circle == nil && relax.WantsPlace(m.words)) {
		return s.relax(false)
	}
	found := s.filtered(s.snapshot.strict.Match(m.words, true, &s.w.strict, &s.w.sets))
	if n := found.len(); mayRelax && (n == 0 || s.query.More && n < relax.Few) {
		return s.relax(n == 0)
	}
	found.words = m.words
	return found
}

// filtered returns the pubs that match the words and pass the filter. If they are ordered by distance, it measures
// them.
func (s search) filtered(pubs postings.Set) matches {
	if s.filter.circle == nil || s.query.Sort != SortDistance {
		return matches{set: s.keep(pubs, &s.w.sets)}
	}
	if pubs.Len() > 0 {
		pubs = s.apply(pubs, &s.w.sets)
	}
	if pubs.Len() == 0 {
		return matches{}
	}
	return matches{items: s.measure(pubs), measured: true}
}

// keep returns the members of a set that pass the filter.
func (s search) keep(pubs postings.Set, pool *postings.Pool) postings.Set {
	if pubs.Len() > 0 {
		pubs = s.apply(pubs, pool)
	}
	switch {
	case pubs.Len() == 0:
		return postings.Set{}
	case s.filter.circle != nil:
		return s.within(pubs, pool)
	case s.filter.rated:
		return pool.Both(pubs, s.snapshot.rated)
	}
	return pubs
}

// randomAccessCost is the approximate cost of looking up the position of a pub, relative to scanning that of a pub in
// a circle: positions of arbitrary pubs are scattered in memory, those of a circle are adjacent.
const randomAccessCost = 2

// circleHasMore reports whether going through the pubs of the circle costs more than looking up the others, as far as
// CountWhole tells: to count them exactly would cost about as much as going through them.
func (s search) circleHasMore(others int) bool {
	inside := &s.filter.inside
	if *inside < 0 {
		*inside = s.snapshot.points.CountWhole(s.filter.circle, s.filter.rated)
	}
	return *inside >= randomAccessCost*others
}

// measure returns the pubs that are in the circle and, if requested, rated, as items.
func (s search) measure(pubs postings.Set) []topk.Item {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	items := s.w.items[:0]
	pool := &s.w.sets
	switch {
	case pubs.Len() <= fewPubs || s.circleHasMore(pubs.Len()): // to ask the circle costs more than a few positions
		items = s.appendMeasured(items, pool.List(pubs))
	case pubs.Bitmap() != nil && low == high:
		items = s.snapshot.points.AppendHitsIn(items, circle, s.filter.rated, pubs.Bitmap())
	default:
		collector := pool.Collector()
		collector.AddSet(pubs)
		collector.RemoveRange(low, high)
		items = s.snapshot.points.AppendHitsIn(items, circle, s.filter.rated, collector.Bitmap())
		collector.Clear()
	}
	s.w.items = items
	return items
}

// appendMeasured appends the items of the pubs that are in the circle and not left out.
func (s search) appendMeasured(dst []topk.Item, pubs []uint32) []topk.Item {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	for _, pub := range pubs {
		if s.filter.rated && !s.snapshot.rated.Has(pub) || pub >= low && pub < high {
			continue
		}
		if chord := circle.ChordSquared(s.snapshot.points.Vector(pub)); circle.Holds(chord) {
			dst = append(dst, topk.Item{Key: chord, ID: pub})
		}
	}
	return dst
}

// within returns the pubs that are in the circle and, if requested, rated.
func (s search) within(pubs postings.Set, pool *postings.Pool) postings.Set {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	if pubs.Bitmap() == nil || s.circleHasMore(2*pubs.Len()) { // twice: most pubs in the circle need no position
		if s.filter.rated {
			pubs = pool.Both(pubs, s.snapshot.rated)
		}
		return pool.Filter(pubs, func(pub uint32) bool {
			return (pub < low || pub >= high) && circle.Contains(s.snapshot.points.Vector(pub))
		})
	}
	s.w.matching.ordinals = s.snapshot.points.AppendWithin(s.w.matching.ordinals[:0], circle, s.filter.rated)
	collector := pool.Collector()
	collector.AddCommon(s.w.matching.ordinals, pubs.Bitmap())
	collector.RemoveRange(low, high)
	return pool.Collected()
}

// isAround reports whether a pub is in a circle and, if requested, rated, regardless of the marker.
func (s search) isAround(pub uint32, circle *geo.Circle) bool {
	return (!s.filter.rated || s.snapshot.rated.Has(pub)) && circle.Contains(s.snapshot.points.Vector(pub))
}
