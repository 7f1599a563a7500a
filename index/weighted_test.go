package index

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWeightedPagesAreTheBest compares pages, of as many hits as make the tree pay and of fewer, with all hits sorted.
func TestWeightedPagesAreTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	var directory Directory
	for i := range 3000 {
		pub := Pub{UID: fmt.Sprint(i), Name: fmt.Sprint("Pub ", i), Category: pick(rng.IntN, "many", "many", "some"), ReviewCount: 1}
		good := 4 + 2*rng.NormFloat64()
		for metric := range pub.Ratings {
			switch rng.IntN(8) {
			case 0:
				pub.Ratings[metric] = pick(rng.IntN, drawnRatings...)
			default:
				pub.Ratings[metric] = math.Round(100*max(0, min(10, good+rng.NormFloat64()))) / 100
			}
		}
		directory.Pubs = append(directory.Pubs, pub)
	}
	s, err := Build(directory, 1)
	if err != nil {
		t.Fatal(err)
	}
	var a Answer
	for range 300 {
		q := Query{All: true, Sort: SortWeighted, Descending: rng.IntN(2) == 0, Page: int64(pick(rng.IntN, 1, 1+rng.IntN(30))), Amount: pick(rng.IntN, 1, 20, 100, 100)}
		for metric := range q.Weights {
			q.Weights[metric] = float64(pick(rng.IntN, 0, 0, 1, 5))
		}
		q.Weights[rng.IntN(MetricCount)] = 3
		category := pick(rng.IntN, "", "", "many", "some")
		if category != "" {
			q.Filter.Values[Category] = [][]byte{[]byte(category)}
		}
		least := pick(rng.IntN, 0.0, 3)
		if least > 0 {
			q.Filter.Least = []Least{{SortBeer, least}}
		}
		var want []uint32
		for pub := range uint32(s.Len()) {
			p := s.Pub(pub)
			if (category == "" || p.Category == category) && (least == 0 || p.Ratings[Beer] >= least) {
				want = append(want, pub)
			}
		}
		slices.SortStableFunc(want, func(a, b uint32) int {
			x, y := q.Weights.Weigh(&s.Pub(a).Ratings), q.Weights.Weigh(&s.Pub(b).Ratings)
			switch {
			case math.IsNaN(x) || math.IsNaN(y):
				return cmp.Compare(y, x) // NaN is below all numbers
			case q.Descending:
				return cmp.Compare(y, x)
			}
			return cmp.Compare(x, y)
		})
		first, n := q.window(len(want))
		if s.Search(&q, &a); !slices.Equal(a.Pubs, want[first:first+n]) {
			t.Fatalf("%+v of category %q, beer %v: got %v, want %v", q, category, least, a.Pubs, want[first:first+n])
		}
	}
}
