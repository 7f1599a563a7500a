package relax

import (
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/strict"
	"pubd/index/text"
)

// Workspace is the working memory of relaxing. The zero value is ready to use.
type Workspace struct {
	// sets lends sets that last as long as a ladder, attempt those that last until the next attempt, and scratch those
	// that are only counted.
	sets, attempt, scratch postings.Pool

	words text.Phrase
	// query and core are the positions of all words, and of those that are neither generic nor filler.
	query, core []uint8

	// cache has the sets of words, by mode, scope, whether the word is matched as a last word, and position. A set is
	// valid if its bit in cached is set.
	cache  [modeCount][scopeCount][2][MaxWords]postings.Set
	cached [modeCount][scopeCount][2]uint8

	named    []places.Named
	isNamed  bool // named is valid
	inside   [2]postings.Set
	isInside [2]bool
	rest     [2][]uint8 // of the query without a place
	strict   strict.Workspace
	part     text.Phrase // the words at some positions
	partials choices
	nearby   []Answer

	fuzzy       text.FuzzyMatcher
	wide        []text.Range // memory of readings
	joined      []form
	corrections corrections
	terms       []uint32
	containing  []text.Range
	other, run  []byte
	pending     []postings.Set // operands of a union
	operands    []postings.Set // operands of an intersection
	variants    []postings.Set

	found     [2]Answer // and what was added
	told      [2]text.Phrase
	corrected [2]text.Phrase
	place     [2]text.Phrase
}

// begin prepares for the words of a query and a snapshot with this number of pubs.
func (w *Workspace) begin(pubs int, words text.Phrase) {
	w.sets.Reset(pubs)
	w.attempt.Reset(pubs)
	w.scratch.Reset(pubs)
	w.words = append(w.words[:0], words...)
	w.query, w.core = w.query[:0], w.core[:0]
	for i, word := range words {
		w.query = append(w.query, uint8(i))
		if !text.IsUsual(word) {
			w.core = append(w.core, uint8(i))
		}
	}
	if len(w.core) == 0 {
		w.core = append(w.core, w.query...)
	}
	clear(w.cached[:])
	clear(w.corrections.known[:])
	w.corrections.all = w.corrections.all[:0]
	w.named, w.isNamed, w.isInside = w.named[:0], false, [2]bool{}
	w.nearby = w.nearby[:0]
	w.found = [2]Answer{}
}

// at returns the words at some positions, which are valid until the next call.
func (w *Workspace) at(positions []uint8) text.Phrase {
	w.part = w.part[:0]
	for _, position := range positions {
		w.part = append(w.part, w.words[position])
	}
	return w.part
}
