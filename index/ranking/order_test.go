package ranking

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pubd/index/postings"
)

// drawIDs draws a set of ids below size.
func drawIDs(t *rapid.T, size int, label string) []uint32 {
	ids := rapid.SliceOfDistinct(rapid.Uint32Range(0, uint32(size-1)), rapid.ID).Draw(t, label)
	slices.Sort(ids)
	return ids
}

func TestOrderWindow(t *testing.T) {
	var pool postings.Pool
	w := Workspace{Pool: &pool}
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.OneOf(rapid.Uint32Range(0, 5), rapid.Just[uint32](Missing)), 1, 300).Draw(t, "keys")
		pool.Reset(len(keys))
		hits := drawIDs(t, len(keys), "hits")
		first := rapid.IntRange(0, len(hits)).Draw(t, "first")
		n := rapid.IntRange(0, len(hits)-first).Draw(t, "n")
		rated := postings.NewBitmap(len(keys))
		allRated := rapid.Bool().Draw(t, "rated")
		for _, hit := range hits {
			if allRated {
				rated.Add(hit)
			}
		}
		order := NewOrder(keys, rated)
		for _, descending := range []bool{false, true} {
			want := slices.Clone(hits)
			slices.SortStableFunc(want, func(x, y uint32) int {
				switch a, b := keys[x], keys[y]; {
				case a == b:
					return 0
				case a == Missing || b != Missing && (a > b) == !descending:
					return 1
				}
				return -1
			})
			if n == 0 {
				continue
			}
			found := postings.Of(hits)
			if rapid.Bool().Draw(t, "bitmap") {
				bits := postings.NewBitmap(len(keys))
				for _, hit := range hits {
					bits.Add(hit)
				}
				found = postings.OfBitmap(bits, len(hits))
			}
			if got := order.AppendWindow(nil, found, descending, first, n, &w); !slices.Equal(got, want[first:first+n]) {
				t.Fatalf("keys %v, descending %v: window %d+%d of %v is %v, want %v", keys, descending, first, n, hits, got, want[first:first+n])
			}
			if allRated {
				if got := order.AppendAll(nil, true, descending, first, n); !slices.Equal(got, want[first:first+n]) {
					t.Fatalf("keys %v, descending %v: %d+%d of the rated %v is %v, want %v", keys, descending, first, n, hits, got, want[first:first+n])
				}
			}
			if len(hits) == len(keys) {
				if got := order.AppendAll(nil, false, descending, first, n); !slices.Equal(got, want[first:first+n]) {
					t.Fatalf("keys %v, descending %v: %d+%d of all is %v, want %v", keys, descending, first, n, got, want[first:first+n])
				}
			}
		}
	})
}

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
	})
}
