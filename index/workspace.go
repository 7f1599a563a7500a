package index

import (
	"pubd/geo"
	"pubd/geo/topk"
	"pubd/index/match"
	"pubd/index/postings"
	"pubd/index/ranking"
	"pubd/index/relevance"
	"pubd/index/segment"
	"pubd/index/suggest"
	"pubd/index/text"
)

// Workspace is the working memory of searches. The zero value is ready to use; a reused workspace makes searches free
// of allocations. It serves one goroutine at a time, and does not keep a snapshot in memory.
type Workspace struct {
	sets      postings.Pool // lends the sets of a search
	filter    filter
	matching  matchingMemory
	match     match.Workspace
	passing   [3]passing // while a query is relaxed
	circles   [2]geo.Circle
	within    [2]filter // of circles
	rank      ranking.Workspace
	near      geo.Workspace
	items     []topk.Item
	counts    countMemory
	relevance relevance.Workspace
	highlight highlighter
	suggest   suggest.Workspace
	open      segment.OpenMemory

	// The memory of a Result.
	pubs      []uint32
	distances []geo.Kilometres
}

// matchingMemory is the working memory of matching words.
type matchingMemory struct {
	folded       []byte
	asked, place text.Phrase    // asked: all words of the query
	text         []byte         // words
	ordinals     []uint32       // in a circle or a box, in no order
	pending      []postings.Set // of a union
	operands     []postings.Set // of an intersection
}

// begin prepares for a search in a snapshot of a number of pubs.
func (w *Workspace) begin(pubs int) {
	w.sets.Reset(pubs)
	w.rank.Pool = &w.sets
	w.pubs, w.distances = w.pubs[:0], w.distances[:0]
	w.highlight.how = nil
	w.open.Reset()
}
