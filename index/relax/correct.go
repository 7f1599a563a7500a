package relax

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// allowedEdits returns the maximum number of edits between a word and a term in a mode, and whether the first
// character may be wrong. A word with a digit is not corrected.
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

// corrections returns the ranges of the terms to which a word, given by its position, may be corrected in a mode. They
// are valid as long as the ladder.
func (l Ladder) corrections(mode mode, position uint8, last bool) []text.Range {
	m := l.misspelling(mode, position, last)
	if m.Edits == 0 {
		return nil
	}
	c := &l.w.corrections
	end := 0
	if last {
		end = 1
	}
	if c.known[mode][end]&(1<<position) == 0 {
		c.spans[mode][end][position] = l.correct(mode, position, m, last)
		c.known[mode][end] |= 1 << position
	}
	span := c.spans[mode][end][position]
	return c.all[span[0]:span[1]]
}

// correct finds the corrections of a word, and returns where they are. Those of a usual misspelling include those with
// a correct first character.
func (l Ladder) correct(mode mode, position uint8, m text.Misspelling, last bool) [2]int {
	c := &l.w.corrections
	usual := l.misspelling(typo, position, last)
	if mode == typo || m.AnyFirst || !usual.AnyFirst || usual.Edits != m.Edits || usual.Prefix != m.Prefix {
		start := len(c.all)
		c.all = l.w.fuzzy.Append(c.all, &l.fuzzy, m)
		return [2]int{start, len(c.all)}
	}
	all := l.corrections(typo, position, last)
	_, first := utf8.DecodeRune(m.Word)
	start := len(c.all)
	for _, r := range all {
		if bytes.HasPrefix(l.terms.At(r.Low), m.Word[:first]) {
			c.all = append(c.all, r)
		}
	}
	return [2]int{start, len(c.all)}
}

// corrections are the corrections found so far, by mode, whether the word is matched as a last word, and place.
type corrections struct {
	all   []text.Range
	spans [modeCount][2][MaxWords][2]int // in all
	known [modeCount][2]uint8
}

// isOfPlaces reports whether words count as words of places: at least half as many pubs have one in location or area
// as in the name.
func (l Ladder) isOfPlaces(terms []text.Range) bool {
	places := l.countIn(inPlace, terms)
	return places > 0 && 2*places >= l.countIn(inName, terms)
}

// countIn returns the number of pubs that have one of the terms in a scope, apart from codes.
func (l Ladder) countIn(s scope, terms []text.Range) int {
	l.w.scratch.Release()
	l.w.pending = l.appendTerms(l.w.pending[:0], s, terms)
	return l.w.scratch.Union(l.w.pending).Len()
}

// corrected returns the words of an answer, in which each word that none of its pubs has is replaced by its
// correction, in the memory of dst; nil if there is none. The correction is the one that most of the pubs have; of
// equally frequent ones, the one with the fewest edits, then the first.
func (l Ladder) corrected(dst text.Phrase, a *Answer) text.Phrase {
	corrected, replaced := append(dst[:0], a.Words...), false
	for i := range a.Words {
		position, last := a.positions[i], a.IsLast(i)
		if l.hasCommon(a.Pubs, l.postings(known, anywhere, position, last)) {
			continue
		}
		if term, ok := l.mostFrequent(l.corrections(a.mode, position, last), a, i); ok {
			corrected[i], replaced = l.terms.At(term), true
		}
	}
	if !replaced {
		return nil
	}
	return corrected
}

// mostFrequent returns the term, of those in ranges to which word i of an answer may be corrected, that most pubs of
// the answer have.
func (l Ladder) mostFrequent(ranges []text.Range, a *Answer, i int) (term uint32, ok bool) {
	m := l.misspelling(a.mode, a.positions[i], a.IsLast(i))
	distance := func(term uint32) int { return l.w.fuzzy.Distance(m.Word, l.terms.At(term), m.Edits, m.Prefix) }
	counter := l.newCounter(a.Pubs)
	most, fewest := 0, -1 // fewest is not known before there are equals
	for _, r := range ranges {
		for other := r.Low; other < r.High; other++ {
			count := l.commonWith(&counter, other)
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
	counter.clear()
	return term, most > 0
}

// counter counts the members that sets have in common with a given set.
type counter struct {
	few       []uint32
	bits      postings.Bitmap
	collector *postings.Collector // that lends bits, or nil
}

// commonWith returns how many pubs of a counter have a term in any field.
func (l Ladder) commonWith(c *counter, term uint32) int {
	begun, rest := l.strict.Begun.Postings(term), l.rest.Exact(l.terms.At(term))
	if begun.Len() == 0 || rest.Len() == 0 {
		return c.common(begun) + c.common(rest)
	}
	l.w.scratch.Release()
	return c.common(l.w.scratch.Either(begun, rest))
}

// fewHits is the number of hits up to which they are looked up one by one in larger sets.
const fewHits = 32

func (l Ladder) newCounter(hits postings.Set) counter {
	c := counter{bits: hits.Bitmap()}
	if hits.Len() <= fewHits {
		c.few = l.w.sets.List(hits)
	}
	if c.bits == nil {
		c.collector = l.w.sets.Collector()
		c.collector.AddSet(hits)
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

// misspelling returns how a word may be misspelt in a mode. A known word may not be, except in loose modes: there only a
// known word of places may not be, and in a circle no word counts as one.
func (l Ladder) misspelling(mode mode, position uint8, last bool) (m text.Misspelling) {
	m.Word = l.w.words[position]
	if mode < typo || mode <= far && l.isKnown(position, last) {
		return m
	}
	m.Edits, m.AnyFirst = allowedEdits(mode, m.Word)
	if m.Edits == 0 || mode == loose && l.isOfPlaces(l.read(m.Word, last).wide) {
		return text.Misspelling{Word: m.Word}
	}
	m.Prefix = last && (mode != far || utf8.RuneCount(m.Word) >= minFarPrefix)
	return m
}

// minFarPrefix is the minimum length, in characters, of a last word that may be a misspelt beginning with more edits
// than usual.
const minFarPrefix = 5
