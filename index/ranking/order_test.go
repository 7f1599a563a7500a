package ranking

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pubd/index/postings"
)

// A numeric order returns values, ranks, and the pubs in a range.
func TestNumeric(t *testing.T) {
	var pool postings.Pool
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]float64{math.NaN(), 0, 1, 2.5, 7, 10}), 1, 200).Draw(t, "values")
		rated := postings.NewBitmap(len(values))
		for i := range values {
			if rapid.Bool().Draw(t, "rated") {
				rated.Add(uint32(i))
			}
		}
		pool.Reset(len(values))
		order := NewNumeric(values, rated)
		minimum := rapid.SampledFrom([]float64{-1, 0, 0.5, 7, 10, 11}).Draw(t, "minimum")
		maximum := rapid.SampledFrom([]float64{0, 2.5, 7, 11, math.Inf(1)}).Draw(t, "maximum")
		from, to := order.Between(minimum, maximum)
		inside := order.Pubs(from, to, &pool)
		for i, value := range values {
			if got := order.Value(uint32(i)); got != value && got == got {
				t.Fatalf("value %d of %v: got %v", i, values, got)
			}
			isInside := minimum <= value && value <= maximum
			if inside.Has(uint32(i)) != isInside {
				t.Fatalf("%v: pub %d is from %v to %v: got %v", values, i, minimum, maximum, inside.Has(uint32(i)))
			}
			if group, ok := order.Group(uint32(i)); ok != (value == value) || (ok && from <= group && group < to) != isInside {
				t.Fatalf("%v: pub %d is in group %d, %v; %v to %v are %d to %d", values, i, group, ok, minimum, maximum, from, to)
			}
			rank := uint32(0)
			if value == value {
				rank = 1
				for j, other := range values {
					if rated.Has(uint32(j)) && other > value {
						rank++
					}
				}
			}
			if got := order.Rank(uint32(i)); got != rank && (rated.Has(uint32(i)) || rank == 0) {
				t.Fatalf("rank %d of %v: got %d, want %d", i, values, got, rank)
			}
		}
		step := order.present / suffixes
		isPrepared := to == order.Groups() && step > 0 && inside.Len() >= step
		clear(order.suffixes)
		if isPrepared && order.Pubs(from, to, &pool).Has(order.Ordinal(uint32(order.present-1))) {
			t.Fatalf("%v: the pubs from %v on do not begin with those that are prepared", values, minimum)
		}
	})
}
