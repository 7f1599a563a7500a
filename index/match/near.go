package match

import (
	"pubd/index/terms"
)

// isFar reports whether the query names places, none of which has a pub nearby.
func (m matcher) isFar() bool {
	for i := range m.Places() {
		if m.hasAny(m.Nearby, m.inside(i)) {
			return false
		}
	}
	return len(m.Places()) > 0
}

// nearAsItStands answers with the pubs nearby that query or core match as they stand, if the query matches one of them;
// then with a place with wishes, if nothing anywhere matches the query so; then with the pubs that only the core
// matches.
func (m matcher) nearAsItStands() (goOn bool) {
	w := m.w
	core, ofQuery := m.part(m.Core), m.matching(terms.AsItStands, m.Whole)
	whole := m.Nearby.Keep(ofQuery, &w.sets)
	pubs := whole
	if len(core.Positions) < len(m.Words) {
		pubs = w.sets.Either(whole, m.Nearby.Keep(m.matching(terms.AsItStands, core), &w.sets))
	}
	in := scope{filter: m.Nearby}
	if whole.Len() > 0 {
		return m.offer(m.within(in, pubs, m.begin(NotRelaxed, terms.AsItStands, m.Whole)))
	}
	if !m.hasAny(m.All, ofQuery) && !m.wished() {
		return false
	}
	return m.offer(m.within(in, pubs, m.begin(Words, terms.AsItStands, core)))
}

// around answers with what the attempts of asWords and slips find nearby, those first that find a pub close by. Each is
// made once.
func (m matcher) around() (goOn bool) {
	w := m.w
	w.nearby = w.nearby[:0]
	in := scope{filter: m.Nearby, inCircle: true}
	for _, rows := range [...][]attempt{asWords, slips} {
		for _, row := range rows {
			a, ok := m.match(row, in)
			if !ok {
				continue
			}
			a.Pubs = w.sets.Keep(a.Pubs)
			w.nearby = append(w.nearby, a)
			if m.hasAny(m.Close, a.Pubs) && !m.take(a) {
				return false
			}
		}
	}
	for _, a := range w.nearby {
		if !m.take(a) {
			return false
		}
	}
	return true
}

// allAround answers with all pubs nearby.
func (m matcher) allAround() (goOn bool) {
	return m.offer(m.within(scope{filter: m.Nearby}, m.Nearby.Passing(), m.beginPlace()))
}

// mostWords answers with the pubs nearby of the choices of the core's words that find any and keep the most words.
func (m matcher) mostWords() (goOn bool) {
	w := m.w
	core := m.part(m.Core)
	candidates := m.prepareChoices(core, scope{filter: m.Nearby, inCircle: true})
	a := m.begin(Partial, terms.Typo, core)
	most, all := 0, w.variants[:0]
	for _, c := range candidates {
		most = max(most, c.words())
	}
	for _, c := range candidates {
		if c.words() == most {
			all = append(all, m.pubsOf(c.choice))
		}
	}
	w.variants = all
	return m.offer(m.within(scope{filter: m.Nearby}, w.attempt.Union(all), a))
}
