package topk

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

func TestPartialSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-4, 4), rapid.SampledFrom([]float64{-1, 0, 1})), 1, 600).Draw(t, "keys")
		items := make([]Item, len(keys))
		for i, key := range keys {
			items[i] = Item{key, uint32(i)}
		}
		want := slices.Clone(items)
		slices.SortFunc(want, func(a, b Item) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.ID, b.ID)) })
		from := rapid.IntRange(0, len(items)).Draw(t, "from")
		end := rapid.IntRange(from, len(items)).Draw(t, "end")
		PartialSort(items, from, end)
		testkit.StopIf(t, !slices.Equal(items[from:end], want[from:end]),
			"ranks %d to %d of %v: got %v, want %v", from, end, keys, items[from:end], want[from:end])
		before := func(a, b Item) int { return cmp.Compare(a.ID, b.ID) }
		for _, part := range [][2]int{{0, from}, {end, len(items)}} {
			got, want := slices.Clone(items[part[0]:part[1]]), slices.Clone(want[part[0]:part[1]])
			slices.SortFunc(got, before)
			slices.SortFunc(want, before)
			testkit.StopIf(t, !slices.Equal(got, want),
				"ranks %d to %d of %v have %v, want %v in any order", part[0], part[1], keys, got, want)
		}
	})
}

// PartialSort terminates for equal items and NaN keys.
func TestPartialSortTerminates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := make([]Item, rapid.IntRange(1, 1000).Draw(t, "items"))
		for i := range items {
			items[i] = Item{rapid.SampledFrom([]float64{math.NaN(), 1, 1, 2, math.Inf(1)}).Draw(t, "key"), uint32(i % 3)}
		}
		from := rapid.IntRange(0, len(items)).Draw(t, "from")
		PartialSort(items, from, rapid.IntRange(from, len(items)).Draw(t, "end"))
	})
}
