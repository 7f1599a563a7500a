//go:build ignore

// Generate_land writes page/land.bin, the coasts and borders beneath the map, from countries-10m.json of the npm
// package world-atlas (Natural Earth 1:10m, public domain):
//
//	npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
//	go run generate_land.go package/countries-10m.json
//
// It drops what is too small to be seen and simplifies the rest, so that the file stays below 70,000 bytes. The file
// is a sequence of varints: the number of rings of land, and for each ring the number of its points, and for each
// point the differences of column and row from the point before, the first from 0; then borders in the same way.
// Columns and rows are those of a square of Web Mercator with 1<<17 of each.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
)

const (
	side = 1 << 17
	// A simplified line may deviate from the original by this many columns at the equator: by more where the map is
	// larger, by far more near the poles, and by little, half a kilometre, in the home of the pub.
	tolerance     = 25.0
	homeTolerance = 3.0
	smallest      = 4 // the longer side of the smallest island, in tolerances
)

type topology struct {
	Arcs      [][][2]int
	Transform struct{ Scale, Translate [2]float64 }
	Objects   struct {
		Countries, Land struct{ Geometries []geometry }
	}
}

type geometry struct {
	Type string
	Arcs json.RawMessage
}

type point struct{ x, y float64 }

// tolerance returns the tolerance at a point.
func (p point) tolerance() float64 {
	lng, lat := (p.x/side-0.5)*360, math.Atan(math.Sinh((0.5-p.y/side)*2*math.Pi))
	if degrees := lat * 180 / math.Pi; lng > -11 && lng < 2.2 && degrees > 49.5 && degrees < 61 {
		return homeTolerance
	}
	if math.Abs(lat) < 1.0 {
		return tolerance / math.Cos(lat)
	}
	return 2 * tolerance / (math.Cos(lat) * math.Cos(lat))
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate_land.go countries-10m.json")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var t topology
	if err := json.Unmarshal(text, &t); err != nil {
		log.Fatal(err)
	}
	arcs := t.project()
	var rings, borders [][]point
	ofLand := map[int]bool{}
	for _, geometry := range t.Objects.Land.Geometries {
		for _, ring := range geometry.rings() {
			for _, arc := range ring {
				ofLand[max(arc, ^arc)] = true
			}
			if line := join(ring, arcs); extent(line) >= smallest*line[0].tolerance() {
				rings = append(rings, line)
			}
		}
	}
	uses := map[int]int{}
	for _, geometry := range t.Objects.Countries.Geometries {
		for _, ring := range geometry.rings() {
			for _, arc := range ring {
				uses[max(arc, ^arc)]++
			}
		}
	}
	for arc, line := range arcs {
		if uses[arc] > 1 && !ofLand[arc] && extent(line) >= smallest*line[0].tolerance() {
			borders = append(borders, line)
		}
	}
	out := appendLines(appendLines(nil, rings), borders)
	if err := os.WriteFile("page/land.bin", out, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rings, %d borders, %d bytes\n", len(rings), len(borders), len(out))
}

// project returns the simplified arcs in columns and rows.
func (t *topology) project() (arcs [][]point) {
	for _, arc := range t.Arcs {
		var line []point
		x, y := 0, 0
		for _, step := range arc {
			x, y = x+step[0], y+step[1]
			lng := float64(x)*t.Transform.Scale[0] + t.Transform.Translate[0]
			lat := float64(y)*t.Transform.Scale[1] + t.Transform.Translate[1]
			sine := math.Sin(max(-85.05, min(85.05, lat)) * math.Pi / 180)
			line = append(line, point{(lng/360 + 0.5) * side, (0.5 - math.Log((1+sine)/(1-sine))/(4*math.Pi)) * side})
		}
		arcs = append(arcs, simplify(line))
	}
	return arcs
}

// simplify drops the points of a line that are not needed (Ramer-Douglas-Peucker).
func simplify(line []point) []point {
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
	if most <= line[0].tolerance() && most <= last.tolerance() {
		return []point{first, last}
	}
	head := simplify(line[:farthest+1])
	return append(head[:len(head)-1:len(head)-1], simplify(line[farthest:])...)
}

// distance returns the distance of a point from the segment between two others.
func distance(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	along := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		along = max(0, min(1, ((p.x-a.x)*dx+(p.y-a.y)*dy)/length))
	}
	return math.Hypot(p.x-a.x-along*dx, p.y-a.y-along*dy)
}

// rings returns the arc numbers of each ring; a negative number is ^arc, reversed.
func (g *geometry) rings() (rings [][]int) {
	if g.Type == "Polygon" {
		if err := json.Unmarshal(g.Arcs, &rings); err != nil {
			log.Fatal(err)
		}
		return rings
	}
	var polygons [][][]int
	if err := json.Unmarshal(g.Arcs, &polygons); g.Type != "MultiPolygon" || err != nil {
		log.Fatal(g.Type, err)
	}
	for _, polygon := range polygons {
		rings = append(rings, polygon...)
	}
	return rings
}

func join(ring []int, arcs [][]point) (line []point) {
	for _, arc := range ring {
		part := arcs[max(arc, ^arc)]
		for i := range part {
			if p := part[i]; arc >= 0 {
				line = append(line, p)
			} else {
				line = append(line, part[len(part)-1-i])
			}
		}
	}
	return line
}

// extent returns the longer side of the bounding box of a line.
func extent(line []point) float64 {
	west, east, north, south := line[0].x, line[0].x, line[0].y, line[0].y
	for _, p := range line {
		west, east, north, south = min(west, p.x), max(east, p.x), min(north, p.y), max(south, p.y)
	}
	return max(east-west, south-north)
}

func appendLines(dst []byte, lines [][]point) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(lines)))
	for _, line := range lines {
		var steps []int64
		x, y := int64(0), int64(0)
		for _, p := range line {
			toX, toY := int64(math.Round(p.x)), int64(math.Round(p.y))
			if len(steps) == 0 || toX != x || toY != y {
				steps = append(steps, toX-x, toY-y)
			}
			x, y = toX, toY
		}
		dst = binary.AppendUvarint(dst, uint64(len(steps)/2))
		for _, step := range steps {
			dst = binary.AppendVarint(dst, step)
		}
	}
	return dst
}
