package text

import (
	"bytes"
	"slices"
)

// Endings are the numbers of the terms of a dictionary, ordered by their reversed bytes, so that terms with the same
// ending are adjacent.
type Endings []uint32

// NewEndings returns the endings of the terms of a dictionary.
func NewEndings(terms *Dictionary) Endings {
	e := make(Endings, terms.Len())
	for i := range e {
		e[i] = uint32(i)
	}
	slices.SortFunc(e, func(a, b uint32) int { return compareBackwards(terms.At(a), terms.At(b)) })
	return e
}

// compareBackwards compares texts by their last bytes first.
func compareBackwards(a, b []byte) int {
	for i, j := len(a)-1, len(b)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if a[i] != b[j] {
			return int(a[i]) - int(b[j])
		}
	}
	return len(a) - len(b)
}

// with returns the numbers of the terms that end with a text.
func (e Endings) with(terms *Dictionary, ending []byte) []uint32 {
	low, _ := slices.BinarySearchFunc(e, ending, func(term uint32, ending []byte) int { return compareBackwards(terms.At(term), ending) })
	rest := e[low:]
	n, _ := slices.BinarySearchFunc(rest, ending, func(term uint32, ending []byte) int {
		if bytes.HasSuffix(terms.At(term), ending) {
			return -1
		}
		return 1
	})
	return rest[:n]
}
