package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/ranking"
	"pubd/index/schema"
)

// Whatever pubs have in common, a page or suggestions cost no more processor time than a few scans: of as many pubs with
// nothing in common, a page by relevance judges each.
func TestTiesCostScans(t *testing.T) {
	testkit.Long(t, "is judged by time")
	const pubs = 40_000
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rng := rand.New(rand.NewPCG(21, 22))
	build := func(tie func(pub *schema.Pub)) *index.Snapshot {
		var directory corpus.Directory
		for i := range pubs {
			pub := schema.Pub{UID: fmt.Sprint(i), Name: fmt.Sprintf("Red Lion %d", i), Location: fmt.Sprintf("Leeds %d", i%999),
				Latitude: 90 * rng.Float64(), Longitude: 360*rng.Float64() - 180}
			for metric := range pub.Ratings {
				pub.Ratings[metric] = float64(rng.IntN(1000)) / 100
			}
			tie(&pub)
			directory.Pubs = append(directory.Pubs, pub)
		}
		s := testkit.Must(index.InMemory(directory, index.BuildOptions{}))(t)
		return s
	}
	scattered := build(func(*schema.Pub) {})
	at := func(lat, lng float64) geo.Point { return geo.Point{Lat: lat, Lng: lng} }
	for _, tied := range []struct {
		what     string
		snapshot *index.Snapshot
		center   geo.Point
	}{
		{"one name, town and point", build(func(p *schema.Pub) {
			if rng.IntN(10) > 0 {
				p.Name, p.Location, p.Latitude, p.Longitude = "Red Lion", "Leeds", 53.8, -1.5
			}
		}), at(53.8, -1.5)},
		{"one name", build(func(p *schema.Pub) { p.Name = "Red Lion" }), at(53.8, -1.5)},
		{"one latitude", build(func(p *schema.Pub) { p.Latitude = 51.5 }), at(90, 0)},
		{"0,0", build(func(p *schema.Pub) { p.Latitude, p.Longitude = 0, 0 }), at(0, 0)},
		{"one rating", build(func(p *schema.Pub) { p.Ratings = schema.Ratings{7, 7, 7, 7, 7, 7} }), at(53.8, -1.5)},
	} {
		everywhere := geo.NewCircle(tied.center, math.MaxFloat64)
		const page, amount = pubs / 250, 100
		scan := cost(scattered, index.Query{Text: []byte("red lion"), Circle: &everywhere, Sort: schema.SortRelevance, Page: page, Amount: amount})
		for what, c := range map[string]struct {
			scans int
			query index.Query
		}{
			"distance":                 {2, index.Query{All: true, Circle: &everywhere, Sort: schema.SortDistance}},
			"distance, farthest first": {2, index.Query{All: true, Circle: &everywhere, Sort: schema.SortDistance, Descending: true}},
			"distance of a word":       {2, index.Query{Text: []byte("red lion"), Circle: &everywhere, Sort: schema.SortDistance}},
			"distance, marker":         {2, index.Query{All: true, Circle: &everywhere, Sort: schema.SortDistance, Marker: []byte("red lion")}},
			"relevance":                {4, index.Query{Text: []byte("red lion"), Circle: &everywhere, Sort: schema.SortRelevance}},
			"relevance, no centre":     {2, index.Query{Text: []byte("red lion"), Sort: schema.SortRelevance}},
			"rating":                   {2, index.Query{Text: []byte("red lion"), Sort: schema.Total.Sort(), Descending: true}},
			"weighted":                 {2, index.Query{Text: []byte("red lion"), Sort: schema.SortWeighted, Weights: ranking.Weights{1, 2, 0, 0, 0, 1}}},
			"suggestions":              {5, index.Query{Text: []byte("lion leeds"), Circle: &everywhere, Amount: 20}},
		} {
			if what != "suggestions" {
				c.query.Page, c.query.Amount = page, amount
			}
			if took := cost(tied.snapshot, c.query); took > time.Duration(c.scans)*scan {
				t.Errorf("%s, %s: %v, want at most %d times %v", tied.what, what, took, c.scans, scan)
			}
		}
	}
}

// The nearest of any pubs, by distance or by relevance, are found without looking at most of them.
func TestNearestCostNoScan(t *testing.T) {
	testkit.Long(t, "is judged by time")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rng, directory := rand.New(rand.NewPCG(23, 24)), corpus.Directory{}
	for i := range 100_000 {
		pub := schema.Pub{UID: fmt.Sprint(i), Name: fmt.Sprintf("Red Lion %d", i), Ratings: schema.Rated(nil),
			Latitude: 50 + 8*rng.Float64(), Longitude: 8 * rng.Float64()}
		if i%50 == 0 {
			pub.Features = "garden"
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	s := testkit.Must(index.InMemory(directory, index.BuildOptions{}))(t)
	near, within := geo.NewCircle(geo.Point{Lat: 52.1, Lng: 1.2}, math.MaxFloat64), geo.NewCircle(geo.Point{Lat: 52.1, Lng: 1.2}, 1000)
	scan := cost(s, index.Query{Text: []byte("red lion"), Circle: &near, Sort: schema.SortRelevance, Page: 5000, Amount: 20})
	for what, query := range map[string]index.Query{
		"all, near":                      {All: true, Circle: &near, Near: true, Sort: schema.SortRelevance},
		"all, in a circle":               {All: true, Circle: &within, Sort: schema.SortRelevance},
		"pubs near me":                   {Text: []byte("pubs near me"), Circle: &near, Near: true, Sort: schema.SortRelevance},
		"pubs near me, by distance":      {Text: []byte("pubs near me"), Circle: &near, Near: true, Sort: schema.SortDistance},
		"pubs with garden, near":         {Text: []byte("pubs with garden"), Circle: &near, Near: true, Sort: schema.SortRelevance},
		"pubs with garden, by relevance": {Text: []byte("pubs with garden"), Sort: schema.SortRelevance},
	} {
		query.Page, query.Amount = 1, 20
		if took := cost(s, query); 10*took > scan {
			t.Errorf("%s: %v, want at most a tenth of %v", what, took, scan)
		}
	}
}

// cost returns the CPU time that a search, or suggestions if the query has no page, take.
func cost(s *index.Snapshot, query index.Query) time.Duration {
	var w index.Workspace
	least := time.Duration(math.MaxInt64)
	for range 5 {
		begun := threadTime()
		if query.Page == 0 {
			s.Suggest(&w, &query)
		} else {
			s.Search(&query, &w)
		}
		least = min(least, threadTime()-begun)
	}
	return least
}

// threadTime returns the CPU time of the thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
