package index

// Sort is a key that results are ordered by. The zero value is SortName.
type Sort uint8

// The sort keys. SortDistance needs a circle. SortRelevance has the best match first, and SortRandom is a shuffle,
// both regardless of the direction.
const (
	SortName Sort = iota
	SortLocation
	SortReviewCount
	SortBeer
	SortAtmos
	SortFengshui
	SortService
	SortToilets
	SortTotal
	SortFair
	SortDistance
	SortRelevance
	SortWeighted
	SortRandom
	SortCount
	sortCount = int(SortFair) + 1 // those with a prepared order
)

var sortNames = [...]string{"name", "location", "review_count", "beer", "atmos", "fengshui", "service", "toilets", "total",
	"fair", "distance", "relevance", "weighted", "random"}

// String returns the key as requests and answers write it, such as "review_count".
func (s Sort) String() string { return sortNames[s] }

// isPrepared reports whether there is a prepared order of all pubs by the key.
func (s Sort) isPrepared() bool { return int(s) < sortCount }
