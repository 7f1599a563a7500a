package client

// Kilometres is a distance over the ground.
type Kilometres float64

// ByMetric holds a value for each metric that pubs are rated by.
type ByMetric[T any] struct {
	Beer     T `json:"beer"`
	Atmos    T `json:"atmos"`
	Fengshui T `json:"fengshui"`
	Service  T `json:"service"`
	Toilets  T `json:"toilets"`
	Total    T `json:"total"`
}

// each calls do with the value of each metric.
func (b *ByMetric[T]) each(do func(metric string, value T)) {
	do("beer", b.Beer)
	do("atmos", b.Atmos)
	do("fengshui", b.Fengshui)
	do("service", b.Service)
	do("toilets", b.Toilets)
	do("total", b.Total)
}

// Ratings are from 0 to 10, nil if there is none.
type Ratings = ByMetric[*float64]

// Rankings are places from 1, the highest rating, that equal ratings share; nil where the pub is not rated.
type Rankings = ByMetric[*int]

// LocalRankings are the places among the pubs of one location; nil where the pub is not rated.
type LocalRankings = ByMetric[*LocalRank]

// A LocalRank is a place, from 1, and among how many pubs it is.
type LocalRank struct {
	Rank int `json:"rank"`
	Of   int `json:"of"`
}

// Pub is a pub of an answer. What is nil is unknown, or was not asked for; with Query.Fields, what was not asked for has its
// zero value.
type Pub struct {
	UID       string   `json:"UID"`
	Name      string   `json:"name"`
	Location  *string  `json:"location"`
	Trading   *string  `json:"trading"` // such as "open"
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
	Category  *string  `json:"common_category"` // such as "Gastropub"
	Ratings
	ReviewCount int64 `json:"review_count"`

	// Distance is from the point that was asked about.
	Distance *Kilometres `json:"distance"`
	// Fair is the Bayesian average of [SortFair], from 0 to 10.
	Fair *float64 `json:"fair"`
	// Weighted is the mean by Query.Weights of [SortWeighted], from 0 to 10.
	Weighted *float64 `json:"weighted"`

	// Rankings come with every lookup, the rest where Query.Include names it.
	Rankings      *Rankings      `json:"rankings"`
	LocalRankings *LocalRankings `json:"local_rankings"`
	Match         *Match         `json:"match"`
	// Label tells the pub from all others of the snapshot, such as "Red Lion, Barnes"; Namesakes, which comes with it, is
	// how many others have its name.
	Label     string `json:"label"`
	Namesakes int    `json:"namesakes"`
	// Address, Postcode and Area, such as a county, come together with [MemberAddress].
	Address  *string `json:"address"`
	Postcode *string `json:"postcode"`
	Area     *string `json:"area"`
	// Extra has the further columns that the operator keeps, such as "phone".
	Extra map[string]*string `json:"extra"`
}

// Match has the folded words of a name and a location that a search matched.
type Match struct {
	Name     []string `json:"name"`
	Location []string `json:"location"`
}
