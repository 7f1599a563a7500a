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

// MaxJoined is the maximum number of neighbouring words written together.
const MaxJoined = 3

// EachRun calls do with runs of at least some neighbouring words, low to high-1, written together: those of up to
// MaxJoined words, and that of all. With begins, they begin with one of its bytes. The text is valid until do returns, in
// memory that is reused.
func (p Phrase) EachRun(least int, begins *[256]bool, memory *[]byte, do func(low, high int, run []byte)) {
	for low, first := range p {
		if begins != nil && !begins[first[0]] {
			continue
		}
		run, end := (*memory)[:0], len(p)
		if low > 0 {
			end = min(end, low+MaxJoined)
		}
		for high := low + 1; high <= end; high++ {
			run = append(run, p[high-1]...)
			if size := high - low; size >= least && (size <= MaxJoined || high == len(p)) {
				do(low, high, run)
			}
		}
		*memory = run
	}
}
