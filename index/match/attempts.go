package match

import (
	"slices"

	"pubd/geo"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/text"
)

// Few is the number of pubs from which on nothing is added to an answer.
const Few = 5

// Step is how far a query was relaxed.
type Step uint8

// The steps, in the order in which they are first attempted.
const (
	NotRelaxed Step = iota
	Words
	Place
	Infix
	Typo
	Partial
	StepCount = 6
)

var stepNames = [StepCount]string{"strict", "words", "place", "infix", "typo", "partial"}

// String returns the step as answers write it, such as "infix".
func (s Step) String() string { return stepNames[s] }

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

// Answer is what a query found, and how. It is valid until the workspace is used again.
type Answer struct {
	Pubs postings.Set
	Step Step
	// Words are the words that matched; none if all pubs of a place, or any pubs, answer. Corrected has the same words, in
	// which each one that no pub has is replaced by its correction; nil if no word was corrected.
	Words, Corrected text.Phrase
	// Place is the place of step Place, without words if any pub answers. Direction has the words of the part of it that
	// answers, Larger those of the place that it is near to, and Misspelt the words of the query that it was read from.
	Place                       places.Place
	Direction, Larger, Misspelt text.Phrase
	// Inside are the pubs in Place if it answers without words.
	Inside postings.Set
	// Unused are the words of the query that are in none of these and are neither generic nor filler.
	Unused text.Phrase
	// Features are those that the query wishes in words that are in none of these.
	Features []string
	// Asked is set if the place is asked for, so that pubs beside it come last. Ring is set if pubs near the place answer.
	Asked, Ring bool
	// Best is set if a place or any pub answers a query for the best: fair scores rank. Here is set if the query means the
	// place where the person is, and names no other.
	Best, Here bool
	// Denied is what the query does not want. It is not nil.
	Denied *Denied

	mode      mode
	positions [maxRead]uint8 // of Words in the query
	count     int            // of positions
	ends      bool           // the last of Words is matched as a last word
	most      int            // maximum number of pubs; 0 means any number
	wished    uint64         // bits of the positions of Features
}

// IsLast reports whether word i is matched as a last word, that is, as a prefix, too.
func (a *Answer) IsLast(i int) bool { return a.ends && i == len(a.Words)-1 }

// JoinsRuns reports whether neighbouring words of an answer may be written together.
func (a *Answer) JoinsRuns() bool { return a.mode == known }

// matcher matches one query. It uses the memory of its workspace.
type matcher struct {
	*Index
	Query
	*reading
	w *Workspace
}

// within is where an attempt looks for pubs: those that pass a filter and, if bounded is set, are in an area or, with a
// radius, around the place. Step and place of its answers are those of place, unless that is nil. In a circle, no word is
// one of places.
type within struct {
	filter   Filter
	bounded  bool
	area     postings.Set
	radius   geo.Kilometres
	place    *named
	inCircle bool
}

// ring is the pubs around a place.
type ring struct {
	place  *named
	radius geo.Kilometres
	pubs   postings.Set
}

// areaOf returns the area of a bounded attempt, which is found when it is first needed.
func (m matcher) areaOf(in within) postings.Set {
	if in.radius == 0 {
		return in.area
	}
	if r := &m.w.ring; r.place != in.place || r.radius != in.radius {
		*r = ring{in.place, in.radius, m.beside(&in.place.Place, in.radius)}
	}
	return m.w.ring.pubs
}

// attempt is a row of the tables below: the step that it is told as, how words match, and which words. An attempt without
// words is made by try. It is made if the guard, unless nil, allows it.
type attempt struct {
	step  Step
	mode  mode
	words func(m matcher, in within) (positions []uint8, ends bool)
	try   func(m matcher) (goOn bool)
	guard func(m matcher) bool
}

func theQuery(m matcher, _ within) ([]uint8, bool) { return m.query, true }

// theCore returns the core of the query or, in a place, what the query says besides.
func theCore(m matcher, in within) ([]uint8, bool) {
	if in.place != nil {
		return in.place.name, in.place.ends
	}
	return m.core, m.coreEnds
}

var (
	asWords = []attempt{
		{step: Words, mode: asItStands, words: theCore},
		{step: Words, mode: known, words: theCore},
	}
	slips = []attempt{
		{step: Infix, mode: infix, words: theCore},
		{step: Typo, mode: typo, words: theCore},
		{step: Typo, mode: loose, words: theCore},
	}
	// asIs is the query as it stands, early what follows it, and late what leaves words out.
	asIs  = attempt{mode: asItStands, words: theQuery, guard: func(m matcher) bool { return !m.Unmatched }}
	early = slices.Concat(asWords, []attempt{{try: matcher.inPlaces, guard: matcher.namesPlaces}}, slips)
	late  = []attempt{
		{try: matcher.ofPlaces, guard: matcher.namesPlaces},
		{try: func(m matcher) bool { return m.choose(m.core, m.coreEnds, within{filter: m.All, inCircle: m.InCircle}) }},
	}
)

// The attempts in order: without a point, near a point, and with more words than are read.
var (
	first    = attempt{try: matcher.asked}
	wishes   = attempt{try: matcher.wished, guard: matcher.namesPlaces}
	plainly  = slices.Concat([]attempt{first, asIs, wishes}, early, late)
	byPoint  = slices.Concat([]attempt{first}, nearby, []attempt{asIs}, early, nearbyAtLast, late)
	atLength = []attempt{
		asIs, {try: matcher.wished, guard: matcher.asksForPlaces}, {try: matcher.heaviest},
		{try: matcher.allOfFirst, guard: matcher.asksForPlaces},
	}
)

// namesPlaces reports whether the query names a place that may answer.
func (m matcher) namesPlaces() bool { return len(m.places) > 0 && !m.InCircle }

// asksForPlaces reports whether it does, and also asks for pubs.
func (m matcher) asksForPlaces() bool { return m.namesPlaces() && m.says.Is(text.Where|text.Kind) }

// Find answers a query whose words have been read. Without results, the answer has no pub. more is what is added to it.
func (x *Index) Find(q Query, w *Workspace) (found, more *Answer) {
	w.begin(x.pubs)
	x.placesOf(&w.reading, w)
	m := matcher{x, q, &w.reading, w}
	if !x.mayBegin(m.words, w) {
		m.coreEnds = false
		for i := range m.places {
			m.places[i].ends = false
		}
	}
	rows := plainly
	switch {
	case m.isLong:
		rows = atLength
	case q.Near:
		rows = byPoint
	}
	m.make(rows, within{filter: q.All, inCircle: q.InCircle})
	return &w.found[0], &w.found[1]
}

// take takes an answer: the first one, and what the next one adds if that was asked for. It reports whether to try
// further.
func (m matcher) take(a Answer) (goOn bool) {
	w := m.w
	if w.answers == 1 {
		answered := w.found[0].Pubs
		a.Pubs = w.attempt.Filter(a.Pubs, func(pub uint32) bool { return !answered.Has(pub) })
		if a.Pubs.Len() == 0 {
			return true
		}
	}
	a.Pubs = w.sets.Keep(a.Pubs)
	w.found[w.answers] = m.told(a, w.answers)
	w.answers++
	return w.answers == 1 && m.More && a.Pubs.Len() < Few
}

// offer takes an answer unless it is empty, and reports whether to try further.
func (m matcher) offer(a Answer, ok bool) (goOn bool) { return !ok || m.take(a) }

// make makes attempts, and reports whether to try further.
func (m matcher) make(rows []attempt, in within) (goOn bool) {
	for _, a := range rows {
		switch {
		case a.guard != nil && !a.guard(m):
		case a.try != nil:
			if !a.try(m) {
				return false
			}
		case !m.offer(m.match(a, in)):
			return false
		}
	}
	return true
}

// match finds the pubs that match the words of an attempt, if there are any.
func (m matcher) match(a attempt, in within) (Answer, bool) {
	positions, ends := a.words(m, in)
	if a.mode == loose && in.inCircle {
		a.mode = looser
	}
	answer := m.begin(a.step, a.mode, positions, ends)
	var found postings.Set
	switch a.mode {
	case asItStands, known:
		if m.isLong {
			answer.Words, answer.count = m.words, 0
		}
		found = m.once(a.mode, positions, ends)
	default:
		if !m.adds(a.mode, positions, ends) {
			break // attempted as known
		}
		if found = m.in(in, m.once(a.mode, positions, ends)); found.Len() > 0 {
			found = m.suffices(a.mode, found, positions, ends)
		}
	}
	return m.keep(in, found, answer)
}

// found is the pubs that match the words at some positions in a mode, wherever they are.
type found struct {
	mode      mode
	positions uint64 // bits
	ends      bool
	pubs      postings.Set
}

// once returns the pubs that match the words at some positions in a mode, which are valid as long as the matcher: several
// attempts look for them, in different areas.
func (m matcher) once(mode mode, positions []uint8, ends bool) postings.Set {
	f := found{mode: mode, ends: ends}
	for _, position := range positions {
		f.positions |= 1 << position
	}
	for _, other := range m.w.once {
		if other.mode == mode && other.positions == f.positions && other.ends == ends {
			return other.pubs
		}
	}
	switch {
	case m.isLong:
		f.pubs = m.Strict(m.words, ends, m.w, &m.w.sets)
	case mode == asItStands:
		f.pubs = m.Strict(m.at(positions), ends, m.w, &m.w.sets)
	case mode == known:
		f.pubs = m.asKnown(positions, ends)
	default:
		f.pubs = m.all(mode, positions, ends)
	}
	m.w.once = append(m.w.once, f)
	return f.pubs
}

// adds reports whether any word at some positions matches more in a mode than as a known one, and each matches anything.
func (m matcher) adds(mode mode, positions []uint8, ends bool) (any bool) {
	for i, position := range positions {
		last := isLast(positions, i, ends)
		if len(m.added(mode, position, last)) > 0 {
			any = true
		} else if !m.isKnown(position, last) {
			return false
		}
	}
	return any
}

// begin begins an attempt, which takes back the memory of the last one.
func (m matcher) begin(step Step, mode mode, positions []uint8, ends bool) Answer {
	m.w.attempt.Release()
	a := Answer{Step: step, mode: mode, ends: ends, count: len(positions)}
	copy(a.positions[:], positions)
	return a
}

// keep returns an answer with those of some pubs that are in an area and pass the filter, if there are any, but not too
// many.
func (m matcher) keep(in within, pubs postings.Set, a Answer) (answer Answer, ok bool) {
	if a.Pubs = m.in(in, pubs); a.Pubs.Len() == 0 || a.most > 0 && a.Pubs.Len() > a.most {
		return a, false
	}
	if in.place != nil {
		a.Step, a.Place, a.Ring = Place, in.place.Place, in.radius > 0
	}
	return a, true
}

// in returns those of some pubs that are in an area and pass the filter; none if all of the pubs have answered.
func (m matcher) in(in within, pubs postings.Set) postings.Set {
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
	answered := m.w.found[0].Pubs
	m.w.scratch.Release()
	return pubs.Len() <= answered.Len() && m.w.scratch.Both(answered, pubs).Len() == pubs.Len()
}

// at returns the words at some positions, which are valid until the next call.
func (m matcher) at(positions []uint8) text.Phrase {
	part := m.w.part[:0]
	for _, position := range positions {
		part = append(part, m.texts[position])
	}
	m.w.part = part
	return part
}
