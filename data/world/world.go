// Package world has the land, countries, lakes and towns of the world, and the rivers and built-up areas of Britain and
// Ireland: what country a point is in, which are near it, outlines to draw, and a map for web pages. [Country], [Near],
// [Outlines] and [Map] are the entry points.
//
// The shapes are those of Natural Earth at 1:10,000,000, simplified so that a line deviates by 400 m at most, no more
// than by the grid of their source. At a coast, Natural Earth itself may be 1 km off: of 51,000 British pubs, 2 % are
// on its sea, nearly all of them within 1 km of land. It lacks small islands, such as Tory off Ireland, 12 km from the
// coast. Lakes are land, but for the map. A country is one of Natural Earth's map: Jersey and Puerto Rico are
// countries of their own, and a disputed area belongs to who governs it.
//
// It takes 920 KB of the program, which the first call, but for a map, decodes in some 110 ms to 15 MB that stay. Lines
// that deviate by 1.8 km would take half of it, and put ten times as many pubs more than 1 km out to sea. A country
// takes from 0.2 to 2 µs to find: the lines west of a point that cross its parallel are counted. All functions may be
// called concurrently.
package world

import (
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"

	"pubd/geo"
)

//go:generate go run ./generate sources

//go:embed world.bin
var packed []byte

// The grid of lines has side columns and rows per degree, from 180° West and the south pole. Countries that cross the
// 180° meridian are cut there.
const side = 512

// The Earth is divided into bands of latitude, tall grid rows high, in which edges are listed.
const tall, bands = side / 16, 180 * 16

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

// Towns returns where the towns with a name are, in any case of its letters.
func Towns(name string) []geo.Point { return townsByName()[strings.ToLower(name)] }

var townsByName = sync.OnceValue(func() map[string][]geo.Point {
	all := map[string][]geo.Point{}
	for _, t := range atlas().towns {
		key := strings.ToLower(t.Name)
		all[key] = append(all[key], geo.Point{Lat: t.at[1], Lng: t.at[0]})
	}
	return all
})

// Outlines returns the rings of all countries that reach into a box, clipped to it, each without its first point again
// at its end. The box must not cross the 180° meridian. Filled by the even-odd rule, they are the land: a country
// within another one is a ring, and a hole in the other. Parts of a ring may run along the edges of the box.
func Outlines(box geo.Box) (rings [][]geo.Point) {
	a := atlas()
	for _, ring := range a.rings {
		if !reaches(ring.around, box) {
			continue
		}
		if line := clip(points(join(ring.arcs, a.arcs)), box); len(line) > 2 {
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

// A world is the decoded shapes. A polygon is given by its rings, the outer one first, and these by the numbers of
// their arcs; a negative one is ^arc, reversed. Countries are numbered; 0 is the sea, which has no rings.
type world struct {
	names     []string
	countries [][][]int // the rings of each country, which is to their left
	land      [][][]int // the polygons of land: the coasts, and those of seas within land
	lakes     [][][]int
	cities    [][][]int
	rivers    []int // their arcs
	arcs      [][]vertex
	sides     []sides // of the arcs
	towns     []town
	// Only [atlas] has these:
	rings []ring        // of all countries
	bands [bands][]edge // which reach into each
}

// A ring is one of a country, with the box around it.
type ring struct {
	arcs   []int
	around geo.Box
}

// The sides of a line are the countries there.
type sides struct{ left, right uint8 }

// A vertex is a place on the grid.
type vertex struct{ x, y int32 }

// An edge is a step of an arc, from south to north.
type edge struct {
	from, to vertex
	sides
}

var atlas = sync.OnceValue(func() *world {
	w := decode(packed)
	for _, arcs := range slices.Concat(w.countries...) {
		w.rings = append(w.rings, ring{arcs, around(join(arcs, w.arcs))})
	}
	for arc, line := range w.arcs {
		for i := 1; i < len(line) && w.sides[arc] != (sides{}); i++ {
			e := edge{line[i-1], line[i], w.sides[arc]}
			if e.from.y > e.to.y {
				e = edge{e.to, e.from, sides{e.right, e.left}}
			}
			for band := e.from.y / tall; band <= min(e.to.y/tall, bands-1); band++ {
				w.bands[band] = append(w.bands[band], e)
			}
		}
	}
	return w
})

// A reader reads varints, as package binary writes them.
type reader struct{ rest []byte }

// count returns the next number, which is not negative.
func (r *reader) count() int {
	value, size := binary.Uvarint(r.rest)
	r.rest = r.rest[size:]
	return int(value)
}

// number returns the next number, which may be negative.
func (r *reader) number() int {
	value, size := binary.Varint(r.rest)
	r.rest = r.rest[size:]
	return int(value)
}

// text returns the next text, which is after its length.
func (r *reader) text() string {
	size := r.count()
	text := string(r.rest[:size])
	r.rest = r.rest[size:]
	return text
}

// polygons returns the next polygons: their number; for each the number of its rings; for each the number of its arcs;
// for each twice the difference of its number from that of the arc before, plus 1 if it is reversed.
func (r *reader) polygons() [][][]int {
	before := 0
	all := make([][][]int, r.count())
	for i := range all {
		all[i] = make([][]int, r.count())
		for j := range all[i] {
			all[i][j] = make([]int, r.count())
			for k := range all[i][j] {
				step := r.number()
				before += step >> 1
				if all[i][j][k] = before; step&1 == 1 {
					all[i][j][k] = ^before
				}
			}
		}
	}
	return all
}

// lines returns the next lines: their number; for each the number of its vertices; for each the differences of column
// and row from the vertex before, the first from 0, 0.
func (r *reader) lines() [][]vertex {
	all := make([][]vertex, r.count())
	at := vertex{}
	for i := range all {
		all[i] = make([]vertex, r.count())
		for j := range all[i] {
			at.x += int32(r.number())
			at.y += int32(r.number())
			all[i][j] = at
		}
	}
	return all
}

// decode decodes a file: the number of countries, with the sea, and their names; their rings, as polygons; the land;
// the lakes; the lines of their arcs. Then, the number of towns, the largest first; the population of the first; for
// each twice the difference of its population from that of the one before, plus 1 if it is a capital; its name; and its
// longitude and latitude in thousandths of a degree. Last, the number of cities; lines, their rings and the rivers.
func decode(file []byte) *world {
	r := reader{file}
	w := &world{names: make([]string, r.count())}
	for i := range w.names {
		w.names[i] = r.text()
	}
	w.countries, w.land, w.lakes = r.polygons(), r.polygons(), r.polygons()
	w.arcs = r.lines()
	w.sides = make([]sides, len(w.arcs))
	for id, country := range w.countries {
		for _, arc := range slices.Concat(country...) {
			if arc >= 0 {
				w.sides[arc].left = uint8(id)
			} else {
				w.sides[^arc].right = uint8(id)
			}
		}
	}
	w.towns = make([]town, r.count())
	population := r.count()
	for i := range w.towns {
		less := r.count()
		population -= less >> 1
		w.towns[i] = town{r.text(), population, less&1 == 1, position{float64(r.number()) / 1000, float64(r.number()) / 1000}}
	}
	cities := r.count()
	for i, line := range r.lines() {
		if arc := len(w.arcs); i < cities {
			w.cities = append(w.cities, [][]int{{arc}})
		} else {
			w.rivers = append(w.rivers, arc)
		}
		w.arcs, w.sides = append(w.arcs, line), append(w.sides, sides{})
	}
	return w
}

// point returns a vertex in degrees.
func (v vertex) point() geo.Point {
	return geo.Point{Lat: float64(v.y)/side - 90, Lng: float64(v.x)/side - 180}
}

// points returns vertices in degrees.
func points(line []vertex) (all []geo.Point) {
	for _, v := range line {
		all = append(all, v.point())
	}
	return all
}

// around returns the box around a line.
func around(line []vertex) geo.Box {
	box := geo.Box{West: 180, South: 90, East: -180, North: -90}
	for _, v := range line {
		p := v.point()
		box = geo.Box{West: min(box.West, p.Lng), South: min(box.South, p.Lat), East: max(box.East, p.Lng), North: max(box.North, p.Lat)}
	}
	return box
}

// reaches reports whether two boxes have a point in common.
func reaches(a, b geo.Box) bool {
	return a.West <= b.East && a.East >= b.West && a.South <= b.North && a.North >= b.South
}

// country returns the country at a place, from the edges that a line from the west to it crosses: each leads from the
// country on its left into that on its right, so that all of them together, combined by exclusive or, leave the
// country at the end, whatever their order. Where simplified lines cross, it is one beside the nearest.
func (w *world) country(x, y float64) (id uint8) {
	beside, nearest := uint8(0), -1.0
	row := int32(y)
	edges := w.bands[min(row/tall, bands-1)]
	for i := range edges {
		e := &edges[i]
		if row < e.from.y || row >= e.to.y {
			continue
		}
		at := float64(e.from.x) + (y-float64(e.from.y))*float64(e.to.x-e.from.x)/float64(e.to.y-e.from.y)
		if at <= x {
			id ^= e.left ^ e.right
			if at > nearest {
				beside, nearest = max(e.left, e.right), at
			}
		}
	}
	if int(id) >= len(w.names) {
		return beside
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
	for band := max(0, int(y-within)/tall); band <= min(int(y+within)/tall, bands-1); band++ {
		for i := range w.bands[band] {
			e := &w.bands[band][i]
			for _, x := range [3]float64{x - 360*side, x, x + 360*side} {
				reach := within / squeeze
				if x+reach < float64(min(e.from.x, e.to.x)) || x-reach > float64(max(e.from.x, e.to.x)) {
					continue
				}
				if e.distance(x, y, squeeze) <= within {
					add(e.left)
					add(e.right)
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
