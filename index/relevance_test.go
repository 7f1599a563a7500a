package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// TestNearAgreesWithModel compares pages by relevance near a point where many pubs are equally far from it: their fair
// scores decide, also across pages.
func TestNearAgreesWithModel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 0))
	var directory corpus.Directory
	for i := range 1000 {
		pub := schema.Pub{UID: fmt.Sprint(i), Name: fmt.Sprint("Bell ", i%3), Latitude: 52, Longitude: float64(rng.IntN(8)), ReviewCount: rng.Int64N(50)}
		for metric := range pub.Ratings {
			pub.Ratings[metric] = pick(rng.IntN, math.NaN(), 5, float64(rng.IntN(11)))
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	agree(t, new(Workspace), directory, 200, func(corpus.Directory) modelQuery {
		return modelQuery{text: pick(rng.IntN, "*", "bell", "bell 1"), sort: schema.SortRelevance, page: 1 + rng.IntN(30), amount: pick(rng.IntN, 1, 7, 20),
			near: true, inCircle: true, lat: 52, lng: float64(rng.IntN(8)) + 0.25, radius: math.MaxFloat64, rated: rng.IntN(2) == 0}
	})
}

// TestNamesWithoutWords compares the order where a name has no words, like what is asked for.
func TestNamesWithoutWords(t *testing.T) {
	t.Parallel()
	directory := corpus.Directory{CountsReviews: true}
	for i, name := range []string{"!", "Hart", "The", "Lion"} {
		pub := schema.Pub{UID: fmt.Sprint(i), Name: name, Location: "Leeds", ReviewCount: int64(i), Latitude: 53, Longitude: -1}
		for metric := range pub.Ratings {
			pub.Ratings[metric] = float64(i)
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	texts := []string{"kneipen", "kneipen around", "kneipen leeds", "leeds"}
	agree(t, new(Workspace), directory, len(texts), func(corpus.Directory) modelQuery {
		q := modelQuery{text: texts[0], sort: schema.SortRelevance, page: 1, amount: 9}
		texts = texts[1:]
		return q
	})
}

// TestMisspeltPlaceIsTold compares what is told of a misspelt place beside a place noun in every order, as ranking what
// was added reads the query again.
func TestMisspeltPlaceIsTold(t *testing.T) {
	t.Parallel()
	var directory corpus.Directory
	for i, name := range []string{"Red Lion", "Blue Boar", "Crown", "Station Inn"} {
		pub := schema.Pub{UID: fmt.Sprint(i), Name: name, Location: "Birmingham", Latitude: 52, Longitude: 1}
		if name == "Station Inn" {
			pub.Location, pub.Latitude = "Hull", 54
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	sorts := []schema.Sort{schema.SortName, schema.SortRelevance}
	agree(t, new(Workspace), directory, len(sorts), func(corpus.Directory) modelQuery {
		q := modelQuery{text: "pubs near station birmigham", more: true, sort: sorts[0], page: 1, amount: 10}
		sorts = sorts[1:]
		return q
	})
}

// A place of three letters is not taken for misspelt.
func TestShortPlacesAreNotMisspelt(t *testing.T) {
	t.Parallel()
	directory := corpus.Directory{Pubs: slices.Repeat([]schema.Pub{{Name: "Red Lion", Location: "Eu X", Latitude: 52, Longitude: 1}}, 3)}
	for i := range directory.Pubs {
		directory.Pubs[i].UID = fmt.Sprint(i)
	}
	agree(t, new(Workspace), directory, 1, func(corpus.Directory) modelQuery {
		return modelQuery{text: "pubs in eu xx", page: 1, amount: 10}
	})
}

// The words of a feature that the snapshot tells of are wishes where they say it, also those that are no wishes elsewhere;
// those of what is denied say nothing else.
func TestWordsOfFeaturesAreWishes(t *testing.T) {
	t.Parallel()
	directory := corpus.Directory{Pubs: []schema.Pub{{UID: "a", Name: "Red Lion", Location: "Leeds", Features: "quiz", OpeningHours: "24/7", Latitude: 52, Longitude: 1},
		{UID: "b", Name: "Bell", Location: "York", Features: "garden", Latitude: 52, Longitude: 1}}}
	texts := []string{"pubquiz", "pubquiz leeds", "trivia night in york", "bell trivia", "24 hours leeds 24", "x y z v pub without near me garden pubs in"}
	agree(t, new(Workspace), directory, len(texts), func(corpus.Directory) modelQuery {
		q := modelQuery{text: texts[0], inCircle: true, near: true, lat: 52, lng: 1, radius: math.MaxFloat64, sort: schema.SortRelevance, page: 1, amount: 10}
		texts = texts[1:]
		return q
	})
}

// TestRarePlaces compares queries for places that random directories rarely have: a name of the gazetteer that more pubs
// are called than are in it, a point of the gazetteer far from the pubs that name its town, and a part of addresses.
func TestRarePlaces(t *testing.T) {
	t.Parallel()
	directory := corpus.Directory{Gazetteer: []corpus.GazetteerPlace{{Name: "Bell", At: geo.Point{Lat: 51}}, {Name: "Ripon", At: geo.Point{Lat: 54}}}}
	for i, row := range []struct {
		name, location, address string
		lat                     float64
	}{
		{"Crown", "", "", 51.001}, {"Bell", "", "", 52}, {"Bell", "", "", 52.1}, {"Fox", "", "", 54.03}, {"Fox", "", "", 50}, {"Swan", "Ripon", "", 53},
		{"Star", "York", "1 Mill Lane, Selby", 53.9}, {"Star", "York", "2 Mill Lane, Selby", 53.9}, {"Hart", "York", "3 Mill Lane, Selby", 53.9}, {"Hart", "Selby", "", 53.8},
	} {
		directory.Pubs = append(directory.Pubs, schema.Pub{UID: fmt.Sprint(i), Name: row.name, Location: row.location, Address: row.address, Latitude: row.lat})
	}
	texts := []string{"pubs in bell", "bell", "fox ripon", "fox in ripon", "hart selby", "hart mill lane", "star selby", "selby", "pubs in york", "hart york"}
	agree(t, new(Workspace), directory, len(texts), func(corpus.Directory) modelQuery {
		q := modelQuery{text: texts[0], more: len(texts)%2 == 0, sort: schema.SortRelevance, page: 1, amount: 10}
		texts = texts[1:]
		return q
	})
}

// What is kept of a frequent text must be what any of its pages are without it, as an excluded pub makes them.
func TestFrequent(t *testing.T) {
	var directory corpus.Directory
	for i := range frequentFrom + 100 {
		name := []string{"Inn", "The Red Inn", "Inn on the Hill", "Railway Inn and Hotel"}[i%4]
		directory.Pubs = append(directory.Pubs, schema.Pub{UID: fmt.Sprint(i), Name: name, Latitude: math.NaN(), Longitude: math.NaN()})
	}
	snapshot := inMemory(t, directory)
	last := []byte(fmt.Sprint(frequentFrom + 99))
	for _, page := range []int64{2, 1, 9, 10, 11} {
		q := Query{Text: []byte("INN"), Sort: schema.SortRelevance, Page: page, Amount: 20}
		got := slices.Clone(snapshot.Search(&q, new(Workspace)).Pubs)
		q.Filter.Exclude = [][]byte{last}
		testkit.Equal(t, fmt.Sprint("page ", page), got, snapshot.Search(&q, new(Workspace)).Pubs)
	}
	kept := 0
	for i := range snapshot.frequent {
		if snapshot.frequent[i].Load() != nil {
			kept++
		}
	}
	testkit.Equal(t, "texts kept", kept, 1)
}
