package relax

import (
	"unicode/utf8"

	"pubd/index/postings"
	"pubd/index/text"
)

// Misspelling returns how word i of an answer may be misspelt.
func (x *Index) Misspelling(a *Answer, i int, w *Workspace) text.Misspelling {
	return Ladder{Index: x, w: w}.misspelling(a.mode, a.positions[i], a.IsLast(i))
}

// IsInside reports whether a word of an answer may match inside a word.
func (a *Answer) IsInside() bool { return a.mode == infix }

// JoinsRuns reports whether neighbouring words of an answer may be written together.
func (a *Answer) JoinsRuns() bool { return a.mode == known }

// Standing returns the pubs that have word i of an answer as it stands, in any field. The set is valid until the
// workspace is used again.
func (x *Index) Standing(a *Answer, i int, w *Workspace) postings.Set {
	l := Ladder{Index: x, w: w}
	standing := l.postings(known, anywhere, a.positions[i], a.IsLast(i))
	return w.sets.Either(standing, x.strict.CodesOf(a.Words[i]))
}

// EachForm calls do with each term that word i of an answer may be as a whole word: itself, abbreviated or spelt out,
// the rest of a word with "the", a word around it, and its corrections. A term may be repeated, and need not be one of
// any pub.
func (x *Index) EachForm(a *Answer, i int, w *Workspace, do func(term []byte)) {
	l := Ladder{Index: x, w: w}
	word := a.Words[i]
	EachSpelling(word, do)
	switch {
	case a.mode == infix && utf8.RuneCount(word) >= MinInfix:
		w.terms = l.fuzzy.Trigrams.AppendContaining(w.terms[:0], l.terms, word)
		for _, term := range w.terms {
			do(l.terms.At(term))
		}
	case a.mode >= typo:
		for _, r := range l.corrections(a.mode, a.positions[i], a.IsLast(i)) {
			for term := r.Low; term < r.High; term++ {
				do(l.terms.At(term))
			}
		}
	}
}

// EachSpelling calls do with a word, what it abbreviates or its abbreviation, and the rest of a word that may be "the"
// and another one.
func EachSpelling(word []byte, do func(spelling []byte)) {
	do(word)
	if other := Abbreviation(word); other != "" {
		do([]byte(other))
	}
	if rest, cut := CutThe(word); cut {
		do(rest)
	}
}
