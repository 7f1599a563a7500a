package text

import (
	"bytes"
	"iter"
	"slices"

	"pubd/index/spool"
)

// Inverter collects the terms of numbered texts. It is used by one goroutine.
type Inverter struct {
	space *spool.Space
	terms *Interner
	texts *spool.Array[termTexts] // by term
	found *spool.Array[occurrence]
	run   []byte // of words written together
}

// termTexts is the number of texts of a term, and the last of them.
type termTexts struct{ count, last uint32 }

type occurrence struct{ term, text uint32 }

// NewInverter returns an inverter without terms, whose memory is in a space.
func NewInverter(space *spool.Space) *Inverter {
	return &Inverter{space: space, terms: NewInterner(space), texts: spool.New[termTexts](space), found: spool.New[occurrence](space)}
}

// Add notes that a text has a term. The numbers of the texts of a term must ascend; a repeated one has no effect.
func (v *Inverter) Add(term []byte, text uint32) {
	number := v.number(term)
	t := &v.texts.Values()[number]
	if t.count > 0 && t.last == text {
		return
	}
	t.count, t.last = t.count+1, text
	v.found.Append(occurrence{number, text})
}

// addRun notes that at least one text has a term. Their numbers ascend and are counted from first.
func (v *Inverter) addRun(term []byte, texts []uint32, first uint32) {
	number := v.number(term)
	t := &v.texts.Values()[number]
	t.count += uint32(len(texts))
	t.last = first + texts[len(texts)-1]
	found := v.found.Extend(len(texts))
	for i, text := range texts {
		found[i] = occurrence{number, first + text}
	}
}

// AddWords adds the words of a folded text and their other spellings.
func (v *Inverter) AddWords(folded []byte, text uint32) {
	words := Phrase(nil).AppendWords(folded)
	for i, word := range words {
		v.Add(word, text)
		for _, synonym := range Synonyms(word, i == len(words)-1) {
			v.Add([]byte(synonym), text)
		}
	}
}

// number returns the number of a term.
func (v *Inverter) number(term []byte) uint32 {
	number, isNew := v.terms.Intern(term)
	if isNew {
		v.texts.Extend(1)
	}
	return number
}

// Inversion returns the inversion. The inverter must not be used any more.
func (v *Inverter) Inversion() *Inversion {
	x := &Inversion{terms: v.terms, order: spool.New[uint32](v.space), lists: spool.New[uint64](v.space), texts: spool.New[uint32](v.space)}
	order := x.order.Extend(v.terms.Len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(v.terms.At(a), v.terms.At(b)) })
	next := spool.New[uint64](v.space) // by term, where its next text belongs
	places, end := next.Extend(len(order)), uint64(0)
	x.lists.Append(0)
	for _, term := range order {
		places[term] = end
		end += uint64(v.texts.Values()[term].count)
		x.lists.Append(end)
	}
	v.texts.Release()
	texts := x.texts.Extend(int(end))
	for _, one := range v.found.Values() {
		texts[places[one.term]] = one.text
		places[one.term]++
	}
	next.Release()
	v.found.Release()
	return x
}

// Inversion has ascending terms and, for each, the ascending numbers of the texts that have it.
type Inversion struct {
	terms *Interner
	order *spool.Array[uint32] // of the terms
	lists *spool.Array[uint64] // the texts of term i in this order are texts[lists[i]:lists[i+1]]
	texts *spool.Array[uint32]
}

// Release frees the memory.
func (x *Inversion) Release() {
	x.terms.Release()
	x.order.Release()
	x.lists.Release()
	x.texts.Release()
}

// Len returns the number of terms.
func (x *Inversion) Len() int { return x.order.Len() }

// At returns a term by its number, and its texts.
func (x *Inversion) At(number int) (term []byte, texts []uint32) {
	lists := x.lists.Values()[number : number+2]
	return x.terms.At(x.order.Values()[number]), x.texts.Values()[lists[0]:lists[1]]
}

// All yields each term and its texts.
func (x *Inversion) All() iter.Seq2[[]byte, []uint32] {
	return func(yield func(term []byte, texts []uint32) bool) {
		for i := range x.Len() {
			if !yield(x.At(i)) {
				return
			}
		}
	}
}

// Among yields each term with those of its texts whose numbers are low <= n < high, which may be none.
func (x *Inversion) Among(low, high uint32) iter.Seq2[[]byte, []uint32] {
	return func(yield func(term []byte, texts []uint32) bool) {
		for term, texts := range x.All() {
			if !yield(term, Among(texts, low, high)) {
				return
			}
		}
	}
}

// Among returns those of ascending numbers that are low <= n < high.
func Among(numbers []uint32, low, high uint32) []uint32 {
	if len(numbers) == 0 || numbers[len(numbers)-1] < low || numbers[0] >= high {
		return nil
	}
	start, _ := slices.BinarySearch(numbers, low)
	end, _ := slices.BinarySearch(numbers[start:], high)
	return numbers[start : start+end]
}

// AddJoined adds the neighbouring words of a folded text, written together: runs of 2 to MaxJoined words, and all
// words, each with and without "the" and "and". Most of these terms are in only one text, for which a segment of bleve
// costs ten times as much.
func (v *Inverter) AddJoined(folded []byte, text uint32) {
	words := Phrase(nil).AppendWords(folded)
	add := func(_, _ int, run []byte) { v.Add(run, text) }
	words.EachRun(2, nil, &v.run, add)
	all := len(words)
	if words = words.WithoutFiller(); len(words) < all {
		words.EachRun(2, nil, &v.run, add)
	}
}
