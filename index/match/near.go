package match

import (
	"pubd/geo"
	"pubd/index/postings"
	"pubd/index/text"
)

// The distances from the point to be near to within which attempts are made before they are made everywhere.
const (
	CloseRadius  geo.Kilometres = 2
	NearbyRadius geo.Kilometres = 25
)

// nearby are the attempts near a point before the query as it stands, and nearbyAtLast those before the late ones.
var (
	nearby = []attempt{
		{try: matcher.nearAsItStands},
		{mode: asItStands, words: wholeWords, guard: matcher.namesPlaces},
		{try: matcher.around},
		{try: matcher.allAround, guard: func(m matcher) bool { return len(m.places) == 0 && m.isHere && m.says.Is(text.Kind) }},
	}
	nearbyAtLast = []attempt{
		{try: matcher.ofPlaces, guard: func(m matcher) bool { return m.namesPlaces() && !m.isFar() }},
		{try: matcher.mostWords, guard: func(m matcher) bool { return !m.isFar() }},
	}
)

// wholeWords returns the query, whose last word begins no other.
func wholeWords(m matcher, _ within) ([]uint8, bool) { return m.query, false }

// isFar reports whether the query names places, none of which has a pub nearby.
func (m matcher) isFar() bool {
	for i := range m.places {
		if m.keepsAny(m.Nearby, m.inside(i)) {
			return false
		}
	}
	return len(m.places) > 0
}

// nearAsItStands answers with the pubs nearby that query or core match as they stand, if the query matches one of them;
// then with a place with wishes, if nothing anywhere matches the query so; then with the pubs that only the core
// matches.
func (m matcher) nearAsItStands() (goOn bool) {
	w := m.w
	ofQuery := m.once(asItStands, m.query, true)
	whole := m.Nearby.Keep(ofQuery, &w.sets)
	found := whole
	if len(m.core) < len(m.words) {
		ofCore := m.Nearby.Keep(m.once(asItStands, m.core, m.coreEnds), &w.sets)
		found = w.sets.Either(whole, ofCore)
	}
	in := within{filter: m.Nearby}
	if whole.Len() > 0 {
		return m.offer(m.keep(in, found, m.begin(NotRelaxed, asItStands, m.query, true)))
	}
	if !m.keepsAny(m.All, ofQuery) && !m.wished() {
		return false
	}
	return m.offer(m.keep(in, found, m.begin(Words, asItStands, m.core, m.coreEnds)))
}

// around answers with what the attempts of asWords and slips find nearby, those first that find a pub close by. Each is
// made once.
func (m matcher) around() (goOn bool) {
	w := m.w
	w.nearby = w.nearby[:0]
	in := within{filter: m.Nearby, inCircle: true}
	for _, rows := range [...][]attempt{asWords, slips} {
		for _, row := range rows {
			a, ok := m.match(row, in)
			if !ok {
				continue
			}
			a.Pubs = w.sets.Keep(a.Pubs)
			w.nearby = append(w.nearby, a)
			if m.keepsAny(m.Close, a.Pubs) && !m.take(a) {
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
	return m.offer(m.keep(within{filter: m.Nearby}, m.Nearby.Passing(), m.begin(Place, known, nil, true)))
}

// mostWords answers with the pubs nearby of the choices of the core's words that find any and keep the most words.
func (m matcher) mostWords() (goOn bool) {
	w := m.w
	candidates := m.prepareChoices(m.core, m.coreEnds, within{filter: m.Nearby, inCircle: true})
	a := m.begin(Partial, typo, m.core, m.coreEnds)
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
	return m.offer(m.keep(within{filter: m.Nearby}, w.attempt.Union(all), a))
}

// hasCommon reports whether two sets have a member in common.
func (m matcher) hasCommon(a, b postings.Set) bool {
	if a.Len() == 0 || b.Len() == 0 {
		return false
	}
	m.w.scratch.Release()
	return m.w.scratch.Both(a, b).Len() > 0
}
