package relax

import (
	"pubd/index/indexfile"
	"pubd/index/text"
)

// Index is what is prepared for relaxing. It is immutable and safe for concurrent use.
type Index struct {
	pubs int
	// wide is the words of all five fields, named and placed those of the name, and of location and area.
	wide, named, placed text.Vocabulary
	// joined is neighbouring words of a field, written together.
	joined text.Vocabulary
	// trigrams, letters and shapes are of the terms of wide.
	trigrams text.Trigrams
	letters  text.Letters
	shapes   text.Shapes
}

// New prepares an index of so many pubs from its vocabularies.
func New(pubs int, wide, named, placed, joined text.Vocabulary) *Index {
	letters := text.NewLetters(&wide.Terms)
	return &Index{pubs, wide, named, placed, joined, text.NewTrigrams(&wide.Terms), letters, text.NewShapes(&wide.Terms, letters)}
}

// Read returns the index of so many pubs of the sections of a file. words and named, which have sections of their own, are the words of names
// and locations, and of names.
func Read(r *indexfile.Reader, pubs int, words, named text.Vocabulary) *Index {
	x := &Index{pubs: pubs, wide: words, named: named}
	if r.Has("wide.terms.arena") {
		x.wide = text.ReadVocabulary(r, "wide", pubs)
	}
	x.placed = text.ReadVocabulary(r, "placed", pubs)
	x.joined = text.ReadVocabulary(r, "joined", pubs)
	x.trigrams = text.ReadTrigrams(r, "wide.trigrams", &x.wide.Terms)
	x.letters = text.ReadLetters(r, "wide.letters", &x.wide.Terms)
	x.shapes = text.ReadShapes(r, "wide.shapes", &x.wide.Terms)
	return x
}

// Terms is the words of all fields.
func (x *Index) Terms() *text.Dictionary { return &x.wide.Terms }

// AppendMatches appends the ranges of the terms that a misspelling may stand for.
func (x *Index) AppendMatches(dst []text.Range, m *text.FuzzyMatcher, of text.Misspelling) []text.Range {
	return m.Append(dst, &x.wide.Terms, x.letters, of)
}

// Write writes what is not in a section already: named is, and wide where it has no field but name and location.
func (x *Index) Write(w *indexfile.Writer, writeWide bool) {
	if writeWide {
		x.wide.Write(w, "wide")
	}
	x.placed.Write(w, "placed")
	x.joined.Write(w, "joined")
	x.trigrams.Write(w, "wide.trigrams")
	x.letters.Write(w, "wide.letters")
	x.shapes.Write(w, "wide.shapes")
}
