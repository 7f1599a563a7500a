package relax

import (
	"pubd/index/postings"
	"pubd/index/text"
)

// Workspace is the working memory of relaxing. The zero value is ready to use; a reused workspace makes relaxing free of allocations.
type Workspace struct {
	// sets lends sets that last as long as a ladder, attempt those that last until the next attempt, and scratch those that are only counted.
	sets, attempt, scratch postings.Pool

	words text.Phrase
	// query and core are the places of all words, and of those that are neither generic nor filler.
	query, core []uint8
	// cache has the sets of words, by mode, whether the word is matched as a last word, and place. A set is valid if its bit in cached is set.
	cache  [modeCount][2][MaxWords]postings.Set
	cached [modeCount][2]uint8

	fuzzy       text.FuzzyMatcher
	wide        []text.Range // memory of readings
	joined      []text.Range
	corrections corrections
	terms       []uint32
	other, run  []byte
	pending     []postings.Set // operands of a union
	operands    []postings.Set // operands of an intersection
	variants    []postings.Set

	choices choicesMemory
	counted bool    // the choices have been counted within the current limits
	chosen  []uint8 // places

	// The memory of an Answer: the places of its words, which are in matched, and what they were corrected to.
	places             []uint8
	matched, corrected text.Phrase
	explained          []Explained
}

// begin prepares for the words of a query and a snapshot with this number of pubs.
func (w *Workspace) begin(pubs int, words text.Phrase) {
	w.sets.Reset(pubs)
	w.attempt.Reset(pubs)
	w.scratch.Reset(pubs)
	w.words = append(w.words[:0], words...)
	w.query = w.query[:0]
	for i := range words {
		w.query = append(w.query, uint8(i))
	}
	w.core = coreOf(w.core[:0], words)
	w.cached, w.corrections.known, w.corrections.all = [modeCount][2]uint8{}, [modeCount][2]uint8{}, w.corrections.all[:0]
}
