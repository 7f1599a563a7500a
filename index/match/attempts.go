package match

import (
	"slices"

	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/terms"
	"pubd/index/text"
)

// The distances from the point to be near to within which attempts are made before they are made everywhere.
const (
	CloseRadius  geo.Kilometres = 2
	NearbyRadius geo.Kilometres = 25
)

// attempt is a row of the tables below, of what answers a query, tried in their order until pubs are found: the step of
// its answer, how words match, and which words. An attempt without words is made by try. It is made if the guard, unless
// nil, allows it.
type attempt struct {
	step  Step
	mode  terms.Mode
	words func(m matcher, in scope) terms.Part
	try   func(m matcher) (goOn bool)
	guard func(m matcher) bool
}

func theQuery(m matcher, _ scope) terms.Part { return m.Whole }

// wholeWords returns the query, whose last word begins no other.
func wholeWords(m matcher, _ scope) terms.Part { return terms.Part{Positions: m.Whole.Positions} }

// theCore returns the core of the query or, in a place, what the query says besides.
func theCore(m matcher, in scope) terms.Part {
	if in.place != nil {
		return m.part(in.place.Name)
	}
	return m.part(m.Core)
}

var (
	asWords = []attempt{
		{step: Words, mode: terms.AsItStands, words: theCore},
		{step: Words, mode: terms.Known, words: theCore},
	}
	slips = []attempt{
		{step: Infix, mode: terms.Infix, words: theCore},
		{step: Typo, mode: terms.Typo, words: theCore},
		{step: Typo, mode: terms.Loose, words: theCore},
	}
	// asIs is the query as it stands, early what follows it, and late what leaves words out.
	asIs  = attempt{mode: terms.AsItStands, words: theQuery, guard: func(m matcher) bool { return !m.Unmatched }}
	early = slices.Concat(asWords, []attempt{{try: matcher.inPlaces, guard: matcher.namesPlaces}}, slips)
	late  = []attempt{
		{try: matcher.ofPlaces, guard: matcher.namesPlaces},
		{try: func(m matcher) bool { return m.choose(m.part(m.Core), scope{filter: m.All, inCircle: m.InCircle}) }},
	}
	// nearby are the attempts near a point before the query as it stands, and nearbyAtLast those before the late ones.
	nearby = []attempt{
		{try: matcher.nearAsItStands},
		{mode: terms.AsItStands, words: wholeWords, guard: matcher.namesPlaces},
		{try: matcher.around},
		{try: matcher.allAround, guard: func(m matcher) bool { return len(m.Places()) == 0 && m.Says.Is(text.Here) && m.Says.Is(text.Kind) }},
	}
	nearbyAtLast = []attempt{
		{try: matcher.ofPlaces, guard: func(m matcher) bool { return m.namesPlaces() && !m.isFar() }},
		{try: matcher.mostWords, guard: func(m matcher) bool { return !m.isFar() }},
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
func (m matcher) namesPlaces() bool { return len(m.Places()) > 0 && !m.InCircle }

// asksForPlaces reports whether it does, and also asks for pubs.
func (m matcher) asksForPlaces() bool { return m.namesPlaces() && m.Says.Is(text.Where|text.Kind) }

// make makes attempts, and reports whether to try further.
func (m matcher) make(rows []attempt, in scope) (goOn bool) {
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
func (m matcher) match(a attempt, in scope) (Answer, bool) {
	part := a.words(m, in)
	if a.mode == terms.Loose && in.inCircle {
		a.mode = terms.Looser
	}
	answer := m.begin(a.step, a.mode, part)
	var pubs postings.Set
	switch a.mode {
	case terms.AsItStands, terms.Known:
		if m.IsLong {
			answer.Words, answer.count = m.Words, 0
		}
		pubs = m.matching(a.mode, part)
	default:
		if m.rarestRulesOut(a.mode, part, in) || !m.words.Adds(a.mode, part) {
			break // finds nothing, or was attempted as known
		}
		if pubs = m.in(in, m.matching(a.mode, part)); pubs.Len() > 0 {
			pubs = m.words.Telling(a.mode, pubs, part, &m.w.attempt)
		}
	}
	return m.within(in, pubs, answer)
}

// fewOfWord is the number of pubs of a word up to which they are looked at before the other words are.
const fewOfWord = 64

// rarestRulesOut reports whether the word that the fewest pubs have matches none in a scope that has not answered. It
// saves looking up what the other words may be.
func (m matcher) rarestRulesOut(mode terms.Mode, part terms.Part, in scope) bool {
	rarest, fewest := 0, fewOfWord
	for i, position := range part.Positions {
		if n := m.words.Matching(terms.Known, terms.Anywhere, position, part.IsLast(i)).Len(); n < fewest {
			rarest, fewest = i, n
		}
	}
	if fewest == fewOfWord {
		return false
	}
	pubs := m.words.Matching(mode, terms.Anywhere, part.Positions[rarest], part.IsLast(rarest))
	return pubs.Len() < fewOfWord && m.in(in, pubs).Len() == 0
}
