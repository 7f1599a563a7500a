//go:build ignore

// Generate_world writes world.bin, lakes.bin and towns.bin, the countries, lakes and towns of the world, from Natural
// Earth 1:10m, which is in the public domain: countries-10m.json of the npm package world-atlas, and three files of
// version 4.0 in GeoJSON, from the folder geojson of the project, github.com/nvkelso/natural-earth-vector.
//
//	npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
//	go run generate_world.go package/countries-10m.json ne_10m_lakes.geojson ne_10m_lakes_europe.geojson \
//		ne_10m_populated_places_simple.geojson
//
// It simplifies lines, but keeps all islands: the pub of a small one is not in the sea. See decode, decodeLakes and
// decodeTowns for the formats.
package main

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strings"
)

const (
	side = 512 // columns and rows of a degree, as in world.go
	// tolerance is how far, in degrees of latitude, a simplified line may deviate from the original: 330 m, as much as
	// the grid of the source.
	tolerance = 0.003
	// lakeTolerance is that of shores of lakes: 650 m.
	lakeTolerance = 0.006
	// nearIsland is how far, in degrees of latitude, a dropped island may be from the shore of another one:
	// 700 m. Smaller ones than smallIsland are dropped.
	nearIsland, smallIsland = 0.006, 0.004
	// smallLake is the longer side of the smallest lake, in degrees of latitude: 2 km.
	smallLake = 0.02
)

// names has the names in full of those that the source abbreviates, and the usual ones.
var names = map[string]string{
	"Antigua and Barb.": "Antigua and Barbuda", "Ashmore and Cartier Is.": "Ashmore and Cartier Islands", "Bosnia and Herz.": "Bosnia and Herzegovina",
	"Br. Indian Ocean Ter.": "British Indian Ocean Territory", "British Virgin Is.": "British Virgin Islands", "Cabo Verde": "Cape Verde",
	"Cayman Is.": "Cayman Islands", "Central African Rep.": "Central African Republic", "Cook Is.": "Cook Islands", "Coral Sea Is.": "Coral Sea Islands",
	"Côte d'Ivoire": "Ivory Coast", "Dem. Rep. Congo": "Democratic Republic of the Congo", "Dominican Rep.": "Dominican Republic",
	"Eq. Guinea": "Equatorial Guinea", "eSwatini": "Eswatini", "Faeroe Is.": "Faroe Islands", "Falkland Is.": "Falkland Islands",
	"Fr. Polynesia": "French Polynesia", "Fr. S. Antarctic Lands": "French Southern and Antarctic Lands",
	"Heard I. and McDonald Is.": "Heard Island and McDonald Islands", "Indian Ocean Ter.": "Indian Ocean Territories", "Macedonia": "North Macedonia",
	"Marshall Is.": "Marshall Islands", "N. Cyprus": "Northern Cyprus", "N. Mariana Is.": "Northern Mariana Islands", "Pitcairn Is.": "Pitcairn Islands",
	"S. Geo. and the Is.": "South Georgia and the South Sandwich Islands", "S. Sudan": "South Sudan", "Solomon Is.": "Solomon Islands",
	"Spratly Is.": "Spratly Islands", "St-Barthélemy": "Saint Barthélemy", "St-Martin": "Saint Martin", "St. Kitts and Nevis": "Saint Kitts and Nevis",
	"St. Pierre and Miquelon": "Saint Pierre and Miquelon", "St. Vin. and Gren.": "Saint Vincent and the Grenadines",
	"São Tomé and Principe": "São Tomé and Príncipe", "Turks and Caicos Is.": "Turks and Caicos Islands", "U.S. Minor Outlying Is.": "United States",
	"U.S. Virgin Is.": "US Virgin Islands", "United States of America": "United States", "USNB Guantanamo Bay": "Cuba", "W. Sahara": "Western Sahara",
	"Wallis and Futuna Is.": "Wallis and Futuna", "Cyprus U.N. Buffer Zone": "Cyprus", "Dhekelia": "Cyprus", "Akrotiri": "Cyprus",
	"Br. Virgin Is.": "British Virgin Islands", "Baikonur": "Kazakhstan", "Clipperton I.": "Clipperton Island",
	"Bajo Nuevo Bank (Petrel Is.)": "Bajo Nuevo Bank", "Scarborough Reef": "Scarborough Shoal",
}

type topology struct {
	Arcs      [][][2]int
	Transform struct{ Scale, Translate [2]float64 }
	Objects   struct {
		Countries, Land struct{ Geometries []geometry }
	}
}

type geometry struct {
	Type       string
	Arcs       json.RawMessage
	Properties struct{ Name string }
}

type point struct{ x, y float64 } // degrees of longitude and latitude

type country struct {
	name  string
	rings [][]int // arc numbers; a negative one is ^arc, reversed. The country is to the left.
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 5 {
		log.Fatal("usage: go run generate_world.go countries-10m.json LAKES LAKES_OF_EUROPE PLACES")
	}
	var t topology
	read(os.Args[1], &t)
	lines := t.lines()
	countries := t.countries(lines)
	islands := map[int]bool{} // the arcs that are a ring of their own
	for _, c := range countries {
		for _, ring := range c.rings {
			if len(ring) == 1 {
				islands[max(ring[0], ^ring[0])] = true
			}
		}
	}
	var arcs [][]cell
	for i, line := range lines {
		arcs = append(arcs, simplify(line, tolerance, islands[i]))
	}
	for i := range countries { // a ring may have shrunk to a line
		countries[i].rings = slices.DeleteFunc(countries[i].rings, func(ring []int) bool {
			corners := map[cell]bool{}
			for _, c := range join(ring, arcs) {
				corners[c] = true
			}
			return len(corners) < 3
		})
	}
	var land [][][]int
	for _, geometry := range t.Objects.Land.Geometries {
		land = append(land, geometry.polygons()...)
	}
	write("world.bin", encode(countries, land, arcs))
	var lakes [][][]cell
	for _, file := range os.Args[2:4] {
		var all features
		read(file, &all)
		lakes = append(lakes, all.lakes()...)
	}
	write("lakes.bin", encodeLakes(lakes))
	var places features
	read(os.Args[4], &places)
	write("towns.bin", places.encodeTowns())
}

func read(file string, into any) {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		log.Fatal(file, ": ", err)
	}
}

func write(file string, content []byte) {
	if err := os.WriteFile(file, content, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d bytes\n", file, len(content))
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

// countries returns the countries in order of name, without islands that are tiny and near larger ones.
func (t *topology) countries(lines [][]point) (countries []country) {
	type box struct{ west, south, east, north float64 }
	boxOf := func(line []point) box {
		b := box{line[0].x, line[0].y, line[0].x, line[0].y}
		for _, p := range line {
			b = box{min(b.west, p.x), min(b.south, p.y), max(b.east, p.x), max(b.north, p.y)}
		}
		return b
	}
	isSmall := func(b box) bool {
		return max((b.east-b.west)*math.Cos(b.south*math.Pi/180), b.north-b.south) < smallIsland
	}
	byColumn := func(a, b point) int { return cmp.Compare(a.x, b.x) }
	var shores []point // of those that are kept, by column
	for _, geometry := range t.Objects.Countries.Geometries {
		for _, ring := range geometry.rings() {
			if line := join(ring, lines); !isSmall(boxOf(line)) {
				shores = append(shores, line...)
			}
		}
	}
	slices.SortFunc(shores, byColumn)
	isCovered := func(p point) bool {
		reach := nearIsland / math.Cos(p.y*math.Pi/180)
		i, _ := slices.BinarySearchFunc(shores, p.x-reach, func(s point, x float64) int { return cmp.Compare(s.x, x) })
		for ; i < len(shores) && shores[i].x <= p.x+reach; i++ {
			if math.Hypot((shores[i].x-p.x)*math.Cos(p.y*math.Pi/180), shores[i].y-p.y) < nearIsland {
				return true
			}
		}
		return false
	}
	byName := map[string][][]int{}
	for _, geometry := range t.Objects.Countries.Geometries {
		name := geometry.Properties.Name
		if full := names[name]; full != "" {
			name = full
		}
		for _, polygon := range geometry.polygons() {
			for i, ring := range polygon {
				line := join(ring, lines)
				if len(ring) == 1 && i == 0 && len(polygon) == 1 && isSmall(boxOf(line)) {
					if isCovered(line[0]) {
						continue
					}
					shores = append(shores, line[0])
					slices.SortFunc(shores, byColumn)
				}
				if counterclockwise := area(line) > 0; counterclockwise == (i > 0) {
					ring = reversed(ring)
				}
				byName[name] = append(byName[name], ring)
			}
		}
	}
	for name, rings := range byName {
		countries = append(countries, country{name, rings})
	}
	slices.SortFunc(countries, func(a, b country) int { return cmp.Compare(a.name, b.name) })
	return countries
}

// polygons returns the arc numbers of each ring of each polygon.
func (g *geometry) polygons() (polygons [][][]int) {
	if g.Type == "Polygon" {
		var rings [][]int
		if err := json.Unmarshal(g.Arcs, &rings); err != nil {
			log.Fatal(err)
		}
		return [][][]int{rings}
	}
	if err := json.Unmarshal(g.Arcs, &polygons); g.Type != "MultiPolygon" || err != nil {
		log.Fatal(g.Type, err)
	}
	return polygons
}

func (g *geometry) rings() (rings [][]int) { return slices.Concat(g.polygons()...) }

func reversed(ring []int) (back []int) {
	for _, arc := range slices.Backward(ring) {
		back = append(back, ^arc)
	}
	return back
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

// A cell is a place on the grid.
type cell struct{ x, y int }

// simplify returns the line on the grid. An island has an area.
func simplify(line []point, tolerance float64, isIsland bool) (arc []cell) {
	for _, p := range reduce(line, tolerance) {
		c := cell{int(math.Round((p.x + 180) * side)), int(math.Round((p.y + 90) * side))}
		if len(arc) == 0 || arc[len(arc)-1] != c {
			arc = append(arc, c)
		}
	}
	if isIsland && (len(arc) < 4 || flat(arc)) {
		c := arc[0]
		arc = []cell{{c.x - 2, c.y}, {c.x, c.y - 2}, {c.x + 2, c.y}, {c.x, c.y + 2}, {c.x - 2, c.y}}
		if area(line) < 0 {
			slices.Reverse(arc)
		}
	}
	return arc
}

func flat(arc []cell) bool {
	sum := 0
	last := arc[len(arc)-1]
	for _, c := range arc {
		sum += last.x*c.y - c.x*last.y
		last = c
	}
	return sum == 0
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

func encode(countries []country, land [][][]int, arcs [][]cell) (out []byte) {
	numbers := map[int]int{} // of the arcs that are used, in order of use
	var used []int
	out = binary.AppendUvarint(out, uint64(len(countries)))
	for _, c := range countries {
		out = binary.AppendUvarint(out, uint64(len(c.name)))
		out = append(out, c.name...)
		out = binary.AppendUvarint(out, uint64(len(c.rings)))
		for _, ring := range c.rings {
			out = binary.AppendUvarint(out, uint64(len(ring)))
			for _, arc := range ring {
				number, known := numbers[max(arc, ^arc)]
				if !known {
					number = len(used)
					numbers[max(arc, ^arc)] = number
					used = append(used, max(arc, ^arc))
				}
				// Most arcs are new, so that a count from the newest is short.
				back := uint64(len(used) - 1 - number)
				reversed := uint64(0)
				if arc < 0 {
					reversed = 1
				}
				if known {
					back++
				}
				out = binary.AppendUvarint(out, back<<1|reversed)
			}
		}
	}
	land = slices.DeleteFunc(land, func(polygon [][]int) bool { // islands that were dropped
		return slices.ContainsFunc(polygon[0], func(arc int) bool {
			_, known := numbers[max(arc, ^arc)]
			return !known
		})
	})
	out = binary.AppendUvarint(out, uint64(len(land)))
	before := 0
	for _, polygon := range land {
		out = binary.AppendUvarint(out, uint64(len(polygon)))
		for _, ring := range polygon {
			out = binary.AppendUvarint(out, uint64(len(ring)))
			for _, arc := range ring {
				number, known := numbers[max(arc, ^arc)]
				if !known {
					log.Fatal("land has a hole without countries around it")
				}
				step := (number - before) << 1
				if arc < 0 {
					step |= 1
				}
				out = binary.AppendVarint(out, int64(step))
				before = number
			}
		}
	}
	vertices := 0
	for _, arc := range used {
		vertices += len(arcs[arc])
	}
	out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(len(used))), uint64(vertices))
	at := cell{}
	for _, arc := range used {
		out = binary.AppendUvarint(out, uint64(len(arcs[arc])))
		for _, c := range arcs[arc] {
			out = binary.AppendVarint(binary.AppendVarint(out, int64(c.x-at.x)), int64(c.y-at.y))
			at = c
		}
	}
	return out
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

// lakes returns the rings of each lake that is not small: its shore and its islands, on the grid, without the first
// point again at the end.
func (f *features) lakes() (lakes [][][]cell) {
	for _, feature := range f.Features {
		var polygons [][][][2]float64
		switch g := feature.Geometry; {
		case g == nil:
			continue
		case g.Type == "MultiPolygon":
			if err := json.Unmarshal(g.Coordinates, &polygons); err != nil {
				log.Fatal(feature.Properties.Name, ": ", err)
			}
		default:
			polygons = make([][][][2]float64, 1)
			if err := json.Unmarshal(g.Coordinates, &polygons[0]); err != nil {
				log.Fatal(feature.Properties.Name, ": ", err)
			}
		}
		for _, polygon := range polygons {
			var lake [][]cell
			for i, ring := range polygon {
				var line []point
				west, south, east, north := 180.0, 90.0, -180.0, -90.0
				for _, p := range ring {
					line = append(line, point{p[0], p[1]})
					west, south, east, north = min(west, p[0]), min(south, p[1]), max(east, p[0]), max(north, p[1])
				}
				corners := simplify(line, lakeTolerance, false)
				corners = corners[:len(corners)-1]
				isSmall := i == 0 && max((east-west)*math.Cos(south*math.Pi/180), north-south) < smallLake
				if isSmall || len(corners) < 3 {
					if i == 0 {
						break
					}
					continue
				}
				lake = append(lake, corners)
			}
			if lake != nil {
				lakes = append(lakes, lake)
			}
		}
	}
	return lakes
}

func encodeLakes(lakes [][][]cell) (out []byte) {
	out = binary.AppendUvarint(out, uint64(len(lakes)))
	at := cell{}
	for _, lake := range lakes {
		out = binary.AppendUvarint(out, uint64(len(lake)))
		for _, ring := range lake {
			out = binary.AppendUvarint(out, uint64(len(ring)))
			for _, c := range ring {
				out = binary.AppendVarint(binary.AppendVarint(out, int64(c.x-at.x)), int64(c.y-at.y))
				at = c
			}
		}
	}
	return out
}

// encodeTowns encodes the places where people live, the largest first.
func (f *features) encodeTowns() (out []byte) {
	towns := slices.Clone(f.Features)
	towns = slices.DeleteFunc(towns, func(feature feature) bool {
		class := feature.Properties.Class
		return class != "Populated place" && !strings.HasPrefix(class, "Admin-")
	})
	slices.SortFunc(towns, func(a, b feature) int {
		return cmp.Or(cmp.Compare(b.Properties.Population, a.Properties.Population), cmp.Compare(a.Properties.Name, b.Properties.Name))
	})
	out = binary.AppendUvarint(out, uint64(len(towns)))
	population := 0
	for i, town := range towns {
		p := town.Properties
		p.Population = max(0, p.Population)
		if i == 0 {
			population = p.Population
			out = binary.AppendUvarint(out, uint64(population))
		}
		capital := 0
		if p.Capital == 1 {
			capital = 1
		}
		out = binary.AppendUvarint(out, uint64((population-p.Population)<<1|capital))
		population = p.Population
		out = append(binary.AppendUvarint(out, uint64(len(p.Name))), p.Name...)
		out = binary.AppendVarint(out, int64(math.Round(p.Longitude*1000)))
		out = binary.AppendVarint(out, int64(math.Round(p.Latitude*1000)))
	}
	return out
}
