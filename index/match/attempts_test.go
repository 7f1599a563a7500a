package match_test

import (
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// snapshot has a few pubs. The model of package index shows what every attempt finds.
func snapshot(t *testing.T) *index.Snapshot {
	t.Helper()
	var d corpus.Directory
	for _, p := range [][2]string{{"The Anchor", "Leeds"}, {"Great Hulk", "Bath"}, {"Crown", "Leeds"}, {"Star", "Hull"}} {
		d.Pubs = append(d.Pubs, schema.Pub{UID: p[0], Name: p[0], Location: p[1], Latitude: 53, Longitude: -1})
	}
	return testkit.Must(index.InMemory(d, index.BuildOptions{}))(t)
}

// A query may have any number of words.
func TestLongestQueries(t *testing.T) {
	s := snapshot(t)
	point := geo.NewCircle(geo.Point{Lat: 53, Lng: -1}, 1e5)
	var w index.Workspace
	for _, word := range []string{"anchor", "pub", "in", "leeds", "qzxjkvwq", "anchor in leeds"} {
		for _, count := range []int{8, 9, 63, 64, 65, 255, 256, 257, 1000} {
			for _, near := range []bool{false, true} {
				q := index.Query{Text: []byte(strings.Repeat(word+" ", count)), Sort: schema.SortRelevance, Descending: true}
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

// names returns the names of pubs.
func names(s *index.Snapshot, pubs []uint32) string {
	var all []string
	for _, pub := range pubs {
		all = append(all, s.Pub(pub).Name)
	}
	return strings.Join(all, ", ")
}
