package relax

import (
	"pubd/index/postings"
	"pubd/index/text"
)

// Workspace is the working memory of relaxing. The zero value is ready; reused, it makes relaxing free of allocations.
type Workspace struct {
	// sets lends what lasts as long as a ladder, attempt what lasts until the next attempt, scratch what is only counted.
	sets, attempt, scratch postings.Pool

	words text.Phrase
	// query and core are the places of all words, and of those that are neither generic nor filler.
	query, core []uint8
	// cache holds the sets of words, by mode, whether a word is matched as a last word, and place. Those are known whose bit in cached is set.
	cache  [modeCount][2][MaxWords]postings.Set
	cached [modeCount][2]uint8

	fuzzy       text.FuzzyMatcher
	wide        []text.Range // of readings
	joined      []text.Range
	corrections corrections
	terms       []uint32
	other, run  []byte
	pending     []postings.Set // of a union
	operands    []postings.Set // of an intersection
	variants    []postings.Set

	choices choicesMemory
	counted bool    // choices are, within the limits in hand
	chosen  []uint8 // places

	// The memory of an Answer: the places of its words, which are in matched, and what they were corrected to.
	places             []uint8
	matched, corrected text.Phrase
	explained          []Explained
}

// begin prepares for the words of a query to a snapshot of a number of pubs.
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
