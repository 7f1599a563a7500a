package text

import (
	"cmp"
	"math/bits"
	"slices"
	"unicode/utf8"

	"pubd/index/indexfile"
)

// Shapes are the terms of a dictionary by their lengths and letters, in blocks of alike ones, so that most terms that are too far from a word are
// passed by in blocks.
type Shapes struct {
	terms   []uint32 // by length, then by letters
	letters []uint32 // of these
	// starts[n] is where the terms of n characters begin; the last length stands for all longer ones, too.
	starts []uint32
	// some and all are the letters that any and that all terms of a block have.
	some, all []uint32
}

const (
	shapesBlock = 32
	longestTerm = 63
)

// sortingLetters are first those that about half of all terms have, by which blocks differ most.
const sortingLetters = "earinotlshdcugmpbwykfvxzjq"

// NewShapes returns the shapes of the terms of a dictionary, whose letters are given.
func NewShapes(terms *Dictionary, letters Letters) Shapes {
	type shape struct{ length, key, term uint32 }
	shapes := make([]shape, terms.Len())
	for i := range shapes {
		length := min(longestTerm, utf8.RuneCount(terms.At(uint32(i))))
		shapes[i] = shape{uint32(length), sortingKey(letters[i]), uint32(i)}
	}
	slices.SortFunc(shapes, func(a, b shape) int {
		return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.key, b.key), cmp.Compare(a.term, b.term))
	})
	s := Shapes{starts: make([]uint32, longestTerm+2)}
	for i, shape := range shapes {
		if i%shapesBlock == 0 {
			s.some, s.all = append(s.some, 0), append(s.all, ^uint32(0))
		}
		block := i / shapesBlock
		has := letters[shape.term]
		s.some[block], s.all[block] = s.some[block]|has, s.all[block]&has
		s.terms, s.letters = append(s.terms, shape.term), append(s.letters, has)
		s.starts[shape.length+1]++
	}
	for length := range longestTerm + 1 {
		s.starts[length+1] += s.starts[length]
	}
	return s
}

// sortingKey puts the bits of letters in the order of sortingLetters.
func sortingKey(letters uint32) (key uint32) {
	for _, letter := range sortingLetters {
		key = key<<1 | letters>>(letter-'a')&1
	}
	return key
}

// AppendMisspelt appends the numbers of the terms that are within some edits of a word, in no order.
func (m *FuzzyMatcher) AppendMisspelt(dst []uint32, terms *Dictionary, shapes *Shapes, word []byte, edits int) []uint32 {
	m.begin(word, edits)
	needed := lettersOf(word)
	length := len(m.word)
	low := shapes.starts[max(0, min(longestTerm, length-edits))]
	high := shapes.starts[min(longestTerm, length+edits)+1]
	for at := low; at < high; {
		block := at / shapesBlock
		end := min(high, (block+1)*shapesBlock)
		if bits.OnesCount32(needed&^shapes.some[block]) <= edits && bits.OnesCount32(shapes.all[block]&^needed) <= edits {
			for i, letters := range shapes.letters[at:end] {
				if bits.OnesCount32(needed^letters) > 2*edits || bits.OnesCount32(needed&^letters) > edits || bits.OnesCount32(letters&^needed) > edits {
					continue
				}
				term := shapes.terms[at+uint32(i)]
				if _, ok := m.walk(terms.At(term), false); ok {
					dst = append(dst, term)
				}
			}
		}
		at = end
	}
	return dst
}

// Write writes the arrays as sections of a name.
func (s *Shapes) Write(w *indexfile.Writer, name string) {
	indexfile.Put(w, name+".terms", s.terms)
	indexfile.Put(w, name+".letters", s.letters)
	indexfile.Put(w, name+".starts", s.starts)
	indexfile.Put(w, name+".some", s.some)
	indexfile.Put(w, name+".all", s.all)
}

// ReadShapes returns the shapes of the terms of a dictionary from the sections of a name.
func ReadShapes(r *indexfile.Reader, name string, terms *Dictionary) Shapes {
	blocks := (terms.Len() + shapesBlock - 1) / shapesBlock
	s := Shapes{
		terms:   indexfile.TakeN[uint32](r, name+".terms", terms.Len()),
		letters: indexfile.TakeN[uint32](r, name+".letters", terms.Len()),
		starts:  indexfile.TakeN[uint32](r, name+".starts", longestTerm+2),
		some:    indexfile.TakeN[uint32](r, name+".some", blocks),
		all:     indexfile.TakeN[uint32](r, name+".all", blocks),
	}
	indexfile.CheckBelow(r, name+".terms", s.terms, terms.Len())
	indexfile.CheckOffsets(r, name+".starts", s.starts, terms.Len())
	return s
}
