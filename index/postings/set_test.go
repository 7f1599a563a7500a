package postings

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawIDs draws a set of ids below size.
func drawIDs(t *rapid.T, size int, label string) []uint32 {
	ids := rapid.SliceOfDistinct(rapid.Uint32Range(0, uint32(size-1)), rapid.ID).Draw(t, label)
	slices.Sort(ids)
	return ids
}

// asSet returns ids as a bitmap or as a list.
func asSet(ids []uint32, size int, withBits bool) Set {
	s := Of(ids)
	if withBits {
		s.bits = NewBitmap(size)
		for _, id := range ids {
			s.bits.Add(id)
		}
	}
	return s
}

func TestSetAlgebra(t *testing.T) {
	var p Pool
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 63, 64, 65, 500, 1_000_000}).Draw(t, "size")
		p.Reset(size)
		var all []Set
		count := map[uint32]int{}
		for range rapid.IntRange(1, 5).Draw(t, "sets") {
			ids := drawIDs(t, size, "ids")
			for _, id := range ids {
				count[id]++
			}
			all = append(all, asSet(ids, size, rapid.Bool().Draw(t, "bits")))
		}
		if got, want := p.List(p.Union(all)), slices.Sorted(maps.Keys(count)); !slices.Equal(got, want) {
			t.Fatalf("union of %v is %v, want %v", all, got, want)
		}
		maps.DeleteFunc(count, func(_ uint32, n int) bool { return n < len(all) })
		if got, want := p.List(p.Intersect(slices.Clone(all))), slices.Sorted(maps.Keys(count)); !slices.Equal(got, want) {
			t.Fatalf("common ids of %v are %v, want %v", all, got, want)
		}
	})
}
