package geo_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/geo"
	"pubd/geo/topk"
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

// BoxCovers and Covers report true for boxes and circles around all points. Covers never reports true if a point is
// outside.
func TestCovers(t *testing.T) {
	country := []geo.Point{{Lat: 50, Lng: -5.5}, {Lat: 58.6, Lng: -3}, {Lat: 52.5, Lng: 1.7}, {Lat: math.NaN(), Lng: math.NaN()}}
	earth := append(scatter(rand.New(rand.NewPCG(4, 0)), 2000), landmarks...)
	for _, c := range []struct {
		name   string
		points []geo.Point
		box    geo.Box
		covers bool
	}{
		{"the Earth", earth, geo.Box{West: -180, South: -90, East: 180, North: 90}, true},
		{"the Earth except a strip", earth, geo.Box{West: -179, South: -90, East: 179, North: 90}, false},
		{"a hemisphere", earth, geo.Box{West: -180, South: 0, East: 180, North: 90}, false},
		{"the Earth around a country", country, geo.Box{West: -179, South: -89, East: 179, North: 89}, true},
		{"a country", country, geo.Box{West: -5.5, South: 50, East: 1.7, North: 58.6}, true},
		{"a country except its north", country, geo.Box{West: -5.5, South: 50, East: 1.7, North: 58.5}, false},
		{"a country except its west", country, geo.Box{West: -5, South: 50, East: 1.7, North: 58.6}, false},
		{"across the 180° meridian", country, geo.Box{West: -5, South: 50, East: -5.5, North: 58.6}, false},
	} {
		if got := geo.NewIndex(c.points, func(uint32) bool { return false }).BoxCovers(&c.box); got != c.covers {
			t.Errorf("%s: the box covers: %v, want %v", c.name, got, c.covers)
		}
	}
	for _, c := range []struct {
		name   string
		points []geo.Point
		center geo.Point
		radius geo.Kilometres
		covers bool
	}{
		{"the Earth", earth, geo.Point{Lat: 52, Lng: -1}, 20_016, true},
		{"a hemisphere", earth, geo.Point{Lat: 52, Lng: -1}, 10_008, false},
		{"the Earth around a country", country, geo.Point{Lat: 52, Lng: -1}, 20_016, true},
		{"a hemisphere around a country", country, geo.Point{Lat: 52, Lng: -1}, 10_008, true},
		{"a continent around a country", country, geo.Point{Lat: 52, Lng: -1}, 5000, true},
		{"part of a country", country, geo.Point{Lat: 52, Lng: -1}, 700, false},
		{"the antipodes", country, geo.Point{Lat: -52, Lng: 179}, 10_000, false},
	} {
		circle := geo.NewCircle(c.center, c.radius)
		if got := geo.NewIndex(c.points, func(uint32) bool { return false }).Covers(&circle); got != c.covers {
			t.Errorf("%s: the circle covers: %v, want %v", c.name, got, c.covers)
		}
	}
	rng := rand.New(rand.NewPCG(5, 0))
	for range 3000 {
		points := scatter(rng, 1+rng.IntN(5))
		x := geo.NewIndex(points, func(uint32) bool { return false })
		circle := geo.NewCircle(near(rng, landmarks[rng.IntN(len(landmarks)-1)], 30), geo.Kilometres(math.Exp(rng.Float64()*12)))
		for ordinal, p := range points {
			if x.Covers(&circle) && !math.IsNaN(p.Lat) && !circle.Contains(x.Vector(uint32(ordinal))) {
				t.Fatalf("%+v covers %v without %v", circle, points, p)
			}
		}
	}
}

// SelectAmong and SelectFrom return the same pages of the same points.
func TestSelectAmong(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	var s geo.Workspace
	for range 500 {
		points := append(scatter(rng, 1+rng.IntN(3000)), landmarks...)
		x := geo.NewIndex(points, func(uint32) bool { return false })
		center := points[rng.IntN(len(points)-1)]
		if rng.IntN(2) == 0 {
			center = near(rng, center, 30)
		}
		circle := geo.NewCircle(center, geo.Kilometres(math.Exp(rng.Float64()*10)))
		chosen := make([]uint64, (len(points)+63)/64)
		var hits []topk.Item
		share := 1 + rng.IntN(4)
		for ordinal := range points {
			chord := circle.ChordSquared(x.Vector(uint32(ordinal)))
			if circle.Holds(chord) && rng.IntN(share) == 0 {
				chosen[ordinal/64] |= 1 << (ordinal % 64)
				hits = append(hits, topk.Item{Key: chord, ID: uint32(ordinal)})
			}
		}
		if len(hits) == 0 {
			continue
		}
		first, n, descending := rng.IntN(len(hits)), 1+rng.IntN(100), rng.IntN(2) == 0
		got := slices.Clone(x.SelectAmong(&s, &circle, chosen, descending, first, n))
		if want := x.SelectFrom(&circle, hits, descending, first, n); !slices.Equal(got, want) {
			t.Fatalf("%+v, descending %v, %d from %d on: got %v, want %v", circle, descending, n, first, got, want)
		}
	}
}
