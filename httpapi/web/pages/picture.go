package pages

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"

	"pubd/data/world"
	"pubd/geo"
	"pubd/httpapi/web"
	"pubd/index"
)

// The size of a map in pixels, as networks want images of previews; the degrees of latitude that it shows; and how
// many pubs, at most.
const (
	mapWidth, mapHeight = 1200, 630
	mapDegrees          = 0.5
	mapPubs             = 5000
)

// mapColours returns the colours of a map, by index, with an accent, #rrggbb.
func mapColours(accent string) color.Palette {
	var red, green, blue uint8
	if _, err := fmt.Sscanf(accent, "#%02x%02x%02x", &red, &green, &blue); err != nil {
		panic(err) // it is of the face
	}
	return color.Palette{color.RGBA{0xdf, 0xe9, 0xee, 0xff}, color.RGBA{0xfa, 0xf8, 0xf4, 0xff}, color.RGBA{0xb9, 0xc3, 0xc4, 0xff},
		color.RGBA{0x6b, 0x64, 0x5a, 0xff}, color.RGBA{0xff, 0xff, 0xff, 0xff}, color.RGBA{red, green, blue, 0xff},
		color.RGBA{0x1d, 0x1a, 0x16, 0xff}}
}

const (
	sea uint8 = iota
	land
	coast
	dot
	halo
	accent
	ink
)

// A pixel is a position on a map, from its north-west corner.
type pixel struct{ x, y float64 }

// picture renders a map of the surroundings of a pub: the coast, other pubs as dots, the pub itself as a larger one, its
// name, and below that its place and the title of the site. It is cut at the 180° meridian and the poles.
func (r *renderer) picture(ordinal uint32) web.Page {
	center := r.snapshot.Point(ordinal)
	if center.Lat != center.Lat {
		return missing()
	}
	north := mapDegrees / 2
	east := north * mapWidth / mapHeight / max(0.05, math.Cos(center.Lat*math.Pi/180))
	box := geo.Box{West: max(-180, center.Lng-east), South: max(-90, center.Lat-north), East: min(180, center.Lng+east), North: min(90, center.Lat+north)}
	place := func(p geo.Point) pixel {
		return pixel{(p.Lng - center.Lng + east) / (2 * east) * mapWidth, (center.Lat + north - p.Lat) / (2 * north) * mapHeight}
	}
	canvas := image.NewPaletted(image.Rect(0, 0, mapWidth, mapHeight), mapColours(r.face.Accents[0]))
	fill(canvas, world.Outlines(box), place)
	q := index.Query{All: true, Amount: mapPubs, Filter: index.Filter{Box: &box}}
	for _, pub := range r.snapshot.Search(&q, r.w).Pubs {
		disc(canvas, place(r.snapshot.Point(pub)), 4, dot)
	}
	disc(canvas, place(center), 19, halo)
	disc(canvas, place(center), 14, accent)
	_, name, location := r.snapshot.Texts(ordinal)
	draw.Draw(canvas, image.Rect(0, mapHeight-bandHeight, mapWidth, mapHeight), image.NewUniform(canvas.Palette[halo]), image.Point{}, draw.Src)
	title(canvas, unescaped(name), letterSize, mapHeight-bandHeight+72, ink)
	title(canvas, strings.Join(present(unescaped(location), r.face.Title), " · "), smallestSize, mapHeight-26, accent)
	body := bytes.NewBuffer(r.dst)
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(body, canvas); err != nil {
		panic(err) // it is written to memory
	}
	return web.Page{Status: 200, MediaType: "image/png", Body: body.Bytes()}
}

// fill draws what is inside of rings, by the even-odd rule, row by row, with a line where it begins and ends.
func fill(canvas *image.Paletted, rings [][]geo.Point, place func(geo.Point) pixel) {
	var crossings [mapHeight][]float64
	for _, ring := range rings {
		from := place(ring[len(ring)-1])
		for _, point := range ring {
			to := place(point)
			top, bottom := from, to
			if top.y > bottom.y {
				top, bottom = bottom, top
			}
			for row := max(0, int(math.Ceil(top.y-0.5))); row < mapHeight && float64(row)+0.5 < bottom.y; row++ {
				share := (float64(row) + 0.5 - top.y) / (bottom.y - top.y)
				crossings[row] = append(crossings[row], top.x+share*(bottom.x-top.x))
			}
			from = to
		}
	}
	for row, list := range crossings {
		slices.Sort(list)
		for ; len(list) > 1; list = list[2:] {
			first, end := int(max(0, list[0])), int(min(mapWidth, list[1]))
			for x := first; x < end; x++ {
				colour := land
				if x-first < 2 && first > 0 || end-x <= 2 && end < mapWidth {
					colour = coast
				}
				canvas.Pix[row*canvas.Stride+x] = colour
			}
		}
	}
}

// disc draws a disc with a radius in pixels.
func disc(canvas *image.Paletted, center pixel, radius int, colour uint8) {
	cx, cy := int(center.x), int(center.y)
	for y := max(0, cy-radius); y <= min(mapHeight-1, cy+radius); y++ {
		for x := max(0, cx-radius); x <= min(mapWidth-1, cx+radius); x++ {
			if (x-cx)*(x-cx)+(y-cy)*(y-cy) <= radius*radius {
				canvas.Pix[y*canvas.Stride+x] = colour
			}
		}
	}
}

// The height of the band with the name of a pub at the bottom of its map, its margin on the left and the right, the
// usual size of the letters and that of its place, the smallest, in pixels.
const (
	bandHeight, bandMargin   = 140, 48
	letterSize, smallestSize = 64.0, 28.0
)

// bold has Latin, Greek and Cyrillic letters. It is safe for concurrent use.
var bold = sync.OnceValue(func() *opentype.Font {
	font, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic(err) // it is part of the library
	}
	return font
})

// title draws a text on one line, on a line of the map, smaller if it is long. One with letters that the font lacks, or one
// that would be too small to read, is left out.
func title(canvas *image.Paletted, text string, size float64, line int, colour uint8) {
	text = norm.NFC.String(text)
	for _, letter := range text {
		if glyph, err := bold().GlyphIndex(nil, letter); err != nil || glyph == 0 {
			return
		}
	}
	const room = mapWidth - 2*bandMargin
	write := func(size float64) font.Drawer {
		face, err := opentype.NewFace(bold(), &opentype.FaceOptions{Size: size, DPI: 72})
		if err != nil {
			panic(err) // only options of hinting can be wrong
		}
		return font.Drawer{Dst: canvas, Src: image.NewUniform(canvas.Palette[colour]), Face: face}
	}
	writer := write(size)
	if width := writer.MeasureString(text).Ceil(); width > room {
		size *= room / float64(width)
		writer = write(size)
	}
	if size < smallestSize {
		return
	}
	writer.Dot = fixed.P((mapWidth-writer.MeasureString(text).Ceil())/2, line)
	writer.DrawString(text)
}
