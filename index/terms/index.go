// Package terms has the pubs of each word.
//
// There is one dictionary, which has the words of all fields (index.go). A word of a query, in a [Mode], is a set of its
// terms: the word as it is written, what it begins, what counts as the same, what it is inside of, what it may be
// corrected to (expand.go). A pub matches if it has one of them in some [Fields] (words.go). Relevance and highlights ask
// the same terms.
//
// An Index is immutable, a [Workspace] serves one goroutine. The sets of a query's [Words] are found once.
package terms

import (
	"bytes"

	"pubd/index/indexfile"
	"pubd/index/postings"
	"pubd/index/text"
)

// Index has the pubs of terms. It is immutable and safe for concurrent use.
type Index struct {
	pubs int
	// Words has the terms of all fields, with the pubs that have each in name, location or area.
	Words text.Vocabulary
	// The layers are of names, of locations and areas, of the fields that Words has not (address, category and postcode),
	// and of categories alone.
	Named, Local, rest, category text.Layer
	// The joined words are neighbouring words of a field, written together: of names, of locations and areas, and of
	// postcodes.
	joinedNames, joinedLocal, joinedCodes text.Vocabulary
	fuzzy                                 text.FuzzyIndex // of the terms
	// These are sets of pubs by term, without prefixes; one that another one equals is not repeated. wholes has the pubs
	// with a term among their name words, place words and codes: if it is missing, they are those of Words or, if there
	// are none, those of placed. placed has those with it among their place words and codes: if it is missing, they are
	// those of codes. codes has those with it among their codes.
	wholes, placed, codes postings.Sparse
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

// Read reads the index of a number of pubs from the sections of a file.
func Read(r *indexfile.Reader, pubs int) *Index {
	x, f := &Index{pubs: pubs, Words: text.Vocabulary{Terms: &text.Dictionary{}}}, indexfile.Reading(r)
	x.Words.Terms.Code(f, AllWords+".terms")
	terms := x.Words.Terms.Len()
	x.Words.Layer.Code(f, AllWords, terms, pubs)
	x.Named.Code(f, Named, terms, pubs)
	x.Local.Code(f, Local, terms, pubs)
	x.rest.Code(f, Rest, terms, pubs)
	x.category.Code(f, Category, terms, pubs)
	x.wholes.Code(f, Whole, terms, pubs)
	x.placed.Code(f, Placed, terms, pubs)
	x.codes.Code(f, Codes, terms, pubs)
	x.joinedNames.Code(f, JoinedNames, pubs)
	x.joinedLocal.Code(f, JoinedLocal, pubs)
	x.joinedCodes.Code(f, JoinedCodes, pubs)
	x.fuzzy.Terms = x.Words.Terms
	x.fuzzy.Code(f, AllWords)
	return x
}

// Len returns the number of pubs.
func (x *Index) Len() int { return x.pubs }

// ofTerm returns the set of a word, which of returns by its number; none if it is no term.
func (x *Index) ofTerm(word []byte, of func(term uint32) postings.Set) postings.Set {
	if number, ok := x.Words.Terms.Find(word); ok {
		return of(number)
	}
	return postings.Set{}
}

// Exact returns the pubs that have a word in a layer.
func (x *Index) Exact(l *text.Layer, word []byte) postings.Set { return x.ofTerm(word, l.At) }

// Whole returns the pubs that have a term among their name words, place words and codes.
func (x *Index) Whole(term uint32) postings.Set {
	if set := x.Words.At(term); set.Len() > 0 && !x.wholes.Has(term) {
		return set
	}
	return x.beyond(term)
}

// beyond returns the same pubs, if Words has not the same.
func (x *Index) beyond(term uint32) postings.Set {
	if x.wholes.Has(term) {
		return x.wholes.At(term)
	}
	if x.Words.At(term).Len() > 0 {
		return postings.Set{}
	}
	return x.Placed(term)
}

// Placed returns the pubs that have a term among their place words and codes.
func (x *Index) Placed(term uint32) postings.Set {
	if x.placed.Has(term) {
		return x.placed.At(term)
	}
	return x.codes.At(term)
}

// PlacedIn returns the pubs that have a word among their place words and codes.
func (x *Index) PlacedIn(word []byte) postings.Set { return x.ofTerm(word, x.Placed) }

// CodesOf returns the pubs that have a word among their codes.
func (x *Index) CodesOf(word []byte) postings.Set { return x.ofTerm(word, x.codes.At) }

// IsTerm reports whether a word is a term, given by its number.
func (x *Index) IsTerm(number uint32, word []byte) bool {
	return string(x.Words.Terms.At(number)) == string(word)
}

// AppendBegun appends sets whose union is the pubs that have one of the terms that begin with a word in name, location or
// area, and those that have that word among their codes or, with whole, anywhere.
func (x *Index) AppendBegun(dst []postings.Set, word []byte, r text.Range, whole bool) []postings.Set {
	if r.Low == r.High {
		return dst
	}
	dst = x.Words.AppendRange(dst, r)
	if x.IsTerm(r.Low, word) {
		set := x.codes.At(r.Low)
		if whole {
			set = x.beyond(r.Low)
		}
		if set.Len() > 0 {
			dst = append(dst, set)
		}
	}
	return dst
}

// Called returns the pubs that have all words, whole, in their names.
func (x *Index) Called(words text.Phrase, w *Workspace, pool *postings.Pool) postings.Set {
	operands := w.operands[:0]
	for _, word := range words {
		found := x.Exact(&x.Named, word)
		if found.Len() == 0 {
			return found
		}
		operands = append(operands, found)
	}
	w.operands = operands
	return pool.Intersect(operands)
}

// Written returns the pubs that have a word in a layer or, if it is a last word, one that begins with it.
func (x *Index) Written(l *text.Layer, word []byte, last bool, pending *[]postings.Set, pool *postings.Pool) postings.Set {
	if !last {
		return x.Exact(l, word)
	}
	*pending = l.AppendRange((*pending)[:0], x.Words.Terms.PrefixRange(word))
	return pool.Union(*pending)
}

// Granting returns sets whose union is the pubs that have a word, whole, in their names or their category; a generic one
// also with an s more, or without its own. They are valid until the next call.
func (x *Index) Granting(word []byte, w *Workspace) []postings.Set {
	pending := append(w.pending[:0], x.Exact(&x.Named, word), x.Exact(&x.category, word))
	if text.ClassOf(word).Is(text.Generic) {
		w.run = append(append(w.run[:0], word...), 's')
		for _, other := range [...][]byte{w.run, bytes.TrimSuffix(word, []byte("s"))} {
			pending = append(pending, x.Exact(&x.Named, other), x.Exact(&x.category, other))
		}
	}
	w.pending = pending
	return pending
}
