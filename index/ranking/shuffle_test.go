package ranking

import (
	"slices"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/postings"
)

// The pages of a list and of a bitmap have every hit once, in the same order.
func TestShuffledPagesMakeUpWhole(t *testing.T) {
	const size, page = 1000, 7
	var pool postings.Pool
	pool.Reset(size)
	w := Workspace{Pool: &pool}
	var ids []uint32
	bits := postings.NewBitmap(size)
	for id := uint32(1); id < size; id += 2 {
		ids = append(ids, id)
		bits.Add(id)
	}
	var orders [][]uint32
	for _, hits := range []postings.Set{postings.Of(ids), postings.OfBitmap(bits, len(ids))} {
		var all []uint32
		for first := 0; first < len(ids); first += page {
			all = AppendShuffled(all, hits, 42, first, min(page, len(ids)-first), &w)
		}
		if got := slices.Sorted(slices.Values(all)); !slices.Equal(got, ids) {
			t.Errorf("the pages have %v, want each of %v once", got, ids)
		}
		orders = append(orders, all)
	}
	testkit.FailIf(t, !slices.Equal(orders[0], orders[1]),
		"the order of a bitmap is %v, want that of a list, %v", orders[1], orders[0])
	testkit.FailIf(t, slices.IsSorted(orders[0]), "the hits are not shuffled")
}
