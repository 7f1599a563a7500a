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

// The sort keys. Ties and missing values are ordered by name.
const (
	SortName        Sort = "name"
	SortLocation    Sort = "location"
	SortReviewCount Sort = "review_count"
	SortBeer        Sort = "beer"
	SortAtmos       Sort = "atmos"
	SortFengshui    Sort = "fengshui"
	SortService     Sort = "service"
	SortToilets     Sort = "toilets"
	SortTotal       Sort = "total"
	SortFair        Sort = "fair"      // a Bayesian average: few reviews count little
	SortRelevance   Sort = "relevance" // best match first, regardless of the order
	SortDistance    Sort = "distance"  // needs Center, Around or Near
	SortWeighted    Sort = "weighted"  // needs Weights
	SortRandom      Sort = "random"    // needs Seed
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

// The members that Query.Include can add to each pub. An address comes with postcode, area and other names.
const (
	MemberAddress       Member = "address"
	MemberExtra         Member = "extra"
	MemberRankings      Member = "rankings"
	MemberLocalRankings Member = "local_rankings"
	MemberMatch         Member = "match"
	MemberLabel         Member = "label"
)

// The members that Query.Fields can choose.
const (
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
	MemberDistance    Member = "distance"
	MemberPostcode    Member = "postcode"
	MemberArea        Member = "area"
	MemberAltNames    Member = "alt_names"
)

// A Facet is a member whose values can be counted.
type Facet string

// The facets.
const (
	FacetLocation Facet = "location"
	FacetTrading  Facet = "trading"
	FacetCategory Facet = "common_category"
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
	// except the one at its centre. Near is a point without a circle: it adds distances to the pubs. Either leaves out
	// pubs without coordinates.
	Center   *Point
	Around   string
	Distance *Kilometres
	Near     *Point
	// Marker is a name: pubs with that name are left out of a circle.
	Marker string
	// Exclude has UIDs of pubs to leave out.
	Exclude []string

	// Box keeps only the pubs inside.
	Box *Box
	// Rated keeps only rated pubs.
	Rated bool
	// Min keeps pubs with at least these ratings, MinReviews those with at least that many reviews.
	Min        Ratings
	MinReviews int64
	// Trading, Category and Location keep pubs with one of these values, ignoring case and accents.
	Trading, Category, Location []string

	// Include adds members to each pub; Fields restricts the other members to these.
	Include, Fields []Member
	// Facets requests the number of pubs in the whole result for each value.
	Facets []Facet
	// FacetSearch is a facet and a text, such as "location:ox": it counts only the values of that facet with a word
	// that begins with the text.
	FacetSearch string
	// Snapshot requests an answer from that snapshot, as named by [Answer.Snapshot]; once it is no longer kept, the
	// error is an [*Error] with the code [SnapshotGone].
	Snapshot string
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
	set("around", q.Around)
	if q.Distance != nil {
		v.Set("distance", number(float64(*q.Distance)))
	}
	if q.Near != nil {
		v.Set("near", numbers(q.Near.Lat, q.Near.Lng))
	}
	set("marker", q.Marker)
	set("exclude", join(q.Exclude))
	if q.Box != nil {
		v.Set("bbox", numbers(q.Box.West, q.Box.South, q.Box.East, q.Box.North))
	}
	if q.Rated {
		v.Set("rated", "true")
	}
	q.Min.each(func(metric string, least *float64) {
		if least != nil {
			v.Set("min_"+metric, number(*least))
		}
	})
	count("min_reviews", q.MinReviews)
	set("trading", values(q.Trading))
	set("category", values(q.Category))
	set("location", values(q.Location))
	set("include", join(q.Include))
	set("fields", join(q.Fields))
	set("facets", join(q.Facets))
	set("facet_search", q.FacetSearch)
	set("snapshot", q.Snapshot)
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

var withoutCommas = strings.NewReplacer(", ", " ", ",", " ")

// values joins the values of a filter. A comma inside a value would split it; it is replaced by a space, which matches
// the same.
func values(list []string) string {
	texts := make([]string, len(list))
	for i, value := range list {
		texts[i] = withoutCommas.Replace(value)
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
