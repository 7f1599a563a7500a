package geo_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/geo"
)

// TestInBox compares boxes with what they contain: with sides through points and next to them, of any width, at the poles
// and across the 180° meridian.
func TestInBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for range 3000 {
		points := append(scatter(rng, 1+rng.IntN(150)), landmarks...)
		x := geo.NewIndex(points, func(uint32) bool { return true })
		side := func() geo.Point {
			p := points[rng.IntN(len(points)-1)] // the last is nowhere
			switch rng.IntN(5) {
			case 0:
				return near(rng, p, 1e-10)
			case 1:
				return near(rng, p, 1e-6)
			case 2:
				return near(rng, p, 30)
			}
			return p
		}
		a, b := side(), side()
		box := geo.Box{West: a.Lng, South: min(a.Lat, b.Lat), East: b.Lng, North: max(a.Lat, b.Lat)}
		var want []uint32
		for ordinal, p := range points {
			if box.Contains(p) {
				want = append(want, uint32(ordinal))
			}
		}
		got := x.InBox(nil, &box)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Fatalf("InBox(%+v) of %v = %v, want %v", box, points, got, want)
		}
	}
}
