package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"pubd/bench/testkit"
)

// A picture is a part of a screenshot, which has scale pixels for one of the page.
type picture struct {
	image.Image
	part  image.Rectangle
	scale float64
}

// mapPicture returns a picture of the map without its edges, where its controls are.
func (e *tab) mapPicture() picture {
	e.t.Helper()
	shot := testkit.Must(png.Decode(bytes.NewReader(value(e, chromedp.CaptureScreenshot()))))(e.t)
	at, scale := e.place("#map"), float64(shot.Bounds().Dx())/evaluate[float64](e, "innerWidth")
	pixels := func(of float64) int { return int(of * scale) }
	return picture{shot, image.Rect(pixels(at.X), pixels(at.Y), pixels(at.X+at.Width), pixels(at.Y+at.Height)).Inset(pixels(80)), scale}
}

// around returns the square of some pixels of the page around a place, in a view of less than half the world.
func (p picture) around(v view, lat, lng float64, size int) picture {
	world := p.scale * tileSize * math.Exp2(v.Zoom)
	y := func(lat float64) float64 { return world * math.Asinh(math.Tan(lat*math.Pi/180)) / (2 * math.Pi) }
	dx, dy := world*math.Remainder(lng-v.Lng, 360)/360, y(v.Lat)-y(lat)
	centre := p.part.Min.Add(p.part.Max).Div(2).Add(image.Pt(int(math.Round(dx)), int(math.Round(dy))))
	size = int(float64(size) * p.scale)
	return picture{p.Image, image.Rectangle{Max: image.Pt(size, size)}.Add(centre).Sub(image.Pt(size/2, size/2)), p.scale}
}

// share returns how much of a picture is of some kind, from 0 to 1.
func (p picture) share(is func(color.Color) bool) float64 {
	n := 0
	for y := p.part.Min.Y; y < p.part.Max.Y; y++ {
		for x := p.part.Min.X; x < p.part.Max.X; x++ {
			if is(p.At(x, y)) {
				n++
			}
		}
	}
	return float64(n) / float64(p.part.Dx()*p.part.Dy())
}

// isDark reports whether a colour is nearer to black than to white.
func isDark(c color.Color) bool { return color.GrayModel.Convert(c).(color.Gray).Y < 128 }

// colour returns whether a colour is that of a variable of the page's style, such as "sea", but for rounding.
func (e *tab) colour(name string) func(color.Color) bool {
	e.t.Helper()
	var want [3]int
	text := evaluate[string](e, fmt.Sprintf(`getComputedStyle(document.documentElement).getPropertyValue('--%s').trim()`, name))
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &want[0], &want[1], &want[2]); err != nil {
		e.t.Fatalf("--%s: got %q, want a colour such as #dfe9ee", name, text)
	}
	return func(c color.Color) bool {
		const rounding = 2
		r, g, b, _ := c.RGBA()
		for i, got := range []uint32{r, g, b} {
			if away := int(got>>8) - want[i]; away < -rounding || away > rounding {
				return false
			}
		}
		return true
	}
}

// awaitColours waits until a picture of the map has enough of some colours of the page.
func (e *tab) awaitColours(what string, least map[string]float64) {
	e.t.Helper()
	got := map[string]float64{}
	defer func() { testkit.FailIf(e.t, e.t.Failed(), "%s: got shares %v, want at least %v", what, got, least) }()
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
	needChromium(t)
	streets := map[string]float64{"land": 0.1, "green": 0.2, "sea": 0.01, "house": 0.02, "road": 0.01}
	for _, c := range []struct{ file, first, then string }{{"streets", "light", "dark"}, {"streets-protomaps", "dark", "light"}} {
		s := serve(t, "testdata/streets.csv", "--basemap", "testdata/"+c.file+".pmtiles")
		e := open(t, s, "/?map=47.1410,9.5215,15", drawn, prefers(colourScheme, c.first))
		e.do("points")
		e.awaitColours(c.file+" at first "+c.first, streets)
		e.run(prefers(colourScheme, c.then))
		e.awaitColours(c.file+" then "+c.then, streets)
		e.says("#attribution", "© OpenStreetMap contributors")
		statuses := evaluate[[]int](e, `performance.getEntriesByName(location.origin + '/explorer/basemap.pmtiles').map(({ responseStatus }) => responseStatus)`)
		testkit.FailIf(t, len(statuses) == 0 || slices.ContainsFunc(statuses, func(status int) bool { return status != http.StatusPartialContent }),
			"%s: responses with parts of the file: got %v, want 206 for each", c.file, statuses)
	}
}

// Pubs on both sides of 180° are in one view, on a map without a seam that names towns.
func TestDateLine(t *testing.T) {
	needChromium(t)
	pubs := "UID,name,latitude,longitude\n"
	for i := range 5 {
		south, from180 := 18.9-0.5*float64(i), 1.9-0.3*float64(i)
		pubs += fmt.Sprintf("w%d,West,-%.1f,%.1f\ne%[1]d,East,-%.1[2]f,%.1[4]f\n", i, south, 180-from180, from180-180)
	}
	e := open(t, serveText(t, pubs), "/", drawn)
	e.do("points")
	v := e.view()
	testkit.FailIf(t, v.Zoom < 5 || math.Abs(v.Lng) < 179, "first view: got %+v, want the sea around 180°", v)
	for _, c := range []struct {
		what     string
		lat, lng float64
		size     int
		is       func(color.Color) bool
		least    float64
	}{
		{"sea around 180°", -17.5, 180, 60, e.colour("sea"), 1},
		{"pub in the west", -18.9, 178.1, 7, isDark, 0.1},
		{"pub in the east", -18.9, -178.1, 7, isDark, 0.1},
		{"pub west of 180°", -16.9, 179.3, 7, isDark, 0.1},
		{"pub east of 180°", -16.9, -179.3, 7, isDark, 0.1},
		{"name of Suva", -18.22, 178.44, 60, isDark, 0.003},
	} {
		e.eventually(c.what, func() bool { return e.mapPicture().around(v, c.lat, c.lng, c.size).share(c.is) >= c.least })
	}
}

// tileServer returns the address of a server of tiles that runs until the test ends.
func tileServer(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// exploreTiles opens the page on a map with tiles of an address and an attribution, which may be empty.
func exploreTiles(t *testing.T, tiles, attribution string) *tab {
	t.Helper()
	s := serve(t, "", "--tiles", strings.TrimSpace(tiles+"/{z}/{x}/{y}.png "+attribution))
	e := open(t, s, "/?search=lion", drawn)
	e.forgive(`^request to another origin: ` + regexp.QuoteMeta(tiles))
	return e
}

// A tile is green, which the page is not.
var green = color.RGBA{0, 200, 0, 255}

func sendTile(w http.ResponseWriter, _ *http.Request) {
	tile := image.NewPaletted(image.Rect(0, 0, tileSize, tileSize), color.Palette{green})
	w.Header().Set("Content-Type", "image/png")
	_ = png.Encode(w, tile)
}

// Tiles of another server are drawn, with their attribution.
func TestTiles(t *testing.T) {
	needChromium(t)
	const attribution = "© Someone <b>else</b>"
	e := exploreTiles(t, tileServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		sendTile(w, r)
	}), attribution)
	e.do("points")
	testkit.FailIf(t, e.text("#attribution") != attribution, "attribution: got %q", e.text("#attribution"))
	isGreen := func(c color.Color) bool { return color.RGBAModel.Convert(c) == color.Color(green) }
	e.eventually("map with green tiles", func() bool { return e.mapPicture().share(isGreen) >= 0.8 })
}

// A map without its tiles has the hits. A server of tiles must allow other origins by headers for CORS.
func TestTilesFail(t *testing.T) {
	needChromium(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for what, tiles := range map[string]string{
		"down":         closed.URL,
		"without CORS": tileServer(t, sendTile),
		"silent":       tileServer(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
	} {
		e := exploreTiles(t, tiles, "")
		e.forgive(`^console: .*` + regexp.QuoteMeta(tiles)) // by the browser and the map's library
		e.do("count search=lion")
		e.awaitColours("map whose tiles are "+what, map[string]float64{"accent": 0.0005, "land": 0.9})
		testkit.FailIf(t, e.view().Hits == 0, "map whose tiles are %s: got no hits", what)
	}
}
