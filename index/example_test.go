package index_test

import (
	"fmt"

	"pubd/geo"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

func Example() {
	pub := func(uid, name, location string, lat, lng, beer float64) schema.Pub {
		return schema.Pub{UID: uid, Name: name, Location: location, Latitude: lat, Longitude: lng,
			Ratings: schema.Rated(map[schema.Metric]float64{schema.Beer: beer}), ReviewCount: 3}
	}
	s, err := index.InMemory(corpus.Directory{CountsReviews: true, Pubs: []schema.Pub{
		pub("u1", "The Red Lion", "Barnes", 51.4757, -0.2407, 7.5),
		pub("u2", "Red Lion", "Soho", 51.5131, -0.1366, 8),
		pub("u3", "The Anchor", "Bankside", 51.5071, -0.0943, 6.5),
	}}, index.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var w index.Workspace
	found := s.Search(&index.Query{Text: []byte("red lion"), Sort: schema.Beer.Sort(), Descending: true, Amount: 20}, &w)
	for _, ordinal := range found.Pubs {
		fmt.Println(s.Pub(ordinal).Name, s.Pub(ordinal).Location)
	}
	circle := geo.NewCircle(geo.Point{Lat: 51.51, Lng: -0.13}, 5)
	found = s.Search(&index.Query{All: true, Circle: &circle, Sort: schema.SortDistance, Amount: 20}, &w)
	for i, ordinal := range found.Pubs {
		fmt.Printf("%s, %.1f km\n", s.Pub(ordinal).Name, found.Distances[i])
	}
	found = s.Search(&index.Query{Text: []byte("ancohr"), Amount: 20}, &w)
	fmt.Println(found.Total, "by", found.Step)
	// Output:
	// Red Lion Soho
	// The Red Lion Barnes
	// Red Lion, 0.6 km
	// The Anchor, 2.5 km
	// 1 by typo
}
