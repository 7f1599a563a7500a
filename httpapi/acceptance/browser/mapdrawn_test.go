package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// windowShot takes a picture of the window, as a PNG file. It changes no size, to which the map would respond.
func windowShot(ctx context.Context, target *chromedp.Target) ([]byte, error) {
	f := foxOf(ctx)
	if f == nil {
		return chromedp.CaptureScreenshot()(ctx, target)
	}
	result, err := f.command(ctx, "browsingContext.captureScreenshot", object{})
	if err != nil {
		return nil, err
	}
	var shot struct{ Data []byte }
	err = json.Unmarshal(result, &shot)
	return shot.Data, err
}

// A picture is a part of a screenshot.
type picture struct {
	image.Image
	part image.Rectangle
}

// mapPicture returns a picture of the map without its edges, where its controls are.
func (e explorer) mapPicture() picture {
	e.t.Helper()
	shot := must(png.Decode(bytes.NewReader(value(e.tab, windowShot))))(e.t)
	at := e.place("#map")
	return picture{shot, image.Rect(int(at.X), int(at.Y), int(at.X+at.Width), int(at.Y+at.Height)).Inset(80)}
}

// around returns the square of some pixels around the middle of a picture, or around a place away from it.
func (p picture) around(dx, dy, size int) picture {
	middle := p.part.Min.Add(p.part.Max).Div(2).Add(image.Pt(dx, dy))
	return picture{p.Image, image.Rectangle{middle, middle.Add(image.Pt(size, size))}.Sub(image.Pt(size/2, size/2))}
}

// share returns how much of a picture has a colour, from 0 to 1.
func (p picture) share(c color.Color) float64 {
	n := 0
	for y := p.part.Min.Y; y < p.part.Max.Y; y++ {
		for x := p.part.Min.X; x < p.part.Max.X; x++ {
			if resembles(p.At(x, y), c) {
				n++
			}
		}
	}
	return float64(n) / float64(p.part.Dx()*p.part.Dy())
}

// resembles reports whether colours differ by no more than rounding.
func resembles(a, b color.Color) bool {
	const rounding = 0x0202
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	return max(ar, br)-min(ar, br) <= rounding && max(ag, bg)-min(ag, bg) <= rounding && max(ab, bb)-min(ab, bb) <= rounding
}

// colour returns the colour of a variable of the page's style, such as "sea".
func (e explorer) colour(name string) color.Color {
	e.t.Helper()
	c := color.RGBA{A: 255}
	text := evaluate[string](e.tab, fmt.Sprintf(`getComputedStyle(document.documentElement).getPropertyValue('--%s').trim()`, name))
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		e.t.Fatalf("--%s: got %q, want a colour such as #dfe9ee", name, text)
	}
	return c
}

// awaitColours waits until a picture of the map has enough of some colours of the page.
func (e explorer) awaitColours(what string, least map[string]float64) {
	e.t.Helper()
	got := map[string]float64{}
	defer func() { failIf(e.t, e.t.Failed(), "%s: got shares %v, want at least %v", what, got, least) }()
	e.eventually(what, func() bool {
		enough, shot := true, e.mapPicture()
		for name, want := range least {
			got[name] = shot.share(e.colour(name))
			enough = enough && got[name] >= want
		}
		return enough
	})
}

// Streets of a file are drawn in the colours of the page, which follow the visitor's preference.
func TestStreets(t *testing.T) {
	t.Parallel()
	streets := map[string]float64{"land": 0.1, "green": 0.2, "sea": 0.01, "house": 0.02, "road": 0.01}
	for _, c := range []struct{ file, first, then string }{{"streets", "light", "dark"}, {"streets-protomaps", "dark", "light"}} {
		s := serve(t, "--data", "testdata/streets.csv", "--basemap", "testdata/"+c.file+".pmtiles")
		e := explore(t, s, "?map=47.1410,9.5215,15", prefers(colourScheme, c.first))
		e.do("points")
		e.awaitColours(c.file+" at first "+c.first, streets)
		e.run(prefers(colourScheme, c.then))
		e.awaitColours(c.file+" then "+c.then, streets)
		e.says("#attribution", "© OpenStreetMap contributors")
		statuses := evaluate[[]int](e.tab, `performance.getEntriesByName(location.origin + '/explorer/basemap.pmtiles').map(({ responseStatus }) => responseStatus)`)
		failIf(t, len(statuses) == 0 || slices.ContainsFunc(statuses, func(status int) bool { return status != http.StatusPartialContent }),
			"%s: responses with parts of the file: got %v, want 206 for each", c.file, statuses)
	}
}
