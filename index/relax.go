package index

import (
	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/relax"
)

// growing are the radii, in kilometres, of the circles around the point that a query is near to. If a pub within the last one has the words,
// they are not relaxed.
var growing = [...]geo.Kilometres{1, 5, 25}

// relax relaxes a query that found nothing.
func (s search) relax() match {
	ladder := s.snapshot.relax.Ladder(s.w.match.words, &s.w.relax)
	return s.climb(ladder, relax.Limits{InCircle: s.query.Circle != nil && !s.query.Near})
}

// relaxNear relaxes a query that found nothing near its point, within circles around the point.
func (s search) relaxNear() match {
	ladder := s.snapshot.relax.Ladder(s.w.match.words, &s.w.relax)
	for _, radius := range growing {
		if found := s.inCircle(radius).climb(ladder, relax.Limits{InCircle: true, NoPartial: true}); found.len() > 0 {
			return found
		}
	}
	return match{}
}

// climb makes the attempts of a ladder.
func (s search) climb(ladder relax.Ladder, limits relax.Limits) match {
	s.w.passing = passing{search: s}
	limits.Filter = &s.w.passing
	found := ladder.Find(limits)
	s.w.passing = passing{}
	if found.Step == relax.NotRelaxed {
		return match{}
	}
	s.w.answer = found
	return match{set: found.Pubs, matched: matched{found.Words, &s.w.answer}}
}

// inCircle returns the search of a query with a point, restricted to a circle around that point.
func (s search) inCircle(radius geo.Kilometres) search {
	circle, f := &s.w.circle, &s.w.within
	*circle, *f = s.query.Circle.WithRadius(radius), *s.filter
	f.circle = circle
	s.filter = f
	s.w.match.inside = -1
	return s
}

// passing provides the pubs that pass a filter to the attempts to relax a query.
type passing struct {
	search search
	all    postings.Set
	known  bool
}

// Passing returns all pubs that pass. They are collected once.
func (p *passing) Passing() postings.Set {
	if !p.known {
		p.all, p.known = p.search.collect(), true
	}
	return p.all
}

// Keep returns the members of a set that pass. It tests few pubs one by one.
func (p *passing) Keep(pubs postings.Set, pool *postings.Pool) postings.Set {
	if pubs.Len() <= fewPubs {
		return p.search.keep(pubs, pool)
	}
	passing := p.Passing()
	if passing.Same(p.search.snapshot.all) {
		return pubs
	}
	return p.search.both(pubs, passing, pool)
}
