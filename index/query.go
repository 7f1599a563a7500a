package index

import (
	"math"

	"pubd/geo"
)

// MaxRelaxedWords is how many words a query may have, the and and not counted, to be relaxed when it finds nothing.
const MaxRelaxedWords = 8

// MaxPartialHits is how many pubs a query with words left out may find; a broad guess helps nobody.
const MaxPartialHits = 50

// Query is a search. Its zero value finds nothing, as the empty text has no words.
type Query struct {
	// Text is what name or location must match. All finds every pub instead.
	Text []byte
	All  bool
	// Rated keeps only rated pubs, Filter those that pass it.
	Rated  bool
	Filter Filter
	// Circle, unless nil, keeps only pubs in it.
	Circle *geo.Circle
	// Marker, in a circle and unless nil, leaves out the pubs of this folded name.
	Marker []byte
	// Strict turns relaxing off.
	Strict     bool
	Sort       Sort
	Descending bool
	// Seed is that of SortRandom, Weights those of SortWeighted.
	Seed    uint64
	Weights Weights
	// Counted asks for what [Snapshot.Count] needs.
	Counted bool
	// Page counts from 1, and 0 means 1; Amount is the size of a page, and 0 puts everything on one.
	Page   int64
	Amount int
}

// Step is how far a query was relaxed.
type Step uint8

// The steps, in the order in which they are tried.
const (
	NotRelaxed Step = iota
	Joined
	Words
	Infix
	Typo
	Partial
)

var stepNames = [...]string{"", "joined", "words", "infix", "typo", "partial"}

// String is the step as answers write it, such as "infix".
func (s Step) String() string { return stepNames[s] }

// Answer is what a query finds, and the memory that finding it takes. The zero value is ready; reused, it makes
// searching free of allocations. It serves one goroutine at a time, and what it holds is valid until its next use.
type Answer struct {
	// Pubs are the ordinals of the page, in order.
	Pubs []uint32
	// Distances are those of the pubs from the centre, in the same order, unrounded; only in a circle.
	Distances []geo.Kilometres
	// Total is the number of pubs on all pages.
	Total int
	// Step and Words tell how the query was relaxed and the folded words that matched; only where Step is not NotRelaxed.
	Step  Step
	Words [][]byte

	// result is all that was found, where that is counted.
	result set

	scratch
}

// scratch is the working memory of a search.
type scratch struct {
	arena
	matcher
	sieve
	highlight highlighter
	page      []uint32
	wanted    []set
	guesses   []float64 // a heap
	counts    []uint32
	title     []byte
	folded    []byte
	circle    geo.Scratch
}

// Reset makes the answer one that has nothing in it, of no query; Search does so itself.
func (a *Answer) Reset() {
	a.Pubs, a.Distances, a.Total, a.Step, a.Words, a.words = a.Pubs[:0], a.Distances[:0], 0, NotRelaxed, a.Words[:0], a.words[:0]
	a.highlight.asked = a.highlight.asked[:0]
}

// LetGo lets go of the snapshots that were searched: working memory, which stays, refers to parts of them until it is used in the
// same way again.
func (a *Answer) LetGo() {
	a.Reset()
	a.result, a.found, a.passing, a.cache = set{}, set{}, set{}, matcher{}.cache
	a.pending, a.sets, a.wanted, a.conditions = wiped(a.pending), wiped(a.sets), wiped(a.wanted), wiped(a.conditions)
}

// wiped is an empty slice whose memory refers to nothing.
func wiped[T any](s []T) []T {
	clear(s[:cap(s)])
	return s[:0]
}

// span gives the place of the first result of a page, and how many a page holds.
func (q *Query) span() (first, n int) {
	before := max(q.Page, 1) - 1
	switch {
	case before == 0:
		first = 0
	case q.Amount == 0 || before > math.MaxInt32/int64(q.Amount):
		first = math.MaxInt32 // past every end: ordinals have 32 bits
	default:
		first = int(before) * q.Amount
	}
	if q.Amount == 0 {
		return first, math.MaxInt32
	}
	return first, q.Amount
}

// window gives the borders of a page among total results.
func (q *Query) window(total int) (first, n int) {
	first, n = q.span()
	first = min(first, total)
	return first, min(n, total-first)
}
