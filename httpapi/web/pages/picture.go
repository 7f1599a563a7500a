package pages

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"

	"golang.org/x/image/vector"

	"pubd/data/world"
	"pubd/geo"
	"pubd/httpapi"
	"pubd/index"
)

// The size of a map in pixels, as networks want images of previews; the degrees of latitude that it shows; and how
// many pubs, at most.
const (
	mapWidth, mapHeight = 1200, 630
	mapDegrees          = 0.5
	mapPubs             = 5000
)

// The colours of a map, by index.
var mapColours = color.Palette{color.RGBA{0xdf, 0xe9, 0xee, 0xff}, color.RGBA{0xfa, 0xf8, 0xf4, 0xff}, color.RGBA{0xb9, 0xc3, 0xc4, 0xff},
	color.RGBA{0x6b, 0x64, 0x5a, 0xff}, color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{0xa8, 0x4b, 0x06, 0xff}}

const (
	sea uint8 = iota
	land
	coast
	dot
	halo
	accent
)

// picture renders a map of the surroundings of a pub: the coast, other pubs as dots, the pub itself as a larger one. It
// is cut at the 180° meridian and the poles.
func (r *renderer) picture(ordinal uint32) httpapi.Page {
	center := r.snapshot.Point(ordinal)
	if center.Lat != center.Lat {
		return missing()
	}
	north := mapDegrees / 2
	east := north * mapWidth / mapHeight / max(0.05, math.Cos(center.Lat*math.Pi/180))
	box := geo.Box{West: max(-180, center.Lng-east), South: max(-90, center.Lat-north), East: min(180, center.Lng+east), North: min(90, center.Lat+north)}
	position := func(p geo.Point) (x, y float32) {
		return float32((p.Lng - center.Lng + east) / (2 * east) * mapWidth), float32((center.Lat + north - p.Lat) / (2 * north) * mapHeight)
	}
	canvas := image.NewPaletted(image.Rect(0, 0, mapWidth, mapHeight), mapColours)
	shape := vector.NewRasterizer(mapWidth, mapHeight)
	for _, ring := range world.Outlines(box) {
		shape.MoveTo(position(ring[len(ring)-1]))
		for _, point := range ring {
			shape.LineTo(position(point))
		}
	}
	fill(canvas, shape, land, coast)
	q := index.Query{All: true, Amount: mapPubs, Filter: index.Filter{Box: &box}}
	for _, pub := range r.snapshot.Search(&q, r.w).Pubs {
		addDisc(shape, position, r.snapshot.Point(pub), 4)
	}
	fill(canvas, shape, dot, dot)
	addDisc(shape, position, center, 19)
	fill(canvas, shape, halo, halo)
	addDisc(shape, position, center, 14)
	fill(canvas, shape, accent, accent)
	body := bytes.NewBuffer(r.dst)
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(body, canvas); err != nil {
		panic(err) // it is written to memory
	}
	return httpapi.Page{Status: 200, MediaType: "image/png", Body: body.Bytes()}
}

// fill draws a shape, with a line of another colour where it begins and ends in a row, and makes it empty.
func fill(canvas *image.Paletted, shape *vector.Rasterizer, colour, line uint8) {
	const width, half = 2, 0x80
	mask := image.NewAlpha(canvas.Rect)
	shape.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	shape.Reset(mapWidth, mapHeight)
	for i, alpha := range mask.Pix {
		if alpha < half {
			continue
		}
		canvas.Pix[i] = colour
		if x := i % mapWidth; x >= width && mask.Pix[i-width] < half || x < mapWidth-width && mask.Pix[i+width] < half {
			canvas.Pix[i] = line
		}
	}
}

// addDisc adds a disc with a radius in pixels to a shape, as a polygon.
func addDisc(shape *vector.Rasterizer, position func(geo.Point) (x, y float32), center geo.Point, radius float64) {
	const corners = 32
	cx, cy := position(center)
	shape.MoveTo(cx+float32(radius), cy)
	for corner := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(corner) / corners)
		shape.LineTo(cx+float32(radius*cos), cy+float32(radius*sin))
	}
	shape.ClosePath()
}
