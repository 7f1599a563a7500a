// Package world has the land, countries, lakes and towns of the world: what country a point is in, which are near it,
// outlines to draw, and a map for web pages. [Country], [Near], [Outlines] and [Map] are the entry points.
//
// The shapes are those of Natural Earth at 1:10,000,000, simplified so that a line deviates by 400 m at most, no more
// than by the grid of their source. At a coast, Natural Earth itself may be 1 km off: of 51,000 British pubs, 2 % are
// on its sea, nearly all of them within 1 km of land. It lacks small islands, such as Tory off Ireland, 12 km from the
// coast. Lakes are land, but for the map. A country is what Natural Earth maps as one: Jersey and Puerto Rico are
// countries of their own, and a disputed area belongs to who governs it.
//
// It takes 900 KB of the program. Countries are 640 KB of it, which the first call but for a map decodes in some 30 ms
// to 11 MB that stay. Lines that deviate by 1.8 km would take 250 KB, and put ten times as many pubs more than 1 km
// out to sea. A country takes about 150 ns to find: the Earth is divided into tiles, a tile without a line belongs to
// one country, and in the others the lines west of a point are counted. All functions may be called concurrently.
package world

import (
	_ "embed"
	"math"
	"slices"
	"sync"

	"pubd/geo"
)

//go:embed world.bin
var packed []byte

// The grid of lines has side columns and rows per degree, from 180° West and the south pole. Countries that cross the
// 180° meridian are cut there.
const side = 512

// The tiles of the Earth, in which edges are listed: they are one degree wide, and tall grid rows high.
const (
	tall          = side / 4
	columns, rows = 360, 180 * side / tall
)

// Country returns the name of the country that a point is in, in English; empty if it is in the sea or p is not a
// point of the Earth.
func Country(p geo.Point) string {
	x, y, ok := place(p)
	if !ok {
		return ""
	}
	a := atlas()
	return a.names[a.country(x, y)]
}

// Near returns the countries that have a point within a distance of at most 100 km, the one that p is in first; none
// if p is not a point of the Earth. Distances are true to 2 %, except within 100 km of a pole.
func Near(p geo.Point, within geo.Kilometres) []string {
	x, y, ok := place(p)
	if !ok {
		return nil
	}
	a := atlas()
	var found []string
	for _, id := range a.near(x, y, float64(within)/kilometresPerDegree*side) {
		found = append(found, a.names[id])
	}
	return found
}

// Outlines returns the rings of all countries that reach into a box, clipped to it, each without its first point again
// at its end. The box must not cross the 180° meridian. Filled by the even-odd rule, they are the land: a country
// within another one is a ring, and a hole in the other. Parts of a ring may run along the edges of the box.
func Outlines(box geo.Box) (rings [][]geo.Point) {
	a := atlas()
	for _, ring := range a.rings {
		if ring.west > box.East || ring.east < box.West || ring.south > box.North || ring.north < box.South {
			continue
		}
		if line := clip(a.points(ring.arcs), box); len(line) > 2 {
			rings = append(rings, line)
		}
	}
	return rings
}

const kilometresPerDegree = float64(geo.EarthRadius) * math.Pi / 180

// place returns where a point is on the grid.
func place(p geo.Point) (x, y float64, ok bool) {
	ok = math.Abs(p.Lat) <= 90 && math.Abs(p.Lng) <= 180
	if p.Lng == 180 {
		p.Lng = -180
	}
	return (p.Lng + 180) * side, (p.Lat + 90) * side, ok
}

// A world is the decoded shapes. Countries are numbered from 1; 0 is the sea.
type world struct {
	names []string
	arcs  [][]vertex
	sides []sides // of the arcs
	rings []ring
	land  [][][]int // the rings of each polygon, as arc numbers: the coasts, and those of seas within land
	edges []edge
	// The edges in each tile, by row and column, are listed from its entry of first to the next. A tile without any
	// belongs to its owner.
	first, listed []int32
	owner         []uint8
}

// The sides of a line are the countries there.
type sides struct{ left, right uint8 }

// A vertex is a place on the grid.
type vertex struct{ x, y int32 }

// A ring bounds a country, which is to its left. Its arcs are numbers; a negative one is ^arc, reversed.
type ring struct {
	of                       uint8
	arcs                     []int
	west, south, east, north float64 // in degrees
}

// An edge is a step of an arc, from south to north.
type edge struct {
	from, to vertex
	sides
}

var atlas = sync.OnceValue(func() *world {
	w := decode(packed)
	w.divide()
	return w
})

// decode decodes a file of varints: the number of countries; for each the length of its name, the name, the number of
// its rings; for each the number of its arcs, and for each arc twice how far its number is back from the next new one,
// 0 if it is that, plus 1 if it is reversed. Then, the number of polygons of land; for each the number of its rings,
// the outer one first; for each the number of its arcs, and for each arc twice the difference of its number from that
// of the arc before, plus 1 if it is reversed. Then, the numbers of arcs and of all vertices; for each arc the number
// of its vertices; for each the differences of column and row from the vertex before, the first from 0, 0.
func decode(text []byte) *world {
	r := reader{text}
	w := &world{names: []string{""}}
	for country := range r.next() {
		w.names = append(w.names, r.text(r.next()))
		for range r.next() {
			arcs := make([]int, r.next())
			for i := range arcs {
				ref := r.next()
				arc := len(w.sides) - ref>>1
				if ref>>1 == 0 {
					w.sides = append(w.sides, sides{})
				}
				if arcs[i] = arc; ref&1 == 0 {
					w.sides[arc].left = uint8(country + 1)
				} else {
					arcs[i], w.sides[arc].right = ^arc, uint8(country+1)
				}
			}
			w.rings = append(w.rings, ring{of: uint8(country + 1), arcs: arcs})
		}
	}
	before := 0
	w.land = make([][][]int, r.next())
	for i := range w.land {
		w.land[i] = make([][]int, r.next())
		for j := range w.land[i] {
			w.land[i][j] = make([]int, r.next())
			for k := range w.land[i][j] {
				step := r.difference()
				before += int(step >> 1)
				if w.land[i][j][k] = before; step&1 == 1 {
					w.land[i][j][k] = ^before
				}
			}
		}
	}
	at := vertex{}
	w.arcs = make([][]vertex, r.next())
	all := make([]vertex, r.next())
	w.edges = make([]edge, 0, len(all))
	for arc := range w.arcs {
		var line []vertex
		size := r.next()
		line, all = all[:size:size], all[size:]
		for i := range line {
			at.x += r.difference()
			at.y += r.difference()
			line[i] = at
			if i == 0 {
				continue
			}
			e := edge{line[i-1], at, w.sides[arc]}
			if e.from.y > e.to.y {
				e = edge{e.to, e.from, sides{e.right, e.left}}
			}
			w.edges = append(w.edges, e)
		}
		w.arcs[arc] = line
	}
	for i := range w.rings {
		ring := &w.rings[i]
		ring.west, ring.south, ring.east, ring.north = 180, 90, -180, -90
		for _, arc := range ring.arcs {
			for _, v := range w.arcs[max(arc, ^arc)] {
				p := v.point()
				ring.west, ring.east = min(ring.west, p.Lng), max(ring.east, p.Lng)
				ring.south, ring.north = min(ring.south, p.Lat), max(ring.north, p.Lat)
			}
		}
	}
	return w
}

// point returns a vertex in degrees.
func (v vertex) point() geo.Point {
	return geo.Point{Lat: float64(v.y)/side - 90, Lng: float64(v.x)/side - 180}
}

// divide lists the edges in each tile, and finds the owners of the others.
func (w *world) divide() {
	tiles := func(e *edge, do func(tile int)) {
		west, east := min(e.from.x, e.to.x)/side, max(e.from.x, e.to.x)/side
		for row := e.from.y / tall; row <= min(e.to.y/tall, rows-1); row++ {
			for column := west; column <= min(east, columns-1); column++ {
				do(int(row*columns + column))
			}
		}
	}
	w.first, w.owner = make([]int32, rows*columns+1), make([]uint8, rows*columns)
	for i := range w.edges {
		tiles(&w.edges[i], func(tile int) { w.first[tile+1]++ })
	}
	for tile := range rows * columns {
		w.first[tile+1] += w.first[tile]
	}
	w.listed = make([]int32, w.first[rows*columns])
	filled := slices.Clone(w.first)
	for i := range w.edges {
		tiles(&w.edges[i], func(tile int) {
			w.listed[filled[tile]] = int32(i)
			filled[tile]++
		})
	}
	for tile := range rows * columns {
		if column := tile % columns; w.first[tile] == w.first[tile+1] && column > 0 {
			w.owner[tile] = w.country(math.Nextafter(float64(column*side), 0), (float64(tile/columns)+0.5)*tall)
		}
	}
}

// country returns the country at a place, from the edges that a line from the west to it crosses: each leads from the
// country on its left into that on its right, so that all of them together, combined by exclusive or, leave the
// country at the end, whatever their order. The line begins in the next tile without edges.
func (w *world) country(x, y float64) (id uint8) {
	row := min(int(y)/tall, rows-1)
	last := uint8(0)
	for column := min(int(x)/side, columns-1); column >= 0; column-- {
		tile := row*columns + column
		edges := w.listed[w.first[tile]:w.first[tile+1]]
		if len(edges) == 0 {
			id ^= w.owner[tile]
			break
		}
		for _, i := range edges {
			e := &w.edges[i]
			if y < float64(e.from.y) || y >= float64(e.to.y) {
				continue
			}
			at := float64(e.from.x) + (y-float64(e.from.y))*float64(e.to.x-e.from.x)/float64(e.to.y-e.from.y)
			if at <= x && min(int(at)/side, columns-1) == column {
				id ^= e.left ^ e.right
				last = max(e.left, e.right)
			}
		}
	}
	if int(id) >= len(w.names) { // where simplified lines cross
		return last
	}
	return id
}

// near returns the countries within some grid rows of a place, the one that it is in first.
func (w *world) near(x, y, within float64) (ids []uint8) {
	add := func(id uint8) {
		if id != 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	add(w.country(x, y))
	squeeze := math.Max(0.01, math.Cos((y/side-90)*math.Pi/180))
	for _, x := range [3]float64{x - columns*side, x, x + columns*side} {
		west, east := math.Floor((x-within/squeeze)/side), math.Floor((x+within/squeeze)/side)
		for row := max(0, int(y-within)/tall); row <= min(int(y+within)/tall, rows-1); row++ {
			for column := int(max(0, west)); column <= int(min(east, columns-1)); column++ {
				tile := row*columns + column
				for _, i := range w.listed[w.first[tile]:w.first[tile+1]] {
					if e := &w.edges[i]; e.distance(x, y, squeeze) <= within {
						add(e.left)
						add(e.right)
					}
				}
			}
		}
	}
	return ids
}

// distance returns the distance of a place from an edge, in rows; a column is squeeze rows wide.
func (e *edge) distance(x, y, squeeze float64) float64 {
	dx, dy := float64(e.to.x-e.from.x)*squeeze, float64(e.to.y-e.from.y)
	px, py := (x-float64(e.from.x))*squeeze, y-float64(e.from.y)
	along := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		along = max(0, min(1, (px*dx+py*dy)/square))
	}
	return math.Hypot(px-along*dx, py-along*dy)
}

// points returns the points of a ring, each once.
func (w *world) points(arcs []int) (line []geo.Point) {
	for _, v := range join(arcs, w.arcs) {
		line = append(line, v.point())
	}
	return line
}

// join returns the points of a ring of arcs, each once. A negative number is ^arc, reversed.
func join[P any](ring []int, arcs [][]P) (line []P) {
	for _, arc := range ring {
		if arc >= 0 {
			part := arcs[arc]
			line = append(line, part[:len(part)-1]...)
			continue
		}
		for _, p := range slices.Backward(arcs[^arc][1:]) {
			line = append(line, p)
		}
	}
	return line
}

// clip returns the part of a ring in a box (Sutherland and Hodgman).
func clip(line []geo.Point, box geo.Box) []geo.Point {
	for _, outside := range [4]func(p geo.Point) float64{ // how far, in degrees
		func(p geo.Point) float64 { return box.West - p.Lng },
		func(p geo.Point) float64 { return p.Lng - box.East },
		func(p geo.Point) float64 { return box.South - p.Lat },
		func(p geo.Point) float64 { return p.Lat - box.North },
	} {
		var inside []geo.Point
		for i, to := range line {
			from := line[(i+len(line)-1)%len(line)]
			a, b := outside(from), outside(to)
			if (a > 0) != (b > 0) {
				share := a / (a - b)
				inside = append(inside, geo.Point{Lat: from.Lat + share*(to.Lat-from.Lat), Lng: from.Lng + share*(to.Lng-from.Lng)})
			}
			if b <= 0 {
				inside = append(inside, to)
			}
		}
		line = inside
	}
	return line
}
