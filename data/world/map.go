package world

import (
	"encoding/json"
	"math"

	"pubd/geo"
)

const (
	// margin is how far around its home, in degrees, a map has all details.
	margin = 1
	// surroundings is how far around its home, in degrees, a map reaches at least; mapEdge is the latitude at which it
	// ends, as maps in Web Mercator do.
	surroundings, mapEdge = 6, 85
	// maxVertices and maxTowns bound the size of a map: a vertex takes 5 or 6 bytes of it when compressed, a town
	// 20.
	maxVertices, maxTowns = 110_000, 3000
)

// A tolerance is how far, in degrees of latitude, a line may deviate at home and away from it.
type tolerance struct{ home, away float64 }

// tolerances are in the order in which they are tried: a map has the first that leaves maxVertices at most, or the
// last.
var tolerances = [...]tolerance{{0, 0.02}, {0, 0.03}, {0, 0.05}, {0.005, 0.05}, {0.01, 0.05}, {0.015, 0.05}, {0.02, 0.05}, {0.03, 0.05}}

// Map returns a map of a box, its home, and its surroundings, as JSON:
//
//	{"box":[west,south,east,north],"land":…,"borders":…,"lakes":…,"cities":…,"rivers":…,"towns":…}
//
// box is the area of the map, in degrees: the home, as much again on each side, and 6° at least. It goes all the way
// around the Earth if it would reach 180°, and to 85° at most. The others are feature collections in GeoJSON, without
// what is outside of it. Land, lakes and cities, which are built-up areas, are polygons to be filled: where land
// reaches 180° or the edge of the map, its ring runs along. Borders are lines between countries, without coasts.
// Cities and rivers, which are lines, are those of Britain and Ireland alone. Towns are points with the properties
// name, population, 0 if it is unknown, and, for capitals, capital; the largest are first.
//
// At home, lines are as exact as the data, with three decimals; away from it, they deviate by 2 km, with two, and
// smaller islands and lakes are missing. Countries keep a common border. If these are too many details, lines deviate
// by up to 6 km away from home, and then by up to 3 km at home. A map of the whole world deviates by 2 km, is 580 KB
// when compressed, and takes 150 ms to make; that of Britain and Ireland takes a fifth, and is a seventh of it. The
// home must not cross the 180° meridian.
func Map(home geo.Box) []byte {
	a := decode(packed)
	m := sheet{box: mapBox(home), home: grown(home, margin, margin)}
	m.draw(a.arcs)
	text, err := json.Marshal(struct {
		Box     [4]float64 `json:"box"`
		Land    collection `json:"land"`
		Borders collection `json:"borders"`
		Lakes   collection `json:"lakes"`
		Cities  collection `json:"cities"`
		Rivers  collection `json:"rivers"`
		Towns   collection `json:"towns"`
	}{[4]float64{m.box.West, m.box.South, m.box.East, m.box.North}, m.polygons(a.land), m.paths(borders(a.sides)),
		m.polygons(a.lakes), m.polygons(a.cities), m.paths(a.rivers), m.towns(a.towns)})
	if err != nil {
		panic(err) // it has only numbers and strings
	}
	return text
}

// mapBox returns what the map of a home covers.
func mapBox(home geo.Box) geo.Box {
	box := grown(home, max(home.East-home.West, surroundings), max(home.North-home.South, surroundings))
	if box.West <= -180 || box.East >= 180 {
		box.West, box.East = -180, 180
	}
	return geo.Box{West: box.West, South: max(-mapEdge, box.South), East: box.East, North: min(mapEdge, box.North)}
}

// grown returns a box that is larger by some degrees on each side.
func grown(b geo.Box, aside, above float64) geo.Box {
	return geo.Box{West: b.West - aside, South: b.South - above, East: b.East + aside, North: b.North + above}
}

// A sheet is a map that is being made.
type sheet struct {
	box, home geo.Box
	tolerance tolerance
	lines     [][]geo.Point // by arc, without the vertices that are left out
}

// draw makes the lines of arcs. Those outside of the box are reduced to their ends, which changes no polygon inside.
func (m *sheet) draw(arcs [][]vertex) {
	levels := make([][]float64, len(arcs))
	for i, arc := range arcs {
		if levels[i] = make([]float64, len(arc)); reaches(around(arc), m.box) {
			rank(arc, levels[i], math.Inf(1))
		}
		levels[i][0], levels[i][len(arc)-1] = math.Inf(1), math.Inf(1)
	}
	for _, m.tolerance = range tolerances {
		if m.count(arcs, levels) <= maxVertices {
			break
		}
	}
	m.lines = make([][]geo.Point, len(arcs))
	for arc, line := range arcs {
		for j, v := range line {
			if m.keeps(v, levels[arc][j]) {
				m.lines[arc] = append(m.lines[arc], v.point())
			}
		}
	}
}

// count returns how many vertices, but for ends of lines, the tolerance leaves.
func (m *sheet) count(arcs [][]vertex, levels [][]float64) (vertices int) {
	for i, arc := range arcs {
		for j := 1; j < len(arc)-1; j++ {
			if m.keeps(arc[j], levels[i][j]) {
				vertices++
			}
		}
	}
	return vertices
}

// keeps reports whether the tolerance leaves a vertex with a level.
func (m *sheet) keeps(v vertex, level float64) bool {
	if level > m.tolerance.away || level <= m.tolerance.home { // most are one of them
		return level > m.tolerance.away
	}
	p := v.point()
	return m.home.Contains(p)
}

// rank sets the level of each vertex of a line but its ends: how far, in degrees of latitude, a line without it and
// those of lower levels may deviate (Ramer, Douglas and Peucker). No level is above the limit.
func rank(line []vertex, levels []float64, limit float64) {
	if len(line) < 3 {
		return
	}
	last := len(line) - 1
	squeeze := max(0.1, math.Cos(line[0].point().Lat*math.Pi/180))
	whole := edge{from: line[0], to: line[last]}
	farthest, most := 0, -1.0
	for i := 1; i < last; i++ {
		if d := whole.distance(float64(line[i].x), float64(line[i].y), squeeze); d > most {
			farthest, most = i, d
		}
	}
	level := min(limit, most/side)
	levels[farthest] = level
	rank(line[:farthest+1], levels[:farthest+1], level)
	rank(line[farthest:], levels[farthest:], level)
}

// A collection is a FeatureCollection of GeoJSON, and a feature one of its features.
type collection struct {
	Type     string    `json:"type"`
	Features []feature `json:"features"`
}

type feature struct {
	Type       string   `json:"type"`
	Properties any      `json:"properties"`
	Geometry   geometry `json:"geometry"`
}

type geometry struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

// A position is a longitude and a latitude.
type position [2]float64

func newCollection() collection { return collection{"FeatureCollection", []feature{}} }

func (c *collection) add(properties any, kind string, coordinates any) {
	c.Features = append(c.Features, feature{"Feature", properties, geometry{kind, coordinates}})
}

// none are the properties of a feature without any.
var none = struct{}{}

// positions returns the positions of a line: with three decimals where it is exact, and with two where it may deviate
// by more than they do.
func (m *sheet) positions(line []geo.Point) (list []position) {
	for _, p := range line {
		parts := 100.0
		if m.tolerance.home < 0.01 && m.home.Contains(p) {
			parts = 1000
		}
		list = append(list, position{math.Round(p.Lng*parts) / parts, math.Round(p.Lat*parts) / parts})
	}
	return list
}

// polygons returns the polygons in the box, of which the rings are given as numbers of arcs.
func (m *sheet) polygons(all [][][]int) collection {
	c := newCollection()
	for _, polygon := range all {
		var rings [][]position
		for i, arcs := range polygon {
			if ring := m.positions(clip(join(arcs, m.lines), m.box)); hasArea(ring) {
				rings = append(rings, append(ring, ring[0]))
			} else if i == 0 {
				break
			}
		}
		if rings != nil {
			c.add(none, "Polygon", rings)
		}
	}
	return c
}

// hasArea reports whether a ring is more than a line. One around the box is clipped to its edges, there and back.
func hasArea(ring []position) bool {
	twice := 0.0
	for i, to := range ring {
		from := ring[(i+len(ring)-1)%len(ring)]
		twice += from[0]*to[1] - to[0]*from[1]
	}
	return math.Abs(twice) > 1e-7
}

// borders returns the arcs that have countries on both sides.
func borders(all []sides) (arcs []int) {
	for arc, s := range all {
		if s.left != s.right && s.left != 0 && s.right != 0 {
			arcs = append(arcs, arc)
		}
	}
	return arcs
}

// paths returns the lines of arcs in the box.
func (m *sheet) paths(arcs []int) collection {
	c := newCollection()
	for _, arc := range arcs {
		for _, line := range clipLine(m.lines[arc], m.box) {
			c.add(none, "LineString", m.positions(line))
		}
	}
	return c
}

// towns returns the largest towns in the box.
func (m *sheet) towns(all []town) collection {
	c := newCollection()
	for _, t := range all {
		if p := (geo.Point{Lat: t.at[1], Lng: t.at[0]}); m.box.Contains(p) && len(c.Features) < maxTowns {
			c.add(t, "Point", t.at)
		}
	}
	return c
}

// clipLine returns the parts of a line in a box (Liang and Barsky).
func clipLine(line []geo.Point, box geo.Box) (parts [][]geo.Point) {
	continues := false
	for i := 1; i < len(line); i++ {
		from, to := line[i-1], line[i]
		dx, dy := to.Lng-from.Lng, to.Lat-from.Lat
		first, last := 0.0, 1.0 // the part of the step that is inside
		for _, side := range [4]struct{ step, room float64 }{
			{-dx, from.Lng - box.West}, {dx, box.East - from.Lng}, {-dy, from.Lat - box.South}, {dy, box.North - from.Lat},
		} {
			switch {
			case side.step < 0:
				first = max(first, side.room/side.step)
			case side.step > 0:
				last = min(last, side.room/side.step)
			case side.room < 0:
				last = -1
			}
		}
		if first >= last {
			continues = false
			continue
		}
		at := func(share float64) geo.Point { return geo.Point{Lat: from.Lat + share*dy, Lng: from.Lng + share*dx} }
		if !continues || first > 0 {
			parts = append(parts, []geo.Point{at(first)})
		}
		newest := &parts[len(parts)-1]
		*newest = append(*newest, at(last))
		continues = last == 1
	}
	return parts
}

// A town is a place where people live.
type town struct {
	Name       string `json:"name"`       // in English, or as people there write it
	Population int    `json:"population"` // of the built-up area, in round numbers; 0 if unknown
	Capital    bool   `json:"capital,omitempty"`
	at         position
}
