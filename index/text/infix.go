package text

import (
	"bytes"
	"encoding/binary"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/spool"
)

// Trigrams finds the terms that contain a text, by the sequences of three bytes (trigrams) that they share. It is
// immutable.
type Trigrams struct {
	trigrams []uint32 // ascending
	starts   []uint32 // the terms of trigram i are terms[starts[i]:starts[i+1]]
	// terms has the ascending terms of a trigram as differences, the first from 0, as variable-length integers of
	// encoding/binary: most take a byte.
	terms []byte
}

// NewTrigrams indexes the terms of a dictionary. What it sorts is in a space.
func NewTrigrams(space *spool.Space, terms *Dictionary) Trigrams {
	count := 0
	for i := range terms.Len() {
		count += max(0, len(terms.At(uint32(i)))-2)
	}
	sorted := spool.New[uint64](space)
	defer sorted.Release()
	pairs := sorted.Extend(count)[:0]
	for i := range terms.Len() {
		term := terms.At(uint32(i))
		for at := 0; at+3 <= len(term); at++ {
			pairs = append(pairs, uint64(trigram(term[at:]))<<32|uint64(i))
		}
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	var x Trigrams
	last := uint32(0)
	for _, pair := range pairs {
		if key := uint32(pair >> 32); len(x.trigrams) == 0 || x.trigrams[len(x.trigrams)-1] != key {
			x.trigrams = append(x.trigrams, key)
			x.starts = append(x.starts, spool.Uint32(len(x.terms)))
			last = 0
		}
		x.terms = binary.AppendUvarint(x.terms, uint64(uint32(pair)-last))
		last = uint32(pair)
	}
	x.starts = append(x.starts, spool.Uint32(len(x.terms)))
	return x
}

// Code writes or reads the trigrams of a number of terms as sections whose names begin with name.
func (x *Trigrams) Code(f indexfile.Codec, name string, terms int) {
	indexfile.Array(f, name+".keys", &x.trigrams)
	indexfile.ArrayN(f, name+".starts", &x.starts, len(x.trigrams)+1)
	indexfile.Array(f, name+".terms", &x.terms)
	if indexfile.CheckOffsets(f.Reader, name+".starts", x.starts, len(x.terms)) {
		f.Check(x.areBelow(uint64(terms)), name+".terms", "it has a value out of range")
	}
}

// areBelow reports whether all terms are numbers below a limit.
func (x *Trigrams) areBelow(limit uint64) bool {
	for i := range x.trigrams {
		term := uint64(0)
		for rest := x.terms[x.starts[i]:x.starts[i+1]]; len(rest) > 0; {
			difference, size := binary.Uvarint(rest)
			if size <= 0 || difference >= limit || term+difference >= limit {
				return false
			}
			term, rest = term+difference, rest[size:]
		}
	}
	return true
}

func trigram(text []byte) uint32 { return uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2]) }

// appendCandidates appends, in ascending order, the terms that may contain a text of at least 3 bytes: those of its
// rarest trigram.
func (x *Trigrams) appendCandidates(dst []uint32, text []byte) []uint32 {
	var fewest []byte
	for at := 0; at+3 <= len(text); at++ {
		i, ok := slices.BinarySearch(x.trigrams, trigram(text[at:]))
		if !ok {
			return dst
		}
		if terms := x.terms[x.starts[i]:x.starts[i+1]]; at == 0 || len(terms) < len(fewest) {
			fewest = terms
		}
	}
	for term := uint32(0); len(fewest) > 0; {
		difference, size := binary.Uvarint(fewest)
		term += uint32(difference)
		dst, fewest = append(dst, term), fewest[size:]
	}
	return dst
}

// AppendContaining appends the terms that contain a text of at least 3 bytes, in ascending order.
func (x *Trigrams) AppendContaining(dst []uint32, terms *Dictionary, text []byte) []uint32 {
	start := len(dst)
	dst = x.appendCandidates(dst, text)
	if len(text) == 3 {
		return dst
	}
	kept := dst[:start]
	for _, term := range dst[start:] {
		if bytes.Contains(terms.At(term), text) {
			kept = append(kept, term)
		}
	}
	return kept
}
