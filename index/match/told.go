package match

import (
	"slices"

	"pubd/index/features"
	"pubd/index/postings"
	"pubd/index/text"
)

// told adds to answer n what it says about itself.
func (m matcher) told(a Answer, n int) Answer {
	w := &m.w.told[n]
	if a.Words == nil {
		w.words = append(w.words[:0], m.at(a.positions[:a.count])...)
		a.Words = w.words
	}
	if a.mode >= typo {
		w.corrected = append(w.corrected[:0], a.Words...)
		if m.correct(w.corrected, &a) {
			a.Corrected = w.corrected
		}
	}
	w.unused, w.features = w.unused[:0], w.features[:0]
	a.Denied = &m.denied
	if a.Step == NotRelaxed {
		return a
	}
	a.Best = len(a.Words) == 0 && m.says.Is(text.Best)
	a.Here = m.isHere && len(a.Place.Words) == 0
	hasSt := a.Place.Words.Has(st)
	isUsed := func(word []byte) bool {
		return hasSt && isSaint(word) || slices.ContainsFunc([]text.Phrase{a.Words, a.Misspelt, a.Direction, a.Place.Words, a.Larger},
			func(used text.Phrase) bool { return used.Has(word) })
	}
	for _, wish := range m.features {
		if slices.ContainsFunc(m.words[wish.low:wish.high], isUsed) {
			continue
		}
		if a.wished |= 1<<wish.high - 1<<wish.low; !slices.Contains(w.features, wish.feature) {
			w.features = append(w.features, wish.feature)
		}
	}
	for i, word := range m.words {
		if n == 0 && a.wished>>i&1 == 0 && !m.classes[i].Is(text.Usual) && !isUsed(word) {
			w.unused = append(w.unused, word)
		}
	}
	a.Unused, a.Features = w.unused, w.features
	return a
}

// correct replaces each word of an answer that none of its pubs has by its correction, and reports whether there is one.
// The correction is the one that most of the pubs have; of equally frequent ones, the one with the fewest edits, then
// the first.
func (m matcher) correct(words text.Phrase, a *Answer) (replaced bool) {
	for i := range words {
		position, last := a.positions[i], a.IsLast(i)
		if m.hasCommon(a.Pubs, m.matching(known, anywhere, position, last)) {
			continue
		}
		if term, ok := m.mostFrequent(m.added(a.mode, position, last), a, i); ok {
			words[i], replaced = m.Words.Terms.At(term), true
		}
	}
	return replaced
}

// mostFrequent returns the term, of those in ranges to which word i of an answer may be corrected, that most pubs of the
// answer have.
func (m matcher) mostFrequent(ranges []text.Range, a *Answer, i int) (term uint32, ok bool) {
	query := m.fuzzyQuery(a.mode, a.positions[i], a.IsLast(i))
	distance := func(term uint32) int {
		return m.w.fuzzy.Distance(query.Word, m.Words.Terms.At(term), query.Edits, query.Prefix)
	}
	most, fewest := 0, -1 // fewest is not known before there are equals
	for _, r := range ranges {
		for other := r.Low; other < r.High; other++ {
			m.w.scratch.Release()
			having := m.w.scratch.Either(m.Words.At(other), m.rest.At(other))
			if having.Len() < max(most, 1) {
				continue
			}
			count := m.w.scratch.Both(a.Pubs, having).Len()
			if count == 0 || count < most {
				continue
			}
			if count > most {
				most, term, fewest = count, other, -1
				continue
			}
			if fewest < 0 {
				fewest = distance(term)
			}
			if edits := distance(other); edits < fewest || edits == fewest && other < term {
				term, fewest = other, edits
			}
		}
	}
	return term, most > 0
}

// AsItStands returns the answer, without its pubs, of the words that were read last, as they stand.
func (w *Workspace) AsItStands() Answer {
	return Answer{Words: w.reading.words, Denied: &w.reading.denied, ends: true}
}

// Time returns the time at which the words that were read last ask pubs to be open.
func (w *Workspace) Time() features.Time { return w.reading.time }

// Matched returns the terms that word i of an answer matches, in any order. They are valid until the workspace is used
// again.
func (x *Index) Matched(a *Answer, i int, w *Workspace) []text.Range {
	known := Terms{w.matched[:0], w.known.Joined[:0]}
	if a.Step == NotRelaxed {
		known.Ranges = x.appendWritten(known.Ranges, a.Words[i], a.IsLast(i))
	} else {
		known = x.appendKnown(known, a.Words[i], a.IsLast(i))
	}
	w.matched = append(known.Ranges, x.Added(a, i, w)...)
	return w.matched
}

// Added returns the terms that word i of an answer may be besides its spellings: those around it, or its corrections.
func (x *Index) Added(a *Answer, i int, w *Workspace) []text.Range {
	if a.mode <= known {
		return nil
	}
	return matcher{Index: x, reading: &w.reading, w: w}.added(a.mode, a.positions[i], a.IsLast(i))
}

// Standing returns the pubs that have word i of an answer as it stands, or as one of the same words, in any field, in the
// memory of a pool.
func (x *Index) Standing(a *Answer, i int, w *Workspace, pool *postings.Pool) postings.Set {
	word := a.Words[i]
	having := postings.Set{}
	if a.count > 0 { // found already
		having = matcher{Index: x, reading: &w.reading, w: w}.matching(known, anywhere, a.positions[i], a.IsLast(i))
	} else {
		w.pending = x.appendHaving(w.pending[:0], anywhere, x.known(word, a.IsLast(i), w))
		having = pool.Union(w.pending)
	}
	return pool.Either(having, x.PlacedIn(word))
}

// Wishes calls do with the pubs that have each word of the query, whole, in their names or their category that says how
// pubs should be: a wish, or a kind of which not all pubs are, unless it is one of the place or the features of an answer.
func (x *Index) Wishes(a *Answer, w *Workspace, do func(pubs postings.Set)) {
	for i, word := range w.reading.words {
		class := w.reading.classes[i]
		isKind := class.Is(text.Generic) && !class.Is(text.Plain)
		if a.Place.Words.Has(word) || a.wished>>i&1 == 1 || !isKind && !class.Is(text.Wish) {
			continue
		}
		do(x.granting(word, w, &w.sets))
	}
}

// Core returns the words that were read last without generic and filler words, or all. They are valid until the
// workspace is used again.
func (w *Workspace) Core() text.Phrase {
	if content := w.contentOf(&w.reading); len(content) > 0 {
		return content
	}
	return w.reading.words
}
