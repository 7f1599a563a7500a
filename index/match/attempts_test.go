package match_test

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index"
)

// pubs are the pubs to find: name, location, address, postcode and area.
var pubs = [][5]string{
	{"The Anchor", "Leeds", "12 High Road", "LS1 4AB", "Yorkshire"},
	{"Blue Bell", "York", "", "", "Yorkshire"},
	{"Great Hulk", "Bath"},
	{"Wheatsheaf", "Ely"},
	{"Crown", "Leeds"},
	{"Garden House", "York", "", "", "Yorkshire"},
	{"Leeds", "Ely"},
}

// snapshot has the pubs, and 24 called P0 to P23 in a line from south to north in Harrogate.
func snapshot(t *testing.T) *index.Snapshot {
	t.Helper()
	var d index.Directory
	for i, p := range pubs {
		d.Pubs = append(d.Pubs, index.Pub{UID: p[0], Name: p[0], Location: p[1], Address: p[2], Postcode: p[3], Area: p[4],
			Latitude: 53 + float64(i*i)/10, Longitude: -1})
	}
	for i := range 24 {
		name := fmt.Sprint("P", i)
		d.Pubs = append(d.Pubs, index.Pub{UID: name, Name: name, Location: "Harrogate", Latitude: 50 + float64(i)/100, Longitude: -1})
	}
	s := testkit.Must(index.InMemory(d, index.BuildOptions{}))(t)
	return s
}

// Queries that ask for pubs or a place have the pubs there. Each line says the words that matched, how they were corrected,
// the place, what was not used, and the pubs or their number. The model of package index shows the other attempts.
func TestAsked(t *testing.T) {
	s := snapshot(t)
	var w index.Workspace
	for _, c := range []struct{ attempt, search, told, pubs string }{
		{"any pub", "pubs", `place ""`, "31 pubs"},
		{"a place asked for", "pubs in leeds", `place "" in "leeds"`, "Crown, The Anchor"},
		{"a place rather than a name", "leeds", `place "" in "leeds"`, "Crown, Leeds, The Anchor"},
		{"a part of a place", "north harrogate", `place "" in "north harrogate"`, "9 pubs"},
		{"no part of a small place", "north leeds", `strict ""`, ""},
		{"two places", "pubs leeds yorkshire", `place "" in "leeds" near "yorkshire"`, "The Anchor"},
		{"a place misspelt", "pubs in harogate", `place "harogate" for "harrogate" in "harrogate"`, "24 pubs"},
		{"a place with wishes", "quiet garden york", `place "" in "york" without "quiet garden"`, "Blue Bell, Garden House"},
	} {
		a := s.Search(&index.Query{Text: []byte(c.search)}, &w)
		if told, found := told(a.Relaxed), names(s, a.Pubs); !strings.HasPrefix(told, c.told) || found != c.pubs {
			t.Errorf("%s: %q: got %s %q, want %s %q", c.attempt, c.search, told, found, c.told, c.pubs)
		}
	}
}

// The last attempt corrects words of places, too: here one of a place in which no pub passes the filter.
func TestLastAttempt(t *testing.T) {
	q := index.Query{Text: []byte("hull")}
	q.Filter.Values[index.Location] = [][]byte{[]byte("bath")}
	s := snapshot(t)
	a := s.Search(&q, new(index.Workspace))
	if told, found := told(a.Relaxed), names(s, a.Pubs); told != `typo "hull" for "hulk"` || found != "Great Hulk" {
		t.Errorf("got %s %q", told, found)
	}
}

// A query may have any number of words.
func TestLongestQueries(t *testing.T) {
	s := snapshot(t)
	point := geo.NewCircle(geo.Point{Lat: 53, Lng: -1}, 1e5)
	var w index.Workspace
	for _, word := range []string{"anchor", "pub", "in", "leeds", "qzxjkvwq", "anchor in leeds"} {
		for _, count := range []int{8, 9, 63, 64, 65, 255, 256, 257, 1000} {
			for _, near := range []bool{false, true} {
				q := index.Query{Text: []byte(strings.Repeat(word+" ", count)), Sort: index.SortRelevance, Descending: true}
				if q.Near = near; near {
					q.Circle = &point
				}
				a := s.Search(&q, &w)
				if found := names(s, a.Pubs); found != "The Anchor" && strings.Contains(word, "anchor") {
					t.Errorf("%s, %d times, near %v: got %s", word, count, near, found)
				}
				for _, pub := range a.Pubs {
					w.Highlights(s, &a, pub)
				}
			}
		}
	}
}

// In a distance search, no word counts as a place.
func TestAttemptsInCircle(t *testing.T) {
	s := snapshot(t)
	var w index.Workspace
	circle := geo.NewCircle(geo.Point{Lat: 53, Lng: -1}, 5)
	for _, c := range []struct{ search, told, pubs string }{
		{"bars", `place ""`, "The Anchor"},
		{"bar", `place ""`, "The Anchor"},
		{"anhcor", `typo "anhcor" for "anchor"`, "The Anchor"},
		{"anchor hull", `partial "anchor" without "hull"`, "The Anchor"},
		{"anchor qzxjkvwq hull", `partial "anchor" without "qzxjkvwq hull"`, "The Anchor"},
		{"wheatsheaf", `strict ""`, ""},
	} {
		a := s.Search(&index.Query{Text: []byte(c.search), Circle: &circle}, &w)
		if told, found := told(a.Relaxed), names(s, a.Pubs); told != c.told || found != c.pubs {
			t.Errorf("%q: got %s %q, want %s %q", c.search, told, found, c.told, c.pubs)
		}
	}
}

// told returns how a query was relaxed.
func told(r index.Relaxed) string {
	said := fmt.Sprintf("%v %q", r.Step, joined(r.Words))
	for _, more := range []struct {
		name  string
		words [][]byte
	}{{"for", r.Corrected}, {"in", r.Place}, {"near", r.Larger}, {"without", r.Unused}} {
		if len(more.words) > 0 {
			said += fmt.Sprintf(" %s %q", more.name, joined(more.words))
		}
	}
	return said
}

func joined(words [][]byte) string {
	var all []string
	for _, word := range words {
		all = append(all, string(word))
	}
	return strings.Join(all, " ")
}

// names returns the names of pubs or, if they are more than five, their number.
func names(s *index.Snapshot, pubs []uint32) string {
	if len(pubs) > 5 {
		return fmt.Sprint(len(pubs), " pubs")
	}
	var all []string
	for _, pub := range pubs {
		all = append(all, s.Pub(pub).Name)
	}
	return strings.Join(all, ", ")
}
