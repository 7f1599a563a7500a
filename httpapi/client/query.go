package client

import (
	"net/url"
	"strconv"
	"strings"
)

// Every is the search that every pub matches.
const Every = "*"

// A Sort is what results are sorted by, such as "review_count".
type Sort string

// The sorts. Ties, and what has no value, come in the order of names.
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
	SortRelevance   Sort = "relevance" // best match first, whatever the order
	SortDistance    Sort = "distance"  // needs Center, Around or Near
	SortWeighted    Sort = "weighted"  // needs Weights
	SortRandom      Sort = "random"    // needs Seed
)

// An Order is the direction of a sort, as answers write it.
type Order string

// The orders.
const (
	Ascending  Order = "ASC"
	Descending Order = "DESC"
)

// A Member is one of a pub, by its name in JSON, such as "review_count" or "label".
type Member string

// The members that Query.Include can add to each pub. An address comes with postcode and area.
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
)

// A Facet is a member whose values are counted.
type Facet string

// The facets.
const (
	FacetLocation Facet = "location"
	FacetTrading  Facet = "trading"
	FacetCategory Facet = "common_category"
)

// A Point is one on the Earth, in degrees.
type Point struct{ Lat, Lng float64 }

// A Box is the part of the Earth between two meridians and two parallels, in degrees; with West greater than East, it
// crosses 180°.
type Box struct{ West, South, East, North float64 }

// Query is what to ask for; a zero field asks for nothing. The server checks it, and refuses what it does not allow.
type Query struct {
	// UID asks for one pub, UIDs for up to 100, in that order. Of the other fields Include, Fields and Snapshot are used
	// then; without them there must be a Search.
	UID  string
	UIDs []string
	// Search is the words of a name or a location, at most 200 characters; [Every] is every pub.
	Search string
	// Strict asks not to relax a search that matches nothing.
	Strict bool

	// Page is from 1, which zero means. Amount is the size of a page, to 100; zero means 20, or in a circle what the operator
	// chose.
	Page, Amount int
	// Sort is by name when empty, in a circle by distance.
	Sort Sort
	// Order is [Ascending] when empty.
	Order Order
	// Weights is what SortWeighted counts each metric with, from 0 to 100.
	Weights ByMetric[float64]
	// Seed chooses the shuffle of SortRandom, from 0.
	Seed *int64

	// Center or Around, the UID of a pub, together with Distance is a circle, which keeps the pubs inside, without the one it is
	// around. Near is a point without a circle: it gives pubs their distance. Either leaves out pubs without coordinates.
	Center   *Point
	Around   string
	Distance *Kilometres
	Near     *Point
	// Marker is the name of pubs to leave out of a circle.
	Marker string
	// Exclude has the UIDs of pubs to leave out.
	Exclude []string

	// Box keeps the pubs inside.
	Box *Box
	// Rated keeps the pubs that are rated.
	Rated bool
	// Min keeps the pubs with at least these ratings, MinReviews those with at least so many reviews.
	Min        Ratings
	MinReviews int64
	// Trading, Category and Location keep the pubs with one of these values; case and accents do not count.
	Trading, Category, Location []string

	// Include adds members to each pub; Fields leaves out all but these of the others.
	Include, Fields []Member
	// Facets asks how many pubs of the whole result have each value.
	Facets []Facet
	// FacetSearch is a facet and a text, such as "location:ox": it counts only the values of that facet of which a word begins with the text.
	FacetSearch string
	// Snapshot asks for an answer from that one, as [Answer.Snapshot] named it; once it is no longer kept, that is an [*Error]
	// of code [SnapshotGone].
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
	if q.Strict {
		v.Set("relax", "false")
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

// values writes the values of a filter, in which a comma, which would part one into two, counts as little as a space.
func values(list []string) string {
	texts := make([]string, len(list))
	for i, value := range list {
		texts[i] = withoutCommas.Replace(value)
	}
	return join(texts)
}

// join writes a list, with commas between its items.
func join[T ~string](list []T) string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = string(item)
	}
	return strings.Join(texts, ",")
}
