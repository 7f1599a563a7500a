package index

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A misspelling finds the terms that a query word may stand for, by optimal string alignment: inserting, deleting or
// substituting a character, or swapping two neighbours, counts as one edit (Boytsov 2011, "Indexing methods for
// approximate dictionary searching", section 2.2). It is working memory, reused between words.
type misspelling struct {
	word []rune
	path []rune // characters of the term in hand
	rows [][]uint8
}

// allowedEdits is how many edits a query word may be away from a term: none for short words and those with a digit.
func allowedEdits(word []byte) int {
	characters := 0
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		if unicode.Is(unicode.Nd, r) {
			return 0
		}
		characters++
		i += size
	}
	switch {
	case characters < 4:
		return 0
	case characters < 8:
		return 1
	}
	return 2
}

// each calls do with ranges that together hold each term within some edits of the word once: the whole term or, when
// beginning is set, some beginning of it. The first character must be right. Terms that share a beginning share its
// rows, and are passed over together once it is too far away.
func (m *misspelling) each(terms *dictionary, word []byte, edits int, beginning bool, do func(termRange)) {
	m.begin(word, edits)
	_, first := utf8.DecodeRune(word)
	low, high := terms.beginningWith(word[:first])
	for i := low; i < high; {
		term := terms.at(i)
		end, accepted, settled := m.walk(term, edits, beginning)
		next := i + 1
		if settled {
			next = after(terms, i, high, term[:end])
		}
		if accepted {
			do(termRange{uint32(i), uint32(next)})
		}
		i = next
	}
}

// begin lays out the row of the empty beginning.
func (m *misspelling) begin(word []byte, edits int) {
	m.word, m.path = m.word[:0], m.path[:0]
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		m.word = append(m.word, r)
		i += size
	}
	for len(m.rows) < len(m.word)+edits+2 {
		m.rows = append(m.rows, nil)
	}
	row := m.row(0)
	for i := range row {
		row[i] = uint8(min(i, edits+1))
	}
}

func (m *misspelling) row(i int) []uint8 {
	if cap(m.rows[i]) <= len(m.word) {
		m.rows[i] = make([]uint8, len(m.word)+1, 2*len(m.word)+8)
	}
	m.rows[i] = m.rows[i][:len(m.word)+1]
	return m.rows[i]
}

// walk follows a term until the verdict is known. It is settled when it holds for all terms that begin with
// term[:end].
func (m *misspelling) walk(term []byte, edits int, beginning bool) (end int, accepted, settled bool) {
	for depth := 0; end < len(term); depth++ {
		r, size := utf8.DecodeRune(term[end:])
		end += size
		if depth >= len(m.word)+edits {
			return end, false, true
		}
		if depth >= len(m.path) || m.path[depth] != r {
			m.path = append(m.path[:depth], r)
			m.align(depth+1, edits)
		}
		row := m.rows[depth+1]
		if within := int(row[len(m.word)]) <= edits; within && beginning {
			return end, true, true
		} else if within && end == len(term) {
			return end, true, false
		}
		if m.hopeless(depth+1, edits) && m.hopeless(depth, edits) {
			return end, false, true
		}
	}
	return end, false, false
}

// align fills the row of a beginning: its distance to each beginning of the word, as far as it is within the edits.
func (m *misspelling) align(depth, edits int) {
	far := uint8(edits + 1)
	row, above := m.row(depth), m.rows[depth-1]
	for i := range row {
		row[i] = far
	}
	if depth <= edits {
		row[0] = uint8(depth)
	}
	r := m.path[depth-1]
	for i := max(1, depth-edits); i <= min(len(m.word), depth+edits); i++ {
		best := min(above[i], row[i-1]) + 1
		if m.word[i-1] == r {
			best = min(best, above[i-1])
		} else {
			best = min(best, above[i-1]+1)
		}
		if depth > 1 && i > 1 && m.word[i-2] == r && m.word[i-1] == m.path[depth-2] {
			best = min(best, m.rows[depth-2][i-2]+1)
		}
		row[i] = min(best, far)
	}
}

// hopeless tells that no way on leads from a row to a distance within the edits.
func (m *misspelling) hopeless(depth, edits int) bool {
	row := m.rows[depth]
	for _, distance := range row[min(max(0, depth-edits), len(row)):min(depth+edits+1, len(row))] {
		if int(distance) <= edits {
			return false
		}
	}
	return true
}

// after is the number of the first term from low on that does not begin with a prefix, which term low does.
func after(terms *dictionary, low, high int, prefix []byte) int {
	step := 1
	for low+step < high && bytes.HasPrefix(terms.at(low+step), prefix) {
		step *= 2
	}
	return terms.search(low+step/2, min(low+step+1, high), func(term []byte) bool { return !bytes.HasPrefix(term, prefix) })
}
