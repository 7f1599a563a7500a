package main

import (
	"math"
	"slices"
	"strconv"

	"pubd/index"
	"pubd/loader"
	"pubd/loader/survey"
)

// dotMap is where the pubs are, with marks to lay over it. It is an equirectangular projection that is true to length
// along the parallel in its middle. Its unit is a tenth of a pixel, unless the report is zoomed.
type dotMap struct {
	Width, Height int
	// Dots has an SVG path for each tile, with a dot for each place with a pub: browsers skip tiles that are out of
	// view.
	Dots  []string
	Marks []mark
	// Outside counts the misplaced pubs that are not on the map.
	Outside int
}

// A mark is a likely mistake on the map.
type mark struct {
	X, Y   int
	Reason string
}

const (
	maxMapWidth, maxMapHeight = 7600, 9600
	mapTile                   = 1200
	// maxMarks and maxDots bound the size of the report. A dot takes 7 bytes.
	maxMarks = 1000
	maxDots  = 80_000
)

// isPlaced reports whether the map shows findings of a kind: those about positions.
func isPlaced(kind survey.Kind) bool {
	switch kind {
	case survey.Zero, survey.Swapped, survey.Sign, survey.Sea, survey.Country, survey.Far, survey.Duplicate, survey.Location:
		return true
	}
	return false
}

// newDotMap draws pubs; it is nil if none has coordinates.
func newDotMap(pubs []index.Pub, findings []survey.Finding) *dotMap {
	astray := map[int]bool{}
	for _, f := range findings {
		switch f.Kind {
		case survey.Zero, survey.Swapped, survey.Sign, survey.Sea, survey.Country, survey.Far:
			astray[f.Pub] = true
		}
	}
	west, south, east, north := 180.0, 90.0, -180.0, -90.0
	for i := range pubs {
		if lat, lng := pubs[i].Latitude, pubs[i].Longitude; !math.IsNaN(lat) && !astray[i] {
			west, east, south, north = min(west, lng), max(east, lng), min(south, lat), max(north, lat)
		}
	}
	if west > east {
		return nil
	}
	margin := max(0.02*(east-west), 0.02*(north-south), 0.005)
	west, east, south, north = west-margin, east+margin, south-margin, north+margin
	squeeze := max(0.1, math.Cos((south+north)/2*math.Pi/180))
	scale := min(maxMapWidth/((east-west)*squeeze), maxMapHeight/(north-south))
	m := &dotMap{Width: int(math.Ceil((east - west) * squeeze * scale)), Height: int(math.Ceil((north - south) * scale))}
	place := func(pub int) (d dot, ok bool) {
		lat, lng := pubs[pub].Latitude, pubs[pub].Longitude
		if ok = south <= lat && lat <= north && west <= lng && lng <= east; ok {
			d = dot{int(math.Round((lng - west) * squeeze * scale)), int(math.Round((north - lat) * scale))}
		}
		return d, ok
	}
	var dots []dot
	for pub := range pubs {
		if d, ok := place(pub); ok {
			dots = append(dots, d)
		}
	}
	m.Dots = paths(dots)
	for _, f := range findings {
		if !isPlaced(f.Kind) || math.IsNaN(pubs[f.Pub].Latitude) {
			continue
		}
		d, ok := place(f.Pub)
		switch {
		case !ok:
			m.Outside++
		case len(m.Marks) < maxMarks:
			m.Marks = append(m.Marks, mark{d.x, d.y, loader.Visible(f.Name) + ": " + f.Reason})
		}
	}
	return m
}

// A dot is a place on the map.
type dot struct{ x, y int }

// paths returns the paths of dots, each place once. If there are more than maxDots places, neighbouring ones are
// merged.
func paths(dots []dot) []string {
	compare := func(a, b dot) int {
		if tiles := a.tile() - b.tile(); tiles != 0 {
			return tiles
		}
		if a.y != b.y {
			return a.y - b.y
		}
		return a.x - b.x
	}
	for grain := 1; ; grain *= 2 {
		for i, d := range dots {
			dots[i] = dot{d.x - d.x%grain, d.y - d.y%grain}
		}
		slices.SortFunc(dots, compare)
		if dots = slices.Compact(dots); len(dots) <= maxDots {
			break
		}
	}
	var all []string
	for len(dots) > 0 {
		end := slices.IndexFunc(dots, func(d dot) bool { return d.tile() != dots[0].tile() })
		if end < 0 {
			end = len(dots)
		}
		var path []byte
		last := dot{}
		for _, d := range dots[:end] { // a line without length has round ends
			path = append(strconv.AppendInt(append(path, 'm'), int64(d.x-last.x), 10), ' ')
			path = append(strconv.AppendInt(path, int64(d.y-last.y), 10), "h0"...)
			last = d
		}
		all, dots = append(all, string(path)), dots[end:]
	}
	return all
}

// tile returns the number of the tile that a dot is in.
func (d dot) tile() int { return d.y/mapTile*(maxMapWidth/mapTile+1) + d.x/mapTile }
