package relax

import (
	"pubd/index/postings"
	"pubd/index/text"
)

// Explained is how a word of an answer matched: the pubs that have it or a correction of it in the name, and in any field; the pubs that have it
// uncorrected, possibly joined; and the pubs that have a word at most one edit away.
type Explained struct {
	Named, Wide, Standing, Close postings.Set
	Misspelt
}

// Explain returns how each word of an answer matched. The sets are valid until the workspace is used again.
func (x *Index) Explain(a *Answer, w *Workspace) []Explained {
	l := Ladder{Index: x, w: w}
	words := w.explained[:0]
	for i, place := range w.places {
		last := a.IsLast(i)
		e := Explained{Standing: l.postings(known, place, last), Misspelt: a.Misspelt[i]}
		var corrections []text.Range
		if e.Edits > 0 {
			corrections = l.corrections(a.mode, place, last)
		}
		r := append(l.read(known, a.Words[i], last).wide, corrections...)
		w.wide = r
		e.Named, e.Wide = l.in(&l.named, r, &w.sets), l.union(readings{wide: r}, &w.sets)
		if e.Edits > 1 {
			w.wide = l.appendWithin(w.wide[:0], a.Words[i], Misspelt{1, e.AnyFirst}, last)
			e.Close = l.union(readings{wide: w.wide}, &w.sets)
		}
		words = append(words, e)
	}
	w.explained = words
	return words
}

// IsLast reports whether word i is matched as a last word, that is, as a prefix, too.
func (a *Answer) IsLast(i int) bool { return a.ends && i == len(a.Words)-1 }

// Abbreviates reports whether words may be abbreviated or spelt out.
func (a *Answer) Abbreviates() bool { return a.mode != wider && a.mode != joined }

// Joins reports whether a word may match several words of a field written together.
func (a *Answer) Joins() bool { return a.mode != wider && a.mode != spelt }

// JoinsRuns reports whether neighbouring words of the query may be written together.
func (a *Answer) JoinsRuns() bool { return a.runs }
