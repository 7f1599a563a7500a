package geo_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
)

// Boxes with sides through points and next to them, of any width, at the poles and across the 180° meridian.
func TestInBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for range 3000 {
		points := append(scatter(rng, 1+rng.IntN(150)), landmarks...)
		x := geo.NewIndex(points, func(uint32) bool { return true })
		side := func() geo.Point {
			p := points[rng.IntN(len(points)-1)] // the last has no coordinates
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
		testkit.StopIf(t, x.BoxCovers(&box) && slices.ContainsFunc(points, func(p geo.Point) bool { return isKnown(p) && !box.Contains(p) }),
			"%+v covers %v", box, points)
		got := x.AppendInBox(nil, &box)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Fatalf("AppendInBox(%+v) of %v = %v, want %v", box, points, got, want)
		}
	}
}

// The longitudes 180 and -180 are the same meridian.
func TestBoxAtAntimeridian(t *testing.T) {
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
		if got := c.box.Contains(points[0]); got != c.contains || (len(x.AppendInBox(nil, &c.box)) > 0) != c.contains {
			t.Errorf("%+v contains %v: %v, in the index %v, want %v", c.box, points[0], got, x.AppendInBox(nil, &c.box), c.contains)
		}
	}
}

func TestBounds(t *testing.T) {
	missing := geo.Point{Lat: math.NaN(), Lng: math.NaN()}
	for _, c := range []struct {
		points []geo.Point
		want   geo.Box
		ok     bool
	}{
		{[]geo.Point{{Lat: 51, Lng: -1}}, geo.Box{West: -1, South: 51, East: -1, North: 51}, true},
		{[]geo.Point{{Lat: 51, Lng: -1}, missing, {Lat: -16.8, Lng: 179.9}}, geo.Box{West: -1, South: -16.8, East: 179.9, North: 51}, true},
		{[]geo.Point{{Lat: -16, Lng: 179}, {Lat: -17, Lng: -179}}, geo.Box{West: -179, South: -17, East: 179, North: -16}, true},
		{[]geo.Point{missing}, geo.Box{}, false},
		{nil, geo.Box{}, false},
	} {
		if got, ok := geo.NewIndex(c.points, func(uint32) bool { return false }).Bounds(); got != c.want || ok != c.ok {
			t.Errorf("%v: got %+v, %v, want %+v, %v", c.points, got, ok, c.want, c.ok)
		}
	}
}

// A box around all points covers them, as does a circle around a country, but none without its north.
func TestCovers(t *testing.T) {
	country := geo.NewIndex([]geo.Point{{Lat: 50, Lng: -5.5}, {Lat: 58.6, Lng: -3}, {Lat: 52.5, Lng: 1.7}, {Lat: math.NaN(), Lng: math.NaN()}}, everyThird)
	box, _ := country.Bounds()
	for covers, north := range map[bool]float64{true: box.North, false: box.North - 0.1} {
		if box.North = north; country.BoxCovers(&box) != covers {
			t.Errorf("%+v covers: %v, want %v", box, !covers, covers)
		}
	}
	for radius, covers := range map[geo.Kilometres]bool{20_016: true, 10_008: true, 5000: true, 700: false} {
		circle := geo.NewCircle(geo.Point{Lat: 52, Lng: -1}, radius)
		testkit.FailIf(t, country.Covers(&circle) != covers,
			"the circle of %v km covers: %v, want %v", radius, !covers, covers)
	}
}
