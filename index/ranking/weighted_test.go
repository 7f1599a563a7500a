package ranking

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/postings"
)

// Pages by weighted means are those of a stable sort by Mean, for few and for many hits, at the beginning and the end.
func TestAppendByMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	odd := []float64{math.NaN(), 0, 5, 5, 5.00004, 5.0001, 10}
	all := make([]Ratings, 5*fewScores)
	for i := range all {
		for metric := range all[i] {
			if all[i][metric] = odd[rng.IntN(len(odd))]; rng.IntN(3) > 0 {
				all[i][metric] = float64(rng.IntN(1001)) / 100
			}
		}
	}
	var pool postings.Pool
	w := Workspace{Pool: &pool}
	for _, size := range []int{1, 2, 13, fewScores, 5 * fewScores / 4, len(all)} {
		ratings := all[:size]
		var metrics []Numeric
		for metric := range MetricCount {
			values := make([]float64, size)
			for pub := range values {
				values[pub] = ratings[pub][metric]
			}
			metrics = append(metrics, NewNumeric(values, postings.NewBitmap(size)))
		}
		pool.Reset(size)
		for round := range testkit.Pick(4, 10) {
			var weights Weights
			for metric := range weights {
				weights[metric] = float64(max(0, rng.IntN(7)-3) * (round % 3))
			}
			weights[rng.IntN(MetricCount)] = 2.5
			var hits []uint32
			for pub := range ratings {
				if rng.IntN(10) > 0 || pub == 0 {
					hits = append(hits, uint32(pub))
				}
			}
			for _, descending := range []bool{false, true} {
				want := slices.Clone(hits)
				slices.SortStableFunc(want, func(x, y uint32) int {
					a, b := weights.Mean(&ratings[x]), weights.Mean(&ratings[y])
					switch {
					case a != a || b != b:
						return -cmp.Compare(a, b) // NaN last
					case descending:
						return cmp.Compare(b, a)
					}
					return cmp.Compare(a, b)
				})
				first := rng.IntN(1 + rng.IntN(len(hits)))
				n := 1 + rng.IntN(len(hits)-first)
				got := AppendByMean([]uint32{7}, postings.Of(hits), metrics, &weights, descending, first, n, &w)
				testkit.StopIf(t, !slices.Equal(got, append([]uint32{7}, want[first:first+n]...)),
					"%d hits, weights %v, descending %v: window %d+%d is %v, want %v", len(hits), weights, descending, first, n, got[1:], want[first:first+n])
			}
		}
	}
}

func TestMean(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		weights Weights
		ratings Ratings
		want    float64
	}{
		{Weights{1}, Ratings{7.12345}, 7.1235},
		{Weights{1, 1}, Ratings{7, 8, nan, nan, nan, nan}, 7.5},
		{Weights{1, 3}, Ratings{2, 4}, 3.5},
		{Weights{0, 0.5}, Ratings{nan, 4}, 4},
		{Weights{1, 1}, Ratings{4, nan}, nan},
		{Weights{1e-300, 1e300}, Ratings{4, 5}, 5},
	} {
		if got := c.weights.Mean(&c.ratings); got != c.want && (got == got || c.want == c.want) {
			t.Errorf("weights %v, ratings %v: got %v, want %v", c.weights, c.ratings, got, c.want)
		}
	}
}
