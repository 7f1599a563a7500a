// Package match finds the pubs that the words of a query mean.
//
// A query word, in a [mode], is a set of terms of one dictionary, which has the words of all fields: the word as it is
// written, what it begins, what counts as the same, what it is inside of, what it may be corrected to. A pub matches if
// it has one of them in a layer of fields (terms.go). Relevance and highlights ask the same set ([Index.Terms]).
//
// A query is read once (read.go): which places it names, and what it says besides. It is answered by the first of some
// attempts, which are a table (attempts.go), from what is asked for (asked.go) over the query as it stands (strict.go)
// to loose guesses (partial.go). The attempt that answers says what was matched, and what was not used (told.go).
//
// An Index is immutable, a [Workspace] serves one goroutine. Sets are found once for each word; an attempt intersects
// them.
package match

import (
	"pubd/geo"
	"pubd/index/indexfile"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/text"
)

// Index is the prepared data for matching. It is immutable and safe for concurrent use.
type Index struct {
	pubs int
	// Words has the terms of all fields, with the pubs that have each in name, location or area.
	Words text.Vocabulary
	Sets
	// The layers are of names, of locations and areas, of the fields that Words has not (address, category and postcode),
	// and of categories alone.
	Named, Local, rest, category text.Layer
	// The joined words are neighbouring words of a field, written together: of names, of locations and areas, and of
	// postcodes.
	joinedNames, joinedLocal, joinedCodes text.Vocabulary
	fuzzy                                 text.FuzzyIndex // of the terms
	// Places, Points and, by pub, the numbers of the rows of the snapshot file are set by the caller.
	Places *places.Index
	Points *geo.Index
	Rows   []uint32
	// HasBrands, set by the caller too, is set if any pub has a brand.
	HasBrands bool
	// Tells, set by the caller too, has the features of which the snapshot tells of any pub whether it has them.
	Tells map[string]bool
}

// Sets are sets of pubs by term, without prefixes. A set that another one equals is not repeated: read them with the
// methods of Index.
type Sets struct {
	// Whole has the pubs with a term among their name words, place words and codes: if it is missing, they are those of
	// Words or, if there are none, those of Placed.
	Whole postings.Sparse
	// Placed has those with it among their place words and codes: if it is missing, they are those of Codes.
	Placed postings.Sparse
	// Codes has those with it among their codes.
	Codes postings.Sparse
}

// The names of the sections that are written by others.
const (
	AllWords    = "words"
	Named       = "named"
	Local       = "local"
	Rest        = "rest"
	Category    = "category"
	JoinedNames = "joined.names"
	JoinedLocal = "joined.local"
	JoinedCodes = "joined.codes"
	Whole       = "words.whole"
	Placed      = "words.placed"
	Codes       = "words.codes"
)

// Read reads the index of a number of pubs from the sections of a file, without Places, Points and Rows.
func Read(r *indexfile.Reader, pubs int) *Index {
	x, f := &Index{pubs: pubs, Words: text.Vocabulary{Terms: &text.Dictionary{}}}, indexfile.Reading(r)
	x.Words.Terms.Code(f, AllWords+".terms")
	terms := x.Words.Terms.Len()
	x.Words.Layer.Code(f, AllWords, terms, pubs)
	x.Named.Code(f, Named, terms, pubs)
	x.Local.Code(f, Local, terms, pubs)
	x.rest.Code(f, Rest, terms, pubs)
	x.category.Code(f, Category, terms, pubs)
	x.Whole.Code(f, Whole, terms, pubs)
	x.Placed.Code(f, Placed, terms, pubs)
	x.Codes.Code(f, Codes, terms, pubs)
	x.joinedNames.Code(f, JoinedNames, pubs)
	x.joinedLocal.Code(f, JoinedLocal, pubs)
	x.joinedCodes.Code(f, JoinedCodes, pubs)
	x.fuzzy.Terms = x.Words.Terms
	x.fuzzy.Code(f, AllWords)
	return x
}
