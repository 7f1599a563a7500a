package match

import (
	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/reading"
	"pubd/index/terms"
	"pubd/index/text"
)

// Few is the number of pubs from which on nothing is added to an answer.
const Few = 5

// Filter decides which matching pubs are results.
type Filter interface {
	// Keep returns the members of a set that pass, in the memory of a pool.
	Keep(pubs postings.Set, pool *postings.Pool) postings.Set
	// Passing returns all pubs that pass.
	Passing() postings.Set
}

// Query says how to match the words that were read.
type Query struct {
	// All has the pubs that may be results. With Near, Nearby and Close have those among them within the distances of
	// NearbyRadius and CloseRadius.
	All, Nearby, Close Filter
	// InCircle is set in a distance search: the circle is the place, and no word counts as a word of places.
	InCircle bool
	// Near is set if there is a point to be near to, which does not limit the results.
	Near bool
	// Unmatched is set if it is known that no pub in All matches the words as they stand.
	Unmatched bool
	// More adds to few results what the next attempt finds.
	More bool
}

// matcher matches one query. It uses the memory of its workspace.
type matcher struct {
	Query
	*Reading
	begins bool // the last word may begin a longer one
}

// Find returns what answers the query: nil if no pub does. added is what is added to few pubs, unless it is nil.
func (r *Reading) Find(q Query) (found, added *Answer) {
	w := r.w
	w.begin(r.x.Terms.Len())
	r.Places() // which may add a text
	r.words = r.x.Terms.Match(r.Texts, &w.reading.Terms, &w.sets)
	m := matcher{q, r, r.MayBegin(r.Words)}
	rows := plainly
	switch {
	case m.IsLong:
		rows = atLength
	case q.Near:
		rows = byPoint
	}
	m.make(rows, scope{filter: q.All, inCircle: q.InCircle})
	if w.count > 0 {
		found = &w.answers[0]
	}
	if w.count > 1 {
		added = &w.answers[1]
	}
	return found, added
}

// part returns a part of the query, whose last word begins no longer one if the query's does not.
func (m matcher) part(p terms.Part) terms.Part {
	p.Ends = p.Ends && m.begins
	return p
}

// take takes an answer: the first one, and what the next one adds if that was asked for. It reports whether to try
// further.
func (m matcher) take(a Answer) (goOn bool) {
	w := m.w
	isFirst := w.count == 0
	if !isFirst {
		answered := w.answers[0].Pubs
		a.Pubs = w.attempt.Filter(a.Pubs, func(pub uint32) bool { return !answered.Has(pub) })
		if a.Pubs.Len() == 0 {
			return true
		}
	}
	a.Pubs = w.sets.Keep(a.Pubs)
	w.answers[w.count] = m.complete(a, &w.said[w.count], isFirst)
	w.count++
	return isFirst && m.More && a.Pubs.Len() < Few
}

// offer takes an answer unless it is empty, and reports whether to try further.
func (m matcher) offer(a Answer, ok bool) (goOn bool) { return !ok || m.take(a) }

// scope is where an attempt looks for pubs: those that pass a filter and, if bounded is set, are in an area or, with a
// radius, around the place. Step and place of its answers are those of place, unless that is nil. In a circle, no word is
// one of places.
type scope struct {
	filter   Filter
	bounded  bool
	area     postings.Set
	radius   geo.Kilometres
	place    *reading.Named
	inCircle bool
}

// circle is the pubs around a place.
type circle struct {
	place  *reading.Named
	radius geo.Kilometres
	pubs   postings.Set
}

// areaOf returns the area of a bounded scope, which is found when it is first needed.
func (m matcher) areaOf(in scope) postings.Set {
	if in.radius == 0 {
		return in.area
	}
	if c := &m.w.circle; c.place != in.place || c.radius != in.radius {
		*c = circle{in.place, in.radius, m.beside(&in.place.Place, in.radius)}
	}
	return m.w.circle.pubs
}

// begin begins an attempt, which takes back the memory of the last one.
func (m matcher) begin(step Step, mode terms.Mode, part terms.Part) Answer {
	m.w.attempt.Release()
	a := Answer{Step: step, mode: mode, ends: part.Ends, count: len(part.Positions)}
	copy(a.positions[:], part.Positions)
	return a
}

// beginPlace begins an attempt to answer with all pubs of a place.
func (m matcher) beginPlace() Answer { return m.begin(Place, terms.Known, terms.Part{Ends: true}) }

// within returns an answer with those of some pubs that are in a scope, if there are any, but not too many.
func (m matcher) within(in scope, pubs postings.Set, a Answer) (answer Answer, ok bool) {
	if a.Pubs = m.in(in, pubs); a.Pubs.Len() == 0 || a.most > 0 && a.Pubs.Len() > a.most {
		return a, false
	}
	if in.place != nil {
		a.Step, a.Place, a.Ring = Place, in.place.Place, in.radius > 0
	}
	return a, true
}

// in returns those of some pubs that are in a scope; none if all of the pubs have answered.
func (m matcher) in(in scope, pubs postings.Set) postings.Set {
	if m.haveAnswered(pubs) {
		return postings.Set{}
	}
	if in.bounded {
		pubs = m.w.attempt.Both(pubs, m.areaOf(in))
	}
	if pubs.Len() == 0 {
		return pubs
	}
	return in.filter.Keep(pubs, &m.w.attempt)
}

// haveAnswered reports whether all of some pubs are in the answer that further pubs are added to.
func (m matcher) haveAnswered(pubs postings.Set) bool {
	answered, scratch := m.w.answers[0].Pubs, m.w.scratch()
	scratch.Release()
	return pubs.Len() <= answered.Len() && scratch.Both(answered, pubs).Len() == pubs.Len()
}

// hasAny reports whether a pub of a set passes a filter.
func (m matcher) hasAny(filter Filter, pubs postings.Set) bool {
	return pubs.Len() > 0 && filter.Keep(pubs, m.w.scratch()).Len() > 0
}

// matched is the pubs that match a part of the query in a mode, wherever they are.
type matched struct {
	mode      terms.Mode
	positions uint64 // bits
	ends      bool
	pubs      postings.Set
}

// matching returns the pubs that match a part of the query in a mode, wherever they are. They are found once: several
// attempts look for them, in different scopes.
func (m matcher) matching(mode terms.Mode, part terms.Part) postings.Set {
	found := matched{mode: mode, ends: part.Ends}
	for _, position := range part.Positions {
		found.positions |= 1 << position
	}
	for _, other := range m.w.matched {
		if other.mode == mode && other.positions == found.positions && other.ends == part.Ends {
			return other.pubs
		}
	}
	switch {
	case m.IsLong:
		found.pubs = m.strict(m.Words, part.Ends, &m.w.sets)
	case mode == terms.AsItStands:
		found.pubs = m.strict(m.at(part.Positions), part.Ends, &m.w.sets)
	default:
		found.pubs = m.words.All(mode, part)
	}
	m.w.matched = append(m.w.matched, found)
	return found.pubs
}

// at returns the words at some positions, which are valid until the next call.
func (m matcher) at(positions []uint8) text.Phrase {
	part := m.w.part[:0]
	for _, position := range positions {
		part = append(part, m.Texts[position])
	}
	m.w.part = part
	return part
}
