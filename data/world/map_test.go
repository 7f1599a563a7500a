package world

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/geo"
)

var (
	everywhere = geo.Box{West: -180, South: -90, East: 180, North: 90}
	britain    = geo.Box{West: -11, South: 49, East: 2, North: 61}
	bothSides  = geo.Box{West: -180, South: -19, East: 180, North: -16} // of the 180° meridian: Fiji
	caspian    = geo.Box{West: 46, South: 36, East: 54, North: 47}
	bermuda    = geo.Box{West: -65, South: 32, East: -64, North: 33}
)

// A drawn map is a parsed one.
type drawn struct {
	Box     [4]float64
	Land    shapes[[][]position]
	Lakes   shapes[[][]position]
	Cities  shapes[[][]position]
	Borders shapes[[]position]
	Rivers  shapes[[]position]
	Towns   shapes[position]
}

type shapes[C any] struct {
	Features []struct {
		Properties struct {
			Name       string
			Population int
			Capital    bool
		}
		Geometry struct{ Coordinates C }
	}
}

func draw(t *testing.T, home geo.Box) (m drawn) {
	t.Helper()
	testkit.OK(t, json.Unmarshal(Map(home), &m))
	return m
}

// points returns all positions, of polygons and lines.
func (m *drawn) points() (all []position) {
	for _, s := range []shapes[[][]position]{m.Land, m.Lakes, m.Cities} {
		for _, f := range s.Features {
			all = append(all, slices.Concat(f.Geometry.Coordinates...)...)
		}
	}
	for _, f := range slices.Concat(m.Borders.Features, m.Rivers.Features) {
		all = append(all, f.Geometry.Coordinates...)
	}
	return all
}

// isIn reports whether a point is in one of the polygons.
func isIn(polygons shapes[[][]position], p geo.Point) bool {
	for _, f := range polygons.Features {
		inside := false
		for _, ring := range f.Geometry.Coordinates {
			for i, to := range ring[1:] {
				from := ring[i]
				if (from[1] > p.Lat) != (to[1] > p.Lat) && p.Lng < from[0]+(p.Lat-from[1])*(to[0]-from[0])/(to[1]-from[1]) {
					inside = !inside
				}
			}
		}
		if inside {
			return true
		}
	}
	return false
}

func TestMapBox(t *testing.T) {
	for _, c := range []struct{ home, want geo.Box }{
		{britain, geo.Box{West: -24, South: 37, East: 15, North: 73}},
		{bermuda, geo.Box{West: -71, South: 26, East: -58, North: 39}},
		{bothSides, geo.Box{West: -180, South: -25, East: 180, North: -10}},
		{geo.Box{West: 166, South: -48, East: 179, North: -34}, geo.Box{West: -180, South: -62, East: 180, North: -20}}, // New Zealand
		{everywhere, geo.Box{West: -180, South: -85, East: 180, North: 85}},
	} {
		if got := mapBox(c.home); got != c.want {
			t.Errorf("%v: got %v, want %v", c.home, got, c.want)
		}
	}
}

// At home, a map has land where Country finds one, borders between countries, and nothing outside of its box.
func TestMapIsTrue(t *testing.T) {
	for _, home := range []geo.Box{britain, bothSides, caspian, bermuda} {
		m := draw(t, home)
		for _, p := range m.points() {
			testkit.StopIf(t, p[0] < m.Box[0] || p[0] > m.Box[2] || p[1] < m.Box[1] || p[1] > m.Box[3],
				"map of %v: %v is outside of %v", home, p, m.Box)
		}
		for _, f := range m.Borders.Features {
			for _, at := range f.Geometry.Coordinates {
				p := geo.Point{Lat: at[1], Lng: at[0]}
				if near := Near(p, 1); home.Contains(p) && len(near) < 2 {
					t.Errorf("map of %v: a border is at %v, near %q", home, p, near)
				}
			}
		}
		rapid.Check(t, func(t *rapid.T) {
			p := geo.Point{Lat: rapid.Float64Range(home.South, home.North).Draw(t, "lat"), Lng: rapid.Float64Range(home.West, home.East).Draw(t, "lng")}
			country := Country(p)
			if country == "" && len(Near(p, 0.3)) > 0 || country != "" && isShore(p) {
				return // rounded, it may be on the other side
			}
			if got := isIn(m.Land, p); got != (country != "") {
				t.Fatalf("map of %v: %v is on land: got %v, want it in %q", home, p, got, country)
			}
		})
	}
}

// isShore reports whether the sea is within some 200 m of a point on land.
func isShore(p geo.Point) bool {
	const step = 0.002
	for _, d := range [4]geo.Point{{Lat: step}, {Lat: -step}, {Lng: step}, {Lng: -step}} {
		if Country(geo.Point{Lat: p.Lat + d.Lat, Lng: p.Lng + d.Lng}) == "" {
			return true
		}
	}
	return false
}

// Waters within land are no land, and islands in them are.
func TestWaters(t *testing.T) {
	m := draw(t, everywhere)
	for _, c := range []struct {
		lat, lng   float64
		land, lake bool
	}{
		{42, 51, false, false}, {45.2, 35, true, false}, {46, 36.5, false, false}, // the Caspian Sea; Crimea and the Sea of Azov
		{54.6, -6.4, true, true}, {46.45, 6.5, true, true}, {47.7, -87.5, true, true}, {58.9, 13.3, true, true}, {-1, 33, true, true},
		{48, -88.8, true, false}, {51.5, -1.5, true, false}, {56, 3, false, false}, // Isle Royale in Lake Superior
	} {
		p := geo.Point{Lat: c.lat, Lng: c.lng}
		if land, lake := isIn(m.Land, p), isIn(m.Lakes, p); land != c.land || lake != c.lake {
			t.Errorf("%v: got land %v and lake %v, want %v and %v", p, land, lake, c.land, c.lake)
		}
	}
}

// Cities and rivers are where they are in Britain and Ireland.
func TestCitiesAndRivers(t *testing.T) {
	m := draw(t, britain)
	for _, c := range []struct {
		lat, lng    float64
		city, river bool
	}{
		{51.51, -0.13, true, true}, {53.48, -2.24, true, false}, {53.34, -6.26, true, false}, {53.96, -1.08, true, false}, // London, Manchester, Dublin, York
		{57.0, -4.0, false, false}, {51.46, -0.97, true, true}, {52.95, -1.14, true, true}, // the Cairngorms, Reading, Nottingham
	} {
		p := geo.Point{Lat: c.lat, Lng: c.lng}
		river := false
		for _, f := range m.Rivers.Features {
			for i, at := range f.Geometry.Coordinates[1:] {
				from := f.Geometry.Coordinates[i]
				river = river || apart(p, geo.Point{Lat: from[1], Lng: from[0]}, geo.Point{Lat: at[1], Lng: at[0]}) < 0.03
			}
		}
		if city := isIn(m.Cities, p); city != c.city || river != c.river {
			t.Errorf("%v: got city %v and river %v, want %v and %v", p, city, river, c.city, c.river)
		}
	}
}

func TestMapTowns(t *testing.T) {
	towns := draw(t, britain).Towns.Features
	names := map[string]bool{} // and whether they are capitals
	for i, f := range towns {
		names[f.Properties.Name] = f.Properties.Capital
		testkit.FailIf(t, i > 0 && f.Properties.Population > towns[i-1].Properties.Population,
			"%s, of %d people, is after a smaller town", f.Properties.Name, f.Properties.Population)
	}
	for name, want := range map[string]bool{"London": true, "Dublin": true, "Cork": false, "Kirkwall": false, "Zürich": false} {
		if capital, ok := names[name]; !ok || capital != want {
			t.Errorf("%s: got it %v as capital %v, want capital %v", name, ok, capital, want)
		}
	}
}

func TestMapGolden(t *testing.T) {
	got := append(bytes.ReplaceAll(Map(bermuda), []byte(`,"`), []byte(",\n\"")), '\n')
	testkit.Golden(t, "testdata/map.json", string(got))
}

func TestMapSize(t *testing.T) {
	for _, c := range []struct {
		home geo.Box
		most int
	}{
		{bermuda, 1000},
		{britain, 85_000},
		{bothSides, 100_000},
		{geo.Box{West: -125, South: 24, East: -66, North: 50}, 600_000}, // the United States
		{everywhere, 600_000},
	} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(Map(c.home)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		testkit.FailIf(t, packed.Len() > c.most,
			"map of %v: got %d bytes, want at most %d", c.home, packed.Len(), c.most)
	}
}

// A point of a line is on a part of it if it is in the box, and no part leaves the box.
func TestClipLine(t *testing.T) {
	degree := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-40, 40).Draw(t, "half degrees")) / 2 })
	point := rapid.Custom(func(t *rapid.T) geo.Point { return geo.Point{Lat: degree.Draw(t, "lat"), Lng: degree.Draw(t, "lng")} })
	box := geo.Box{West: -10, South: -10, East: 10, North: 10}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(point, 2, 10).Draw(t, "line")
		parts := clipLine(line, box)
		for _, part := range parts {
			for _, p := range part {
				testkit.StopIf(t, max(math.Abs(p.Lat), math.Abs(p.Lng)) > 10+1e-9, "got %v outside of the box", p)
			}
		}
		step := rapid.IntRange(1, len(line)-1).Draw(t, "step")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		from, to := line[step-1], line[step]
		p := geo.Point{Lat: from.Lat + share*(to.Lat-from.Lat), Lng: from.Lng + share*(to.Lng-from.Lng)}
		if max(math.Abs(p.Lat), math.Abs(p.Lng)) > 10-1e-9 || from == to {
			return
		}
		for _, part := range parts {
			for i := 1; i < len(part); i++ {
				if apart(p, part[i-1], part[i]) < 1e-9 {
					return
				}
			}
		}
		t.Fatalf("no part of %v has %v", parts, p)
	})
}

// apart returns the distance of a point from the segment between two others, in degrees.
func apart(p, a, b geo.Point) float64 {
	dx, dy := b.Lng-a.Lng, b.Lat-a.Lat
	along := max(0, min(1, ((p.Lng-a.Lng)*dx+(p.Lat-a.Lat)*dy)/max(1e-300, dx*dx+dy*dy)))
	return math.Hypot(p.Lng-a.Lng-along*dx, p.Lat-a.Lat-along*dy)
}

// The vertices that are left out at any tolerance are within it of the line that is left.
func TestRank(t *testing.T) {
	at := rapid.Custom(func(t *rapid.T) vertex { // at the equator, where a column is as wide as a row is high
		return vertex{int32(rapid.IntRange(0, 60).Draw(t, "x")), 90*side + int32(rapid.IntRange(0, 60).Draw(t, "y"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SliceOfN(at, 2, 40).Draw(t, "line")
		if rapid.Bool().Draw(t, "a ring") {
			line = append(line, line[0])
		}
		levels := make([]float64, len(line))
		rank(line, levels, math.Inf(1))
		tolerance := rapid.Float64Range(0, 30).Draw(t, "tolerance") / side
		last := 0
		for i := 1; i < len(line); i++ {
			if i < len(line)-1 && levels[i] <= tolerance {
				continue
			}
			for j := last; j < i; j++ {
				if got := apart(line[j].point(), line[last].point(), line[i].point()); got > 1.01*tolerance+1e-12 {
					t.Fatalf("%v without levels up to %v: vertex %d is %v away", line, tolerance, j, got)
				}
			}
			last = i
		}
	})
}
