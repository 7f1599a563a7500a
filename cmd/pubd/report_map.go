package main

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"math"

	"pubd/index"
	"pubd/loader/survey"
)

// dotMap is a picture of where the pubs are, with marks to lay over it. It is an equirectangular projection that is true to
// length along the parallel in its middle.
type dotMap struct {
	Width, Height int
	Image         template.URL // a PNG with transparent ground, twice as wide and high
	Marks         []mark
	// Outside counts the misplaced pubs that are not on the map.
	Outside int
}

// A mark is a likely mistake on the map.
type mark struct {
	X, Y   float64
	Reason string
}

const (
	maxMapWidth, maxMapHeight = 760, 960
	// maxMarks bounds the size of the page.
	maxMarks = 1000
)

// isPlaced tells the kinds that are shown on the map: those about places.
func isPlaced(kind survey.Kind) bool {
	switch kind {
	case survey.Zero, survey.Swapped, survey.Far, survey.Duplicate, survey.Location:
		return true
	}
	return false
}

// newDotMap draws pubs; it is nil where none has coordinates.
func newDotMap(pubs []index.Pub, findings []survey.Finding) *dotMap {
	astray := map[int]bool{}
	for _, f := range findings {
		switch f.Kind {
		case survey.Zero, survey.Swapped, survey.Far:
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
	place := func(pub int) (x, y float64, ok bool) {
		lat, lng := pubs[pub].Latitude, pubs[pub].Longitude
		ok = south <= lat && lat <= north && west <= lng && lng <= east
		return (lng - west) * squeeze * scale, (north - lat) * scale, ok
	}
	m.draw(len(pubs), place)
	for _, f := range findings {
		if !isPlaced(f.Kind) || math.IsNaN(pubs[f.Pub].Latitude) {
			continue
		}
		x, y, ok := place(f.Pub)
		switch {
		case !ok:
			m.Outside++
		case len(m.Marks) < maxMarks:
			m.Marks = append(m.Marks, mark{math.Round(x*10) / 10, math.Round(y*10) / 10, plain(f.Name) + ": " + f.Reason})
		}
	}
	return m
}

// draw makes the picture: a dot for each pub, stronger where there are many.
func (m *dotMap) draw(pubs int, place func(pub int) (x, y float64, ok bool)) {
	palette := color.Palette{color.NRGBA{}}
	for _, opacity := range []uint8{110, 150, 180, 205, 225, 240, 255} {
		palette = append(palette, color.NRGBA{0x1f, 0x78, 0xd1, opacity})
	}
	picture := image.NewPaletted(image.Rect(0, 0, 2*m.Width, 2*m.Height), palette)
	for pub := range pubs {
		x, y, ok := place(pub)
		if !ok {
			continue
		}
		for _, step := range []image.Point{{}, {X: 1}, {Y: 1}, {X: 1, Y: 1}} {
			at := image.Pt(int(2*x), int(2*y)).Add(step)
			if dots := picture.ColorIndexAt(at.X, at.Y); int(dots)+1 < len(palette) && at.In(picture.Rect) {
				picture.SetColorIndex(at.X, at.Y, dots+1)
			}
		}
	}
	var packed bytes.Buffer
	// Writing to memory cannot fail, and the picture has a size.
	_ = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&packed, picture)
	m.Image = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(packed.Bytes()))
}
