// Generate writes world.bin, the countries, lakes and towns of the world, and the cities and rivers of Britain and
// Ireland, from Natural Earth 1:10m, which is in the public domain. It reads a folder, sources, with six files:
// countries-10m.json of the npm package world-atlas 2.0.2; ne_10m_lakes.geojson, ne_10m_lakes_europe.geojson and
// ne_10m_populated_places_simple.geojson from the folder geojson of github.com/nvkelso/natural-earth-vector, version
// 4.0; ne_10m_urban_areas.shp of Debian's flightgear-data-base 2020.3.16, and ne_10m_rivers_lake_centerlines.shp of its
// libmagics++-data 4.13.0.
//
// It simplifies lines, but keeps all islands: the pub of a small one is not in the sea. Function decode of package
// world describes the file.
package main

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	side = 512 // columns and rows of a degree, as in package world
	// tolerance is how far, in degrees of latitude, a simplified line may deviate from the original: 330 m, as much as
	// the grid of the source.
	tolerance = 0.003
	// lakeTolerance is that of shores of lakes: 650 m.
	lakeTolerance = 0.006
	// nearIsland is how far, in degrees of latitude, a dropped island may be from the shore of another one:
	// 700 m. Smaller ones than smallIsland are dropped.
	nearIsland, smallIsland = 0.006, 0.004
	// smallLake is the longer side of the smallest lake or city, in degrees of latitude: 2 km.
	smallLake = 0.02
	// Cities and rivers that reach into this box, in degrees, are kept: those of the world would take half as much again.
	west, south, east, north = -11, 49.8, 1.9, 61
)

// names.txt has the names in full of those that the source abbreviates, and the usual ones.
//
//go:embed names.txt
var names string

type topology struct {
	Arcs      [][][2]int
	Transform struct{ Scale, Translate [2]float64 }
	Objects   struct {
		Countries, Land struct{ Geometries []geometry }
	}
}

// A geometry has polygons of arc numbers, in which a negative one is ^arc, reversed.
type geometry struct {
	Type       string
	Arcs       json.RawMessage
	Properties struct{ Name string }
}

// features are those of a file of lakes or of places.
type features struct{ Features []feature }

type feature struct {
	Properties struct {
		Class               string `json:"featurecla"`
		Name                string
		Population          int     `json:"pop_max"`
		Capital             float64 `json:"adm0cap"`
		Latitude, Longitude float64
	}
	Geometry *struct {
		Type        string
		Coordinates json.RawMessage
	}
}

type point struct{ x, y float64 } // degrees of longitude and latitude

// A cell is a place on the grid.
type cell struct{ x, y int }

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: generate FOLDER")
	}
	if _, err := os.Stat(os.Args[1]); err != nil {
		log.Print("world.bin stays as it is: ", err) // so that go generate ./... works without the sources
		return
	}
	var t topology
	var lakes, european, places features
	for file, into := range map[string]any{"countries-10m.json": &t, "ne_10m_lakes.geojson": &lakes,
		"ne_10m_lakes_europe.geojson": &european, "ne_10m_populated_places_simple.geojson": &places} {
		text, err := os.ReadFile(filepath.Join(os.Args[1], file))
		if err != nil {
			log.Fatal(err)
		}
		decode(file, text, into)
	}
	lines := t.lines()
	countries := t.countries(lines)
	islands := map[int]bool{} // the arcs that are a ring of their own
	for _, rings := range countries {
		for _, ring := range rings {
			if len(ring) == 1 {
				islands[max(ring[0], ^ring[0])] = true
			}
		}
	}
	w := &writer{numbers: map[int]int{}}
	for i, line := range lines {
		w.arcs = append(w.arcs, simplify(line, tolerance, islands[i]))
	}
	titles, rings := []string{""}, [][][]int{nil} // the sea
	for _, name := range slices.Sorted(maps.Keys(countries)) {
		titles = append(titles, name)
		rings = append(rings, slices.DeleteFunc(countries[name], func(ring []int) bool { // may have shrunk to a line
			corners := map[cell]bool{}
			for _, c := range join(ring, w.arcs) {
				corners[c] = true
			}
			return len(corners) < 3
		}))
	}
	w.count(len(titles))
	for _, title := range titles {
		w.text(title)
	}
	w.polygons(rings)
	var land [][][]int
	for _, geometry := range t.Objects.Land.Geometries {
		land = append(land, geometry.polygons()...)
	}
	w.polygons(slices.DeleteFunc(land, func(polygon [][]int) bool { // islands that were dropped
		_, known := w.numbers[max(polygon[0][0], ^polygon[0][0])]
		return !known
	}))
	w.polygons(w.lakes(slices.Concat(lakes.Features, european.Features)))
	w.lines()
	w.towns(places.Features)
	w.cities(shapes(os.Args[1], "ne_10m_urban_areas.shp"), shapes(os.Args[1], "ne_10m_rivers_lake_centerlines.shp"))
	if err := os.WriteFile("world.bin", w.out, 0o644); err != nil {
		log.Fatal(err)
	}
}

func decode(what string, text []byte, into any) {
	if err := json.Unmarshal(text, into); err != nil {
		log.Fatal(what, ": ", err)
	}
}

// lines returns the arcs in degrees. Countries are cut at the 180° meridian, but the source has -180 on both sides of
// it; and it has no edge of Antarctica at the pole.
func (t *topology) lines() (lines [][]point) {
	for _, arc := range t.Arcs {
		var line []point
		x, y := 0, 0
		for _, step := range arc {
			x, y = x+step[0], y+step[1]
			line = append(line, point{float64(x)*t.Transform.Scale[0] + t.Transform.Translate[0], float64(y)*t.Transform.Scale[1] + t.Transform.Translate[1]})
		}
		onMeridian := func(p point) bool { return math.Abs(p.x) == 180 }
		for i := range line {
			for j := 1; onMeridian(line[i]) && j < len(line); j++ {
				if before := max(0, i-j); !onMeridian(line[before]) {
					line[i].x = math.Copysign(180, line[before].x)
					break
				} else if after := min(i+j, len(line)-1); !onMeridian(line[after]) {
					line[i].x = math.Copysign(180, line[after].x)
					break
				}
			}
		}
		if first, last := line[0], line[len(line)-1]; first.y == last.y && last.x-first.x == 360 {
			line = append(line, point{180, -90}, point{-180, -90}, first)
		}
		lines = append(lines, line)
	}
	return lines
}

// isSmall reports whether the sides of a line's box are shorter than a length, in degrees of latitude.
func isSmall(line []point, length float64) bool {
	west, south, east, north := 180.0, 90.0, -180.0, -90.0
	for _, p := range line {
		west, south, east, north = min(west, p.x), min(south, p.y), max(east, p.x), max(north, p.y)
	}
	return max((east-west)*math.Cos(south*math.Pi/180), north-south) < length
}

// countries returns the rings of each country, which is to their left, without islands that are tiny and near larger
// ones.
func (t *topology) countries(lines [][]point) map[string][][]int {
	shores := map[cell][]point{} // of those that are kept, by nearIsland
	tile := func(p point) cell { return cell{int(math.Floor(p.x)), int(math.Floor(p.y / nearIsland))} }
	keep := func(line ...point) {
		for _, p := range line {
			shores[tile(p)] = append(shores[tile(p)], p)
		}
	}
	isCovered := func(p point) bool {
		at := tile(p)
		for x := at.x - 1; x <= at.x+1; x++ {
			for y := at.y - 1; y <= at.y+1; y++ {
				if slices.ContainsFunc(shores[cell{x, y}], func(s point) bool {
					return math.Hypot((s.x-p.x)*math.Cos(p.y*math.Pi/180), s.y-p.y) < nearIsland
				}) {
					return true
				}
			}
		}
		return false
	}
	for _, geometry := range t.Objects.Countries.Geometries {
		for _, ring := range slices.Concat(geometry.polygons()...) {
			if line := join(ring, lines); !isSmall(line, smallIsland) {
				keep(line...)
			}
		}
	}
	full := map[string]string{}
	for line := range strings.Lines(names) {
		short, long, _ := strings.Cut(strings.TrimSpace(line), " = ")
		full[short] = long
	}
	countries := map[string][][]int{}
	for _, geometry := range t.Objects.Countries.Geometries {
		name := cmp.Or(full[geometry.Properties.Name], geometry.Properties.Name)
		for _, polygon := range geometry.polygons() {
			for i, ring := range polygon {
				line := join(ring, lines)
				if len(ring) == 1 && len(polygon) == 1 && isSmall(line, smallIsland) {
					if isCovered(line[0]) {
						continue
					}
					keep(line[0])
				}
				if counterclockwise := area(line) > 0; counterclockwise == (i > 0) {
					slices.Reverse(ring)
					for j := range ring {
						ring[j] = ^ring[j]
					}
				}
				countries[name] = append(countries[name], ring)
			}
		}
	}
	return countries
}

// polygons returns the arc numbers of each ring of each polygon.
func (g *geometry) polygons() [][][]int { return polygons[[]int](g.Type, g.Arcs) }

// polygons returns the polygons of a Polygon or a MultiPolygon.
func polygons[R any](kind string, text []byte) (all [][]R) {
	if kind == "Polygon" {
		all = make([][]R, 1)
		decode(kind, text, &all[0])
	} else {
		decode(kind, text, &all)
	}
	return all
}

func join[P any](ring []int, arcs [][]P) (line []P) {
	for _, arc := range ring {
		part := slices.Clone(arcs[max(arc, ^arc)])
		if arc < 0 {
			slices.Reverse(part)
		}
		line = append(line, part...)
	}
	return line
}

// area returns the signed area of a ring, positive if it is counterclockwise.
func area(ring []point) (sum float64) {
	last := ring[len(ring)-1]
	for _, p := range ring {
		sum += last.x*p.y - p.x*last.y
		last = p
	}
	return sum / 2
}

// simplify returns the line on the grid. An island has an area.
func simplify(line []point, tolerance float64, isIsland bool) (arc []cell) {
	var corners []point
	for _, p := range reduce(line, tolerance) {
		c := cell{int(math.Round((p.x + 180) * side)), int(math.Round((p.y + 90) * side))}
		if len(arc) == 0 || arc[len(arc)-1] != c {
			arc, corners = append(arc, c), append(corners, point{float64(c.x), float64(c.y)})
		}
	}
	if isIsland && (len(arc) < 4 || area(corners) == 0) {
		c := arc[0]
		arc = []cell{{c.x - 2, c.y}, {c.x, c.y - 2}, {c.x + 2, c.y}, {c.x, c.y + 2}, {c.x - 2, c.y}}
		if area(line) < 0 {
			slices.Reverse(arc)
		}
	}
	return arc
}

// reduce drops the points of a line that are not needed (Ramer-Douglas-Peucker).
func reduce(line []point, tolerance float64) []point {
	if len(line) < 3 {
		return line
	}
	first, last := line[0], line[len(line)-1]
	farthest, most := 0, 0.0
	for i, p := range line[1 : len(line)-1] {
		if d := distance(p, first, last); d > most {
			farthest, most = i+1, d
		}
	}
	if most <= tolerance && (first != last || most == 0) {
		return []point{first, last}
	}
	head := reduce(line[:farthest+1], tolerance)
	return append(head[:len(head)-1:len(head)-1], reduce(line[farthest:], tolerance)...)
}

// distance returns the distance of a point from the segment between two others, in degrees of latitude.
func distance(p, a, b point) float64 {
	squeeze := math.Max(0.1, math.Cos(p.y*math.Pi/180))
	dx, dy := (b.x-a.x)*squeeze, b.y-a.y
	px, py := (p.x-a.x)*squeeze, p.y-a.y
	along := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		along = max(0, min(1, (px*dx+py*dy)/length))
	}
	return math.Hypot(px-along*dx, py-along*dy)
}

// A writer writes the file. The arcs of the source get numbers in the order of their use.
type writer struct {
	out     []byte
	arcs    [][]cell
	numbers map[int]int // of the arcs that are used
	used    []int
}

func (w *writer) count(n int)  { w.out = binary.AppendUvarint(w.out, uint64(n)) }
func (w *writer) number(n int) { w.out = binary.AppendVarint(w.out, int64(n)) }

func (w *writer) text(text string) {
	w.count(len(text))
	w.out = append(w.out, text...)
}

func (w *writer) polygons(all [][][]int) {
	before := 0
	w.count(len(all))
	for _, polygon := range all {
		w.count(len(polygon))
		for _, ring := range polygon {
			w.count(len(ring))
			for _, arc := range ring {
				reversed := 0
				if arc < 0 {
					arc, reversed = ^arc, 1
				}
				number, known := w.numbers[arc]
				if !known {
					number = len(w.used)
					w.numbers[arc] = number
					w.used = append(w.used, arc)
				}
				w.number((number-before)<<1 | reversed)
				before = number
			}
		}
	}
}

func (w *writer) lines() {
	var used [][]cell
	for _, arc := range w.used {
		used = append(used, w.arcs[arc])
	}
	w.vertices(used)
}

func (w *writer) vertices(lines [][]cell) {
	w.count(len(lines))
	at := cell{}
	for _, line := range lines {
		w.count(len(line))
		for _, c := range line {
			w.number(c.x - at.x)
			w.number(c.y - at.y)
			at = c
		}
	}
}

// lakes adds the rings of each lake that is not small, its shore and its islands, as arcs.
func (w *writer) lakes(all []feature) (lakes [][][]int) {
	for _, feature := range all {
		if feature.Geometry == nil {
			continue
		}
		for _, polygon := range polygons[[][2]float64](feature.Geometry.Type, feature.Geometry.Coordinates) {
			var lake [][]int
			for i, ring := range polygon {
				var line []point
				for _, p := range ring {
					line = append(line, point{p[0], p[1]})
				}
				corners := simplify(line, lakeTolerance, false)
				if enough := len(corners) > 3; i == 0 && (!enough || isSmall(line, smallLake)) {
					break
				} else if enough {
					lake = append(lake, []int{len(w.arcs)})
					w.arcs = append(w.arcs, corners)
				}
			}
			if lake != nil {
				lakes = append(lakes, lake)
			}
		}
	}
	return lakes
}

// towns writes the places where people live, the largest first.
func (w *writer) towns(places []feature) {
	towns := slices.DeleteFunc(places, func(f feature) bool {
		return f.Properties.Class != "Populated place" && !strings.HasPrefix(f.Properties.Class, "Admin-")
	})
	slices.SortFunc(towns, func(a, b feature) int {
		return cmp.Or(cmp.Compare(b.Properties.Population, a.Properties.Population), cmp.Compare(a.Properties.Name, b.Properties.Name))
	})
	population := towns[0].Properties.Population
	w.count(len(towns))
	w.count(population)
	for _, town := range towns {
		p := town.Properties
		p.Population = max(0, p.Population)
		less := (population - p.Population) << 1
		if p.Capital == 1 {
			less |= 1
		}
		w.count(less)
		population = p.Population
		w.text(p.Name)
		w.number(int(math.Round(p.Longitude * 1000)))
		w.number(int(math.Round(p.Latitude * 1000)))
	}
}

// cities writes how many cities there are that are not small, and their rings, without holes, and the rivers, as arcs.
func (w *writer) cities(rings, rivers [][]point) {
	var lines [][]cell
	for _, ring := range rings {
		if corners := simplify(ring, tolerance, false); len(corners) > 3 && area(ring) < 0 && !isSmall(ring, smallLake) {
			lines = append(lines, corners)
		}
	}
	w.count(len(lines))
	for _, river := range rivers {
		lines = append(lines, simplify(river, tolerance, false))
	}
	w.vertices(lines)
}

// shapes returns the lines of a shapefile of lines or polygons, of which outer rings are clockwise, that have a point
// in the box of cities and rivers.
func shapes(folder, name string) (lines [][]point) {
	file, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		log.Fatal(err)
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint32(file[at:])) }
	degrees := func(at int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(file[at:])) }
	const header, words = 100, 2
	for at := header; at < len(file); at += 8 + words*int(binary.BigEndian.Uint32(file[at+4:])) {
		parts, count := number(at+44), number(at+48)
		starts := at + 52
		points := starts + 4*parts
		for i := range parts {
			end := count
			if i+1 < parts {
				end = number(starts + 4*(i+1))
			}
			var line []point
			for j := number(starts + 4*i); j < end; j++ {
				line = append(line, point{degrees(points + 16*j), degrees(points + 16*j + 8)})
			}
			if slices.ContainsFunc(line, func(p point) bool { return p.x > west && p.x < east && p.y > south && p.y < north }) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}
