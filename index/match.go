package index

import (
	"bytes"

	"pubd/geo"
	"pubd/index/match"
	"pubd/index/postings"
	"pubd/index/reading"
	"pubd/index/segment"
	"pubd/index/text"
)

// matchText finds the pubs that match the query's text and pass the filter: those that it asks for, or matches as it
// stands, or else those that it may mean.
func (s search) matchText() matches {
	m := &s.w.matching
	m.folded = text.AppendFolded(m.folded[:0], s.query.Text)
	m.asked = m.asked[:0].AppendWords(m.folded).WithoutFiller()
	if len(m.asked) == 0 {
		return matches{}
	}
	inCircle, mayRelax := s.query.Circle != nil && !s.query.Near, !s.query.Strict
	read := s.segment.Match.Read(m.asked, reading.Options{
		Vocabulary: s.query.Vocabulary, Now: s.query.At.In(nil), Strict: !mayRelax, Places: mayRelax && !inCircle,
	}, &s.w.match)
	if mayRelax && (s.query.Near || read.MayAsk(inCircle)) {
		return s.relax(read, false)
	}
	found := s.keep(read.Strict(&s.w.sets), &s.w.sets)
	if n := found.Len(); mayRelax && (n == 0 || s.query.More && n < match.Few) {
		return s.relax(read, n == 0)
	}
	return matches{set: found, how: read.AsItStands()}
}

// MayAskForTime reports whether the folded words of a query may ask for pubs that are open at some time.
func MayAskForTime(folded []byte) bool {
	for word := range bytes.SplitSeq(folded, []byte(" ")) {
		if text.ClassOf(word).Is(text.Time) {
			return true
		}
	}
	return false
}

// relax finds what a query asks for or may mean. unmatched is set if it is known to find nothing as it stands.
func (s search) relax(read *match.Reading, unmatched bool) matches {
	w := s.w
	q := match.Query{Near: s.query.Near, InCircle: s.query.Circle != nil && !s.query.Near, Unmatched: unmatched, More: s.query.More}
	w.passing[0] = passing{search: s}
	q.All = &w.passing[0]
	if q.Near {
		w.passing[1] = passing{search: s.inCircle(0, s.query.Circle.WithRadius(match.NearbyRadius))}
		w.passing[2] = passing{search: s.inCircle(1, s.query.Circle.WithRadius(match.CloseRadius))}
		q.Nearby, q.Close = &w.passing[1], &w.passing[2]
	}
	found, added := read.Find(q)
	w.passing = [3]passing{}
	m := matches{how: found, more: added}
	if found != nil {
		m.set = found.Pubs
	}
	if added != nil {
		m.set = w.sets.Either(found.Pubs, added.Pubs)
	}
	return m
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
		return pool.Both(pubs, s.segment.Rated)
	}
	return pubs
}

// circleHasMore reports whether going through the pubs of the circle costs more than looking up the positions of others,
// which are scattered in memory, as far as CountWhole tells: to count those in the circle exactly would cost about as
// much as going through them.
func (s search) circleHasMore(others int) bool {
	inside := &s.filter.inside
	if *inside < 0 {
		*inside = s.segment.Points.CountWhole(s.filter.circle, s.filter.rated)
	}
	return segment.Scattered(*inside, others)
}

// within returns the pubs that are in the circle and, if requested, rated.
func (s search) within(pubs postings.Set, pool *postings.Pool) postings.Set {
	circle, low, high := s.filter.circle, s.filter.low, s.filter.high
	if pubs.Bitmap() == nil || s.circleHasMore(pubs.Len()) {
		if s.filter.rated {
			pubs = pool.Both(pubs, s.segment.Rated)
		}
		return pool.Filter(pubs, func(pub uint32) bool {
			return (pub < low || pub >= high) && circle.Contains(s.segment.Points.Vector(pub))
		})
	}
	s.w.matching.ordinals = s.segment.Points.AppendWithin(s.w.matching.ordinals[:0], circle, s.filter.rated)
	collector := pool.Collector()
	collector.AddCommon(s.w.matching.ordinals, pubs.Bitmap())
	collector.RemoveRange(low, high)
	return pool.Collected()
}

// isAround reports whether a pub is in a circle and, if requested, rated, regardless of the marker.
func (s search) isAround(pub uint32, circle *geo.Circle) bool {
	return (!s.filter.rated || s.segment.Rated.Has(pub)) && circle.Contains(s.segment.Points.Vector(pub))
}

// inCircle returns the search of a query restricted to a circle; n says in which memory.
func (s search) inCircle(n int, circle geo.Circle) search {
	f := &s.w.within[n]
	s.w.circles[n], *f = circle, *s.filter
	f.circle, f.inside = &s.w.circles[n], -1
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
	if passing.Same(p.search.segment.All) {
		return pubs
	}
	return pool.Both(pubs, passing)
}
