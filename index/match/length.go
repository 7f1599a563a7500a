package match

import (
	"slices"
	"unicode/utf8"

	"pubd/index/text"
)

// heaviest answers a query of many words with the pubs that have the most weight of them, if that is more than half of
// the weight of all that pubs have, and if a word that tells which pub is meant is in the name. It costs a pass through
// the sets of the words.
func (m matcher) heaviest() (goOn bool) {
	w := m.w
	a := Answer{Step: Partial, mode: known}
	w.weights = slices.Grow(w.weights[:0], m.pubs)[:m.pubs]
	clear(w.weights)
	named, total := w.variants[:0], 0
	w.heavy = w.heavy[:0]
	for i, word := range m.words {
		if m.classes[i].Is(text.Filler) {
			continue
		}
		w.attempt.Release()
		pubs := m.having(anywhere, m.known(word, false, w), &w.attempt)
		if pubs.Len() == 0 {
			continue
		}
		isRepeated := w.heavy.Has(word)
		w.heavy = append(w.heavy, word)
		if isRepeated {
			continue
		}
		weight := m.weight(pubs)
		total += weight
		for _, pub := range w.attempt.List(pubs) {
			w.weights[pub] += uint16(weight)
		}
		if utf8.RuneCount(word) >= minTelling && !m.classes[i].Is(text.Usual) {
			named = append(named, m.exact(&m.Named, word))
		}
	}
	w.variants = named
	w.attempt.Release()
	telling := m.All.Keep(w.attempt.Union(named), &w.attempt)
	most := uint16(0)
	for _, pub := range w.attempt.List(telling) {
		most = max(most, w.weights[pub])
	}
	if 2*int(most) <= total {
		return true
	}
	a.Words, a.Pubs = w.heavy, w.attempt.Filter(telling, func(pub uint32) bool { return w.weights[pub] == most })
	return m.take(a)
}
