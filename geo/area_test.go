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

// The 180th meridian is one edge, however it is written.
func TestBoxAtTheDateLine(t *testing.T) {
	for _, c := range []struct {
		box      geo.Box
		lng      float64
		contains bool
	}{
		{geo.Box{West: 170, East: 180, North: 1}, -180, true},
		{geo.Box{West: 170, East: 180, North: 1}, 180, true},
		{geo.Box{West: -180, East: -170, North: 1}, 180, true},
		{geo.Box{West: -180, East: -170, North: 1}, -180, true},
		{geo.Box{West: -180, East: -180, North: 1}, 180, true},
		{geo.Box{West: 170, East: 179, North: 1}, -180, false},
		{geo.Box{West: 170, East: 180, North: 1}, -179.9, false},
		{geo.Box{West: 170, East: -170, North: 1}, -180, true},
	} {
		points := []geo.Point{{Lat: 0.5, Lng: c.lng}, {Lat: 0.5, Lng: 30}}
		x := geo.NewIndex(points, func(uint32) bool { return false })
		if got := c.box.Contains(points[0]); got != c.contains || (len(x.InBox(nil, &c.box)) > 0) != c.contains {
			t.Errorf("%+v contains %v: %v, in the index %v, want %v", c.box, points[0], got, x.InBox(nil, &c.box), c.contains)
		}
	}
}
