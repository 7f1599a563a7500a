package text

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"pubd/index/postings"
)

// Inversion has ascending terms and, for each, the ascending numbers of the texts that have it.
type Inversion struct {
	terms [][]byte
	texts [][]uint32
}

// NewInversion returns the inversion of terms, with the ascending numbers of the texts that have each.
func NewInversion(words map[string][]uint32) Inversion {
	v := Inversion{make([][]byte, 0, len(words)), make([][]uint32, 0, len(words))}
	for _, term := range slices.Sorted(maps.Keys(words)) {
		v.terms, v.texts = append(v.terms, []byte(term)), append(v.texts, words[term])
	}
	return v
}

// Between returns the part of the inversion for the texts with numbers low <= n < high.
func (v Inversion) Between(low, high uint32) (part Inversion) {
	for i, term := range v.terms {
		start, _ := slices.BinarySearch(v.texts[i], low)
		end, _ := slices.BinarySearch(v.texts[i], high)
		if start < end {
			part.terms, part.texts = append(part.terms, term), append(part.texts, v.texts[i][start:end])
		}
	}
	return part
}

// Among returns the part of the inversion for the texts with numbers low <= n < high, for all terms of another
// inversion, which has all those of the part. A term may have no text.
func (v Inversion) Among(all Inversion, low, high uint32) Inversion {
	part := Inversion{all.terms, make([][]uint32, len(all.terms))}
	at := 0
	for i, term := range v.terms {
		start, _ := slices.BinarySearch(v.texts[i], low)
		end, _ := slices.BinarySearch(v.texts[i], high)
		if start == end {
			continue
		}
		for !bytes.Equal(all.terms[at], term) {
			at++
		}
		part.texts[at] = v.texts[i][start:end]
	}
	return part
}

// Beyond returns the inversion for the terms that a text with a number of at least low has.
func (v Inversion) Beyond(low uint32) (part Inversion) {
	for i, term := range v.terms {
		if texts := v.texts[i]; len(texts) > 0 && texts[len(texts)-1] >= low {
			part.terms, part.texts = append(part.terms, term), append(part.texts, texts)
		}
	}
	return part
}

// With returns the inversion of the texts of both, whose numbers may be the same.
func (v Inversion) With(other Inversion) (both Inversion) {
	for i, j := 0, 0; i < len(v.terms) || j < len(other.terms); {
		order := 0
		switch {
		case i == len(v.terms):
			order = 1
		case j == len(other.terms):
			order = -1
		default:
			order = bytes.Compare(v.terms[i], other.terms[j])
		}
		var term []byte
		var texts []uint32
		if order <= 0 {
			term, texts = v.terms[i], v.texts[i]
			i++
		}
		if order >= 0 {
			term, texts = other.terms[j], append(texts[:len(texts):len(texts)], other.texts[j]...)
			j++
		}
		both.terms, both.texts = append(both.terms, term), append(both.texts, texts)
	}
	return both
}

// Sets returns the sets of pubs of the terms of a dictionary that the inversion has, by the number of the term. expand
// is as for NewVocabulary.
func (v Inversion) Sets(terms *Dictionary, options VocabularyOptions, expand func(dst, texts []uint32) []uint32) postings.Sparse {
	builder, sorter := postings.NewSparseBuilder(terms.Len(), options.Pubs, options.rarity(0)), newSorter(options.Pubs)
	var ids []uint32
	for i, term := range v.terms {
		if number, ok := terms.Find(term); ok && len(v.texts[i]) > 0 {
			ids = sorter.sort(expand(ids[:0], v.texts[i]))
			builder.Append(number, ids)
		}
	}
	return builder.Sets()
}

// MaxJoined is the maximum number of neighbouring words written together.
const MaxJoined = 3

// InvertJoined inverts the neighbouring words of folded texts, numbered from first, written together: runs of 2 to
// MaxJoined words, and all words, each with and without "the" and "and". Most of these terms are in only one text, for
// which a segment of bleve costs ten times as much as sorting.
func InvertJoined(texts [][]byte, first uint32) Inversion {
	type occurrence struct {
		beginning uint64 // the first 8 bytes
		start     uint32 // in the arena, in units of 1 byte
		length    uint32
		text      uint32
	}
	// They are counted first, because growing would temporarily take more than twice the memory.
	count, size := 0, 0
	eachJoined(texts, func(_ int, words Phrase, fewest int) {
		count += len(words) - fewest + 1
		for _, word := range words {
			size += len(word)
		}
	})
	found, arena := make([]occurrence, 0, count), make([]byte, 0, size)
	eachJoined(texts, func(number int, words Phrase, fewest int) {
		start := len(arena)
		for i, word := range words {
			if arena = append(arena, word...); i+1 < fewest {
				continue
			}
			var beginning [8]byte
			copy(beginning[:], arena[start:])
			found = append(found, occurrence{binary.BigEndian.Uint64(beginning[:]), uint32(start), uint32(len(arena) - start), first + uint32(number)})
		}
	})
	term := func(o occurrence) []byte { return arena[o.start : o.start+o.length] }
	slices.SortFunc(found, func(a, b occurrence) int {
		if a.beginning != b.beginning {
			return cmp.Compare(a.beginning, b.beginning)
		}
		if order := bytes.Compare(term(a), term(b)); order != 0 {
			return order
		}
		return cmp.Compare(a.text, b.text)
	})
	numbers, terms := make([]uint32, 0, len(found)), 0
	for i := range found {
		if i == 0 || !bytes.Equal(term(found[i]), term(found[i-1])) {
			terms++
		}
	}
	v := Inversion{make([][]byte, 0, terms), make([][]uint32, 0, terms)}
	for i := 0; i < len(found); {
		start, same := len(numbers), term(found[i])
		for ; i < len(found) && bytes.Equal(term(found[i]), same); i++ {
			if len(numbers) == start || numbers[len(numbers)-1] != found[i].text {
				numbers = append(numbers, found[i].text)
			}
		}
		v.terms, v.texts = append(v.terms, same), append(v.texts, numbers[start:len(numbers):len(numbers)])
	}
	return v
}

// eachJoined calls do with the number of each text and words of it of which the first ones, at least fewest, are
// written together.
func eachJoined(texts [][]byte, do func(number int, words Phrase, fewest int)) {
	var words Phrase
	each := func(number int) {
		for i := range max(0, len(words)-1) {
			do(number, words[i:min(i+MaxJoined, len(words))], 2)
		}
		if len(words) > MaxJoined {
			do(number, words, len(words))
		}
	}
	for number, text := range texts {
		words = words[:0].AppendWords(text)
		each(number)
		all := len(words)
		if words = words.WithoutFiller(); len(words) < all {
			each(number)
		}
	}
}
