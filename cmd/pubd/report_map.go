package main

import (
	"math"
	"slices"
	"strconv"

	"pubd/data/survey"
	"pubd/data/world"
	"pubd/geo"
	"pubd/index"
	"pubd/loader"
)

// dotMap is where the pubs are, with marks to lay over it. It is an equirectangular projection that is true to length
// along the parallel in its middle. Its unit is a tenth of a pixel, unless the report is zoomed.
type dotMap struct {
	Width, Height int
	// Land is the SVG path of the countries, to be filled by the even-odd rule. It reaches beyond the pubs, because the
	// map is displayed in a frame of another shape.
	Land string
	// Dots has an SVG path for each tile, with a dot for each place with a pub: browsers skip tiles that are out of
	// view.
	Dots  []string
	Marks []mark
	// Outside counts the misplaced pubs that are not on the map.
	Outside int

	box            geo.Box
	scaleX, scaleY float64 // units per degree
}

// A mark is a likely mistake on the map.
type mark struct {
	X, Y   int
	Reason string
}

const (
	maxMapWidth, maxMapHeight = 7600, 9600
	mapTile                   = 1200
	// maxMarks, maxDots and maxCorners bound the size of the report. A dot takes 7 bytes, and so does a corner of land.
	maxMarks   = 1000
	maxDots    = 80_000
	maxCorners = 25_000
	// frameAspect is the ratio of the sides of the frame, at most.
	frameAspect = 2.2
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
	m := newProjection(pubs, func(pub int) bool { return !astray[pub] })
	if m == nil {
		m = newProjection(pubs, func(int) bool { return true })
	}
	if m == nil {
		return nil
	}
	place := func(pub int) (d dot, ok bool) {
		p := geo.Point{Lat: pubs[pub].Latitude, Lng: pubs[pub].Longitude}
		return m.dot(p), m.box.Contains(p)
	}
	m.Land = outline(m.land())
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

// newProjection returns an empty map of pubs; nil if none has coordinates.
func newProjection(pubs []index.Pub, isShown func(pub int) bool) *dotMap {
	b := geo.Box{West: 180, South: 90, East: -180, North: -90}
	for i := range pubs {
		if lat, lng := pubs[i].Latitude, pubs[i].Longitude; !math.IsNaN(lat) && isShown(i) {
			b = geo.Box{West: min(b.West, lng), South: min(b.South, lat), East: max(b.East, lng), North: max(b.North, lat)}
		}
	}
	if b.West > b.East {
		return nil
	}
	margin := max(0.02*(b.East-b.West), 0.02*(b.North-b.South), 0.005)
	b = geo.Box{West: b.West - margin, South: b.South - margin, East: b.East + margin, North: b.North + margin}
	squeeze := max(0.1, math.Cos((b.South+b.North)/2*math.Pi/180))
	scale := min(maxMapWidth/((b.East-b.West)*squeeze), maxMapHeight/(b.North-b.South))
	return &dotMap{Width: int(math.Ceil((b.East - b.West) * squeeze * scale)), Height: int(math.Ceil((b.North - b.South) * scale)),
		box: b, scaleX: squeeze * scale, scaleY: scale}
}

// dot returns where a point is on the map.
func (m *dotMap) dot(p geo.Point) dot {
	return dot{int(math.Round((p.Lng - m.box.West) * m.scaleX)), int(math.Round((m.box.North - p.Lat) * m.scaleY))}
}

// land returns the rings of land that may be in the frame of the map.
func (m *dotMap) land() (rings [][]dot) {
	width, height := float64(m.Width), float64(m.Height)
	aside, above := max(0, frameAspect*height-width)/2/m.scaleX, max(0, frameAspect*width-height)/2/m.scaleY
	frame := geo.Box{West: max(-180, m.box.West-aside), South: max(-90, m.box.South-above), East: min(180, m.box.East+aside), North: min(90, m.box.North+above)}
	for _, line := range world.Outlines(frame) {
		var ring []dot
		for _, p := range line {
			ring = append(ring, m.dot(p))
		}
		rings = append(rings, ring)
	}
	return rings
}

// outline returns the path of rings. Corners that are less than some tenths of a pixel from the one before are left
// out, more of them if there are more than maxCorners.
func outline(rings [][]dot) string {
	var path []byte
	for grain := 4; ; grain *= 2 {
		path = path[:0]
		all := 0
		for _, ring := range rings {
			corners := ring[:1:1]
			for _, d := range ring[1:] {
				if last := corners[len(corners)-1]; max(abs(d.x-last.x), abs(d.y-last.y)) >= grain {
					corners = append(corners, d)
				}
			}
			if len(corners) < 3 {
				continue
			}
			all += len(corners)
			last, command := dot{}, byte('M')
			for _, d := range corners {
				path = strconv.AppendInt(append(path, command), int64(d.x-last.x), 10)
				path = strconv.AppendInt(append(path, ' '), int64(d.y-last.y), 10)
				last, command = d, 'l'
			}
			path = append(path, 'z')
		}
		if all <= maxCorners {
			return string(path)
		}
	}
}

func abs(n int) int { return max(n, -n) }

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
