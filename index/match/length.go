package match

import (
	"slices"
	"unicode/utf8"

	"pubd/index/reading"
	"pubd/index/terms"
	"pubd/index/text"
)

// heaviest answers a query of many words with the pubs that have the most weight of them, if that is more than half of
// the weight of all that pubs have, and if a word that tells which pub is meant is in the name. It costs a pass through
// the sets of the words.
func (m matcher) heaviest() (goOn bool) {
	w, x := m.w, m.x.Terms
	a := Answer{Step: Partial, mode: terms.Known}
	w.weights = slices.Grow(w.weights[:0], x.Len())[:x.Len()]
	clear(w.weights)
	named, total := w.variants[:0], 0
	w.heavy = w.heavy[:0]
	for i, word := range m.Words {
		if m.Classes[i].Is(text.Filler) {
			continue
		}
		w.attempt.Release()
		pubs := x.Having(terms.Anywhere, x.Known(word, false, &w.reading.Terms), &w.reading.Terms, &w.attempt)
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
		if utf8.RuneCount(word) >= reading.MinTelling && !m.Classes[i].Is(text.Usual) {
			named = append(named, x.Exact(&x.Named, word))
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
