package relax

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// allowedEdits returns the maximum number of edits between a word and a term in a mode, and whether the first character may be wrong. A word
// with a digit is not corrected.
func allowedEdits(mode mode, word []byte) (edits int, anyFirst bool) {
	size := 0
	for rest := word; len(rest) > 0; size++ {
		r, n := utf8.DecodeRune(rest)
		if unicode.Is(unicode.Nd, r) {
			return 0, false
		}
		rest = rest[n:]
	}
	if mode == far {
		switch {
		case size < 3:
			return 0, false
		case size < 5:
			return 1, size == 4
		}
		return 2, false
	}
	switch {
	case size < 4:
		return 0, false
	case size < 8:
		return 1, mode == typo && size >= 5
	}
	return 2, mode == typo
}

// corrections returns the ranges of the terms to which a word, given by its place, may be corrected in a mode. They are valid as long as the
// ladder.
func (l Ladder) corrections(mode mode, place uint8, last bool) []text.Range {
	m := l.misspelt(mode, place, last)
	if m.Edits == 0 {
		return nil
	}
	c := &l.w.corrections
	end := 0
	if last {
		end = 1
	}
	if c.known[mode][end]&(1<<place) == 0 {
		c.known[mode][end] |= 1 << place
		c.of[mode][end][place] = l.correct(mode, place, m, last)
	}
	of := c.of[mode][end][place]
	return c.all[of[0]:of[1]]
}

// correct finds the corrections of a word, and returns where they are. Those of a usual misspelling include those with a correct first character.
func (l Ladder) correct(mode mode, place uint8, m Misspelt, last bool) [2]int {
	c, word := &l.w.corrections, l.w.words[place]
	usual := l.misspelt(typo, place, last)
	if mode == typo || m.AnyFirst || !usual.AnyFirst || usual.Edits != m.Edits {
		start := len(c.all)
		c.all = l.appendWithin(c.all, word, m, last)
		return [2]int{start, len(c.all)}
	}
	all := l.corrections(typo, place, last)
	_, first := utf8.DecodeRune(word)
	start := len(c.all)
	for _, r := range all {
		if bytes.HasPrefix(l.wide.Terms.At(r.Low), word[:first]) {
			c.all = append(c.all, r)
		}
	}
	return [2]int{start, len(c.all)}
}

// appendWithin appends the ranges of the terms of which a word may be a misspelling.
func (l Ladder) appendWithin(dst []text.Range, word []byte, m Misspelt, last bool) []text.Range {
	return l.w.fuzzy.Append(dst, &l.fuzzy, text.Misspelling{Word: word, Edits: m.Edits, AnyFirst: m.AnyFirst, Prefix: last})
}

// corrections are the corrections found so far, by mode, whether the word is matched as a last word, and place.
type corrections struct {
	all   []text.Range
	of    [modeCount][2][MaxWords][2]int // in all
	known [modeCount][2]uint8
}

// isOfPlaces reports whether words count as words of places: at least half as many pubs have one in location or area as in the name.
func (l Ladder) isOfPlaces(terms []text.Range) bool {
	places := l.countWith(&l.placed, terms)
	return places > 0 && 2*places >= l.countWith(&l.named, terms)
}

// countWith returns the number of pubs that have one of the terms in the fields of a vocabulary.
func (l Ladder) countWith(v *text.Vocabulary, terms []text.Range) int {
	l.w.scratch.Release()
	return l.in(v, terms, &l.w.scratch).Len()
}

// in returns the pubs that have one of the terms in the fields of a vocabulary.
func (l Ladder) in(v *text.Vocabulary, terms []text.Range, pool *postings.Pool) postings.Set {
	pending := l.w.pending[:0]
	for _, r := range terms {
		pending = v.AppendShared(pending, &l.wide.Terms, r)
	}
	l.w.pending = pending
	return pool.Union(pending)
}

// corrected returns the words of an answer, in which each word that none of its pubs has is replaced by its correction, or nil if there is
// none. The correction is the one that most of the pubs have; of equally frequent ones, the one with the fewest edits, then the first.
func (l Ladder) corrected(a *Answer) text.Phrase {
	w := l.w
	corrected, replaced := append(w.corrected[:0], a.Words...), false
	for i, place := range w.places {
		last := a.ends && i == len(w.places)-1
		if l.hasCommon(a.Pubs, l.postings(known, place, last)) {
			continue
		}
		if term, ok := l.mostFrequent(l.corrections(a.mode, place, last), a, a.Words[i], last); ok {
			corrected[i], replaced = l.wide.Terms.At(term), true
		}
	}
	w.corrected = corrected
	if !replaced {
		return nil
	}
	return corrected
}

// mostFrequent returns the term, of those in ranges, that most pubs of an answer have.
func (l Ladder) mostFrequent(ranges []text.Range, a *Answer, word []byte, last bool) (term uint32, ok bool) {
	edits, _ := allowedEdits(a.mode, word)
	counter := l.newCounter(a.Pubs)
	most, fewest := 0, -1 // fewest is not known before there are equals
	for _, r := range ranges {
		for other := r.Low; other < r.High; other++ {
			count := counter.common(l.wide.Postings(other))
			if count == 0 || count < most {
				continue
			}
			if count > most {
				most, term, fewest = count, other, -1
				continue
			}
			if fewest < 0 {
				fewest = l.w.fuzzy.Distance(word, l.wide.Terms.At(term), edits, last)
			}
			if distance := l.w.fuzzy.Distance(word, l.wide.Terms.At(other), edits, last); distance < fewest || distance == fewest && other < term {
				term, fewest = other, distance
			}
		}
	}
	counter.clear()
	return term, most > 0
}

// hasCommon reports whether two sets have a member in common.
func (l Ladder) hasCommon(a, b postings.Set) bool {
	if a.Len() == 0 || b.Len() == 0 {
		return false
	}
	counter := l.newCounter(a)
	defer counter.clear()
	return counter.common(b) > 0
}

// counter counts the members that sets have in common with a given set.
type counter struct {
	few       []uint32
	bits      postings.Bitmap
	collector *postings.Collector // that lends bits, or nil
}

// fewHits is the number of hits up to which they are looked up one by one in larger sets.
const fewHits = 32

func (l Ladder) newCounter(of postings.Set) counter {
	c := counter{bits: of.Bitmap()}
	if of.Len() <= fewHits {
		c.few = l.w.sets.List(of)
	}
	if c.bits == nil {
		c.collector = l.w.sets.Collector()
		c.collector.AddSet(of)
		c.bits = c.collector.Bitmap()
	}
	return c
}

func (c *counter) common(with postings.Set) (count int) {
	if c.few == nil || with.Len() <= 16*len(c.few) {
		return c.bits.CountCommon(with)
	}
	for _, pub := range c.few {
		if with.Has(pub) {
			count++
		}
	}
	return count
}

func (c *counter) clear() {
	if c.collector != nil {
		c.collector.Clear()
	}
}

// Misspelt is the maximum number of edits of a word, and whether its first character may be wrong.
type Misspelt struct {
	Edits    int
	AnyFirst bool
}

// misspelt returns how a word may be misspelt in a mode. A known word may not be, except in loose mode if it is not a word of places.
func (l Ladder) misspelt(mode mode, place uint8, last bool) (m Misspelt) {
	word := l.w.words[place]
	switch {
	case mode < typo, mode != loose && l.isKnown(place, last):
		return Misspelt{}
	case mode == loose && l.isOfPlaces(appendWritten(l.w.wide[:0], &l.wide, word, last)):
		return Misspelt{}
	}
	m.Edits, m.AnyFirst = allowedEdits(mode, word)
	return m
}
