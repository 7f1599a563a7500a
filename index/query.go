package index

import (
	"math"

	"pubd/geo"
	"pubd/index/features"
	"pubd/index/hours"
	"pubd/index/match"
	"pubd/index/ranking"
	"pubd/index/schema"
)

// Filter is the conditions that pubs must meet. The zero value accepts all pubs.
type Filter struct {
	// Values are folded values by facet, or those of AppendValue for extra columns. If a facet has any, a pub must have one of them; of Features, it must meet all:
	// each is alternatives with | between them, with - before one that a pub must be known not to have.
	Values [schema.FacetCount][][]byte
	// Ranges are of numbers that a pub must have.
	Ranges []Range
	// Box, unless nil, is the area in which a pub must be.
	Box *geo.Box
	// Exclude has the UIDs of pubs to leave out.
	Exclude [][]byte
}

// Query is a search. Its zero value finds nothing, as the empty text has no words.
type Query struct {
	// Text has the words that must match. All finds every pub instead.
	Text []byte
	All  bool
	// Rated keeps only rated pubs, Filter those that pass it.
	Rated  bool
	Filter Filter
	// Circle, unless nil, keeps only pubs in it.
	Circle *geo.Circle
	// Near makes the circle, which must be the whole Earth, only a point to be near to: pubs around it are found
	// first, even with relaxed words.
	Near bool
	// NoDistances leaves out Distances unless the order needs them.
	NoDistances bool
	// Marker, unless nil, leaves out the pubs with this folded name in a circle.
	Marker []byte
	// Strict disables relaxing. More adds to fewer than match.Few pubs what the next attempt to relax the query finds.
	Strict, More bool
	Sort         schema.Sort
	Descending   bool
	// Seed and Weights are for the keys that need them: for SortWeighted, not all weights may be 0.
	Seed    uint64
	Weights ranking.Weights
	// Counts are the facets of which the pubs on all pages are counted by value, Spreads the numbers of which it is
	// found out how they are spread.
	Counts  []schema.Facet
	Spreads []schema.Number
	// Searched restricts the counted values of a facet to those that have a folded text at the beginning of a word; a nil
	// Text, none.
	Searched struct {
		Facet schema.Facet
		Text  []byte
	}
	// Open keeps, of the pubs found, those that are known to be open at At, and with OpenUnknown those of which that is
	// not known. It has no effect on what is found first, nor on how the query is relaxed.
	Open, OpenUnknown bool
	At                hours.Moment
	// Vocabulary knows which words wish for features; nil means the built-in one.
	Vocabulary *features.Vocabulary
	// Page counts from 1; 0 means 1. Amount is the size of a page; 0 means no limit.
	Page   int64
	Amount int
}

// Step is how far a query was relaxed.
type Step = match.Step

// The steps, in the order in which they are first attempted.
const (
	NotRelaxed = match.NotRelaxed
	Words      = match.Words
	Place      = match.Place
	Infix      = match.Infix
	Typo       = match.Typo
	Partial    = match.Partial
	StepCount  = match.StepCount
)

// Relaxed is how a query was relaxed, unless Step is NotRelaxed.
type Relaxed struct {
	Step Step
	// Words are the folded words that matched; none if all pubs of a place answer, the misspelt ones if the place is
	// misspelt. Corrected has the same words, in which each one that no pub has is replaced by its correction, or the place
	// that was misspelt; nil if no word was corrected. Place has the words of the place of step Place, with the direction
	// before it; if the pubs of a place near a larger one answer, Larger has the words of that. Unused are the words of
	// the query that are in none of these and are neither generic nor filler.
	Words, Corrected, Place, Larger, Unused [][]byte
	// Features are those that the query wishes and the snapshot tells of, also [features.OpenNow], [features.OpenLate] and
	// [features.OpenAt], which means Time.
	Features []string
	Time     features.Time
	// Denied are the words of what the query does not want, also if Step is NotRelaxed.
	Denied [][]byte
	// Alone is set if Place answers without words, and not a part of it: Inside of the pubs found are in it.
	Alone  bool
	Inside int
	// Best is set if fair scores rank by relevance, Here if the query means the place where the person is and no point was given.
	Best, Here bool
}

// Result is the result of a query. It is valid until the workspace is used again, and while the snapshot is reachable.
type Result struct {
	// Pubs are the ordinals of the page, in order.
	Pubs []uint32
	// Distances are the distances of Pubs from the centre, not rounded. Without a circle, and usually with
	// NoDistances, there are none.
	Distances []geo.Kilometres
	// Total is the number of pubs on all pages.
	Total int
	Relaxed
	// More is how the Added pubs were found that Query.More added.
	More  Relaxed
	Added int
	// Unknown is, with Query.Open, of how many of the pubs found it is not known whether they are open.
	Unknown int
	// Counts are those of the requested facets, in their order: the most frequent values first, at most MaxCounts each.
	// Spreads are those of the requested numbers.
	Counts  [][]Count
	Spreads []Spread

	how, more *match.Answer // of the added pubs
}

// span returns the rank of the first result of a page, and the size of the page.
func (q *Query) span() (first, n int) {
	before := max(q.Page, 1) - 1
	switch {
	case before == 0:
		first = 0
	case q.Amount == 0 || before > math.MaxInt32/int64(q.Amount):
		first = math.MaxInt32 // past the end of any result, because ordinals have 32 bits
	default:
		first = int(before) * q.Amount
	}
	if q.Amount == 0 {
		return first, math.MaxInt32
	}
	return first, q.Amount
}

// window returns the rank of the first result of a page among total results, and the number of results on the page.
func (q *Query) window(total int) (first, n int) {
	first, n = q.span()
	first = min(first, total)
	return first, min(n, total-first)
}

// wantsCounts reports whether counts of any facet, or the spread of any number, are asked for.
func (q *Query) wantsCounts() bool { return len(q.Counts)+len(q.Spreads) > 0 }
