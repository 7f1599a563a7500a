package world

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/geo"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		lat, lng float64
		want     string
	}{
		{51.507, -0.128, "United Kingdom"}, {54.597, -5.93, "United Kingdom"}, {53.35, -6.26, "Ireland"}, {48.857, 2.352, "France"}, {52.52, 13.405, "Germany"},
		{50.075, 14.437, "Czechia"}, {52.23, 21.011, "Poland"}, {40.417, -3.704, "Spain"}, {39.4, -8.2, "Portugal"}, {41.95, 12.55, "Italy"}, {37.984, 23.728, "Greece"},
		{59.914, 10.752, "Norway"}, {59.35, 17.95, "Sweden"}, {60.25, 24.94, "Finland"}, {55.756, 37.617, "Russia"}, {39.93, 32.86, "Turkey"}, {35.69, 51.39, "Iran"},
		{28.614, 77.209, "India"}, {39.904, 116.407, "China"}, {35.69, 139.69, "Japan"}, {-35.281, 149.13, "Australia"}, {-41.25, 174.95, "New Zealand"},
		{38.907, -77.037, "United States"}, {21.35, -157.85, "United States"}, {64.84, -147.72, "United States"}, {45.421, -75.697, "Canada"}, {19.433, -99.133, "Mexico"},
		{-15.793, -47.882, "Brazil"}, {-34.61, -58.45, "Argentina"}, {-33.449, -70.669, "Chile"}, {30.044, 31.236, "Egypt"}, {-1.286, 36.817, "Kenya"},
		{-25.747, 28.229, "South Africa"}, {6.53, 3.35, "Nigeria"}, {14.7, -17.45, "Senegal"}, {64.13, -21.85, "Iceland"}, {1.35, 103.8, "Singapore"}, {54.15, -4.48, "Isle of Man"},
		// On other land on all sides.
		{-29.6, 28.2, "Lesotho"}, {43.94, 12.46, "San Marino"}, {41.9025, 12.453, "Vatican"}, {-26.5, 31.5, "Eswatini"}, {54.71, 20.51, "Russia"}, {47.14, 9.53, "Liechtenstein"},
		// Seas and oceans; 0°, 0°; the Wash; the Irish Sea; Lake Geneva.
		{0, 0, ""}, {52.95, 0.3, ""}, {53.8, -5.2, ""}, {56, 3, ""}, {30, -40, ""}, {0, -150, ""}, {-50, 100, ""}, {42, 51, ""}, {43, 34, ""}, {58, 20, ""}, {46.5, 6.7, "Switzerland"},
		// On islands, between waters and at shores: Hayling Island, Portsmouth, Spithead, Southsea, Ryde, Venice and its
		// lagoon, Stockholm.
		{50.786, -0.976, "United Kingdom"}, {50.7989, -1.0912, "United Kingdom"}, {50.76, -1.1, ""}, {50.79, -1.08, "United Kingdom"}, {50.728, -1.16, "United Kingdom"},
		{45.434, 12.338, "Italy"}, {45.38, 12.31, ""}, {59.325, 18.071, "Sweden"},
		// Poles and the 180° meridian.
		{90, 0, ""}, {90, -180, ""}, {-90, 0, "Antarctica"}, {-90, 180, "Antarctica"}, {-85, 180, "Antarctica"}, {-85, -180, "Antarctica"}, {-85, 179.99, "Antarctica"},
		{66, 180, "Russia"}, {66, -180, "Russia"}, {66, 179.99, "Russia"}, {66, -179.99, "Russia"}, {60, 180, ""}, {60, -180, ""}, {-16.85, 179.99, "Fiji"}, {-16.8, -179.97, "Fiji"},
		// No points.
		{math.NaN(), math.NaN(), ""}, {91, 0, ""}, {0, 181, ""}, {math.Inf(1), 0, ""},
	} {
		if got := Country(geo.Point{Lat: c.lat, Lng: c.lng}); got != c.want {
			t.Errorf("%v, %v: got %q, want %q", c.lat, c.lng, got, c.want)
		}
	}
}

func TestNear(t *testing.T) {
	for _, c := range []struct {
		lat, lng float64
		within   geo.Kilometres
		want     string
	}{
		{51.5, -1.5, 5, "United Kingdom"},
		{54.18, -6.34, 10, "United Kingdom Ireland"}, // Newry
		{54.18, -6.34, 1, "United Kingdom"},
		{53.95, -6.4, 15, "Ireland United Kingdom"},
		{50.72, 1.4, 11, ""}, {50.72, 1.4, 20, "France"}, {51, 1.5, 30, "France United Kingdom"}, // the Channel
		{56, 3, 100, ""}, {-16.2, 180, 20, "Fiji"}, {-16.2, -180, 20, "Fiji"}, {65.9, -168.95, 60, "Russia United States"},
		{-89.99, 100, 5, "Antarctica"}, {90, 0, 100, ""}, {math.NaN(), math.NaN(), 5, ""},
	} {
		p := geo.Point{Lat: c.lat, Lng: c.lng}
		got := Near(p, c.within)
		if first := Country(p); first == "" {
			slices.Sort(got)
		} else if len(got) > 1 {
			slices.Sort(got[1:])
		}
		testkit.FailIf(t, strings.Join(got, " ") != c.want,
			"%v, %v within %v km: got %q, want %q", c.lat, c.lng, c.within, got, c.want)
	}
}

// isInside reports whether a point is in a ring, by counting the sides east of it.
func isInside(ring []geo.Point, p geo.Point) (inside bool) {
	from := ring[len(ring)-1]
	for _, to := range ring {
		if (from.Lat > p.Lat) != (to.Lat > p.Lat) && p.Lng < from.Lng+(p.Lat-from.Lat)*(to.Lng-from.Lng)/(to.Lat-from.Lat) {
			inside = !inside
		}
		from = to
	}
	return inside
}

// ringPoints has the points of each ring, by country.
var ringPoints = sync.OnceValue(func() [][][]geo.Point {
	w := atlas()
	all := make([][][]geo.Point, len(w.countries))
	for id, country := range w.countries {
		for _, ring := range country {
			all[id] = append(all[id], points(join(ring, w.arcs)))
		}
	}
	return all
})

// scanned returns the countries that a point is in, by scanning all of them.
func scanned(p geo.Point) (names []string) {
	for id, rings := range ringPoints() {
		inside := false
		for _, ring := range rings {
			inside = inside != isInside(ring, p)
		}
		if inside {
			names = append(names, atlas().names[id])
		}
	}
	return names
}

// somewhere returns points of which many are near a coast, a border, a pole or the 180° meridian, but none is on a line.
func somewhere(t *rapid.T) geo.Point {
	p := geo.Point{Lat: float64(rapid.IntRange(-90_000, 90_000).Draw(t, "lat")) / 1000, Lng: float64(rapid.IntRange(-180_000, 179_998).Draw(t, "lng"))/1000 + 0.00012}
	if rapid.IntRange(0, 3).Draw(t, "at a vertex") > 0 {
		arcs := atlas().arcs
		arc := arcs[rapid.IntRange(0, len(arcs)-1).Draw(t, "arc")]
		at := arc[rapid.IntRange(0, len(arc)-1).Draw(t, "vertex")].point()
		p.Lat = max(-90, min(90, at.Lat+float64(rapid.IntRange(-100, 100).Draw(t, "north"))/999))
		p.Lng = max(-180, min(179.999, at.Lng+float64(rapid.IntRange(-100, 100).Draw(t, "east"))/999+0.00012))
	}
	return p
}

// The country of a point is the one that a scan of all rings finds. Simplified lines cross in a few places, where it
// may be one of several.
func TestCountryIsThatOfAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := somewhere(t)
		got, want := Country(p), scanned(p)
		testkit.StopIf(t, len(want) == 0 && got != "" || len(want) == 1 && got != want[0] || len(want) > 1 && got == "",
			"%v: got %q, want %q", p, got, want)
	})
}

// A country at most as far away as asked is near, and one that is much farther away is not.
func TestNearIsNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := somewhere(t)
		if math.Abs(p.Lat) > 88 {
			return
		}
		within := rapid.Float64Range(0.1, 100).Draw(t, "within")
		direction := rapid.Float64Range(0, 2*math.Pi).Draw(t, "direction")
		sin, cos := math.Sincos(direction)
		other := geo.Point{Lat: p.Lat + 0.9*within/kilometresPerDegree*sin, Lng: p.Lng + 0.9*within/kilometresPerDegree*cos/math.Cos(p.Lat*math.Pi/180)}
		if math.Abs(other.Lng) > 180 {
			other.Lng -= math.Copysign(360, other.Lng)
		}
		near := Near(p, geo.Kilometres(within))
		apart := float64(geo.Distance(p.Vector(), other.Vector()))
		if country := Country(other); country != "" && apart < 0.97*within && !slices.Contains(near, country) {
			t.Fatalf("%v within %v km: got %q, want also %q, which is %v km away", p, within, near, country, apart)
		}
		for _, country := range near {
			testkit.StopIf(t, !slices.Contains(Near(p, geo.Kilometres(within)+1), country),
				"%v: %q is within %v km and not within 1 km more", p, country, within)
		}
	})
}

// A point of a box is in the outlines of the box if it is on land.
func TestOutlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := somewhere(t)
		box := geo.Box{
			West: max(-180, p.Lng-rapid.Float64Range(0.01, 40).Draw(t, "west")), East: min(180, p.Lng+rapid.Float64Range(0.01, 40).Draw(t, "east")),
			South: max(-90, p.Lat-rapid.Float64Range(0.01, 20).Draw(t, "south")), North: min(90, p.Lat+rapid.Float64Range(0.01, 20).Draw(t, "north")),
		}
		inside := false
		for _, ring := range Outlines(box) {
			inside = inside != isInside(ring, p)
			for _, q := range ring {
				if !(q.Lat >= box.South-1e-9 && q.Lat <= box.North+1e-9 && q.Lng >= box.West-1e-9 && q.Lng <= box.East+1e-9) {
					t.Fatalf("%v: got %v outside of it", box, q)
				}
			}
		}
		if on := scanned(p); inside != (len(on)%2 == 1) {
			t.Fatalf("%v in %v: got inside %v, want in %q", p, box, inside, on)
		}
	})
}

// The names are of use to readers, and each is used once.
func TestNames(t *testing.T) {
	names := atlas().names[1:]
	testkit.FailIf(t, len(names) < 240 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) < len(names),
		"got %d names %q, want 240 or more, sorted and unique", len(names), names)
	for _, name := range names {
		testkit.FailIf(t, strings.Contains(name, "."), "got the abbreviation %q", name)
	}
}

func TestSize(t *testing.T) {
	if size := len(packed); size > 920_000 {
		t.Errorf("got %d bytes, want 920,000 at most", size)
	}
}
