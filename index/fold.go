package index

import "pubd/index/text"

// AppendFolded appends the folded form of a text to dst: its words in lower case without accents, punctuation or
// apostrophes, joined by one space. Data and queries are folded alike. The cost is linear in the text; it does not
// allocate when dst has room.
func AppendFolded(dst, of []byte) []byte { return text.AppendFolded(dst, of) }
