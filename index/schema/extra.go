package schema

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"pubd/index/text"
)

// An ExtraColumn is an extra column to keep: its name, after [FacetPrefix] if it is a facet, and then perhaps before
// [NumberType] or [TextType].
type ExtraColumn string

// FacetPrefix precedes the name of an extra column that is a facet. No name begins with it.
const FacetPrefix = "facet:"

// What follows the name of a facet whose values are declared to be numbers or texts. Otherwise, a facet that has only
// numbers is one of numbers.
const (
	NumberType = ":number"
	TextType   = ":text"
)

// MaxExtra is the maximum number of extra columns of a directory.
const MaxExtra = 32

// ExtraColumns returns columns that are no facets, by their names.
func ExtraColumns(names []string) []ExtraColumn {
	var columns []ExtraColumn
	for _, name := range names {
		columns = append(columns, ExtraColumn(name))
	}
	return columns
}

// Name returns the name of the column.
func (c ExtraColumn) Name() string {
	name, isFacet := strings.CutPrefix(string(c), FacetPrefix)
	if isFacet {
		name = strings.TrimSuffix(strings.TrimSuffix(name, NumberType), TextType)
	}
	return name
}

// Type returns NumberType or TextType if the column is declared to have that; otherwise nothing.
func (c ExtraColumn) Type() string { return strings.TrimPrefix(string(c), FacetPrefix+c.Name()) }

// IsFacet reports whether answers filter by the values of the column, and count them.
func (c ExtraColumn) IsFacet() bool { return strings.HasPrefix(string(c), FacetPrefix) }

// AppendValue appends a value of an extra column in the form in which [pubd/index.Filter.Values] has it: folded, a NUL, and its
// characters, which are the folded text with the signs that folding leaves out; these alone if it has no words.
func AppendValue(dst, written []byte) []byte {
	start := len(dst)
	if dst = text.AppendFolded(dst, written); len(dst) > start {
		dst = append(dst, 0)
	}
	for len(written) > 0 {
		end := bytes.IndexFunc(written, isSign)
		if end < 0 {
			return text.AppendFolded(dst, written)
		}
		_, size := utf8.DecodeRune(written[end:])
		dst = append(text.AppendFolded(dst, written[:end]), written[end:end+size]...)
		written = written[end+size:]
	}
	return dst
}

// isSign reports whether a character is neither part of a word nor white space.
func isSign(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.IsSpace(r)
}
