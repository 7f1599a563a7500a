package index

import (
	"math"

	"pubd/geo"
	"pubd/index/relax"
)

// MaxRelaxedWords is how many words a query may have, the and and not counted, to be relaxed when it finds nothing.
const MaxRelaxedWords = relax.MaxWords

// Filter is what a pub must be, besides being rated, to be found. The zero value accepts all.
type Filter struct {
	// Values names folded values of each column; a pub must have one of them where there are any.
	Values [ColumnCount][][]byte
	// Minimums names what a pub must have at least.
	Minimums []Minimum
	// Box, unless nil, is where it must be.
	Box *geo.Box
	// Exclude names UIDs that it must not have.
	Exclude [][]byte
}

// Minimum is the least value of a sort key: of a metric or of the number of reviews.
type Minimum struct {
	Key   Sort
	Value float64
}

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
	// Near says that the circle, which must be the whole Earth, is only where its centre is: where nothing near that has the words, smaller
	// circles around it are searched with relaxed words, and then the Earth.
	Near bool
	// NoDistances leaves out Distances where the order does not need them: only pubs are wanted.
	NoDistances bool
	// Marker, in a circle and unless nil, leaves out the pubs of this folded name.
	Marker []byte
	// Strict turns relaxing off.
	Strict     bool
	Sort       Sort
	Descending bool
	// Seed is that of SortRandom, Weights those of SortWeighted.
	Seed    uint64
	Weights Weights
	// Counts asks for how many of all pubs found have each value of a column.
	Counts [ColumnCount]bool
	// Counted, unless nil, is by column the folded text with which a word of each value that is counted begins: that and what follows it.
	Counted [ColumnCount][]byte
	// Page counts from 1, and 0 means 1; Amount is the size of a page, and 0 puts everything on one.
	Page   int64
	Amount int
}

// Step is how far a query was relaxed.
type Step = relax.Step

// The steps, in the order in which they are tried first.
const (
	NotRelaxed = relax.NotRelaxed
	Wider      = relax.Wider
	Joined     = relax.Joined
	Words      = relax.Words
	Infix      = relax.Infix
	Typo       = relax.Typo
	Partial    = relax.Partial
)

// Result is what a query finds. It is valid until the workspace is used again, and while the snapshot is held.
type Result struct {
	// Pubs are the ordinals of the page, in order.
	Pubs []uint32
	// Distances are those of the pubs from the centre, in the same order, unrounded; only in a circle, and mostly not where the query has NoDistances.
	Distances []geo.Kilometres
	// Total is the number of pubs on all pages.
	Total int
	// Step and Words say how the query was relaxed and the folded words that matched; only where Step is not NotRelaxed. Corrected is Words,
	// each that no pub has as it stands replaced by what it was corrected to; nil where none was.
	Step             Step
	Words, Corrected [][]byte
	// Counts are those of the columns that the query asked for, the most frequent values first, at most MaxCounts.
	Counts [ColumnCount][]Count

	matched matched
}

// span returns the rank of the first result of a page, and how many a page holds.
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

// window returns the rank of the first result of a page among total results, and how many are on it.
func (q *Query) window(total int) (first, n int) {
	first, n = q.span()
	first = min(first, total)
	return first, min(n, total-first)
}

// asksForCounts reports whether counts of any column are asked for.
func (q *Query) asksForCounts() bool { return q.Counts != [ColumnCount]bool{} }
