package relax

import (
	"pubd/index/indexfile"
	"pubd/index/strict"
	"pubd/index/text"
)

// Index is the prepared data for relaxing. It is immutable and safe for concurrent use.
type Index struct {
	pubs   int
	strict *strict.Index
	// wide has the words of all fields.
	wide text.Vocabulary
	// The others have neighbouring words of a field, written together: of names, of locations and areas, and of postcodes.
	joinedNames, joinedLocal, joinedCodes text.Vocabulary
	// fuzzy finds misspelt terms of wide.
	fuzzy text.FuzzyIndex
}

// The names of the vocabularies that only relaxing reads.
const (
	WideWords   = "wide"
	JoinedNames = "joined.names"
	JoinedLocal = "joined.local"
	JoinedCodes = "joined.codes"
)

// Read reads the index of a number of pubs from the sections of a file.
func Read(r *indexfile.Reader, pubs int, strict *strict.Index) *Index {
	x := &Index{pubs: pubs, strict: strict, wide: text.ReadVocabulary(r, WideWords, pubs)}
	x.joinedNames = text.ReadVocabulary(r, JoinedNames, pubs)
	x.joinedLocal = text.ReadVocabulary(r, JoinedLocal, pubs)
	x.joinedCodes = text.ReadVocabulary(r, JoinedCodes, pubs)
	x.fuzzy = text.ReadFuzzyIndex(r, WideWords, &x.wide.Terms)
	return x
}

// WriteTerms writes the prepared data about the words of all fields, except their vocabulary.
func WriteTerms(w *indexfile.Writer, wide *text.Dictionary) {
	x := text.NewFuzzyIndex(wide)
	x.Write(w, WideWords)
}
