package index

import (
	"slices"

	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/ranking"
	"pubd/index/schema"
)

// rankers has the rankers of the sort keys without a prepared order.
var rankers = [schema.SortCount]ranker{
	schema.SortDistance: search.byDistance, schema.SortRelevance: search.byRelevance, schema.SortWeighted: search.byMean, schema.SortRandom: search.byChance,
}

// byOrder ranks by a prepared order.
func (s search) byOrder(m matches, p page, first, n int) page {
	p.pubs = s.segment.Orders[s.query.Sort].AppendWindow(p.pubs, m.set, s.query.Descending, first, n, &s.w.rank)
	return p
}

// byMean ranks by the weighted means of ratings.
func (s search) byMean(m matches, p page, first, n int) page {
	p.pubs = ranking.AppendByMean(p.pubs, m.set, s.segment.Orders[schema.SortRatings:schema.SortRatings+schema.MetricCount], &s.query.Weights, s.query.Descending, first, n, &s.w.rank)
	return p
}

// byChance ranks by a shuffle.
func (s search) byChance(m matches, p page, first, n int) page {
	p.pubs = ranking.AppendShuffled(p.pubs, m.set, s.query.Seed, first, n, &s.w.rank)
	return p
}

// byDistance ranks by the distance from the centre of the circle, where features are wished within those pubs that are
// known to have them, the others, and those that are known not to.
func (s search) byDistance(m matches, p page, first, n int) page {
	if m.how != nil && len(m.how.Features) > 0 {
		return s.byWishes(m, p, first, n)
	}
	circle, descending := s.query.Circle, s.query.Descending
	if bits := m.set.Bitmap(); bits != nil {
		return s.withHits(p, circle, s.segment.Points.SelectAmong(&s.w.near, circle, bits, m.set.Len(), descending, first, n))
	}
	items := s.w.items[:0]
	for _, pub := range s.w.sets.List(m.set) {
		items = append(items, topk.Item{Key: circle.ChordSquared(s.segment.Points.Vector(pub)), ID: pub})
	}
	s.w.items = items
	return s.withHits(p, circle, s.segment.Points.SelectFrom(circle, items, descending, first, n))
}

// byWishes ranks by the faults of pubs as to the features that are wished, then by distance.
func (s search) byWishes(m matches, p page, first, n int) page {
	pubs := s.w.sets.List(m.set)
	faults := s.ranker().WishFaults(pubs, m.how)
	for fault := uint8(0); n > 0; fault++ {
		items := s.w.items[:0]
		for i, pub := range pubs {
			if faults[i] == fault {
				items = append(items, topk.Item{Key: s.query.Circle.ChordSquared(s.segment.Points.Vector(pub)), ID: pub})
			}
		}
		s.w.items = items
		if first >= len(items) {
			first -= len(items)
			continue
		}
		take := min(n, len(items)-first)
		p = s.withHits(p, s.query.Circle, s.segment.Points.SelectFrom(s.query.Circle, items, s.query.Descending, first, take))
		first, n = 0, n-take
	}
	return p
}

// withHits adds hits, in order, with their distances.
func (s search) withHits(p page, circle *geo.Circle, hits []topk.Item) page {
	for _, hit := range hits {
		p.pubs = append(p.pubs, hit.ID)
		p.distances = append(p.distances, s.segment.Points.Distance(circle, hit))
	}
	return p
}

// pageOfEverything takes a page of all pubs, or of all in the circle that are not left out.
func (s search) pageOfEverything() page {
	switch {
	case s.query.Sort == schema.SortDistance:
		return s.nearest()
	case s.query.bySpace():
		return s.nearestTied()
	case s.filter.circle != nil:
		return s.withDistances(s.firstInCircle())
	}
	p := page{pubs: s.w.pubs, distances: s.w.distances, total: s.snapshot.Len()}
	if s.filter.rated {
		p.total = s.segment.Rated.Len()
	}
	if first, n := s.query.window(p.total); n > 0 {
		p.pubs = s.segment.Orders[s.query.Sort].AppendAll(p.pubs, s.filter.rated, s.query.Descending, first, n)
	}
	return s.withDistances(p)
}

// nearest takes a page of all pubs in the circle that are not left out, by distance. The page begins later by the
// number of left-out pubs that come before it.
func (s search) nearest() page {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	out := s.w.items[:0]
	for pub := low; pub < high; pub++ {
		if s.isAround(pub, circle) {
			out = append(out, topk.Item{Key: circle.ChordSquared(s.segment.Points.Vector(pub)), ID: pub})
		}
	}
	s.w.items = out
	first, n := s.query.span()
	hits, total := s.segment.Points.Select(&s.w.near, circle, s.filter.rated, s.query.Descending, first, n+len(out))
	p := page{pubs: s.w.pubs, distances: s.w.distances, total: total - len(out)}
	if len(out) == 0 || len(hits) == 0 {
		return s.withHits(p, circle, hits)
	}
	isOut := func(hit topk.Item) bool { return hit.ID >= low && hit.ID < high }
	if !isOut(hits[0]) {
		out = append(out, hits[0])
	}
	before := slices.IndexFunc(s.segment.Points.SelectFrom(circle, out, s.query.Descending, 0, len(out)),
		func(hit topk.Item) bool { return hit.ID == hits[0].ID })
	kept := hits[:0]
	for _, hit := range hits {
		if isOut(hit) {
			continue
		}
		if before--; before < 0 && len(kept) < n {
			kept = append(kept, hit)
		}
	}
	return s.withHits(p, circle, kept)
}

// nearestTied takes a page of all pubs in the circle, by distance, then by fair score.
func (s search) nearestTied() page {
	first, n := s.query.span()
	hits, before, total := s.segment.Points.Window(&s.w.near, s.filter.circle, s.filter.rated, false, first, n)
	p := page{pubs: s.w.pubs, distances: s.w.distances, total: total}
	if first, n = s.query.window(total); n > 0 {
		p.pubs = s.ranker().AppendNearest(p.pubs, hits, s.query.Circle, first-before, n)
	}
	return s.withDistances(p)
}

// firstInCircle takes a page of all pubs in the circle that are not left out, by another key.
func (s search) firstInCircle() page {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	total := s.segment.Points.Count(circle, s.filter.rated)
	for pub := low; pub < high; pub++ {
		if s.isAround(pub, circle) {
			total--
		}
	}
	p := page{pubs: s.w.pubs, distances: s.w.distances, total: total}
	first, n := s.query.window(total)
	if n == 0 {
		return p
	}
	order := &s.segment.Orders[s.query.Sort]
	has := func(pub uint32) bool {
		return (pub < low || pub >= high) && circle.Contains(s.segment.Points.Vector(pub))
	}
	pubs, ok := order.AppendWhere(p.pubs, has, total, s.filter.rated, s.query.Descending, first, n)
	if !ok {
		pubs = order.AppendWindow(p.pubs, s.collect(), s.query.Descending, first, n, &s.w.rank)
	}
	p.pubs = pubs
	return p
}
