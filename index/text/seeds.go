package text

import (
	"slices"
	"unicode/utf8"

	"pubd/index/indexfile"
)

// FuzzyIndex is what is prepared about the terms of a dictionary to find those that a misspelt word may stand for. It is immutable and safe for
// concurrent use.
type FuzzyIndex struct {
	Terms    *Dictionary
	Trigrams Trigrams
	letters  Letters
	endings  Endings
}

// NewFuzzyIndex prepares the terms of a dictionary.
func NewFuzzyIndex(terms *Dictionary) FuzzyIndex {
	return FuzzyIndex{terms, NewTrigrams(terms), NewLetters(terms), NewEndings(terms)}
}

// Write writes the sections, whose names begin with a name.
func (x *FuzzyIndex) Write(w *indexfile.Writer, name string) {
	x.Trigrams.Write(w, name+".trigrams")
	x.letters.Write(w, name+".letters")
	x.endings.Write(w, name+".endings")
}

// ReadFuzzyIndex returns what the sections whose names begin with a name say about the terms of a dictionary.
func ReadFuzzyIndex(r *indexfile.Reader, name string, terms *Dictionary) FuzzyIndex {
	return FuzzyIndex{terms, ReadTrigrams(r, name+".trigrams", terms), ReadLetters(r, name+".letters", terms), ReadEndings(r, name+".endings", terms)}
}

// A word of which n edits may be wrong, cut into n+1 pieces, has one piece right: only the terms that have a piece need a look (Navarro 2001,
// "A guided tour to approximate string matching", section 8.2). A swap of the neighbours at a cut spoils both pieces there; of the word with
// the swap undone, a longer piece is right.

// The least length of a word that is cut into two and into three pieces. The last pieces have at least three characters, which trigrams find
// inside terms.
const (
	minHalved = 4
	minThirds = 8
)

// isCut reports whether the terms for a misspelling are found by pieces of it.
func (m *FuzzyMatcher) isCut(of Misspelling) bool {
	return of.AnyFirst && (of.Edits == 1 && len(m.word) >= minHalved || of.Edits == 2 && len(m.word) >= minThirds)
}

// appendCandidates appends, in ascending order, the terms that have a piece of the word in hand, but for those that their letters rule out.
func (m *FuzzyMatcher) appendCandidates(dst []uint32, x *FuzzyIndex, of Misspelling) []uint32 {
	c := candidates{x, of, LettersOf(of.Word), dst}
	n := len(m.word)
	if of.Edits == 1 {
		cut := n / 2
		if of.Prefix {
			cut = min(cut, n-3)
		}
		c.beginning(m.piece(0, cut, -1))
		c.ending(m.piece(cut, n, -1))
		c.beginning(m.piece(0, n, cut))
	} else {
		first := n / 3
		second := first + (n-first)/2
		c.beginning(m.piece(0, first, -1))
		c.inside(m.piece(first, second, -1))
		c.ending(m.piece(second, n, -1))
		c.beginning(m.piece(0, second-1, first))
		c.ending(m.piece(first, n, second))
	}
	slices.Sort(c.found)
	return slices.Compact(c.found)
}

// piece returns the characters low to high-1 of the word in hand, those on both sides of a cut swapped unless it is below 0. It is valid until the next
// one.
func (m *FuzzyMatcher) piece(low, high, cut int) []byte {
	piece := m.cut[:0]
	for i := low; i < high; i++ {
		from := i
		switch i {
		case cut - 1:
			from = cut
		case cut:
			from = cut - 1
		}
		piece = utf8.AppendRune(piece, m.word[from])
	}
	m.cut = piece
	return piece
}

// candidates collects the terms that have pieces of a misspelling.
type candidates struct {
	*FuzzyIndex
	of     Misspelling
	needed uint32
	found  []uint32
}

func (c *candidates) beginning(piece []byte) {
	r := c.Terms.PrefixRange(piece)
	for i := r.Low; i < r.High; i++ {
		if i = c.letters.next(i, r.High, c.needed, c.of); i < r.High {
			c.found = append(c.found, i)
		}
	}
}

func (c *candidates) inside(piece []byte) { c.among(c.Trigrams.candidates(piece)) }

// ending adds the terms that end with the last piece, or that have it inside where beginnings of terms are enough.
func (c *candidates) ending(piece []byte) {
	if c.of.Prefix {
		c.inside(piece)
		return
	}
	c.among(c.endings.with(c.Terms, piece))
}

func (c *candidates) among(terms []uint32) {
	for _, term := range terms {
		if c.letters.next(term, term+1, c.needed, c.of) == term {
			c.found = append(c.found, term)
		}
	}
}
