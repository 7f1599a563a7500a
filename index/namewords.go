package index

import (
	"cmp"
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
	"pubd/index/text"
)

// nameWords are the words of each distinct folded name except "the" and "and", and those of alternative names, which
// are numbered after the names, with those of brands last.
type nameWords struct {
	starts []uint32 // the words of name i are words[starts[i]:starts[i+1]]
	words  []uint32 // twice the slot of the word, plus 1 for a generic word
	// The alternative names of alternate[i] are
	// alternativeNames[alternatives[i]] to alternativeNames[alternatives[i+1]-1].
	has                                       postings.Counted // alternate
	brands                                    []uint32         // one: the first name that is a brand
	alternate, alternatives, alternativeNames []uint32
}

// A slot is the number of a word among the terms of names plus 1. The word st at the end of a name is finalSt: it is
// not a saint.
const finalSt = 0

// slotOf returns the slot of a word; ok is false if no name has the word.
func slotOf(terms *text.Dictionary, word []byte, last bool) (slot uint32, ok bool) {
	if last && string(word) == "st" {
		return finalSt, true
	}
	number, ok := terms.Find(word)
	return number + 1, ok
}

// newNameWords returns the words of names, all of which are terms.
func newNameWords(f *fieldTexts, terms *text.Dictionary) nameWords {
	w := nameWords{starts: make([]uint32, 1, f.bounds[fieldBrand]+1), brands: []uint32{f.bounds[fieldAltName]}, alternatives: []uint32{0}}
	var words text.Phrase
	for _, name := range f.texts.Between(f.between(fieldName, fieldBrand)) {
		words = words[:0].AppendWords(name).WithoutFiller()
		for i, word := range words {
			slot, _ := slotOf(terms, word, i == len(words)-1)
			slot *= 2
			if text.ClassOf(word).Is(text.Generic) {
				slot++
			}
			w.words = append(w.words, slot)
		}
		w.starts = append(w.starts, spool.Uint32(len(w.words)))
	}
	type alternative struct{ pub, name uint32 }
	var all []alternative
	for name, end := f.between(fieldAltName, fieldBrand); name < end; name++ {
		for _, pub := range f.appendPubs(nil, []uint32{name}) {
			all = append(all, alternative{pub, name})
		}
	}
	slices.SortFunc(all, func(a, b alternative) int {
		return cmp.Or(cmp.Compare(a.pub, b.pub), cmp.Compare(a.name, b.name))
	})
	for i, one := range all {
		if i == 0 || all[i-1].pub != one.pub {
			w.alternate = append(w.alternate, one.pub)
			w.alternatives = append(w.alternatives, uint32(i))
		}
		w.alternativeNames = append(w.alternativeNames, one.name)
		w.alternatives[len(w.alternatives)-1] = spool.Uint32(i + 1)
	}
	return w
}

// named returns the words of a name.
func (w *nameWords) named(name uint32) []uint32 { return w.words[w.starts[name]:w.starts[name+1]] }

// isBrand reports whether a name is a brand.
func (w *nameWords) isBrand(name uint32) bool { return name >= w.brands[0] }

// hasBrands reports whether any name is a brand.
func (w *nameWords) hasBrands() bool { return int(w.brands[0]) < len(w.starts)-1 }

// others returns the numbers of the alternative names and of the brand of a pub.
func (w *nameWords) others(pub uint32) []uint32 {
	if len(w.alternate) == 0 || !w.has.Has(pub) {
		return nil
	}
	at := w.has.UpTo(pub) - 1
	return w.alternativeNames[w.alternatives[at]:w.alternatives[at+1]]
}

// code writes or reads the words of a number of names and of the alternative names of a number of pubs.
func (w *nameWords) code(f indexfile.Codec, names, terms, size int) {
	indexfile.Array(f, "names.words.starts", &w.starts)
	indexfile.Array(f, "names.words", &w.words)
	f.Check(len(w.starts) > names, "names.words.starts", "it is too short")
	indexfile.CheckOffsets(f.Reader, "names.words.starts", w.starts, len(w.words))
	indexfile.CheckBelow(f.Reader, "names.words", w.words, 2*(terms+1))
	indexfile.ArrayN(f, "names.brands", &w.brands, 1)
	indexfile.Array(f, "names.alternate", &w.alternate)
	indexfile.ArrayN(f, "names.alternatives", &w.alternatives, len(w.alternate)+1)
	indexfile.Array(f, "names.alternatives.of", &w.alternativeNames)
	indexfile.CheckOffsets(f.Reader, "names.alternatives", w.alternatives, len(w.alternativeNames))
	indexfile.CheckBelow(f.Reader, "names.alternatives.of", w.alternativeNames, len(w.starts)-1)
	if indexfile.CheckBelow(f.Reader, "names.alternate", w.alternate, size) {
		w.has = postings.CountedOf(w.alternate, size)
		f.Check(w.has.Len() == len(w.alternate), "names.alternate", "it has a pub twice")
	}
}
