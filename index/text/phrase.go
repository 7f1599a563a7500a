package text

import (
	"bytes"
	"slices"
)

// Phrase is the words of a folded form, in order.
type Phrase [][]byte

// AppendTo appends the words, joined by one space.
func (p Phrase) AppendTo(dst []byte) []byte {
	for i, word := range p {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, word...)
	}
	return dst
}

// Has reports whether a word is one of a phrase.
func (p Phrase) Has(word []byte) bool {
	for _, other := range p { // a function that is passed on would be allocated
		if bytes.Equal(word, other) {
			return true
		}
	}
	return false
}

// AppendWords appends the words of a folded form; they share its memory.
func (p Phrase) AppendWords(folded []byte) Phrase {
	for begin, i := 0, 0; i <= len(folded); i++ {
		if i == len(folded) || folded[i] == ' ' {
			if i > begin {
				p = append(p, folded[begin:i])
			}
			begin = i + 1
		}
	}
	return p
}

// WithoutFiller removes the words "the" and "and", in place, unless none would remain.
func (p Phrase) WithoutFiller() Phrase {
	if !slices.ContainsFunc(p, func(word []byte) bool { return !IsStop(word) }) {
		return p
	}
	return slices.DeleteFunc(p, IsStop)
}
