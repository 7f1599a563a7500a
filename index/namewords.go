package index

import (
	"slices"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/text"
)

// nameWords are the words of each distinct folded name except "the" and "and", as numbers in the vocabulary of names. All spellings of a word have
// the same number.
type nameWords struct {
	starts []uint32 // the words of name i are words[starts[i]:starts[i+1]]
	words  []uint32 // twice the number, plus 1 for a generic word
}

// newNameWords returns the words of names, all of which are terms.
func newNameWords(n *names, terms *text.Dictionary) nameWords {
	w := nameWords{starts: make([]uint32, 1, n.folded.Len()+1)}
	var words text.Phrase
	for name := range uint32(n.folded.Len()) {
		words = words[:0].AppendWords(n.folded.At(name))
		for i, word := range words {
			if text.IsStop(word) {
				continue
			}
			number, _ := terms.Find(text.Canonical(word, i == len(words)-1))
			number *= 2
			if text.IsGeneric(word) {
				number++
			}
			w.words = append(w.words, number)
		}
		w.starts = append(w.starts, uint32(len(w.words)))
	}
	return w
}

// appendAsked returns the numbers that match the words of a query, of which the last one may be a prefix, in the memory of a bitmap.
func appendAsked(dst postings.Bitmap, terms *text.Vocabulary, words text.Phrase) postings.Bitmap {
	size := (terms.Terms.Len() + 63) / 64
	dst = slices.Grow(dst[:0], size)[:size]
	clear(dst)
	for i, word := range words {
		last := i == len(words)-1
		if last {
			r := terms.PrefixRange(word)
			for number := r.Low; number < r.High; number++ {
				dst.Add(number)
			}
		} else if number, ok := terms.Terms.Find(word); ok {
			dst.Add(number)
		}
		for canonical := range text.CanonicalOf(word, last) {
			if number, ok := terms.Terms.Find(canonical); ok {
				dst.Add(number)
			}
		}
	}
	return dst
}

// of returns the words of a name.
func (w *nameWords) of(name int) []uint32 { return w.words[w.starts[name]:w.starts[name+1]] }

// missing returns the number of words of a name that the query lacks, in halves, because generic words count half.
func (w *nameWords) missing(name int, asked postings.Bitmap) (halves int) {
	for _, word := range w.of(name) {
		if !asked.Has(word / 2) {
			halves += 2 - int(word%2)
		}
	}
	return halves
}

func (w *nameWords) write(file *indexfile.Writer) {
	indexfile.Put(file, "names.words.starts", w.starts)
	indexfile.Put(file, "names.words", w.words)
}

func readNameWords(r *indexfile.Reader, names, terms int) nameWords {
	w := nameWords{indexfile.TakeN[uint32](r, "names.words.starts", names+1), indexfile.Take[uint32](r, "names.words")}
	indexfile.CheckOffsets(r, "names.words.starts", w.starts, len(w.words))
	indexfile.CheckBelow(r, "names.words", w.words, 2*terms)
	return w
}
