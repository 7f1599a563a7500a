package segment

import (
	"cmp"
	"iter"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
	"pubd/index/text"
)

// NameWords are the words of each distinct folded name except "the" and "and", and those of alternative names, which
// are numbered after the names, with those of brands last.
type NameWords struct {
	starts []uint32 // the words of name i are words[starts[i]:starts[i+1]]
	words  []uint32 // twice the slot of the word, plus 1 for a generic word
	// The alternative names of alternate[i] are
	// alternativeNames[alternatives[i]] to alternativeNames[alternatives[i+1]-1].
	has                                       postings.Counted // alternate
	brands                                    []uint32         // one: the first name that is a brand
	Alternate, alternatives, alternativeNames []uint32
}

// A slot is the number of a word among the terms of names plus 1. The word st at the end of a name is finalSt: it is
// not a saint.
const FinalSt = 0

// SlotOf returns the slot of a word; ok is false if no name has the word.
func SlotOf(terms *text.Dictionary, word []byte, last bool) (slot uint32, ok bool) {
	if last && string(word) == "st" {
		return FinalSt, true
	}
	number, ok := terms.Find(word)
	return number + 1, ok
}

// NewNameWords returns the words of names, all of which are terms: the distinct folded names, then from alternatives on the
// alternative ones, with those from brands on last. having returns the pubs that have one of those.
func NewNameWords(names iter.Seq2[uint32, []byte], alternatives, brands uint32, having func(name uint32) []uint32, terms *text.Dictionary) NameWords {
	w := NameWords{starts: []uint32{0}, brands: []uint32{brands}, alternatives: []uint32{0}}
	type alternative struct{ pub, name uint32 }
	var all []alternative
	var words text.Phrase
	for number, name := range names {
		words = words[:0].AppendWords(name).WithoutFiller()
		for i, word := range words {
			slot, _ := SlotOf(terms, word, i == len(words)-1)
			slot *= 2
			if text.ClassOf(word).Is(text.Generic) {
				slot++
			}
			w.words = append(w.words, slot)
		}
		w.starts = append(w.starts, spool.Uint32(len(w.words)))
		if number >= alternatives {
			for _, pub := range having(number) {
				all = append(all, alternative{pub, number})
			}
		}
	}
	slices.SortFunc(all, func(a, b alternative) int {
		return cmp.Or(cmp.Compare(a.pub, b.pub), cmp.Compare(a.name, b.name))
	})
	for i, one := range all {
		if i == 0 || all[i-1].pub != one.pub {
			w.Alternate = append(w.Alternate, one.pub)
			w.alternatives = append(w.alternatives, uint32(i))
		}
		w.alternativeNames = append(w.alternativeNames, one.name)
		w.alternatives[len(w.alternatives)-1] = spool.Uint32(i + 1)
	}
	return w
}

// Words returns the words of a name.
func (w *NameWords) Words(name uint32) []uint32 { return w.words[w.starts[name]:w.starts[name+1]] }

// IsBrand reports whether a name is a brand.
func (w *NameWords) IsBrand(name uint32) bool { return name >= w.brands[0] }

// hasBrands reports whether any name is a brand.
func (w *NameWords) hasBrands() bool { return int(w.brands[0]) < len(w.starts)-1 }

// Others returns the numbers of the alternative names and of the brand of a pub.
func (w *NameWords) Others(pub uint32) []uint32 {
	if len(w.Alternate) == 0 || !w.has.Has(pub) {
		return nil
	}
	at := w.has.UpTo(pub) - 1
	return w.alternativeNames[w.alternatives[at]:w.alternatives[at+1]]
}

// Code writes or reads the words of a number of names and of the alternative names of a number of pubs.
func (w *NameWords) Code(f indexfile.Codec, names, terms, size int) {
	indexfile.Array(f, "names.words.starts", &w.starts)
	indexfile.Array(f, "names.words", &w.words)
	f.Check(len(w.starts) > names, "names.words.starts", "it is too short")
	indexfile.CheckOffsets(f.Reader, "names.words.starts", w.starts, len(w.words))
	indexfile.CheckBelow(f.Reader, "names.words", w.words, 2*(terms+1))
	indexfile.ArrayN(f, "names.brands", &w.brands, 1)
	indexfile.Array(f, "names.alternate", &w.Alternate)
	indexfile.ArrayN(f, "names.alternatives", &w.alternatives, len(w.Alternate)+1)
	indexfile.Array(f, "names.alternatives.of", &w.alternativeNames)
	indexfile.CheckOffsets(f.Reader, "names.alternatives", w.alternatives, len(w.alternativeNames))
	indexfile.CheckBelow(f.Reader, "names.alternatives.of", w.alternativeNames, len(w.starts)-1)
	if indexfile.CheckBelow(f.Reader, "names.alternate", w.Alternate, size) {
		w.has = postings.CountedOf(w.Alternate, size)
		f.Check(w.has.Len() == len(w.Alternate), "names.alternate", "it has a pub twice")
	}
}
