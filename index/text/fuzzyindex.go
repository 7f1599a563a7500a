package text

import (
	"slices"
	"unicode/utf8"

	"pubd/index/indexfile"
	"pubd/index/spool"
)

// FuzzyIndex is the prepared data about the terms of a dictionary to find those for which a misspelt word may stand.
// It is immutable and safe for concurrent use.
type FuzzyIndex struct {
	Terms    *Dictionary
	Trigrams Trigrams
	Letters  Letters
	endings  Endings // empty if all terms with the letters of a word are compared with it
}

// NewFuzzyIndex prepares the terms of a dictionary. What it sorts is in a space.
func NewFuzzyIndex(space *spool.Space, terms *Dictionary) FuzzyIndex {
	return FuzzyIndex{terms, NewTrigrams(space, terms), NewLetters(terms), NewEndings(terms)}
}

// Code writes or reads the index of Terms as sections whose names begin with name.
func (x *FuzzyIndex) Code(f indexfile.Codec, name string) {
	count := x.Terms.Len()
	x.Trigrams.Code(f, name+".trigrams", count)
	indexfile.ArrayN(f, name+".letters", (*[]uint32)(&x.Letters), count)
	indexfile.ArrayN(f, name+".endings", (*[]uint32)(&x.endings), count)
	indexfile.CheckBelow(f.Reader, name+".endings", x.endings, count)
}

// If a word with at most n edits is cut into n+1 pieces, at least one piece has no edit: only the terms that contain a
// piece are candidates (Navarro 2001, "A guided tour to approximate string matching", section 8.2). A swap across a
// cut changes two pieces, but after undoing it, a longer piece has no edit.

// The minimum lengths of words that are cut into two and into three pieces. The last pieces have at least three
// characters, so that trigrams find them inside terms.
const (
	minHalved = 4
	minThirds = 8
)

// isCut reports whether the candidates for a query are found by its pieces. If the first character is right, a
// first piece of one character would rule out nothing.
func (m *FuzzyMatcher) isCut(query FuzzyQuery) bool {
	if query.Edits == 1 {
		return len(m.word) >= minHalved && (query.AnyFirst || m.half(query) > 1)
	}
	return query.Edits == 2 && len(m.word) >= minThirds
}

// half returns the length of the first of two pieces.
func (m *FuzzyMatcher) half(query FuzzyQuery) int {
	if n := len(m.word); query.Prefix {
		return min(n/2, n-3)
	}
	return len(m.word) / 2
}

// appendCandidates appends, in ascending order, the terms of a range that have a piece of the word, except those ruled
// out by their letters.
func (m *FuzzyMatcher) appendCandidates(dst []uint32, x *FuzzyIndex, within Range, query FuzzyQuery) []uint32 {
	c := candidates{x, within, query, LettersOf(query.Word), dst}
	n := len(m.word)
	if query.Edits == 1 {
		cut := m.half(query)
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

// piece returns the characters low to high-1 of the word. Unless cut is negative, the characters on both sides of it
// are swapped. The result is valid until the next call.
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

// candidates collects the terms that have pieces of a query.
type candidates struct {
	*FuzzyIndex
	within Range
	query  FuzzyQuery
	needed uint32
	found  []uint32
}

func (c *candidates) beginning(piece []byte) {
	r := c.Terms.PrefixRange(piece)
	low, high := max(r.Low, c.within.Low), min(r.High, c.within.High)
	for i := low; i < high; i++ {
		if i = c.Letters.next(i, high, c.needed, c.query); i < high {
			c.found = append(c.found, i)
		}
	}
}

func (c *candidates) inside(piece []byte) {
	start := len(c.found)
	c.found = c.Trigrams.appendCandidates(c.found, piece)
	found := c.found[start:]
	c.found = c.found[:start] // what stays is written over what was read
	c.among(found)
}

// ending adds the terms that end with the last piece, or that contain it if prefixes may match.
func (c *candidates) ending(piece []byte) {
	if c.query.Prefix {
		c.inside(piece)
		return
	}
	c.among(c.endings.with(c.Terms, piece))
}

func (c *candidates) among(terms []uint32) {
	for _, term := range terms {
		if c.within.Low <= term && term < c.within.High && c.Letters.next(term, term+1, c.needed, c.query) == term {
			c.found = append(c.found, term)
		}
	}
}
