package index

import (
	"bytes"
	"slices"
)

// An infixIndex finds the terms that have some text anywhere inside, by the three bytes in a row (trigrams) that the
// text shares with them. It is immutable.
type infixIndex struct {
	trigrams []uint32 // ascending
	starts   []uint32 // the terms of trigram i are terms[starts[i]:starts[i+1]], ascending
	terms    []uint32
}

func newInfixIndex(terms *dictionary) *infixIndex {
	var pairs []uint64
	for i := range terms.len() {
		term := terms.at(i)
		for at := 0; at+3 <= len(term); at++ {
			pairs = append(pairs, uint64(trigram(term[at:]))<<32|uint64(i))
		}
	}
	slices.Sort(pairs)
	x := &infixIndex{}
	for _, pair := range slices.Compact(pairs) {
		if key := uint32(pair >> 32); len(x.trigrams) == 0 || x.trigrams[len(x.trigrams)-1] != key {
			x.trigrams = append(x.trigrams, key)
			x.starts = append(x.starts, uint32(len(x.terms)))
		}
		x.terms = append(x.terms, uint32(pair))
	}
	x.starts = append(x.starts, uint32(len(x.terms)))
	return x
}

func trigram(text []byte) uint32 { return uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2]) }

// candidates gives the terms that may have a text of at least 3 bytes inside: those of its rarest trigram.
func (x *infixIndex) candidates(text []byte) []uint32 {
	var fewest []uint32
	for at := 0; at+3 <= len(text); at++ {
		i, ok := slices.BinarySearch(x.trigrams, trigram(text[at:]))
		if !ok {
			return nil
		}
		if terms := x.terms[x.starts[i]:x.starts[i+1]]; at == 0 || len(terms) < len(fewest) {
			fewest = terms
		}
	}
	return fewest
}

// each calls do with each term that has a text of at least 3 bytes inside, in ascending order.
func (x *infixIndex) each(terms *dictionary, text []byte, do func(term uint32)) {
	for _, term := range x.candidates(text) {
		if len(text) == 3 || bytes.Contains(terms.at(int(term)), text) {
			do(term)
		}
	}
}
