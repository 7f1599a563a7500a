package geo_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/geo"
)

func haversine(a, b geo.Point) geo.Kilometres {
	const radian = math.Pi / 180
	if math.Abs(a.Lat) == 90 || math.Abs(b.Lat) == 90 { // where the longitude does not count
		b.Lng = a.Lng
	}
	lat := math.Sin((b.Lat*radian - a.Lat*radian) / 2)
	lng := math.Sin((b.Lng - a.Lng) * radian / 2)
	h := lat*lat + math.Cos(a.Lat*radian)*math.Cos(b.Lat*radian)*(lng*lng)
	return 2 * geo.EarthRadius * geo.Kilometres(math.Atan2(math.Sqrt(h), math.Sqrt(max(0, 1-h))))
}

func TestDistance(t *testing.T) {
	half := math.Pi * geo.EarthRadius
	for _, c := range []struct {
		a, b geo.Point
		want geo.Kilometres
	}{
		{geo.Point{}, geo.Point{}, 0},
		{geo.Point{Lat: 51.5074, Lng: -0.1278}, geo.Point{Lat: 48.8566, Lng: 2.3522}, 343.556535},
		{geo.Point{}, geo.Point{Lng: 180}, half},
		{geo.Point{Lat: 90}, geo.Point{Lat: -90}, half},
		{geo.Point{Lat: 51.5, Lng: -0.1}, geo.Point{Lat: -51.5, Lng: 179.9}, half},
		{geo.Point{Lat: 90, Lng: 5}, geo.Point{Lng: -70}, half / 2},
		{geo.Point{Lng: 179.5}, geo.Point{Lng: -179.5}, half / 180},
		{geo.Point{Lng: 179}, geo.Point{Lng: 1e-9}, half * 179 / 180},
		{geo.Point{Lng: 180 - 1e-9}, geo.Point{}, half - half/180*1e-9},
		{geo.Point{Lat: 1e-9}, geo.Point{}, half / 180 * 1e-9},
	} {
		got := geo.Distance(c.a.Vector(), c.b.Vector())
		testkit.FailIf(t, math.Abs(float64(got-c.want)) > 1e-6, "Distance(%v, %v) = %v, want %v", c.a, c.b, got, c.want)
	}
	if d := geo.Distance(geo.Point{Lat: 1e-9}.Vector(), geo.Point{}.Vector()); math.Abs(float64(d/(half/180*1e-9))-1) > 1e-12 {
		t.Errorf("a distance of 0.1 mm is imprecise: %v km", d)
	}
}

func TestCircleContains(t *testing.T) {
	half := math.Pi * geo.EarthRadius
	for _, c := range []struct {
		center geo.Point
		radius geo.Kilometres
		point  geo.Point
		want   bool
	}{
		{geo.Point{Lat: 5, Lng: 180}, 1e-9, geo.Point{Lat: 5, Lng: -180}, true},
		{geo.Point{Lat: 90, Lng: 1}, 1e-9, geo.Point{Lat: 90, Lng: 2}, true},
		{geo.Point{Lat: 5, Lng: 7}, 0, geo.Point{Lat: 5, Lng: 7}, true},
		{geo.Point{Lat: 5, Lng: 7}, 0, geo.Point{Lat: 5, Lng: math.Nextafter(7, 8)}, false},
		{geo.Point{}, half, geo.Point{Lng: 180}, true},
		{geo.Point{Lat: 51.5, Lng: -0.1}, half, geo.Point{Lat: -51.5, Lng: 179.9}, true},
		{geo.Point{}, half - 0.001, geo.Point{Lng: 180}, false},
		{geo.Point{}, half - 0.001, geo.Point{Lng: 179.99998}, true},
		{geo.Point{Lat: 89.9, Lng: 10}, 20, geo.Point{Lat: 89.95, Lng: -170}, true},
		{geo.Point{Lat: 89.9, Lng: 10}, 16, geo.Point{Lat: 89.95, Lng: -170}, false},
		{geo.Point{Lng: 179.9}, 22.3, geo.Point{Lng: -179.9}, true},
		{geo.Point{Lng: 179.9}, 22.2, geo.Point{Lng: -179.9}, false},
		{geo.Point{}, 20, geo.Point{Lat: math.NaN(), Lng: math.NaN()}, false},
		{geo.Point{}, geo.Kilometres(math.Inf(1)), geo.Point{Lat: math.NaN(), Lng: math.NaN()}, false},
	} {
		circle := geo.NewCircle(c.center, c.radius)
		if got := circle.Contains(c.point.Vector()); got != c.want {
			t.Errorf("circle of %v km around %v contains %v: %v, want %v", c.radius, c.center, c.point, got, c.want)
		}
	}
}

func TestDistanceProperties(t *testing.T) {
	point := rapid.Custom(func(t *rapid.T) geo.Point {
		return geo.Point{Lat: rapid.Float64Range(-90, 90).Draw(t, "lat"), Lng: rapid.Float64Range(-180, 180).Draw(t, "lng")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := point.Draw(t, "a"), point.Draw(t, "b"), point.Draw(t, "c")
		u, v, w := a.Vector(), b.Vector(), c.Vector()
		d := geo.Distance(u, v)
		if other := geo.Distance(v, u); other != d || geo.ChordSquared(u, v) != geo.ChordSquared(v, u) {
			t.Fatalf("distance %v in one direction, %v in the other", d, other)
		}
		if around := geo.Distance(u, w) + geo.Distance(w, v); around < d-1e-9 {
			t.Fatalf("direct distance %v, via %v %v", d, c, around)
		}
		tolerance := geo.Kilometres(1e-6)
		if d > 20000 {
			tolerance = 1e-3 // the arc sine is imprecise near 1
		}
		if h := haversine(a, b); max(h-d, d-h) > tolerance {
			t.Fatalf("got %v, by the haversine formula %v", d, h)
		}
		testkit.StopIf(t, geo.ChordSquared(u, v) > geo.ChordSquared(u, w) && d < geo.Distance(u, w)-1e-9,
			"a longer chord has a shorter distance")
	})
}
