package text

import (
	"math/bits"
	"unicode/utf8"
)

// maxEdits is the maximum number of edits between a query word and a term.
const maxEdits = 3

// FuzzyMatcher finds the terms that a query word may stand for, by optimal string alignment: inserting, deleting or
// substituting a character, or swapping two neighbours, counts as one edit (Boytsov 2011, "Indexing methods for
// approximate dictionary searching", section 2.2). It is working memory, reused between words.
type FuzzyMatcher struct {
	word  []rune
	cut   []byte // a piece of the word
	path  []rune // characters of the current term
	rows  []row  // rows[i] is that of path[:i]
	edits int
	// table has, for each ASCII character, bit i+maxEdits for each word[i] that equals it, unless the word is too
	// long.
	table [utf8.RuneSelf]uint64

	candidates []uint32
}

// A row has the distances between a prefix of a term and the prefixes of the word whose length differs by no more than
// the edits: bit d of within[e] is set if the first length-maxEdits+d characters of the word are at most e edits away.
type row struct {
	within [maxEdits + 1]uint8
}

// diagonals are the bits in use.
const diagonals = 1<<(2*maxEdits+1) - 1

// A FuzzyQuery looks for the terms of which a word may be a misspelling.
type FuzzyQuery struct {
	Word  []byte
	Edits int
	// AnyFirst is set if the first character may be wrong, Prefix if a prefix of a term may match.
	AnyFirst, Prefix bool
}

// Append appends ranges, in ascending order, that together have each term once that a query may stand for: the
// whole term or, with Prefix, a prefix of it is within the edits.
func (m *FuzzyMatcher) Append(dst []Range, x *FuzzyIndex, query FuzzyQuery) []Range {
	m.begin(query.Word, query.Edits)
	r := Range{0, uint32(x.Terms.Len())}
	if !query.AnyFirst {
		_, first := utf8.DecodeRune(query.Word)
		r = x.Terms.PrefixRange(query.Word[:first])
	}
	if len(x.endings) > 0 && m.isCut(query) {
		return m.appendAmong(dst, x, r, query)
	}
	needed := LettersOf(query.Word)
	for i := r.Low; i < r.High; i++ {
		if i = x.Letters.next(i, r.High, needed, query); i == r.High {
			break
		}
		if next := m.matching(x, i, query); next > i {
			dst = append(dst, Range{i, next})
			i = next - 1
		}
	}
	return dst
}

// appendAmong does the same as Append for the terms of a range, by the pieces of a word.
func (m *FuzzyMatcher) appendAmong(dst []Range, x *FuzzyIndex, within Range, query FuzzyQuery) []Range {
	m.candidates = m.appendCandidates(m.candidates[:0], x, within, query)
	next := uint32(0)
	for _, i := range m.candidates {
		if i < next {
			continue
		}
		if next = m.matching(x, i, query); next > i {
			dst = append(dst, Range{i, next})
		}
	}
	return dst
}

// matching returns the end of the range of terms that begins at a term and matches for the same reason. The range is
// empty if the term does not match.
func (m *FuzzyMatcher) matching(x *FuzzyIndex, i uint32, query FuzzyQuery) (next uint32) {
	term := x.Terms.At(i)
	end, ok := m.walk(term, query.Prefix)
	switch {
	case !ok:
		return i
	case query.Prefix:
		return x.Terms.after(i, uint32(x.Terms.Len()), term[:end])
	}
	return i + 1
}

// next returns the first term from low on whose letters do not rule it out, or high.
func (l Letters) next(low, high uint32, needed uint32, query FuzzyQuery) uint32 {
	rest := l[low:high]
	if query.Prefix {
		for i, letters := range rest {
			if bits.OnesCount32(needed&^letters) <= query.Edits {
				return low + uint32(i)
			}
		}
		return high
	}
	for i, letters := range rest {
		if bits.OnesCount32(needed^letters) <= 2*query.Edits && bits.OnesCount32(needed&^letters) <= query.Edits && bits.OnesCount32(letters&^needed) <= query.Edits {
			return low + uint32(i)
		}
	}
	return high
}

// Distance returns the number of edits between a word and a term or, with prefix, the closest prefix of the term;
// most+1 if it is greater than most.
func (m *FuzzyMatcher) Distance(word, term []byte, most int, prefix bool) (edits int) {
	for ; edits <= most; edits++ {
		m.begin(word, edits)
		if _, ok := m.walk(term, prefix); ok {
			break
		}
	}
	return edits
}

// Letters are the letters of each term. If a term lacks more letters of a word than edits are allowed, it does not
// match, which rules out nearly all terms without examining them.
type Letters []uint32

// NewLetters returns the letters of the terms of a dictionary.
func NewLetters(terms *Dictionary) Letters {
	letters := make(Letters, terms.Len())
	for i := range letters {
		letters[i] = LettersOf(terms.At(uint32(i)))
	}
	return letters
}

// LettersOf returns a bit for each letter from a to z of a word; other characters share the remaining bits.
func LettersOf(word []byte) (letters uint32) {
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		if 'a' <= r && r <= 'z' {
			letters |= 1 << (r - 'a')
		} else {
			letters |= 1 << (26 + r%6)
		}
		i += size
	}
	return letters
}

// begin computes the first row, that of the empty prefix.
func (m *FuzzyMatcher) begin(word []byte, edits int) {
	m.path, m.edits = m.path[:0], edits
	for _, r := range m.word {
		if r < utf8.RuneSelf {
			m.table[r] = 0
		}
	}
	m.word = m.word[:0]
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		if r < utf8.RuneSelf && len(m.word) < tableWord {
			m.table[r] |= 1 << (len(m.word) + maxEdits)
		}
		m.word = append(m.word, r)
		i += size
	}
	for len(m.rows) < len(m.word)+edits+2 {
		m.rows = append(m.rows, row{})
	}
	m.rows[0] = row{}
	for e := range edits + 1 {
		m.rows[0].within[e] = (1<<(e+1) - 1) << maxEdits & m.lengths(0)
	}
}

// lengths has the bits of the diagonals that are prefixes of the word.
func (m *FuzzyMatcher) lengths(depth int) uint8 {
	bits := uint8(diagonals)
	if shortest := maxEdits - depth; shortest > 0 {
		bits = bits << shortest & diagonals
	}
	if longest := len(m.word) - depth + maxEdits; longest < 2*maxEdits {
		bits &= 1<<max(0, longest+1) - 1
	}
	return bits
}

// walk reports whether a term, or its prefix term[:end], is within the edits. A term that shares a prefix with the
// previous one reuses its rows.
func (m *FuzzyMatcher) walk(term []byte, prefix bool) (end int, ok bool) {
	for depth := 1; end < len(term) && depth <= len(m.word)+m.edits; depth++ {
		r, size := rune(term[end]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(term[end:])
		}
		end += size
		if depth > len(m.path) || m.path[depth-1] != r {
			m.path = append(m.path[:depth-1], r)
			m.step(depth)
		}
		found := m.rows[depth].within[m.edits]
		whole := len(m.word) - depth + maxEdits // the diagonal of the whole word
		if (prefix || end == len(term)) && 0 <= whole && whole <= 2*maxEdits && found>>whole&1 == 1 {
			return end, true
		}
		if found|m.rows[depth-1].within[m.edits] == 0 {
			return end, false
		}
	}
	return end, false
}

// step aligns one more character of the term.
func (m *FuzzyMatcher) step(depth int) {
	r := m.path[depth-1]
	above, here := &m.rows[depth-1], row{}
	lengths := m.lengths(depth)
	same, before := m.endingWith(r, depth, 1), m.endingWith(r, depth, 2)
	here.within[0] = above.within[0] & same
	for e := 1; e <= m.edits; e++ {
		closer := above.within[e-1]
		reached := above.within[e]&same | closer | closer>>1 | here.within[e-1]<<1
		if depth > 1 {
			reached |= m.rows[depth-2].within[e-1] & before & m.endingWith(m.path[depth-2], depth, 1)
		}
		here.within[e] = (reached | here.within[e-1]) & lengths
	}
	m.rows[depth] = here
}

// endingWith has the bits of the prefixes of the word whose last character (with back 2, the last but one) is r.
func (m *FuzzyMatcher) endingWith(r rune, depth, back int) (bits uint8) {
	if r < utf8.RuneSelf && len(m.word) <= tableWord {
		return uint8(m.table[r]<<2>>(depth-back+2)) & diagonals
	}
	for d := range 2*maxEdits + 1 {
		if i := depth - maxEdits + d - back; 0 <= i && i < len(m.word) && m.word[i] == r {
			bits |= 1 << d
		}
	}
	return bits
}

// tableWord is the maximum length of a word in the table.
const tableWord = 64 - 2 - maxEdits

// Edits returns the number of edits (optimal string alignment) between two texts that are not empty, 3 if there are
// more than two.
func Edits(one, other string) int {
	var m FuzzyMatcher
	return m.Distance([]byte(one), []byte(other), 2, false)
}
