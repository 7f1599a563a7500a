package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
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

// around returns the square of some pixels around a place, in a view of less than half the world.
func (p picture) around(v view, lat, lng float64, size int) picture {
	world := tileSize * math.Exp2(v.Zoom)
	y := func(lat float64) float64 { return world * math.Asinh(math.Tan(lat*math.Pi/180)) / (2 * math.Pi) }
	dx, dy := world*math.Remainder(lng-v.Lng, 360)/360, y(v.Lat)-y(lat)
	centre := p.part.Min.Add(p.part.Max).Div(2).Add(image.Pt(int(math.Round(dx)), int(math.Round(dy))))
	return picture{p.Image, image.Rectangle{Max: image.Pt(size, size)}.Add(centre).Sub(image.Pt(size/2, size/2))}
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
func (e explorer) colour(name string) func(color.Color) bool {
	e.t.Helper()
	var want [3]int
	text := evaluate[string](e.tab, fmt.Sprintf(`getComputedStyle(document.documentElement).getPropertyValue('--%s').trim()`, name))
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
		e := explore(t, s, "?map=47.1410,9.5215,15", drawn, prefers(colourScheme, c.first))
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

// Pubs on both sides of 180° are in one view, on a map without a seam that names towns.
func TestDateLine(t *testing.T) {
	t.Parallel()
	pubs := "UID,name,latitude,longitude\n"
	for i := range 5 {
		south, from180 := 18.9-0.5*float64(i), 1.9-0.3*float64(i)
		pubs += fmt.Sprintf("w%d,West,-%.1f,%.1f\ne%[1]d,East,-%.1[2]f,%.1[4]f\n", i, south, 180-from180, from180-180)
	}
	file := filepath.Join(t.TempDir(), "fiji.csv")
	ok(t, os.WriteFile(file, []byte(pubs), 0o600))
	e := explore(t, serve(t, "--data", file), "", drawn)
	e.do("points")
	v := e.view()
	failIf(t, v.Zoom < 5 || math.Abs(v.Lng) < 179, "first view: got %+v, want the sea around 180°", v)
	shot := e.mapPicture()
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
		got := shot.around(v, c.lat, c.lng, c.size).share(c.is)
		failIf(t, got < c.least, "%s: got a share %.3f of its colour, want at least %v", c.what, got, c.least)
	}
}

// A click on a cluster zooms in, unless a place is being picked.
func TestClusters(t *testing.T) {
	_, e := exploreMany(t, "?map=52,-1,7")
	e.do("points")
	before := e.view()
	x, y := e.hoverCluster()
	e.click(x, y)
	e.eventually("nearer", func() bool { return e.view().Zoom > before.Zoom+0.5 })
	e.do("settle")
	failIf(t, e.address().Get("pub") != "", "a click on a cluster opened a pub")
	x, y = e.hoverCluster()
	e.do("click #centre")
	e.click(x, y)
	e.do("until new URLSearchParams(location.search).get('distance') > 0")
}

// hoverCluster moves the mouse to a cluster near the middle of the map and returns where it is.
func (e explorer) hoverCluster() (x, y float64) {
	e.t.Helper()
	middleX, middleY := e.place("#map").at(0.5, 0.5)
	for dy := -40.0; dy <= 40; dy += 8 {
		for dx := -40.0; dx <= 40; dx += 8 {
			x, y = middleX+dx, middleY+dy
			e.run(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
			if e.is(`document.querySelector('#map .point')`) {
				return x, y
			}
		}
	}
	e.t.Fatal("no cluster near the middle of the map")
	return 0, 0
}

// A browser without WebGL has the list and everything beside the map, and says why there is no map.
func TestWithoutWebGL(t *testing.T) {
	_, e := exploreMany(t, "?search=red+lion&map=52,0,9", beforeScripts(`const { getContext } = HTMLCanvasElement.prototype
		HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...more) }`))
	e.do("count search=red+lion", "see #no-map")
	e.worksWithoutMap("WebGL")
}

// worksWithoutMap checks that the page says why it has no map, and does everything else.
func (e explorer) worksWithoutMap(reason string) {
	e.t.Helper()
	e.do("focus #search", "retype wheatsheff", "count search=wheatsheff", "leave", "see #relaxed a",
		"click #results li a", "see #pub h2", "press Escape", "lose #pub h2",
		"focus #search", "retype zzxxqq", "count search=zzxxqq", "leave", "see #offers .action")
	e.allowLocation(e.server, 51.97, 0.98)
	e.do("open /?search=red+lion", "count search=red+lion", "see #no-map", "click #near", "address distance=5", "count search=red+lion&lat=51.97&lng=0.98&distance=5")
	e.says("#no-map", reason)
	for _, control := range []string{".zoom", "#legend", "#scale", "#map-hint"} {
		failIf(e.t, e.is(visible(control)), "%s is visible without a map", control)
	}
}

// relay returns a server that passes requests on to another, but those for a path to a handler, until the test ends.
func (s *server) relay(t *testing.T, path string, handler http.HandlerFunc) *server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", s.proxy(t))
	mux.Handle(path, handler)
	front := httptest.NewServer(mux)
	t.Cleanup(front.Close)
	return &server{s.Server, front.URL, s.key}
}

func (s *server) proxy(t *testing.T) *httputil.ReverseProxy {
	t.Helper()
	return httputil.NewSingleHostReverseProxy(must(url.Parse(s.origin))(t))
}

const mapLibrary = "/explorer/maplibre.js"

// When the map's library comes late, the map shows what the page has shown and chosen until then.
func TestMapComesLate(t *testing.T) {
	s := serveMany(t)
	want := s.search(t, "search=red+lion&sort=relevance&amount=1").Results[0]
	for _, c := range []struct {
		while []string
		want  view
	}{
		{nil, view{Lat: 52, Lng: 0.5, Zoom: 9}},
		{[]string{"click #results li a", "see #pub h2"}, view{Lat: want.Latitude, Lng: want.Longitude, Zoom: 15}},
	} {
		come := make(chan struct{})
		e := explore(t, s.relay(t, mapLibrary, func(w http.ResponseWriter, r *http.Request) {
			<-come
			s.proxy(t).ServeHTTP(w, r)
		}), "?search=red+lion&map=52,0.5,9")
		e.do("count search=red+lion", "see #results li")
		failIf(t, e.is(`document.querySelector('#map canvas')`), "there is a map without its library")
		e.do(c.while...)
		close(come)
		e.do("points")
		got := e.view()
		failIf(t, got.Hits < 100 || math.Abs(got.Lat-c.want.Lat) > 0.001 || math.Abs(got.Lng-c.want.Lng) > 0.001 || got.Zoom > c.want.Zoom,
			"map that comes late, after %q: got %+v, want %+v and the hits", c.while, got, c.want)
	}
}

// If the map's library never comes, the page works without a map, and tries again with the next search.
func TestMapNeverComes(t *testing.T) {
	s := serveMany(t)
	var lost atomic.Bool
	lost.Store(true)
	e := explore(t, s.relay(t, mapLibrary, func(w http.ResponseWriter, r *http.Request) {
		if lost.Load() {
			http.NotFound(w, r)
			return
		}
		s.proxy(t).ServeHTTP(w, r)
	}), "?search=red+lion&map=52,0,9")
	e.forgive(`status of 404 .*` + mapLibrary)
	e.do("count search=red+lion", "see #no-map")
	e.worksWithoutMap("could not be loaded")
	lost.Store(false)
	e.do("focus #search", "retype bell", "leave", "points", "lose #no-map", "see .zoom")
}

// tileServer returns the address of a server of tiles that runs until the test ends.
func tileServer(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// exploreTiles opens the page on a map with tiles of an address and an attribution, which may be empty.
func exploreTiles(t *testing.T, tiles, attribution string) explorer {
	t.Helper()
	s := serve(t, "--tiles", strings.TrimSpace(tiles+"/{z}/{x}/{y}.png "+attribution))
	e := explore(t, s, "?search=lion", drawn)
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
	t.Parallel()
	const attribution = "© Someone <b>else</b>"
	e := exploreTiles(t, tileServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		sendTile(w, r)
	}), attribution)
	e.do("points")
	failIf(t, e.text("#attribution") != attribution, "attribution: got %q", e.text("#attribution"))
	got := e.mapPicture().share(func(c color.Color) bool { return color.RGBAModel.Convert(c) == color.Color(green) })
	failIf(t, got < 0.8, "map with green tiles: got a share %.2f of green", got)
}

// A map without its tiles has the hits. A server of tiles must allow other origins by headers for CORS.
func TestTilesFail(t *testing.T) {
	t.Parallel()
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
		failIf(t, e.view().Hits == 0, "map whose tiles are %s: got no hits", what)
	}
}
