package client

import "reflect"

// Kilometres is a distance on the ground.
type Kilometres float64

// ByMetric holds a value for each metric.
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
	values := reflect.ValueOf(b).Elem()
	for i := range values.NumField() {
		do(values.Type().Field(i).Tag.Get("json"), values.Field(i).Interface().(T))
	}
}

// Ratings are from 0 to 10; nil means none.
type Ratings = ByMetric[*float64]

// Rankings are ranks from 1, the highest rating; equal ratings share a rank. nil means that the pub is not rated.
type Rankings = ByMetric[*int]

// LocalRankings are ranks among the pubs of the location; nil means that the pub is not rated.
type LocalRankings = ByMetric[*LocalRank]

// A LocalRank is a rank, from 1, and the number of ranked pubs.
type LocalRank struct {
	Rank int `json:"rank"`
	Of   int `json:"of"`
}

// Pub is a pub of an answer. nil means unknown or not requested; with Query.Fields, members that were not requested
// have their zero value.
type Pub struct {
	// Identifier of the pub.
	UID string `json:"UID"`
	// Name.
	Name string `json:"name"`
	// General area.
	Location *string `json:"location"`
	// Trading status.
	Trading *string `json:"trading"`
	// Degrees north, given if longitude is.
	Latitude *float64 `json:"latitude"`
	// Degrees east, given if latitude is.
	Longitude *float64 `json:"longitude"`
	// The category most frequently reviewed.
	Category *string `json:"common_category"`
	Ratings
	// Number of reviews.
	ReviewCount int64 `json:"review_count"`
	// House and street, or the whole address. With [MemberAddress].
	Address *string `json:"address"`
	// Postcode. With [MemberAddress].
	Postcode *string `json:"postcode"`
	// A place larger than the location: a county, an authority, a region or a country. With [MemberAddress].
	Area *string `json:"area"`
	// Other names, separated by semicolons. With [MemberAddress].
	AltNames *string `json:"alt_names"`
	// What the pub offers or, after a minus, does not. With [MemberFeatures], as Open and Closes.
	Features []string `json:"features"`
	// Whether it is open at the time of Query.Open, or now.
	Open *bool `json:"open"`
	// The local time from which on it is not known to be open, such as "2026-11-28T23:00"; nil if it is not open, or for
	// 8 days more.
	Closes *string `json:"closes"`
	// Opening hours in OpenStreetMap's notation. With [MemberHours], as TimeZone, Opens and Week.
	OpeningHours *string `json:"opening_hours"`
	// Time zone of the opening hours; nil if it is that of the server.
	TimeZone *string `json:"time_zone"`
	// The local time at which it is next known to be open; nil if it is open, or not within 8 days.
	Opens *string `json:"opens"`
	// From and to when it is open on each day of this week, from Monday on: "12:00-02:00", "17:00+" if it is not known how
	// long, "12:00-18:00?" if it is not known whether it is open; nil if the opening hours cannot be read.
	Week [][]string `json:"week"`
	// The chain that it belongs to. With [MemberBrand].
	Brand *string `json:"brand"`
	// Distance is from the point of the search.
	Distance *Kilometres `json:"distance"`
	// Fair is the Bayesian average of [SortFair], from 0 to 10.
	Fair *float64 `json:"fair"`
	// Weighted is the mean by Query.Weights of [SortWeighted], from 0 to 10.
	Weighted *float64 `json:"weighted"`

	// Rankings are part of every lookup; the others are set if Query.Include names them.
	Rankings      *Rankings      `json:"rankings"`
	LocalRankings *LocalRankings `json:"local_rankings"`
	Match         *Match         `json:"match"`
	// Label is unique in the snapshot, such as "Red Lion, Barnes"; Namesakes, which comes with it, is the number of
	// other pubs with the same name.
	Label     string `json:"label"`
	Namesakes int    `json:"namesakes"`
	// Extra has the extra columns that the operator keeps, such as "website".
	Extra map[string]*string `json:"extra"`
}

// Match has the folded words of each field that the search matched.
type Match struct {
	Name     []string `json:"name"`
	Location []string `json:"location"`
	Address  []string `json:"address,omitempty"`
	Postcode []string `json:"postcode,omitempty"`
	Area     []string `json:"area,omitempty"`
	AltNames []string `json:"alt_names,omitempty"`
	Category []string `json:"common_category,omitempty"`
	Brand    []string `json:"brand,omitempty"`
	// Spans says where the words are, by field: from and to, in characters of the value.
	Spans map[Member][][2]int `json:"spans"`
}
