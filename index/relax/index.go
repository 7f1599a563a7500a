package relax

import (
	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/spool"
	"pubd/index/strict"
	"pubd/index/text"
)

// Index is the prepared data for relaxing. It is immutable and safe for concurrent use.
type Index struct {
	pubs   int
	strict *strict.Index
	// terms are the words of all fields, which strict.Begun has, too.
	terms *text.Dictionary
	// rest has the words of the fields that strict.Begun has not: address, category and postcode.
	rest text.Vocabulary
	// The others have neighbouring words of a field, written together: of names, of locations and areas, and of
	// postcodes.
	joinedNames, joinedLocal, joinedCodes text.Vocabulary
	// codesJoined has the terms that are words of postcodes written together, by the same pubs as have them among their
	// codes. joinedCodes does not repeat them.
	codesJoined postings.Counted
	// fuzzy finds misspelt terms.
	fuzzy text.FuzzyIndex
}

// The names of the vocabularies that only relaxing reads.
const (
	RestWords   = "rest"
	JoinedNames = "joined.names"
	JoinedLocal = "joined.local"
	JoinedCodes = "joined.codes"
	CodesJoined = "words.codes.joined"
)

// Read reads the index of a number of pubs from the sections of a file.
func Read(r *indexfile.Reader, pubs int, strict *strict.Index) *Index {
	x := &Index{pubs: pubs, strict: strict, terms: &strict.Begun.Terms, fuzzy: text.FuzzyIndex{Terms: &strict.Begun.Terms}}
	f := indexfile.Reading(r)
	x.rest.Code(f, RestWords, pubs)
	x.joinedNames.Code(f, JoinedNames, pubs)
	x.joinedLocal.Code(f, JoinedLocal, pubs)
	x.joinedCodes.Code(f, JoinedCodes, pubs)
	x.codesJoined.Code(f, CodesJoined, x.terms.Len())
	x.fuzzy.Code(f, fuzzyTerms)
	return x
}

// fuzzyTerms begins the names of the sections that find misspelt terms.
const fuzzyTerms = "words"

// WriteTerms writes the prepared data about the words of all fields, except their vocabularies.
func WriteTerms(f indexfile.Codec, space *spool.Space, terms *text.Dictionary) {
	x := text.NewFuzzyIndex(space, terms)
	x.Code(f, fuzzyTerms)
}
