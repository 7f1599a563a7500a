package index

import (
	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/relax"
)

// growing are the radii of the circles around what a query is near, in kilometres. What has the words within the last is near enough not to
// relax them.
var growing = [...]geo.Kilometres{1, 5, 25}

// relax relaxes a query that nothing matches as it stands.
func (s search) relax() match {
	ladder := s.snapshot.relax.Ladder(s.w.match.words, &s.w.relax)
	return s.climb(ladder, relax.Limits{InCircle: s.query.Circle != nil && !s.query.Near})
}

// relaxNear relaxes a query that nothing near matches as it stands, within circles around what it is near.
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

// inCircle returns the search, of a query near some place, in a circle around that.
func (s search) inCircle(radius geo.Kilometres) search {
	circle, f := &s.w.circle, &s.w.within
	*circle, *f = s.query.Circle.WithRadius(radius), *s.filter
	f.circle = circle
	s.filter = f
	s.w.match.inside = -1
	return s
}

// passing is the pubs that pass a filter, as the attempts to relax a query need them.
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

// Keep returns those of some pubs that pass: few are tested one by one.
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
