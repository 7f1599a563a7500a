package geo_test

import (
	"slices"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/geo/topk"
)

// A page of a long chain of points, each of which may be tied with the next, takes about as long as sorting all of
// them at most.
func TestLongChainOfNearTies(t *testing.T) {
	testkit.Long(t, "is judged by time")
	const size, patience = 200_000, time.Second
	points := make([]geo.Point, size)
	for i := range points {
		points[i].Lat = 51.5 + float64(i)*1e-12
	}
	x := geo.NewIndex(points, everyThird)
	c := geo.NewCircle(geo.Point{Lat: 51.5}, 50)
	hits := make([]topk.Item, size)
	for i := range hits {
		hits[i] = topk.Item{Key: c.ChordSquared(x.Vector(uint32(i))), ID: uint32(i)}
	}
	begun := time.Now()
	all := slices.Clone(x.SelectFrom(&c, slices.Clone(hits), false, 0, size))
	whole := time.Since(begun)
	for _, first := range []int{0, size / 2, size - 1} {
		begun = time.Now()
		got := x.SelectFrom(&c, slices.Clone(hits), false, first, 1)
		if took := time.Since(begun); got[0] != all[first] || took > 10*whole+patience {
			t.Errorf("first %d: got %v in %v, want %v; sorting all took %v", first, got[0], took, all[first], whole)
		}
	}
}
