package index

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pubd/data/lane"
)

// TestWeightedAgreesWithModel compares pages of many and of few hits, for which the engine has different algorithms.
func TestWeightedAgreesWithModel(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 0))
	var directory Directory
	for i := range 3000 {
		pub := Pub{UID: fmt.Sprint(i), Name: fmt.Sprint("Pub ", i), Category: pick(rng.IntN, "many", "many", "many", "many", "many", "some"), ReviewCount: 1}
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
	queries := lane.Pick(100, 1000) // the model sorts all pubs for each query
	agree(t, new(Workspace), directory, queries, func(Directory) modelQuery {
		q := modelQuery{text: "*", sort: SortWeighted, desc: rng.IntN(2) == 0, page: pick(rng.IntN, 1, 1+rng.IntN(30), 24+rng.IntN(7)),
			amount: pick(rng.IntN, 1, 20, 100, 100)}
		for metric := range q.weights {
			q.weights[metric] = float64(pick(rng.IntN, 0, 0, 1, 5))
		}
		q.weights[rng.IntN(MetricCount)] = 3
		if category := pick(rng.IntN, "", "", "many", "some"); category != "" {
			q.values[Category] = []string{category, pick(rng.IntN, category, "some")}
		}
		if rng.IntN(2) == 0 {
			q.minimums = []Minimum{{SortBeer, 3}}
		}
		return q
	})
}
