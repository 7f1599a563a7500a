package match

import (
	"pubd/geo/topk"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/text"
)

// Workspace is the working memory of matching. The zero value is ready to use.
type Workspace struct {
	// sets lends sets that last as long as a matcher, attempt those that last until the next attempt, and scratch those
	// that are only counted.
	sets, attempt, scratch postings.Pool

	reading  reading
	phrase   reading     // of some of the words
	head     text.Phrase // of a place with a postcode that was cut, or of one that is misspelt
	places   places.Workspace
	strict   strictMemory
	words    wordMemory
	once     []found
	ring     ring
	known    Terms // memory of what is known
	matched  []text.Range
	inside   [2]postings.Set
	isInside [2]bool
	partials choices
	weights  []uint16    // by pub, of a long query
	heavy    text.Phrase // the words of a long query that pubs have
	items    []topk.Item
	nearby   []Answer
	similar  []places.Similar

	fuzzy    text.FuzzyMatcher
	terms    []uint32
	run      []byte
	pending  []postings.Set // operands of a union
	operands []postings.Set // operands of an intersection
	variants []postings.Set
	part     text.Phrase // the words at some positions
	content  text.Phrase // the words of a query that are neither generic nor filler
	denied   text.Phrase

	found   [2]Answer // and what was added
	answers int       // of them, those that were found
	told    [2]struct {
		words, corrected, unused text.Phrase
		features                 []string
	}
}

// begin prepares for a query and a snapshot with a number of pubs.
func (w *Workspace) begin(pubs int) {
	w.sets.Reset(pubs)
	w.attempt.Reset(pubs)
	w.scratch.Reset(pubs)
	w.words.begin(min(len(w.reading.texts), maxRead))
	w.isInside, w.once, w.ring = [2]bool{}, w.once[:0], ring{}
	w.nearby = w.nearby[:0]
	w.found, w.answers = [2]Answer{}, 0
}

// Places returns the working memory of places.
func (w *Workspace) Places() *places.Workspace { return &w.places }
