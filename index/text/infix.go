package text

import (
	"bytes"
	"slices"

	"pubd/index/indexfile"
)

// Trigrams finds the terms that contain a text, by the sequences of three bytes (trigrams) that they share. It is
// immutable.
type Trigrams struct {
	trigrams []uint32 // ascending
	starts   []uint32 // the terms of trigram i are terms[starts[i]:starts[i+1]], ascending
	terms    []uint32
}

// NewTrigrams indexes the terms of a dictionary.
func NewTrigrams(terms *Dictionary) Trigrams {
	count := 0
	for i := range terms.Len() {
		count += max(0, len(terms.At(uint32(i)))-2)
	}
	pairs := make([]uint64, 0, count)
	for i := range terms.Len() {
		term := terms.At(uint32(i))
		for at := 0; at+3 <= len(term); at++ {
			pairs = append(pairs, uint64(trigram(term[at:]))<<32|uint64(i))
		}
	}
	slices.Sort(pairs)
	pairs = slices.Compact(pairs)
	x := Trigrams{terms: make([]uint32, 0, len(pairs))}
	for _, pair := range pairs {
		if key := uint32(pair >> 32); len(x.trigrams) == 0 || x.trigrams[len(x.trigrams)-1] != key {
			x.trigrams = append(x.trigrams, key)
			x.starts = append(x.starts, uint32(len(x.terms)))
		}
		x.terms = append(x.terms, uint32(pair))
	}
	x.starts = append(x.starts, uint32(len(x.terms)))
	return x
}

// Write writes the arrays as sections whose names begin with name.
func (x *Trigrams) Write(w *indexfile.Writer, name string) {
	indexfile.Put(w, name+".keys", x.trigrams)
	indexfile.Put(w, name+".starts", x.starts)
	indexfile.Put(w, name+".terms", x.terms)
}

// ReadTrigrams reads the trigrams of a dictionary from the sections whose names begin with name.
func ReadTrigrams(r *indexfile.Reader, name string, terms *Dictionary) Trigrams {
	x := Trigrams{trigrams: indexfile.Take[uint32](r, name+".keys"), terms: indexfile.Take[uint32](r, name+".terms")}
	x.starts = indexfile.TakeN[uint32](r, name+".starts", len(x.trigrams)+1)
	indexfile.CheckOffsets(r, name+".starts", x.starts, len(x.terms))
	indexfile.CheckBelow(r, name+".terms", x.terms, terms.Len())
	return x
}

func trigram(text []byte) uint32 { return uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2]) }

// candidates returns the terms that may contain a text of at least 3 bytes: those of its rarest trigram.
func (x *Trigrams) candidates(text []byte) []uint32 {
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

// AppendContaining appends the terms that contain a text of at least 3 bytes, in ascending order.
func (x *Trigrams) AppendContaining(dst []uint32, terms *Dictionary, text []byte) []uint32 {
	for _, term := range x.candidates(text) {
		if len(text) == 3 || bytes.Contains(terms.At(term), text) {
			dst = append(dst, term)
		}
	}
	return dst
}
