package text

import (
	"bytes"
	"iter"
	"slices"

	"pubd/index/postings"
	"pubd/index/spool"
)

// Inverter collects the terms of numbered texts. It is used by one goroutine.
type Inverter struct {
	space *spool.Space
	terms *Interner
	texts *spool.Array[termTexts] // by term
	found *spool.Array[occurrence]
}

// termTexts is the number of texts of a term, and the last of them.
type termTexts struct{ count, last uint32 }

type occurrence struct{ term, text uint32 }

// NewInverter returns an inverter without terms, whose memory is in a space.
func NewInverter(space *spool.Space) *Inverter {
	return &Inverter{space, NewInterner(space), spool.New[termTexts](space), spool.New[occurrence](space)}
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
	for rest := bytes.TrimSpace(folded); len(rest) > 0; {
		word, after, _ := bytes.Cut(rest, space)
		v.Add(word, text)
		for _, synonym := range Synonyms(word, len(after) == 0) {
			v.Add([]byte(synonym), text)
		}
		rest = after
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
	order := v.inOrder()
	x := &Inversion{arena: spool.New[byte](v.space), starts: spool.New[uint32](v.space), lists: spool.New[uint64](v.space), texts: spool.New[uint32](v.space)}
	next := spool.New[uint64](v.space) // by term, where its next text belongs
	next.Extend(v.texts.Len())
	x.starts.Append(0)
	x.lists.Append(0)
	end := uint64(0)
	for _, term := range order.Values() {
		x.arena.Append(v.terms.At(term)...)
		x.starts.Append(spool.Uint32(x.arena.Len()))
		next.Values()[term] = end
		end += uint64(v.texts.Values()[term].count)
		x.lists.Append(end)
	}
	order.Release()
	v.terms.Release()
	v.texts.Release()
	texts, places := x.texts.Extend(int(end)), next.Values()
	for _, one := range v.found.Values() {
		texts[places[one.term]] = one.text
		places[one.term]++
	}
	next.Release()
	v.found.Release()
	return x
}

// inOrder returns the numbers of the terms in ascending order of the terms.
func (v *Inverter) inOrder() *spool.Array[uint32] {
	order := spool.New[uint32](v.space)
	for i := range order.Extend(v.terms.Len()) {
		order.Values()[i] = uint32(i)
	}
	slices.SortFunc(order.Values(), func(a, b uint32) int { return bytes.Compare(v.terms.At(a), v.terms.At(b)) })
	return order
}

// Inversion has ascending terms and, for each, the ascending numbers of the texts that have it.
type Inversion struct {
	arena  *spool.Array[byte]
	starts *spool.Array[uint32] // term i is arena[starts[i]:starts[i+1]]
	lists  *spool.Array[uint64] // its texts are texts[lists[i]:lists[i+1]]
	texts  *spool.Array[uint32]
}

// Release frees the memory.
func (x *Inversion) Release() {
	x.arena.Release()
	x.starts.Release()
	x.lists.Release()
	x.texts.Release()
}

// Len returns the number of terms.
func (x *Inversion) Len() int { return x.starts.Len() - 1 }

// At returns a term by its number, and its texts.
func (x *Inversion) At(number int) (term []byte, texts []uint32) {
	starts, lists := x.starts.Values()[number:number+2], x.lists.Values()[number:number+2]
	return x.arena.Values()[starts[0]:starts[1]], x.texts.Values()[lists[0]:lists[1]]
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

// SameAs returns which terms of another inversion have, between its texts low and high, the same texts as in x, by
// their numbers there, and the same by their numbers in x. It leaves out those that would need the union of a prefix.
func (x *Inversion) SameAs(other *Inversion, low, high uint32, options VocabularyOptions) (there, here postings.Counted) {
	thereOnes, hereOnes := postings.NewBitmap(other.Len()), postings.NewBitmap(x.Len())
	prefix := func(i int) []byte {
		term, _ := x.At(i)
		return term[:min(len(term), options.MinPrefix)]
	}
	at := 0
	for i := 0; i < x.Len(); {
		end, total := i, 0
		for ; end < x.Len() && bytes.Equal(prefix(i), prefix(end)); end++ {
			_, texts := x.At(end)
			total += len(texts)
		}
		for ; i < end; i++ {
			term, texts := x.At(i)
			for at < other.Len() && other.isBefore(at, term) {
				at++
			}
			if at == other.Len() || total >= options.LeastUnion() {
				continue
			}
			if same, all := other.At(at); bytes.Equal(same, term) && slices.Equal(Among(all, low, high), texts) {
				thereOnes.Add(uint32(at))
				hereOnes.Add(uint32(i))
			}
		}
	}
	return postings.NewCounted(thereOnes), postings.NewCounted(hereOnes)
}

func (x *Inversion) isBefore(number int, term []byte) bool {
	own, _ := x.At(number)
	return bytes.Compare(own, term) < 0
}

// Without yields the terms whose numbers are not in a set, and their texts.
func (x *Inversion) Without(numbers postings.Counted) iter.Seq2[[]byte, []uint32] {
	return func(yield func(term []byte, texts []uint32) bool) {
		for i := range x.Len() {
			if !numbers.Has(uint32(i)) && !yield(x.At(i)) {
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

// MaxJoined is the maximum number of neighbouring words written together.
const MaxJoined = 3

// AddJoined adds the neighbouring words of a folded text, written together: runs of 2 to MaxJoined words, and all
// words, each with and without "the" and "and". Most of these terms are in only one text, for which a segment of bleve
// costs ten times as much.
func (v *Inverter) AddJoined(folded []byte, text uint32) {
	words := Phrase(nil).AppendWords(folded)
	v.addRuns(words, text)
	all := len(words)
	if words = words.WithoutFiller(); len(words) < all {
		v.addRuns(words, text)
	}
}

func (v *Inverter) addRuns(words Phrase, text uint32) {
	var room [64]byte
	for i := range max(0, len(words)-1) {
		term := room[:0]
		for n, word := range words[i:min(i+MaxJoined, len(words))] {
			if term = append(term, word...); n > 0 {
				v.Add(term, text)
			}
		}
	}
	if len(words) > MaxJoined {
		v.Add(bytes.Join(words, nil), text)
	}
}
