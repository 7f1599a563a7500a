package index

import (
	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/text"
)

// Workspace is the working memory of searches. The zero value is ready; reused, it makes searching free of allocations. It serves one
// goroutine at a time, and keeps no snapshot in memory.
type Workspace struct {
	// sets lends the sets of a search that last until its end, attempt those of one attempt to relax a query.
	sets, attempt postings.Pool
	filter        filter
	match         matchMemory
	rank          ranking.Workspace
	near          geo.Workspace
	items         []topk.Item
	counts        countMemory
	highlight     highlighter
	suggestions   []Suggestion
	suggested     []byte   // texts of suggestions
	completions   []uint32 // numbers of them

	// The memory of a Result.
	pubs      []uint32
	distances []geo.Kilometres
	words     [][]byte
}

// matchMemory is the working memory of matching words.
type matchMemory struct {
	folded []byte
	words  text.Phrase
	// query and core are the places of all words, and of those that are not generic.
	query, core []uint16
	// cache holds the sets of the first words, by mode, whether a word is matched as a last word, and word. Those are known whose bit in
	// cached is set.
	cache  [cachedModes][2][MaxRelaxedWords]postings.Set
	cached [cachedModes][2]uint8
	// passing is all pubs that pass the filter.
	passing memo
	// inside is how many pubs the circle has, rated ones where only these count; -1 until it is counted.
	inside     int
	candidates []dropCandidate
	fuzzy      text.FuzzyMatcher
	ranges     []text.Range
	terms      []uint32
	ordinals   []uint32 // in a circle or a box, in no order
	fragment   []byte
	title      []byte
	pending    []postings.Set // of a union
	operands   []postings.Set // of an intersection
	named      []postings.Set // words in names
}

// memo is a set that is made when it is asked for first.
type memo struct {
	set   postings.Set
	known bool
}

// begin makes ready for a search among so many pubs.
func (w *Workspace) begin(pubs int) {
	w.sets.Reset(pubs)
	w.rank.Pool = &w.sets
	w.match.words, w.match.inside, w.match.passing = w.match.words[:0], -1, memo{}
	w.pubs, w.distances, w.words = w.pubs[:0], w.distances[:0], w.words[:0]
	w.highlight.asked = w.highlight.asked[:0]
}
