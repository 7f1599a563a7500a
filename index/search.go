package index

import "pubd/geo"

// Search answers a query. It does not allocate once the answer has grown to what queries need. Its cost follows the
// number of hits, not the depth of the page.
func (s *Snapshot) Search(q *Query, a *Answer) {
	a.Pubs, a.Distances, a.Step, a.Words = a.Pubs[:0], a.Distances[:0], NotRelaxed, a.Words[:0]
	a.arena.reset(len(s.pubs))
	a.fragments = a.fragments[:0]
	f := finder{Answer: a, s: s, q: q}
	switch {
	case !q.All:
		f.answer(f.find())
	case q.Circle == nil:
		all := s.orders[q.Sort][direction(q.Descending)].ordinals
		if q.Rated {
			all = s.orders[q.Sort][direction(q.Descending)].rated
		}
		first, n := q.window(len(all))
		a.Total, a.Pubs = len(all), append(a.Pubs, all[first:first+n]...)
	case q.Marker == nil && q.Sort == SortDistance:
		first, n := q.span()
		hits, total := s.points.Select(&a.circle, q.Circle, q.Rated, q.Descending, first, n)
		a.Total = total
		f.nearest(hits)
	default:
		a.ids = s.points.Members(a.ids, q.Circle, q.Rated)
		low, high := s.namesakes(q.Marker)
		clear(a.found)
		around := set{bits: a.found}
		for _, pub := range a.ids {
			if pub < low || pub >= high {
				around.bits.add(pub)
				around.count++
			}
		}
		f.answer(around)
	}
}

func direction(descending bool) int {
	if descending {
		return 1
	}
	return 0
}

// answer puts the hits in order and takes the page.
func (f finder) answer(hits set) {
	first, n := f.q.window(hits.len())
	f.Total = hits.len()
	switch order := &f.s.orders[f.q.Sort%Sort(sortCount)][direction(f.q.Descending)]; {
	case n == 0:
	case f.q.Sort == SortDistance:
		f.hits = f.hits[:0]
		for _, pub := range f.list(hits) {
			f.hits = append(f.hits, geo.Hit{Separation: f.q.Circle.Separation(f.s.points.Vector(pub)), Ordinal: pub})
		}
		f.nearest(f.s.points.SelectHits(f.q.Circle, f.hits, f.q.Descending, first, n))
	default:
		f.Pubs = append(f.Pubs, order.window(hits, f.q.Rated, first, n, &f.arena)...)
		if f.q.Circle != nil {
			for _, pub := range f.Pubs {
				f.Distances = append(f.Distances, f.q.Circle.Distance(f.s.points.Vector(pub)))
			}
		}
	}
}

// nearest takes over a page of hits.
func (f finder) nearest(hits []geo.Hit) {
	for _, hit := range hits {
		f.Pubs = append(f.Pubs, hit.Ordinal)
		f.Distances = append(f.Distances, f.s.points.Distance(f.q.Circle, hit))
	}
}
