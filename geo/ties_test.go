package geo_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/geo/topk"
)

// hitsOf returns all points of an index, by ordinal.
func hitsOf(x *geo.Index, c *geo.Circle) []topk.Item {
	hits := make([]topk.Item, x.Len())
	for i := range hits {
		hits[i] = topk.Item{Key: c.ChordSquared(x.Vector(uint32(i))), ID: uint32(i)}
	}
	return hits
}

// Points equally far to the east and west have equal distances despite rounding, and are ordered by ordinal.
func TestEqualDistancesAreOrderedByOrdinal(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 1000 {
		lat, lng, off := -80+160*rng.Float64(), -170+340*rng.Float64(), 1e-5+5*rng.Float64()
		off, lng = math.Ldexp(math.Round(math.Ldexp(off, 20)), -20), math.Round(lng) // so that both differences are exactly equal
		center := geo.Point{Lat: lat, Lng: lng}
		var points []geo.Point
		for range 3 {
			points = append(points, geo.Point{Lat: lat, Lng: lng + off}, geo.Point{Lat: lat, Lng: lng - off})
		}
		x := geo.NewIndex(points, func(uint32) bool { return false })
		c := geo.NewCircle(center, 2000)
		var s geo.Workspace
		all, _ := x.Select(&s, &c, false, false, 0, len(points))
		if !slices.IsSortedFunc(all, func(a, b topk.Item) int { return cmp.Compare(a.ID, b.ID) }) {
			t.Fatalf("%v ± %v of longitude: %v", center, off, all)
		}
		all = slices.Clone(all)
		for first := range all {
			if page, _ := x.Select(&s, &c, false, false, first, 2); !slices.Equal(page, all[first:min(first+2, len(all))]) {
				t.Fatalf("%v ± %v of longitude, from %d: %v, want two of %v", center, off, first, page, all)
			}
		}
	}
}

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
	hits := hitsOf(x, &c)
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

// Each page is a slice of the whole order, even if it is part of a long chain of near ties.
func TestPagesOfNearTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 60 {
		points := make([]geo.Point, 1+rng.IntN(300))
		step := math.Pow(10, -10-3*rng.Float64())
		for i := range points {
			points[i].Lat = 51.5 + float64(rng.IntN(400))*step
		}
		x := geo.NewIndex(points, everyThird)
		c := geo.NewCircle(geo.Point{Lat: 51.5 + 200*step*rng.Float64()}, 50)
		hits := hitsOf(x, &c)
		for _, descending := range []bool{false, true} {
			all := slices.Clone(x.SelectFrom(&c, slices.Clone(hits), descending, 0, len(hits)))
			for first := range all {
				n := 1 + rng.IntN(20)
				if got, want := x.SelectFrom(&c, slices.Clone(hits), descending, first, n), all[first:min(first+n, len(all))]; !slices.Equal(got, want) {
					t.Fatalf("descending %v, %d from %d of %d: got %v, want %v", descending, n, first, len(all), got, want)
				}
			}
		}
	}
}
