package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// inMemory returns the snapshot of a directory.
func inMemory(t testkit.TB, directory corpus.Directory) *Snapshot {
	t.Helper()
	return testkit.Must(InMemory(directory, BuildOptions{}))(t)
}

// No two pubs of a snapshot have the same label, even if names look like labels.
func TestLabelsAreUnique(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	names := []string{"Red Lion", "red lion", "Red Lion, Barnes", "Red Lion, Barnes (1 of 2)", "Red Lion (1 of 2)", "Red Lion [7]", "Anchor"}
	places := []string{"", "Barnes", "barnes", "Barnes (1 of 2)", "Barnes, London"}
	for range testkit.Pick(100, 500) {
		directory := corpus.Directory{Pubs: []schema.Pub{{UID: "x [y", Name: "Anchor", Location: "["}, {UID: "y", Name: "Anchor [x"}}}
		for i := range 1 + rng.IntN(12) {
			directory.Pubs = append(directory.Pubs, schema.Pub{UID: fmt.Sprint(i), Name: names[rng.IntN(len(names))], Location: places[rng.IntN(len(places))]})
		}
		s := inMemory(t, directory)
		labels := map[string]uint32{}
		for i := range uint32(s.Len()) {
			label := string(s.AppendLabel(nil, i))
			if other, ok := labels[label]; ok {
				t.Fatalf("%q is the label of %+v and %+v", label, *s.Pub(other), *s.Pub(i))
			}
			if labels[label] = i; !strings.HasPrefix(label, s.Pub(i).Name) {
				t.Fatalf("%q is the label of %+v", label, *s.Pub(i))
			}
		}
	}
}

// Building and labelling 100,000 pubs that share a name, or whose names look like labels, does not take quadratic
// time.
func TestNamesakesBuildFast(t *testing.T) {
	testkit.Long(t, "is judged by time")
	const count, patience = uint32(100_000), time.Minute
	var directory corpus.Directory
	for i := range count {
		pub := schema.Pub{UID: fmt.Sprint(i), Name: "Red Lion, The", Location: "London", ReviewCount: 1}
		switch i % 3 {
		case 1:
			pub.Name, pub.Location = "A", "B, C"
		case 2:
			pub.Name, pub.Location = "A, B", "C"
		}
		for metric := range pub.Ratings {
			pub.Ratings[metric] = float64(i % 10)
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	begun := time.Now()
	s := inMemory(t, directory)
	var label []byte
	labels := map[string]bool{}
	for pub := range count {
		label = s.AppendLabel(label[:0], pub)
		labels[string(label)] = true
		if rank, total := s.LocalRank(pub, schema.Total); total < count/3 || rank > total {
			t.Fatalf("pub %d is %d of %d of its location", pub, rank, total)
		}
	}
	if took := time.Since(begun); len(labels) != int(count) || took > patience {
		t.Errorf("%d labels of %d pubs in %v, want one each within %v", len(labels), count, took, patience)
	}
}

// Ranks within a location agree with a scan.
func TestLocalRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	directory := corpus.Directory{CountsReviews: true}
	for i := range 500 {
		pub := schema.Pub{UID: fmt.Sprint(i), Name: fmt.Sprint("Pub ", i), Location: []string{"", "York", "york", "Hull"}[rng.IntN(4)], ReviewCount: int64(rng.IntN(3))}
		for metric := range pub.Ratings {
			if pub.Ratings[metric] = float64(rng.IntN(8)); rng.IntN(4) == 0 {
				pub.Ratings[metric] = math.NaN()
			}
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	s := inMemory(t, directory)
	var pubs []*schema.Pub // each decoded once, because decoding takes longer than all comparisons
	for ordinal := range uint32(s.Len()) {
		pubs = append(pubs, s.Pub(ordinal))
	}
	has := func(pub *schema.Pub, metric schema.Metric) bool {
		return pub.ReviewCount > 0 && schema.IsPresent(pub.Ratings[metric])
	}
	for ordinal, pub := range pubs {
		for metric := range schema.Metric(schema.MetricCount) {
			var rank, among uint32
			for _, other := range pubs {
				if pub.Location != "" && strings.EqualFold(other.Location, pub.Location) && has(pub, metric) && has(other, metric) {
					rank, among = max(rank, 1), among+1
					if other.Ratings[metric] > pub.Ratings[metric] {
						rank++
					}
				}
			}
			if gotRank, gotAmong := s.LocalRank(uint32(ordinal), metric); gotRank != rank || gotAmong != among {
				t.Fatalf("%+v: %s: got %d of %d, want %d of %d", *pub, metric, gotRank, gotAmong, rank, among)
			}
		}
	}
}

// The median of two review counts is between them, however large they are.
func TestFairScaleOfManyReviews(t *testing.T) {
	const most = math.MaxInt64
	pub := func(uid string, rating float64) schema.Pub {
		return schema.Pub{UID: uid, Name: uid, Ratings: schema.Rated(map[schema.Metric]float64{schema.Total: rating}), ReviewCount: most}
	}
	s := inMemory(t, corpus.Directory{CountsReviews: true, Pubs: []schema.Pub{pub("a", 10), pub("b", 0)}})
	if got := s.FairScale(); got.Reviews != most || s.Fair(0) != 7.5 || s.Fair(1) != 2.5 {
		t.Errorf("got %+v, scores %v and %v, want %d reviews, 7.5 and 2.5", got, s.Fair(0), s.Fair(1), most)
	}
}
