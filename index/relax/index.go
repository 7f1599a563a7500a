package relax

import (
	"pubd/index/indexfile"
	"pubd/index/text"
)

// Index is the prepared data for relaxing. It is immutable and safe for concurrent use.
type Index struct {
	pubs int
	// wide has the words of all five fields, named those of the name, and placed those of location and area.
	wide, named, placed text.Vocabulary
	// joined has neighbouring words of a field, written together.
	joined text.Vocabulary
	// fuzzy finds misspelt terms of wide.
	fuzzy text.FuzzyIndex
}

// The names of the vocabularies that only relaxing reads.
const (
	WideWords   = "wide" // absent if pubs have no fields besides name and location
	PlacedWords = "placed"
	JoinedWords = "joined"
)

// Read reads the index of a number of pubs from the sections of a file. words and named, which have sections of their own, have the words of
// names and locations, and of names.
func Read(r *indexfile.Reader, pubs int, words, named text.Vocabulary) *Index {
	x := &Index{pubs: pubs, wide: words, named: named}
	if r.Has(WideWords + ".terms.arena") {
		x.wide = text.ReadVocabulary(r, WideWords, pubs)
	}
	x.placed = text.ReadVocabulary(r, PlacedWords, pubs)
	x.joined = text.ReadVocabulary(r, JoinedWords, pubs)
	x.fuzzy = text.ReadFuzzyIndex(r, WideWords, &x.wide.Terms)
	return x
}

// Terms returns the words of all fields.
func (x *Index) Terms() *text.Dictionary { return &x.wide.Terms }

// AppendMatches appends the ranges of the terms that a misspelling may stand for.
func (x *Index) AppendMatches(dst []text.Range, m *text.FuzzyMatcher, of text.Misspelling) []text.Range {
	return m.Append(dst, &x.fuzzy, of)
}

// WriteTerms writes the prepared data about the words of all fields, except their vocabulary.
func WriteTerms(w *indexfile.Writer, wide *text.Dictionary) {
	x := text.NewFuzzyIndex(wide)
	x.Write(w, WideWords)
}
