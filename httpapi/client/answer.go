package client

import "time"

// Answer is a page of pubs, with what holds for all pages together.
type Answer struct {
	Results []Pub `json:"results"`
	// Page is 0 in a search about a point with a distance when the query had neither Page nor Amount.
	Page         int `json:"page"`
	TotalPages   int `json:"total_pages"`
	TotalResults int `json:"total_results"`
	// TotalPubs is the number of pubs in the snapshot.
	TotalPubs int `json:"total_pubs"`

	// Sort, Order and OnlyRated are what was used; zero in a lookup.
	Sort      Sort  `json:"sort"`
	Order     Order `json:"order"`
	OnlyRated bool  `json:"only_rated"`
	// Distance, Lat and Lng are the circle or the point of the search, otherwise nil.
	Distance *Kilometres `json:"distance"`
	Lat      *float64    `json:"lat"`
	Lng      *float64    `json:"lng"`

	// Relaxed is nil unless the search matched nothing as it was, or asked for all pubs, or those of a place. With Near it
	// need not be nil even if pubs elsewhere match the search as it was: those found are nearer.
	Relaxed *Relaxed `json:"relaxed"`
	// More is how pubs were found that Query.More added, nil if there are none.
	More *More `json:"more"`
	// Fair is the scale of [SortFair], nil with other sorts.
	Fair *FairScale `json:"fair"`
	// Facets count the pubs of all pages by value, most frequent first, at most 50 values each.
	Facets map[Facet][]Count `json:"facets"`
	// FacetsStats has the columns of numbers among the facets, over all pages.
	FacetsStats map[Facet]FacetStats `json:"facets_stats"`
	// Hint is what to write instead, if the query probably means something else than it says.
	Hint string `json:"hint"`
	// Unknown is, with Query.Open, of how many of the pubs found without it it is not known whether they are open.
	Unknown int `json:"unknown"`
	// Missing has the UIDs of Query.UIDs that no pub has.
	Missing []string `json:"missing"`

	// Snapshot is the ID of the snapshot that the answer comes from, for Query.Snapshot.
	Snapshot string `json:"-"`
	// ETag stays the same as long as the answer to this query does.
	ETag string `json:"-"`
	// Ignored names the parameters that the server does not know, perhaps because it is older than this client: they
	// had no effect.
	Ignored []string `json:"-"`
}

// A Step is how a search that matched nothing was relaxed.
type Step string

// The steps, in the order they are first tried. A search is relaxed by StepStrict if something is denied.
const (
	StepStrict  Step = "strict"  // as it stands
	StepWords   Step = "words"   // without generic words, such as inn, with abbreviations, words of any field, or words written together or apart
	StepPlace   Step = "place"   // in a place that the search names
	StepInfix   Step = "infix"   // parts of words
	StepTypo    Step = "typo"    // misspellings
	StepPartial Step = "partial" // words left out
)

// Relaxed says how a search was relaxed, and which words matched.
type Relaxed struct {
	Step Step `json:"step"`
	// Query is empty if all pubs were found, or all of a place.
	Query string `json:"query"`
	// Corrected is Query with each word that no result has as written replaced by its correction, or the place that was
	// misspelt; empty if no word was corrected.
	Corrected string `json:"corrected,omitempty"`
	// Place is the place of [StepPlace], as "york", "north leeds" or "soho, london"; empty if all pubs were found.
	Place string `json:"place,omitempty"`
	// Unused are the words that say nothing of the pubs found; empty in More.
	Unused string `json:"unused,omitempty"`
	// Features are those that the search wishes: pubs known to have them come first. Open is when it wishes the pubs to be
	// open: "now"; in the night at 0:30, "late"; all week, "always"; or at some time of an interval, such as
	// "2026-11-29T18:00/2026-11-30T00:00". Both are empty in More.
	Features []string `json:"features,omitempty"`
	Open     string   `json:"open,omitempty"`
	// Inside is how many of the pubs are in Place, if that alone was asked for. Sort is "fair" if, by relevance, fair scores
	// rank. Denied is what is not wanted: pubs that have it come last. Here is set if the search means the place where the
	// person is, and needs a point. All are empty in More.
	Inside int    `json:"inside,omitempty"`
	Sort   string `json:"sort,omitempty"`
	Denied string `json:"denied,omitempty"`
	Here   bool   `json:"here,omitempty"`
}

// More says how pubs were found that were added to a few, and how many they are.
type More struct {
	Relaxed
	Added int `json:"added"`
}

// FairScale is what fair scores are drawn towards: a pub with Reviews reviews is half way between its own rating and
// Mean.
type FairScale struct {
	Mean    float64 `json:"mean"`
	Reviews float64 `json:"reviews"`
}

// A Count is a value with the number of pubs that have it.
type Count struct {
	Value string `json:"value"`
	Pubs  int    `json:"count"`
}

// FacetStats are the least and the greatest value of a column of numbers, and the mean; nil if no pub has one.
type FacetStats struct {
	Min  *float64 `json:"min"`
	Max  *float64 `json:"max"`
	Mean *float64 `json:"mean"`
}

// Suggestions is the answer of Suggest.
type Suggestions struct {
	Suggestions []Suggestion `json:"suggestions"`
	// TotalPubs is the number of pubs in the snapshot.
	TotalPubs int    `json:"total_pubs"`
	Hint      string `json:"hint"` // as in Answer
	Snapshot  string `json:"-"`
	ETag      string `json:"-"`
}

// A Suggestion is a completion of a text.
type Suggestion struct {
	Text string `json:"text"`
	// Type is "name", "location" for a place or, for a name at a location, "pub".
	Type string `json:"type"`
	// Pubs is the number of pubs that have the name, are in the place, or have name and location.
	Pubs int `json:"pubs"`
	// Name and Location are those of a pub; UID is set if only one pub has both.
	Name     string `json:"name,omitempty"`
	Location string `json:"location,omitempty"`
	UID      string `json:"UID,omitempty"`
	// Distance is from Query.Near to the nearest of the pubs, or to the centre of a place; nil without Near.
	Distance *Kilometres `json:"distance,omitempty"`
}

// Stats describes a snapshot.
type Stats struct {
	Snapshot string    `json:"snapshot"`
	LoadedAt time.Time `json:"loaded_at"`
	Pubs     int       `json:"pubs"`
	Rated    int       `json:"rated"`

	Metrics  ByMetric[Distribution] `json:"metrics"`
	Trading  []Count                `json:"trading"`
	Category []Count                `json:"common_category"`
	// Location has the 50 locations with the most pubs.
	Location []Count `json:"location"`
	Features []Count `json:"features"`
	// Hours is set if it is known of any pub when it is open.
	Hours bool   `json:"hours"`
	ETag  string `json:"-"`
}

// A Distribution describes the ratings of a metric. Fields are nil if there are no ratings.
type Distribution struct {
	Count         int      `json:"count"`
	Mean          *float64 `json:"mean"`
	Min           *float64 `json:"min"`
	LowerQuartile *float64 `json:"lower_quartile"`
	Median        *float64 `json:"median"`
	UpperQuartile *float64 `json:"upper_quartile"`
	Max           *float64 `json:"max"`
	// Histogram counts the ratings in 20 bins of 0.5.
	Histogram []int `json:"histogram"`
}
