package postings

import (
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
)

func TestCountedIsLowerBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 63, 64, 65, 500, 10_000}).Draw(t, "size")
		ids := drawIDs(t, size, "ids")
		c := CountedOf(ids, size)
		testkit.StopIf(t, c.Len() != len(ids), "got %d members, want %d", c.Len(), len(ids))
		for ordinal := range uint32(size) {
			if got, want := c.UpTo(ordinal), LowerBound(ids, ordinal+1); got != want {
				t.Fatalf("got %d members up to %d, want %d", got, ordinal, want)
			}
			if got, want := c.Has(ordinal), Of(ids).Has(ordinal); got != want {
				t.Fatalf("has %d: got %v, want %v", ordinal, got, want)
			}
		}
	})
}
