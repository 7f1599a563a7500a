package places

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"pubd/index/text"
)

// Named is a place that a query ends or begins with. The words from Low to High-1 of the query are left.
type Named struct {
	Place
	Low, High int
	AtEnd     bool
}

// AppendNamed appends the places that a query names, at most two, the one with more words first: the longest that ends
// it (if none does, the longest that ends it without the generic and filler words at its end), and the longest that
// begins it.
func (x *Index) AppendNamed(dst []Named, query text.Phrase, w *Workspace) []Named {
	start := len(dst)
	ending, ok := x.ending(query, w)
	if !ok {
		n := len(query)
		for n > 0 && text.IsUsual(query[n-1]) {
			n--
		}
		if n > 0 && n < len(query) {
			ending, ok = x.ending(query[:n], w)
		}
	}
	if ok {
		dst = append(dst, ending)
	}
	for n := len(query) - 1; n > 0; n-- {
		p, found := x.find(query[:n], w)
		if !found {
			continue
		}
		if !ok || !slices.EqualFunc(p.Words, ending.Words, slices.Equal) {
			dst = append(dst, Named{Place: p, Low: n, High: len(query)})
		}
		break
	}
	if len(dst) == start+2 && len(dst[start+1].Words) > len(dst[start].Words) {
		dst[start], dst[start+1] = dst[start+1], dst[start]
	}
	return dst
}

// ending returns the longest place that ends a query.
func (x *Index) ending(query text.Phrase, w *Workspace) (n Named, ok bool) {
	query = x.withoutInward(query, w)
	for i := range query {
		if p, ok := x.find(query[i:], w); ok {
			return Named{p, 0, i, true}, true
		}
	}
	return n, false
}

// withoutInward returns a query without the inward code at its end, if no pub has the postcode and what is before is a
// phrase with a digit.
func (x *Index) withoutInward(query text.Phrase, w *Workspace) text.Phrase {
	n := len(query) - 1
	word := query[n]
	head := query[:n]
	if !isInward(word) {
		cut := lastCharacters(word, inwardSize)
		if cut <= 0 || !isInward(word[cut:]) {
			return query
		}
		head = append(append(w.head[:0], head...), word[:cut])
		w.head = head
	}
	if len(head) == 0 || !text.HasDigit(head[len(head)-1]) || !x.has(head[len(head)-1:], w) ||
		x.has(query[n:], w) || n > 0 && x.has(query[n-1:], w) {
		return query
	}
	return head
}

func (x *Index) has(words text.Phrase, w *Workspace) bool {
	_, ok := x.Phrase(words, w)
	return ok
}

// inwardSize is the number of characters of an inward code, the last part of a British postcode: a digit and two
// letters.
const inwardSize = 3

func isInward(word []byte) bool {
	n := 0
	for len(word) > 0 {
		r, size := utf8.DecodeRune(word)
		if n == 0 && !unicode.Is(unicode.Nd, r) || n > 0 && !unicode.IsLetter(r) {
			return false
		}
		word = word[size:]
		n++
	}
	return n == inwardSize
}

// lastCharacters returns where the last n characters of a word begin; -1 if it has fewer.
func lastCharacters(word []byte, n int) int {
	at := len(word)
	for range n {
		if at == 0 {
			return -1
		}
		_, size := utf8.DecodeLastRune(word[:at])
		at -= size
	}
	return at
}
