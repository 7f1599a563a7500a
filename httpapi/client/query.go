package client

import (
	"net/url"
	"strconv"
	"strings"
)

// Every is the search that matches every pub.
const Every = "*"

// A Sort is a sort key, such as "review_count".
type Sort string

// The sort keys. Missing values come last, and ties are ordered by name.
const (
	SortName        Sort = "name"         // by folded name, then name
	SortLocation    Sort = "location"     // by folded location, then location
	SortReviewCount Sort = "review_count" // by the number of reviews
	SortBeer        Sort = "beer"         // by the beer rating
	SortAtmos       Sort = "atmos"        // by the atmosphere rating
	SortFengshui    Sort = "fengshui"     // by the feng shui rating
	SortService     Sort = "service"      // by the service rating
	SortToilets     Sort = "toilets"      // by the toilets rating
	SortTotal       Sort = "total"        // by the total rating
	SortDistance    Sort = "distance"     // the nearest first
	SortRelevance   Sort = "relevance"    // the best match first
	SortFair        Sort = "fair"         // the Bayesian average (v·R + m·C)/(v + m) of a total R with v reviews
	SortWeighted    Sort = "weighted"     // the mean of the metrics, weighted by weights
	SortRandom      Sort = "random"       // a shuffle that is the same for the same seed and snapshot
)

// An Order is the direction of a sort, as in answers.
type Order string

// The orders.
const (
	Ascending  Order = "ASC"
	Descending Order = "DESC"
)

// A Member is a member of a pub, by its name in JSON, such as "review_count" or "label".
type Member string

// The members that Query.Include can add to each pub, some of them with others.
const (
	MemberRankings      Member = "rankings"
	MemberLocalRankings Member = "local_rankings"
	MemberMatch         Member = "match"
	MemberLabel         Member = "label"
	MemberAddress       Member = "address"
	MemberExtra         Member = "extra"
	MemberFeatures      Member = "features"
	MemberHours         Member = "hours"
	MemberBrand         Member = "brand"
)

// The members that Query.Fields can choose, besides [MemberAddress], [MemberFeatures] and [MemberBrand].
const (
	MemberDistance    Member = "distance"
	MemberUID         Member = "UID"
	MemberName        Member = "name"
	MemberLocation    Member = "location"
	MemberTrading     Member = "trading"
	MemberLatitude    Member = "latitude"
	MemberLongitude   Member = "longitude"
	MemberCategory    Member = "common_category"
	MemberBeer        Member = "beer"
	MemberAtmos       Member = "atmos"
	MemberFengshui    Member = "fengshui"
	MemberService     Member = "service"
	MemberToilets     Member = "toilets"
	MemberTotal       Member = "total"
	MemberReviewCount Member = "review_count"
	MemberPostcode    Member = "postcode"
	MemberArea        Member = "area"
	MemberAltNames    Member = "alt_names"

	MemberOpeningHours Member = "opening_hours"
	MemberTimeZone     Member = "time_zone"
)

// A Facet is a member whose values can be counted, a metric or "review_count", whose values can be described, or a
// column that the operator makes one.
type Facet string

// The facets whose values can be counted.
const (
	FacetLocation Facet = "location"
	FacetTrading  Facet = "trading"
	FacetCategory Facet = "common_category"
	FacetFeatures Facet = "features"
	FacetArea     Facet = "area"
	FacetPostcode Facet = "postcode"
)

// A Point is a point on the Earth, in degrees.
type Point struct{ Lat, Lng float64 }

// A Box is the part of the Earth between two meridians and two parallels, in degrees; with West greater than East, it
// crosses 180°.
type Box struct{ West, South, East, North float64 }

// Query is a lookup or search; zero fields have no effect. The server validates it and rejects what it does not allow.
type Query struct {
	// UID looks up one pub, UIDs up to 100, in that order. Of the other fields, only Include, Fields and Snapshot are
	// then used; without UIDs, Search is required.
	UID  string
	UIDs []string
	// Search is words of names, places and postcodes, at most 200 characters; [Every] matches every pub.
	Search string
	// Strict disables relaxing for a search that matches nothing. More adds to fewer than 5 results what the next
	// attempt finds.
	Strict, More bool

	// Page counts from 1; zero means 1. Amount is the size of a page, at most 100; zero means 20, or in a circle the
	// limit of the operator.
	Page, Amount int
	// Sort is by name if empty, and by distance in a circle.
	Sort Sort
	// Order is [Ascending] if empty.
	Order Order
	// Weights are the weights of the metrics for SortWeighted, from 0 to 100.
	Weights ByMetric[float64]
	// Seed is the seed of SortRandom, 0 or more.
	Seed *int64

	// Center, or Around (the UID of a pub), together with Distance makes a circle, which keeps only the pubs inside,
	// except the pub of Around. Near is a point without a circle: it adds distances to the pubs. Either leaves out
	// pubs without coordinates.
	Center   *Point
	Around   string
	Distance *Kilometres
	Near     *Point

	// Box keeps only the pubs inside.
	Box *Box
	// Min keeps pubs with at least these ratings, Max with at most these.
	Min, Max Ratings

	// Include adds members to each pub; Fields restricts the other members to these.
	Include, Fields []Member
	// Facets requests the number of pubs in the whole result for each value.
	Facets []Facet
	// Columns has values of the columns that the operator makes facets, by name. With min_ or max_ before the name of one
	// of numbers, it is a limit.
	Columns map[string][]string

	// Keeps only rated pubs: those with at least one rating and, if the snapshot has review counts, at least one
	// review.
	Rated bool
	// Name of a pub to leave out of a distance search, with all others of that name, regardless of case, accents
	// and punctuation.
	Marker string
	// Keeps pubs whose trading status is one of these, regardless of case, accents and punctuation.
	Trading []string
	// Keeps pubs whose common_category is one of these, regardless of case, accents and punctuation.
	Category []string
	// Keeps pubs whose location is one of these, regardless of case, accents and punctuation; the commas of a
	// location may stay as they are.
	Location []string
	// Keeps pubs whose area is one of these, regardless of case, accents and punctuation.
	Area []string
	// Keeps pubs whose outward postcode is one of these.
	Postcode []string
	// Keeps pubs with at least this many reviews.
	MinReviews int64
	// Keeps pubs with at most this many reviews.
	MaxReviews *int64
	// 1 to 100 UIDs of pubs to leave out.
	Exclude []string
	// Use this snapshot, named as in X-Snapshot and Link, while it is kept, so that the pages of a result stay
	// consistent across a reload. One that is no longer kept is a 410.
	Snapshot string
	// Counts only those values of one facet that have a word beginning with a text, such as location:ox: values
	// that are not among the 50 most frequent, too. The facet need not be listed in facets.
	FacetSearch string
	// Keeps pubs that are known to have all of these features, in "dog|wifi" either, and with "-dog" known not to have
	// it; phrases such as "dog friendly" stand for one.
	Features []string
	// Open keeps pubs that are known to be open, "now", "always" or at a local time, such as "2026-11-28T20:00", or with Z
	// one of UTC, or from one to before another, with / between them; with OpenUnknown also those of which that is not known.
	Open        string
	OpenUnknown bool
}

// values returns the parameters of a query.
func (q *Query) values() url.Values {
	v := url.Values{"format": {"json"}}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	count := func(name string, n int64) {
		if n != 0 {
			v.Set(name, strconv.FormatInt(n, 10))
		}
	}
	set("pubid", q.UID)
	set("pubids", join(q.UIDs))
	set("search", q.Search)
	switch {
	case q.Strict:
		v.Set("relax", "false")
	case q.More:
		v.Set("relax", "more")
	}
	count("page", int64(q.Page))
	count("amount", int64(q.Amount))
	set("sort", string(q.Sort))
	set("order", string(q.Order))
	var weights []string
	q.Weights.each(func(metric string, weight float64) {
		if weight != 0 {
			weights = append(weights, metric+":"+number(weight))
		}
	})
	set("weights", join(weights))
	if q.Seed != nil {
		v.Set("seed", strconv.FormatInt(*q.Seed, 10))
	}
	if q.Center != nil {
		v.Set("lat", number(q.Center.Lat))
		v.Set("lng", number(q.Center.Lng))
	}
	if q.Distance != nil {
		v.Set("distance", number(float64(*q.Distance)))
	}
	set("around", q.Around)
	if q.Near != nil {
		v.Set("near", numbers(q.Near.Lat, q.Near.Lng))
	}
	if q.Box != nil {
		v.Set("bbox", numbers(q.Box.West, q.Box.South, q.Box.East, q.Box.North))
	}
	for before, limits := range map[string]*Ratings{"min_": &q.Min, "max_": &q.Max} {
		limits.each(func(metric string, limit *float64) {
			if limit != nil {
				v.Set(before+metric, number(*limit))
			}
		})
	}
	set("include", join(q.Include))
	set("fields", join(q.Fields))
	set("facets", join(q.Facets))
	if q.Rated {
		v.Set("rated", "true")
	}
	set("marker", q.Marker)
	set("trading", values(q.Trading))
	set("category", values(q.Category))
	set("location", values(q.Location))
	set("area", values(q.Area))
	set("postcode", values(q.Postcode))
	for name, list := range q.Columns {
		set(name, values(list))
	}
	count("min_reviews", q.MinReviews)
	if q.MaxReviews != nil {
		v.Set("max_reviews", strconv.FormatInt(*q.MaxReviews, 10))
	}
	set("exclude", join(q.Exclude))
	set("snapshot", q.Snapshot)
	set("facet_search", q.FacetSearch)
	set("features", join(q.Features))
	set("open", q.Open)
	if q.OpenUnknown {
		v.Set("open_unknown", "true")
	}
	return v
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

func numbers(list ...float64) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = number(n)
	}
	return join(texts)
}

// values joins the values of a filter. One with a comma is put in quotes.
func values(list []string) string {
	texts := make([]string, len(list))
	for i, value := range list {
		if texts[i] = value; strings.Contains(value, ",") {
			texts[i] = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
	}
	return join(texts)
}

// join joins a list with commas.
func join[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = string(item)
	}
	return strings.Join(texts, ",")
}
