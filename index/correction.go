package index

import (
	"cmp"
	"slices"

	"pubd/index/text"
)

// A correction is a text in which one word is replaced by another.
type correction struct {
	place int
	terms text.Range // the other word, or the words that begin with it
	pubs  int
}

// correct returns likely corrections, those of the most pubs first. If no pub has one of the words, only that word is corrected; if pubs have all
// words, any of them may be.
func (g suggesting) correct() []correction {
	s, m := g.s, &g.w.suggest
	g.read(m.folded)
	m.corrections = m.corrections[:0]
	unknown := -1
	for i, word := range m.words {
		if g.isKnown(word, i) {
			continue
		}
		if unknown >= 0 {
			return nil
		}
		unknown = i
	}
	if len(m.words) > MaxRelaxedWords {
		return nil
	}
	for i, word := range m.words {
		if unknown >= 0 && unknown != i || text.AllowedEdits(word) == 0 {
			continue
		}
		m.ranges = s.relax.AppendMatches(m.ranges[:0], &m.fuzzy, text.Misspelling{Word: word, Edits: 1, Prefix: i == len(m.words)-1})
		for _, r := range m.ranges {
			c := correction{place: i, terms: r}
			for term := r.Low; term < r.High; term++ {
				c.pubs += s.words.Exact(s.relax.Terms().At(term)).Len() // 0 for words that only addresses have
			}
			if c.pubs > 0 {
				m.corrections = append(m.corrections, c)
			}
		}
	}
	slices.SortFunc(m.corrections, func(a, b correction) int {
		return cmp.Or(cmp.Compare(b.pubs, a.pubs), cmp.Compare(a.place, b.place), cmp.Compare(a.terms.Low, b.terms.Low))
	})
	return m.corrections[:min(len(m.corrections), maxCorrectedTexts)]
}

// isKnown reports whether any pub has a word of the text or, if it is the last one, a word that begins with it.
func (g suggesting) isKnown(word []byte, place int) bool {
	if place < len(g.w.suggest.words)-1 {
		return g.s.words.Exact(word).Len() > 0
	}
	r := g.s.words.PrefixRange(word)
	return r.Low < r.High
}

// textOf returns the text of a correction.
func (g suggesting) textOf(c correction) []byte {
	s, m := g.s, &g.w.suggest
	g.read(m.folded)
	m.words[c.place] = text.CommonPrefix(s.relax.Terms().At(c.terms.Low), s.relax.Terms().At(c.terms.High-1))
	m.corrected = m.words.AppendTo(m.corrected[:0])
	return m.corrected
}
