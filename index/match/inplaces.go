package match

import (
	"slices"
	"unicode/utf8"

	"pubd/geo"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/reading"
	"pubd/index/terms"
	"pubd/index/text"
)

// wished answers with all pubs of a place of which the query says only what a person wishes, and those called so.
func (m matcher) wished() (goOn bool) {
	i := slices.IndexFunc(m.Places(), func(n reading.Named) bool { return len(n.Rest.Positions) > 0 && len(n.Name.Positions) == 0 })
	if i < 0 {
		return true
	}
	a := m.beginPlace()
	a.Place, a.Inside = m.Places()[i].Place, m.inside(i)
	matching := m.strict(m.CoreWords(), true, &m.w.attempt)
	return m.offer(m.within(scope{filter: m.All}, m.w.attempt.Either(a.Inside, matching), a))
}

// besideRadius is the distance from the centre of a place, and from its points, within which pubs are beside it.
const besideRadius geo.Kilometres = 5

// inPlaces looks for what the query says besides a place among the pubs in it, and then beside it.
func (m matcher) inPlaces() (goOn bool) {
	for i := range m.Places() {
		n := &m.Places()[i]
		if len(n.Name.Positions) == 0 {
			if !m.allOf(i) {
				return false
			}
			continue
		}
		if !m.isMeant(i) {
			continue
		}
		in := scope{filter: m.All, bounded: true, area: m.inside(i), place: n, inCircle: true}
		if !m.make(asWords, in) || !m.make(slips, in) {
			return false
		}
		in = scope{filter: m.All, bounded: true, radius: besideRadius, place: n}
		if !m.make(asWords, in) || !m.make(slips[1:2], in) || !m.Says.Is(text.Kind) && !m.near(n) {
			return false
		}
	}
	return true
}

// near answers with the pubs near a place that have the words of the rest in their names, and then, unless the query asks
// for pubs, with any that have.
func (m matcher) near(n *reading.Named) (goOn bool) {
	name := terms.Part{Positions: n.Name.Positions}
	alike := m.calledAlike(name.Positions)
	if m.haveAnswered(alike) {
		return true
	}
	for _, radius := range [...]geo.Kilometres{NearbyRadius, largeRadius} {
		in := scope{filter: m.All, bounded: true, radius: radius, place: n}
		if !m.offer(m.within(in, alike, m.begin(Place, terms.Known, name))) {
			return false
		}
	}
	isLong := func(position uint8) bool { return utf8.RuneCount(m.Texts[position]) >= reading.MinTelling }
	if m.Says.Is(text.Where) || !slices.ContainsFunc(name.Positions, isLong) {
		return true
	}
	a := m.begin(Partial, terms.Known, name)
	a.most = maxPartialHits
	return m.offer(m.within(scope{filter: m.All}, alike, a))
}

// calledAlike returns the pubs that have the words at some positions, or the same words, whole in their names.
func (m matcher) calledAlike(positions []uint8) postings.Set {
	x, operands := m.x.Terms, m.w.operands[:0]
	for _, position := range positions {
		pending := m.w.pending[:0]
		terms.EachSpelling(m.Texts[position], func(word []byte) { pending = append(pending, x.Exact(&x.Named, word)) })
		m.w.pending = pending
		operands = append(operands, m.w.sets.Union(pending))
	}
	m.w.operands = operands
	return m.w.sets.Intersect(operands)
}

// isMeant reports whether the query names a place that it does not rather as a name; if all are and it asks for pubs,
// whether any.
func (m matcher) isMeant(i int) bool {
	isName := func(i int) bool { return m.called(m.Places()[i].Words).Len() > m.inside(i).Len() }
	return !isName(i) || m.Says.Is(text.Where|text.Kind) && isName(len(m.Places())-1-i)
}

// inside returns the pubs in a place that the query names.
func (m matcher) inside(i int) postings.Set {
	w := m.w
	if !w.isInside[i] {
		w.inside[i], w.isInside[i] = m.insideOf(&m.Places()[i].Place), true
	}
	return w.inside[i]
}

func (m matcher) insideOf(p *places.Place) postings.Set {
	return m.x.Places.Inside(p, &m.w.reading.Places, &m.w.sets)
}

// allOf answers with all pubs in a place that the query names.
func (m matcher) allOf(i int) (goOn bool) {
	a := m.beginPlace()
	a.Place, a.Inside = m.Places()[i].Place, m.inside(i)
	return m.offer(m.within(scope{filter: m.All}, a.Inside, a))
}

// ofPlaces answers with the pubs in the places that the query names that have some words of the rest, then with all.
func (m matcher) ofPlaces() (goOn bool) {
	for i := range m.Places() {
		n := &m.Places()[i]
		if !m.isMeant(i) || m.inside(i).Len() < leastInside && !m.Says.Is(text.Where|text.Kind) {
			continue
		}
		in := scope{filter: m.All, bounded: true, area: m.inside(i), place: n}
		if !m.choose(m.part(n.Name), in) || !m.allOf(i) {
			return false
		}
	}
	return true
}

// leastInside is the number of pubs in a place from which on it answers a query that does not ask for pubs.
const leastInside = 3

func (m matcher) allOfFirst() (goOn bool) { return m.allOf(0) }

// called returns the pubs that have all words, whole, in their names.
func (m matcher) called(words text.Phrase) postings.Set {
	return m.x.Terms.Called(words, &m.w.reading.Terms, &m.w.sets)
}

// beside returns the pubs within a radius of the centre of a place or of one of its points.
func (m matcher) beside(p *places.Place, radius geo.Kilometres) postings.Set {
	return m.x.Places.Beside(p, radius, &m.w.reading.Places, &m.w.sets)
}
