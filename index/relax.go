package index

import (
	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/relax"
)

// relax answers a query that found nothing, or too little, as it stands, or for which other answers may come first.
// unmatched is set if it is known to find nothing as it stands.
func (s search) relax(unmatched bool) matches {
	w := s.w
	q := relax.Query{Words: w.matching.words, Near: s.query.Near, InCircle: s.query.Circle != nil && !s.query.Near, Unmatched: unmatched, More: s.query.More}
	w.passing[0] = passing{search: s}
	q.All = &w.passing[0]
	if q.Near {
		w.passing[1], w.passing[2] = passing{search: s.inCircle(0, relax.NearbyRadius)}, passing{search: s.inCircle(1, relax.CloseRadius)}
		q.Nearby, q.Close = &w.passing[1], &w.passing[2]
	}
	found, more := s.snapshot.relax.Find(q, &w.relax)
	w.passing = [3]passing{}
	if found.Pubs.Len() == 0 {
		return matches{}
	}
	m := matches{set: found.Pubs, explanation: explanation{found.Words, found}}
	if more.Pubs.Len() > 0 {
		w.told[1] = explanation{more.Words, more}
		m.more, m.added = &w.told[1], more.Pubs
		m.set = w.sets.Either(found.Pubs, more.Pubs)
	}
	return m
}

// inCircle returns the search of a query with a point, restricted to a circle around that point; n says in which
// memory.
func (s search) inCircle(n int, radius geo.Kilometres) search {
	circle, f := &s.w.circles[n], &s.w.within[n]
	*circle, *f = s.query.Circle.WithRadius(radius), *s.filter
	f.circle, f.inside = circle, -1
	s.filter = f
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
	return pool.Both(pubs, passing)
}
