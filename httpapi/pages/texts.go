package pages

import (
	"fmt"
	"math"

	"pubd/geo"
)

// texts are all our words on the pages, in one language. Those with a verb are formats.
type texts struct {
	Language                                                   string
	Site, Explorer, Places, Breadcrumb, About                  string
	Address, Postcode, Area, OtherNames, Kind, Status          string
	Website, Phone                                             string
	Ratings, RatingsOf, Metric, Rating, Overall, Rank, NotRank string
	RankOf                                                     string // rank, and of how many
	Reviews, OneReview, NoRatings, Rated                       string
	Nearby, NoNearby, ShowOnMap, Directions                    string
	PubsIn, PubIn, PubsInHint, NearbyPlaces, AllPlaces         string
	PlacesHint, Pubs, OnePub, Previous, Next, PageOf, Pages    string
	Missing, MissingHint, BestFirst, PubHint                   string
	Metres, Kilometres                                         string
}

var english = texts{
	Language: "en",
	Site:     "Pubs", Explorer: "Search and map", Places: "Places", Breadcrumb: "Where you are", About: "About it",
	Address: "Address", Postcode: "Postcode", Area: "Area", OtherNames: "Also known as", Kind: "Kind", Status: "Status",
	Website: "Website", Phone: "Phone",
	Ratings: "Ratings", RatingsOf: "Ratings from 0 to 10, and ranks", Metric: "What", Rating: "Rating", Overall: "Rank of all", Rank: "Rank in %s", NotRank: "–",
	RankOf:  "%d of %d",
	Reviews: "%d reviews", OneReview: "1 review", NoRatings: "Nobody has rated this pub yet.", Rated: "Rated %.1f of 10",
	Nearby: "Pubs nearby", NoNearby: "No other pub is within 50 km.", ShowOnMap: "Show on the map", Directions: "Directions",
	PubsIn: "%d pubs in %s", PubIn: "1 pub in %s", PubsInHint: "%s, with their ratings: %s.", NearbyPlaces: "Places nearby", AllPlaces: "All places",
	PlacesHint: "All places that have a pub, from A to Z.", Pubs: "%d pubs", OnePub: "1 pub", Previous: "Previous page", Next: "Next page", PageOf: "Page %d of %d", Pages: "Pages",
	Missing: "There is no such page", MissingHint: "The pub or the place may have closed, or its address may be mistyped.",
	BestFirst: "The best rated first.", PubHint: "Its ratings, and pubs nearby.",
	Metres: "%d m", Kilometres: "%.1f km",
}

// distance returns a distance as people write it.
func (t *texts) distance(d geo.Kilometres) string {
	if d < 1 {
		return fmt.Sprintf(t.Metres, int(math.Round(float64(d)*100))*10)
	}
	return fmt.Sprintf(t.Kilometres, d)
}

// pubs returns a number of pubs.
func (t *texts) pubs(n int) string {
	if n == 1 {
		return t.OnePub
	}
	return fmt.Sprintf(t.Pubs, n)
}

// pubsIn returns a number of pubs in a place.
func (t *texts) pubsIn(n int, place string) string {
	if n == 1 {
		return fmt.Sprintf(t.PubIn, place)
	}
	return fmt.Sprintf(t.PubsIn, n, place)
}

// reviews returns a number of reviews; empty for none.
func (t *texts) reviews(n int64) string {
	switch n {
	case 0:
		return ""
	case 1:
		return t.OneReview
	}
	return fmt.Sprintf(t.Reviews, n)
}
