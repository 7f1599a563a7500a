package index

import (
	"slices"

	"pubd/geo"
)

// Search answers a query. It does not allocate once the answer has grown to what queries need. Its cost follows the
// number of hits, not the depth of the page.
func (s *Snapshot) Search(q *Query, a *Answer) {
	a.Reset()
	a.arena.reset(len(s.pubs))
	a.fragments = a.fragments[:0]
	f := finder{Answer: a, s: s, q: q}
	f.prepare()
	f.found, f.hits = set{}, f.hits[:0]
	switch {
	case !q.All:
		f.find()
		f.answer()
	case !f.isOpen() || !f.isPrepared():
		f.found = f.collect()
		f.answer()
	case q.Sort == SortDistance:
		f.nearestAround()
	case f.around:
		f.firstAround()
	default:
		all := s.orders[q.Sort][direction(q.Descending)].ordinals
		if q.Rated {
			all = s.orders[q.Sort][direction(q.Descending)].rated
		}
		first, n := q.window(len(all))
		a.Total = len(all)
		f.take(all[first : first+n])
	}
}

// nearestAround takes a page of all pubs in the circle but the namesakes of the marker, by distance. The page begins
// later by as many namesakes as come before it.
func (f finder) nearestAround() {
	low, high := f.low, f.high
	f.hits = f.hits[:0]
	for pub := low; pub < high; pub++ {
		if f.isAround(pub) {
			f.hits = append(f.hits, geo.Hit{Separation: f.q.Circle.Separation(f.s.points.Vector(pub)), Ordinal: pub})
		}
	}
	namesakes := len(f.hits)
	first, n := f.q.span()
	hits, total := f.s.points.Select(&f.circle, f.q.Circle, f.q.Rated, f.q.Descending, first, n+namesakes)
	f.Total = total - namesakes
	if namesakes == 0 || len(hits) == 0 {
		f.nearest(hits)
		return
	}
	if hits[0].Ordinal < low || hits[0].Ordinal >= high {
		f.hits = append(f.hits, hits[0])
	}
	before := slices.IndexFunc(f.s.points.SelectHits(f.q.Circle, f.hits, f.q.Descending, 0, len(f.hits)),
		func(h geo.Hit) bool { return h.Ordinal == hits[0].Ordinal })
	f.hits = f.hits[:0]
	for _, hit := range hits {
		if hit.Ordinal >= low && hit.Ordinal < high {
			continue
		}
		if before--; before < 0 && len(f.hits) < n {
			f.hits = append(f.hits, hit)
		}
	}
	f.nearest(f.hits)
}

// isAround tells whether a pub passes the filters of a distance search but the marker.
func (f finder) isAround(pub uint32) bool {
	return (!f.q.Rated || f.s.rated.bits.has(pub)) && f.q.Circle.Contains(f.s.points.Vector(pub))
}

// firstAround takes a page of all pubs in the circle but the namesakes of the marker, by another key.
func (f finder) firstAround() {
	low, high := f.low, f.high
	total := f.s.points.Count(f.q.Circle, f.q.Rated)
	for pub := low; pub < high; pub++ {
		if f.isAround(pub) {
			total--
		}
	}
	first, n := f.q.window(total)
	kept := func(pub uint32) bool {
		return (pub < low || pub >= high) && f.q.Circle.Contains(f.s.points.Vector(pub))
	}
	order := &f.s.orders[f.q.Sort][direction(f.q.Descending)]
	if start := len(f.ids); n > 0 && order.walk(nil, kept, total, f.q.Rated, first, n, &f.arena) {
		f.Total = total
		f.take(f.ids[start:])
		return
	}
	f.ids = f.s.points.Members(f.ids, f.q.Circle, f.q.Rated)
	clear(f.shared)
	around := set{bits: f.shared, count: total}
	for _, pub := range f.ids {
		if pub < low || pub >= high {
			around.bits.add(pub)
		}
	}
	f.Total = total
	if n > 0 {
		f.take(order.window(around, f.q.Rated, first, n, &f.arena))
	}
}

func direction(descending bool) int {
	if descending {
		return 1
	}
	return 0
}

// measure takes what was found as hits.
func (f finder) measure() {
	for _, pub := range f.list(f.found) {
		f.hits = append(f.hits, geo.Hit{Separation: f.q.Circle.Separation(f.s.points.Vector(pub)), Ordinal: pub})
	}
}

// answer puts what was found in order and takes the page.
func (f finder) answer() {
	f.Total = f.found.len() + len(f.hits)
	if f.q.Counted {
		f.remember()
	}
	first, n := f.q.window(f.Total)
	switch {
	case n == 0:
	case f.q.Sort == SortRandom:
		f.take(f.shuffled(f.found, first, n))
	case f.q.Sort == SortWeighted:
		f.take(f.weighted(f.found, first, n))
	case f.q.Sort == SortRelevance:
		f.take(f.relevant(f.found, first, n))
	case f.q.Sort == SortDistance && f.found.bits != nil:
		f.nearest(f.s.points.SelectAmong(&f.circle, f.q.Circle, f.found.bits, f.q.Descending, first, n))
	case f.q.Sort == SortDistance:
		f.measure()
		f.nearest(f.s.points.SelectHits(f.q.Circle, f.hits, f.q.Descending, first, n))
	default:
		f.take(f.s.orders[f.q.Sort][direction(f.q.Descending)].window(f.found, f.q.Rated, first, n, &f.arena))
	}
}

// take takes over a page of pubs.
func (f finder) take(pubs []uint32) {
	f.Pubs = append(f.Pubs, pubs...)
	if f.q.Circle != nil {
		for _, pub := range f.Pubs {
			f.Distances = append(f.Distances, f.q.Circle.Distance(f.s.points.Vector(pub)))
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
