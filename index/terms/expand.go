package terms

import (
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// Mode is how a word of a query may match the words of a pub.
type Mode uint8

// The modes.
const (
	AsItStands Mode = iota // as a query that is not relaxed
	Known                  // in any field, as one of the same words, or joined
	Infix                  // or inside a word
	Typo                   // as Known or, if no pub has it, misspelt
	Loose                  // as Known or, except for words of places, misspelt
	Looser                 // the same, words of places, too
	modeCount
)

// Fields are those in which a word is looked for.
type Fields uint8

// The fields.
const (
	Anywhere Fields = iota
	InName
	InPlace // location, area and codes
	fieldsCount
)

// MinJoinedPrefix is the minimum length, in characters, of a last word that may begin a joined one.
const MinJoinedPrefix = 4

// Terms is the terms that a word of a query may be.
type Terms struct {
	// Ranges are of the words of the dictionary.
	Ranges []text.Range
	// Joined are texts of words written together.
	Joined []Form
}

// Form is a text or, if Prefix is set, its beginning.
type Form struct {
	Text   []byte
	Prefix bool
}

// EachSpelling calls do with a word and what counts as the same.
func EachSpelling(word []byte, do func(spelling []byte)) {
	do(word)
	for _, other := range text.Same(word) {
		do([]byte(other))
	}
}

// appendKnown appends what a word, perhaps the last one, matches without correction.
func (x *Index) appendKnown(t Terms, word []byte, last bool) Terms {
	t.Ranges = x.AppendWritten(t.Ranges, word, last)
	for _, other := range text.Same(word) {
		t.Ranges = x.AppendWritten(t.Ranges, []byte(other), false)
	}
	t.Joined = append(t.Joined, JoinedForm(word, last))
	return t
}

// JoinedForm returns what a word, perhaps the last one, may be as words written together.
func JoinedForm(word []byte, last bool) Form {
	return Form{word, last && utf8.RuneCount(word) >= MinJoinedPrefix}
}

// AppendWritten appends the range of the terms that equal a word or, if it is a last word, begin with it, unless it is
// empty.
func (x *Index) AppendWritten(dst []text.Range, word []byte, last bool) []text.Range {
	if last {
		if r := x.Words.Terms.PrefixRange(word); r.Low < r.High {
			dst = append(dst, r)
		}
	} else if number, ok := x.Words.Terms.Find(word); ok {
		dst = append(dst, text.Range{Low: number, High: number + 1})
	}
	return dst
}

// Known returns what a word matches without correction. It is valid until the next call.
func (x *Index) Known(word []byte, last bool, w *Workspace) Terms {
	w.known = x.appendKnown(Terms{w.known.Ranges[:0], w.known.Joined[:0]}, word, last)
	return w.known
}

// appendTerms appends sets whose union is the pubs that have one of some terms in some fields.
func (x *Index) appendTerms(dst []postings.Set, in Fields, terms []text.Range) []postings.Set {
	for _, r := range terms {
		switch in {
		case Anywhere:
			dst = x.rest.AppendRange(x.Words.AppendRange(dst, r), r)
		case InName:
			dst = x.Named.AppendRange(dst, r)
		case InPlace:
			dst = x.Local.AppendRange(dst, r)
		}
	}
	return dst
}

// appendJoined appends sets whose union is the pubs that have one of some joined words in some fields.
func (x *Index) appendJoined(dst []postings.Set, in Fields, forms []Form) []postings.Set {
	for _, f := range forms {
		if in != InPlace {
			dst = appendForm(dst, &x.joinedNames, f)
		}
		if in != InName {
			dst = appendForm(dst, &x.joinedLocal, f)
		}
		if in == Anywhere {
			dst = appendForm(dst, &x.joinedCodes, f)
		}
	}
	return dst
}

func appendForm(dst []postings.Set, v *text.Vocabulary, f Form) []postings.Set {
	if f.Prefix {
		return v.AppendRange(dst, v.Terms.PrefixRange(f.Text))
	}
	if having := v.Exact(f.Text); having.Len() > 0 {
		dst = append(dst, having)
	}
	return dst
}

// appendHaving appends sets whose union is the pubs that have one of some terms in some fields.
func (x *Index) appendHaving(dst []postings.Set, in Fields, t Terms) []postings.Set {
	return x.appendJoined(x.appendTerms(dst, in, t.Ranges), in, t.Joined)
}

// Having returns the pubs that have one of some terms in some fields, in the memory of a pool.
func (x *Index) Having(in Fields, t Terms, w *Workspace, pool *postings.Pool) postings.Set {
	w.pending = x.appendHaving(w.pending[:0], in, t)
	return pool.Union(w.pending)
}
