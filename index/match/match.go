// Package match finds the pubs that the words of a query mean.
//
// A query is read once ([Index.Read]): which places it names, and what it says besides (package reading). It is answered
// by the first of some attempts, which are a table (attempts.go), from what is asked for (asked.go) over the query as it
// stands (strict.go) to loose guesses (partial.go). The [Answer] says what was matched, and what was not used.
//
// An Index is immutable, a [Workspace] serves one goroutine. Sets are found once for each word; an attempt intersects
// them.
package match

import (
	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/places"
	"pubd/index/postings"
	"pubd/index/reading"
	"pubd/index/terms"
	"pubd/index/text"
)

// Index is the prepared data for matching. It is immutable and safe for concurrent use.
type Index struct {
	reading.Index
	Points *geo.Index
	Rows   []uint32 // by pub, the numbers of the rows of the snapshot file
}

// Reading is what the words of a query say. It is in the memory of a workspace, and valid until that is used again.
type Reading struct {
	*reading.Reading
	x     *Index
	w     *Workspace
	words terms.Words // once the query is relaxed
}

// Read reads the words of a query, without "the" and "and".
func (x *Index) Read(words text.Phrase, o reading.Options, w *Workspace) *Reading {
	w.read = Reading{Reading: x.Index.Read(words, o, &w.reading), x: x, w: w}
	return &w.read
}

// Workspace is the working memory of matching. The zero value is ready to use.
type Workspace struct {
	// sets lends sets that last as long as a query is answered, attempt those that last until the next attempt.
	sets, attempt postings.Pool

	reading  reading.Workspace
	read     Reading
	strict   strictMemory
	matched  []matched
	circle   circle
	inside   [2]postings.Set // the places that the query names
	isInside [2]bool
	partials choices
	weights  []uint16    // by pub, of a long query
	heavy    text.Phrase // the words of a long query that pubs have
	items    []topk.Item
	rows     []uint32
	nearby   []Answer
	misspelt text.Phrase
	similar  []places.Similar
	run      []byte
	pending  []postings.Set // operands of a union
	operands []postings.Set // operands of an intersection
	variants []postings.Set
	part     text.Phrase // the words at some positions

	answers [2]Answer // and what was added
	count   int       // of answers
	said    [2]said   // of answers
}

// begin prepares for a query and a snapshot with a number of pubs.
func (w *Workspace) begin(pubs int) {
	w.sets.Reset(pubs)
	w.attempt.Reset(pubs)
	w.scratch().Reset(pubs)
	w.isInside, w.matched, w.circle = [2]bool{}, w.matched[:0], circle{}
	w.nearby = w.nearby[:0]
	w.answers, w.count = [2]Answer{}, 0
}

// scratch lends sets that are only counted.
func (w *Workspace) scratch() *postings.Pool { return &w.reading.Terms.Scratch }
