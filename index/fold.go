package index

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"pubd/index/text"
)

// AppendFolded appends the folded form of a text to dst: its words in lower case without accents, punctuation or
// apostrophes, joined by one space. Data and queries are folded alike. The cost is linear in the text; it does not
// allocate when dst has room.
func AppendFolded(dst, written []byte) []byte { return text.AppendFolded(dst, written) }

// AppendValue appends a value of an extra column in the form in which [Filter.Values] has it: folded, a NUL, and its
// characters, which are the folded text with the signs that folding leaves out; these alone if it has no words.
func AppendValue(dst, written []byte) []byte {
	start := len(dst)
	if dst = AppendFolded(dst, written); len(dst) > start {
		dst = append(dst, 0)
	}
	for len(written) > 0 {
		end := bytes.IndexFunc(written, isSign)
		if end < 0 {
			return AppendFolded(dst, written)
		}
		_, size := utf8.DecodeRune(written[end:])
		dst = append(AppendFolded(dst, written[:end]), written[end:end+size]...)
		written = written[end+size:]
	}
	return dst
}

// isSign reports whether a character is neither part of a word nor white space.
func isSign(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.IsSpace(r)
}

// Edits returns the number of edits (optimal string alignment) between two texts that are not empty, 3 if there are
// more than two.
func Edits(one, other string) int {
	var m text.FuzzyMatcher
	return m.Distance([]byte(one), []byte(other), 2, false)
}
