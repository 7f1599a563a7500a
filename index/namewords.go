package index

import (
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
	"pubd/index/text"
)

// nameWords are the words of each distinct folded name except "the" and "and", and those of alternative names, which
// are numbered after the names.
type nameWords struct {
	starts []uint32 // the words of name i are words[starts[i]:starts[i+1]]
	words  []uint32 // twice the slot of the word, plus 1 for a generic word
	// The alternative names of alternate[i] are
	// alternativeNames[alternatives[i]] to alternativeNames[alternatives[i+1]-1].
	has                                       postings.Counted // alternate
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
	w := nameWords{starts: make([]uint32, 1, f.bounds[fieldAltName]+1), alternatives: []uint32{0}}
	var words text.Phrase
	for _, name := range f.texts.Between(f.between(fieldName, fieldAltName)) {
		words = words[:0].AppendWords(name).WithoutFiller()
		for i, word := range words {
			slot, _ := slotOf(terms, word, i == len(words)-1)
			slot *= 2
			if text.IsGeneric(word) {
				slot++
			}
			w.words = append(w.words, slot)
		}
		w.starts = append(w.starts, spool.Uint32(len(w.words)))
	}
	type alternative struct{ pub, name uint32 }
	var all []alternative
	for name, end := f.between(fieldAltName, fieldAltName); name < end; name++ {
		for _, pub := range f.appendPubs(nil, []uint32{name}) {
			all = append(all, alternative{pub, name})
		}
	}
	slices.SortFunc(all, func(a, b alternative) int {
		if a.pub != b.pub {
			return int(int64(a.pub) - int64(b.pub))
		}
		return int(int64(a.name) - int64(b.name))
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

// others returns the numbers of the alternative names of a pub.
func (w *nameWords) others(pub uint32) []uint32 {
	if len(w.alternate) == 0 || !w.has.Has(pub) {
		return nil
	}
	at := w.has.UpTo(pub) - 1
	return w.alternativeNames[w.alternatives[at]:w.alternatives[at+1]]
}

func (w *nameWords) write(file *indexfile.Writer) {
	indexfile.Put(file, "names.words.starts", w.starts)
	indexfile.Put(file, "names.words", w.words)
	indexfile.Put(file, "names.alternate", w.alternate)
	indexfile.Put(file, "names.alternatives", w.alternatives)
	indexfile.Put(file, "names.alternatives.of", w.alternativeNames)
}

func readNameWords(r *indexfile.Reader, names, terms, size int) nameWords {
	w := nameWords{starts: indexfile.Take[uint32](r, "names.words.starts"), words: indexfile.Take[uint32](r, "names.words")}
	r.Check(len(w.starts) > names, "names.words.starts", "it is too short")
	indexfile.CheckOffsets(r, "names.words.starts", w.starts, len(w.words))
	indexfile.CheckBelow(r, "names.words", w.words, 2*(terms+1))
	w.alternate = indexfile.Take[uint32](r, "names.alternate")
	w.alternatives = indexfile.TakeN[uint32](r, "names.alternatives", len(w.alternate)+1)
	w.alternativeNames = indexfile.Take[uint32](r, "names.alternatives.of")
	indexfile.CheckOffsets(r, "names.alternatives", w.alternatives, len(w.alternativeNames))
	indexfile.CheckBelow(r, "names.alternatives.of", w.alternativeNames, len(w.starts)-1)
	if indexfile.CheckBelow(r, "names.alternate", w.alternate, size) {
		w.has = postings.CountedOf(w.alternate, size)
		r.Check(w.has.Len() == len(w.alternate), "names.alternate", "it has a pub twice")
	}
	return w
}
