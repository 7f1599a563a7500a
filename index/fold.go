package index

import "pubd/index/text"

// AppendFolded appends the folded form of a text to dst: its words in lower case without accents, punctuation or
// apostrophes, joined by one space. Data and queries are folded alike. The cost is linear in the text; it does not
// allocate when dst has room.
func AppendFolded(dst, written []byte) []byte { return text.AppendFolded(dst, written) }

// Edits returns the number of edits (optimal string alignment) between two texts that are not empty, 3 if there are
// more than two.
func Edits(one, other string) int {
	var m text.FuzzyMatcher
	return m.Distance([]byte(one), []byte(other), 2, false)
}
