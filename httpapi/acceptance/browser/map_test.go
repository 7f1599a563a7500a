package browser

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"pubd/bench/testkit"
)

// tileSize is the width of the world at zoom 0, in pixels.
const tileSize = 256

// kilometres returns the size of a pixel at the centre of the map.
func (v view) kilometres() float64 {
	return 40_075 * math.Cos(v.Lat*math.Pi/180) / (tileSize * math.Exp2(v.Zoom))
}

// bounds is the box of the map in degrees.
type bounds struct{ West, South, East, North float64 }

func (e *tab) bounds() bounds {
	e.t.Helper()
	v, at := e.view(), e.place("#map")
	world := tileSize * math.Exp2(v.Zoom)
	y := 0.5 - math.Asinh(math.Tan(v.Lat*math.Pi/180))/(2*math.Pi)
	latitude := func(y float64) float64 { return math.Atan(math.Sinh((0.5-y)*2*math.Pi)) * 180 / math.Pi }
	return bounds{v.Lng - at.Width/world*180, latitude(y + at.Height/world/2), v.Lng + at.Width/world*180, latitude(y - at.Height/world/2)}
}

func (b bounds) has(p pub) bool {
	return p.Longitude >= b.West && p.Longitude <= b.East && p.Latitude >= b.South && p.Latitude <= b.North
}

// Clicking a point opens its pub.
func TestPointOpens(t *testing.T) {
	e, want := exploreLonely(t)
	x, y := e.place("#map").at(0.5, 0.5)
	e.click(x, y)
	e.do("address pub="+want.UID, "until "+named(want.Name))
}

// exploreLonely shows a map of a street, with a pub in its middle that has no other within 100 m.
func exploreLonely(t *testing.T) (*tab, pub) {
	t.Helper()
	needChromium(t)
	for _, p := range many.search(t, "search=*&lat=52.2&lng=0.7&distance=50&amount=100").Results {
		if many.search(t, fmt.Sprintf("search=*&lat=%f&lng=%f&distance=0.1", p.Latitude, p.Longitude)).Total == 1 {
			e := explore(t, many, fmt.Sprintf("?map=%f,%f,15", p.Latitude, p.Longitude))
			e.do("settle")
			return e, p
		}
	}
	t.Fatal("all of 100 pubs have another within 100 m")
	return nil, pub{}
}

// awaitCentre waits until the address has a circle around a place.
func (e *tab) awaitCentre(lat, lng float64) {
	e.t.Helper()
	e.eventually("place in the address", func() bool {
		return math.Abs(e.float("lat")-lat) < 0.01 && math.Abs(e.float("lng")-lng) < 0.01 && e.float("distance") > 0
	})
}

// circle returns the query of the circle in the address.
func (e *tab) circle() string {
	e.t.Helper()
	a := e.address()
	return fmt.Sprintf("search=*&lat=%s&lng=%s&distance=%s", a.Get("lat"), a.Get("lng"), a.Get("distance"))
}

// The map shows the hits of a search that were asked for, then the opened pub.
func TestMapFollowsSearch(t *testing.T) {
	s, e := exploreMany(t, "?search=red+lion&map=54,-3,5")
	e.do("settle")
	whole := e.view().Zoom
	found := s.search(t, "search=wheatsheaf+ely&amount=100&relax=true") // without those that have only some of the words
	e.do("retype wheatsheaf ely", "count search=wheatsheaf+ely")
	e.eventually("all hits that were asked for on a nearer map", func() bool {
		b := e.bounds()
		for _, p := range found.Results {
			if p.Latitude != 0 && !b.has(p) {
				return false
			}
		}
		return e.view().Zoom > whole+0.5
	})
	e.do("go /?search=red+lion")
	many := s.search(t, "search=red+lion&sort=relevance")
	e.awaitHits(many)
	e.eventually("hits on the map", func() bool { return int(e.view().Hits) > 500 })
	e.do("settle", "click #results li a")
	first := many.Results[0]
	e.awaitPub(first.Name)
	e.eventually("pub in the middle of a street map", func() bool {
		v := e.view()
		return v.Zoom >= 12.5 && math.Abs(v.Lat-first.Latitude) < 0.001 && math.Abs(v.Lng-first.Longitude) < 0.001
	})
}

// After the map has moved, a visitor can search its area and undo that.
func TestSearchThisArea(t *testing.T) {
	s, e := exploreMany(t, "?search=bell&map=52.2,0.7,9")
	e.do("settle")
	testkit.FailIf(t, e.is(visible("#search-area")), "the area can be searched before the map has moved")
	e.drag(e.place("#map").X+300, 300, 60, 30)
	e.do("see #search-area")
	before := e.view()
	e.do("click #search-area")
	e.eventually("box in the address", func() bool { return e.address().Get("bbox") != "" })
	want := s.search(t, "search=bell&sort=relevance&bbox="+url.QueryEscape(e.address().Get("bbox")))
	e.awaitCount(want.Total)
	e.awaitHits(want)
	e.do("lose #search-area")
	after := e.view()
	testkit.FailIf(t, after.Zoom != before.Zoom || after.Lat != before.Lat, "map after its area was searched: got %+v, want %+v", after, before)
	e.do("click #area", "address bbox=", "count search=bell")
}

// At street scale, the map has the names of pubs. At any scale, it shows the name of the pub under the pointer.
func TestNamesOnTheMap(t *testing.T) {
	e, want := exploreLonely(t)
	e.eventually("names of streets", func() bool { return e.view().Names > 0 })
	hover := func() {
		t.Helper()
		x, y := e.place("#map").at(0.5, 0.5)
		e.run(chromedp.MouseEvent(chromedp.MouseMoved, x-200, y-200), chromedp.MouseEvent(chromedp.MouseMoved, x, y))
		e.do(fmt.Sprintf(`until document.querySelector('#tip').textContent === %q`, want.Name))
		e.run(chromedp.MouseEvent(chromedp.MouseMoved, x-200, y-200))
		e.do("until document.querySelector('#tip').hidden")
	}
	hover()
	e.do(fmt.Sprintf("go /?map=%f,%f,12", want.Latitude, want.Longitude))
	e.eventually("a county, without names", func() bool { return e.view().Zoom == 12 && e.view().Names == 0 })
	e.do("settle")
	hover()
}

// permitLocation lets the pages of the server use the visitor's location, or denies it.
func (e *tab) permitLocation(setting browser.PermissionSetting) {
	e.t.Helper()
	testkit.Must(chromedp.CallBrowser(e.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "geolocation"}, Setting: setting,
		Origin: e.server.origin, BrowserContextID: chromedp.FromContext(e.ctx).BrowserContextID,
	}))(e.t)
	send(e, emulation.SetGeolocationOverride, emulation.SetGeolocationOverrideParams{Latitude: new(51.97), Longitude: new(0.98), Accuracy: new(10.0)})
}

// The first screen has the best rated pubs with an explanation, and all pubs on the map, or, if the page may use the
// location, the nearest pubs.
func TestFirstScreen(t *testing.T) {
	needChromium(t)
	s := many
	e := open(t, s, "/")
	e.awaitHits(s.search(t, "search=*&sort=fair&order=desc&trading=open&amount=10")) // closed pubs come last
	e.do("points")
	e.says("#count", "Best rated of")
	e.says("#sorted", "as if it had")
	e.says("#results .figure", " / 10")
	e.says("#results .figure", "from ")
	for _, no := range []string{"0.0000", "0 degrees", "NaN"} {
		got := e.text("body")
		testkit.FailIf(t, strings.Contains(got, no), "first screen: got %q, want no coordinates that nobody entered", got)
	}
	far := append(s.search(t, "search=*&bbox=-8,58,2,62&amount=100").Results, s.search(t, "search=*&bbox=-8,49,2,50.2&amount=100").Results...)
	testkit.FailIf(t, len(far) < 20, "pubs at the edges of the map: got %d, want at least 20", len(far))
	for b := e.bounds(); len(far) > 0; far = far[1:] {
		testkit.FailIf(t, !b.has(far[0]), "%s at %v, %v is not on the map %+v", far[0].Name, far[0].Latitude, far[0].Longitude, b)
	}
	e.permitLocation(browser.PermissionSettingGranted)
	const near = "search=*&lat=51.97&lng=0.98&distance=5"
	e.do("open /", "count "+near)
	e.awaitHits(answer{Results: s.search(t, near+"&trading=open").Results[:5]})
	e.do(`until document.querySelector('#centre').textContent.includes('Near you')`)
	e.says("#sorted", "Nearest first")
	testkit.FailIf(t, e.text("#results .far") == "", "a nearby hit has no distance")
}

// A text that means here does what Near me does; where the location is denied, the page says what to do.
func TestHere(t *testing.T) {
	needChromium(t)
	e := open(t, many, "/?search=zzxxqq&relax=false", drawn)
	for _, c := range []struct {
		setting browser.PermissionSetting
		text    string
	}{{browser.PermissionSettingDenied, "pubs near me"}, {browser.PermissionSettingGranted, "nearest pub"}} {
		e.permitLocation(c.setting)
		e.do("focus #search", "retype "+c.text)
		if c.setting == browser.PermissionSettingDenied {
			e.do("until document.querySelector('#relaxed').textContent.includes('Near me')", "until document.querySelector('#map-hint').textContent.includes('location')")
			continue
		}
		e.do("address lat=51.97000", "address search="+c.text, "count search=nearest+pub&lat=51.97&lng=0.98&distance=5&sort=relevance", "lose #map-hint")
		e.eventually("the visitor on the map", func() bool { return e.mapPicture().around(e.view(), 51.97, 0.98, 9).share(e.colour("accent")) > 0.9 })
	}
}

// Who zooms before the pubs are there zooms into the view of them.
func TestZoomWaitsForPubs(t *testing.T) {
	needChromium(t)
	come := make(chan struct{})
	e := open(t, many.relay(t, "/api/v1/points", func(w http.ResponseWriter, r *http.Request) {
		<-come
		many.proxy(t).ServeHTTP(w, r)
	}), "/")
	e.do("see #results li", "see #map canvas", "click #zoom-in")
	close(come)
	e.do("points")
	e.eventually("the pubs, a level nearer", func() bool { return e.view().Zoom > 5.5 && math.Abs(e.view().Lat-55) < 3 })
}

// Pubs that have one position are next door, and a town is said once.
func TestNeighbours(t *testing.T) {
	e := explore(t, serveText(t, `UID,name,location,latitude,longitude,address
1,Star,Heslington,53.961,-1.081,"48 Stonegate, York"
2,Bell,York,53.961,-1.081,"50 Stonegate"
`), "?pub=1")
	e.do("until "+named("Star"), "see .nearby .far")
	testkit.FailIf(t, e.line(".nearby .far") != "next door", "the Bell is %q", e.line(".nearby .far"))
	e.do(`until document.querySelector('#results li[data-uid="1"] .about')?.innerText === '48 Stonegate, York'`)
}

// The map shows most of the pubs in a place, wherever others are called so.
func TestPlaceIsShown(t *testing.T) {
	for _, c := range []struct {
		text string
		at   pub
	}{{"leeds", pub{Latitude: 53.78, Longitude: -1.55}}, {"york", pub{Latitude: 53.958, Longitude: -1.083}}, {"london", pub{Latitude: 51.507, Longitude: -0.1}}} {
		_, e := exploreMany(t, "?search="+c.text)
		e.eventually(c.text+" on the map", func() bool { return e.view().Zoom > 9 && e.bounds().has(c.at) })
	}
}

// says checks that an element has a text.
func (e *tab) says(selector, want string) {
	e.t.Helper()
	got := e.text(selector)
	testkit.FailIf(e.t, !strings.Contains(got, want), "%s: got %q, want %q", selector, got, want)
}

// The radius is offered only if there is a centre. Distances are in miles in regions that use them, and can be
// switched.
func TestUnits(t *testing.T) {
	const near = "lat=52.2&lng=0.7&distance=20"
	const says, far = `until document.querySelector('%s').textContent === '%s'`, `until [...document.querySelectorAll('#results .far')].at(-1)?.textContent.endsWith('%s')`
	_, e := exploreMany(t, "?search=bell")
	e.do("lose #radius", "go /?"+near, "count search=*&"+near, "see #radius")
	e.eventually("a place with a name", func() bool {
		name := e.text("#centre")
		return strings.Contains(name, "Near ") && !strings.Contains(name, "place")
	})
	e.do(fmt.Sprintf(says, "#unit", "Miles"), fmt.Sprintf(says, "#radius-value", "12 mi"), fmt.Sprintf(far, "mi"), "click #unit",
		fmt.Sprintf(says, "#unit", "Kilometres"), fmt.Sprintf(says, "#radius-value", "20 km"), fmt.Sprintf(far, "km"),
		"open /?"+near, fmt.Sprintf(far, "km"), "click #unit", fmt.Sprintf(says, "#radius-value", "12 mi"))
}

// A click sets the centre of a circle, dragging its rim enlarges it, and the slider reduces it. Hits and address
// follow.
func TestRadius(t *testing.T) {
	s, e := exploreMany(t, "?map=51.97,0.98,10")
	e.do("settle", "click #centre")
	x, y := e.place("#map").at(0.5, 0.5)
	e.click(x, y)
	e.awaitCentre(51.97, 0.98)
	e.showsCircle(s)
	e.do("settle")

	before := e.float("distance")
	x, y = e.place("#map").at(0.5, 0.5)
	rim := before / e.view().kilometres()
	e.drag(x+rim, y, 60, 0)
	want := before * (rim + 60) / rim
	e.eventually(fmt.Sprintf("a radius of %.2f km after its rim was dragged by 60 px from %.2f km", want, before), func() bool {
		return math.Abs(e.float("distance")-want)/want <= 0.1
	})
	e.showsCircle(s)

	before = e.float("distance")
	e.do("focus #radius", "press ← ← ←")
	e.eventually("narrower circle", func() bool { return e.float("distance") < before })
	e.showsCircle(s)
	e.do("click #centre", "address lat=", "address lng=", "address distance=")
}

// showsCircle waits until count, hits and #radius-value match the circle in the address, which is updated a little
// after a drag.
func (e *tab) showsCircle(s *server) {
	e.t.Helper()
	e.eventually("the pubs of the circle in the address", func() bool {
		want, open, hits := s.search(e.t, e.circle()), s.search(e.t, e.circle()+"&trading=open"), e.hits()
		var told float64
		var unit string
		_, _ = fmt.Sscanf(e.text("#radius-value"), "%f %s", &told, &unit)
		told *= map[string]float64{"km": 1, "mi": 1.609344, "m": 0.001, "yd": 0.0009144}[unit]
		return e.count() == want.Total && math.Abs(told-e.float("distance")) <= 0.5 &&
			(len(hits) == 0 && want.Total == 0 || len(hits) > 0 && open.Total > 0 && hits[0] == open.Results[0].UID)
	})
}

// A click on a cluster zooms in, unless a place is being picked.
func TestClusters(t *testing.T) {
	_, e := exploreMany(t, "?map=52,-1,7")
	e.do("settle")
	before := e.view()
	x, y := e.hoverCluster()
	e.click(x, y)
	e.eventually("nearer", func() bool { return e.view().Zoom > before.Zoom+0.5 })
	e.do("settle")
	testkit.FailIf(t, e.address().Get("pub") != "", "a click on a cluster opened a pub")
	x, y = e.hoverCluster()
	e.do("click #centre")
	e.click(x, y)
	e.do("until new URLSearchParams(location.search).get('distance') > 0")
}

// hoverCluster moves the mouse to a cluster near the middle of the map and returns where it is.
func (e *tab) hoverCluster() (x, y float64) {
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
	needChromium(t)
	e := open(t, many, "/?search=red+lion&map=52,0,9", beforeScripts(`const { getContext } = HTMLCanvasElement.prototype
		HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...more) }`))
	e.worksWithoutMap("WebGL")
}

// worksWithoutMap checks that the page says why it has no map, and does everything else.
func (e *tab) worksWithoutMap(reason string) {
	e.t.Helper()
	e.do("count search=red+lion", "see #no-map", "focus #search", "retype wheatsheff", "count search=wheatsheff", "leave", "see #relaxed a",
		"click #results li a", "see #pub h2", "press Escape", "lose #pub h2",
		"focus #search", "retype zzxxqq", "count search=zzxxqq", "leave", "see #offers .action")
	e.says("#no-map", reason)
	for _, control := range []string{".zoom", "#legend", "#scale", "#map-hint"} {
		testkit.FailIf(e.t, e.is(visible(control)), "%s is visible without a map", control)
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
	return &server{Server: s.Server, origin: front.URL, key: s.key}
}

func (s *server) proxy(t *testing.T) *httputil.ReverseProxy {
	t.Helper()
	return httputil.NewSingleHostReverseProxy(testkit.Must(url.Parse(s.origin))(t))
}

const mapLibrary = "/explorer/maplibre.js"

// On a phone, the library of the map is loaded when the button shows the map.
func TestFoldedMap(t *testing.T) {
	needChromium(t)
	e := open(t, many, "/", phone)
	isLibrary := func(url string) bool { return strings.HasSuffix(url, mapLibrary) }
	e.do("see #results li", `until performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.endsWith('/points') && responseEnd > 0)`)
	testkit.FailIf(t, slices.ContainsFunc(e.urls(), isLibrary), "the library is loaded while the map is folded")
	e.do("click #show-map", "see #map", "settle")
	testkit.FailIf(t, !slices.ContainsFunc(e.urls(), isLibrary), "there is a map without its library")
}

// When the map's library comes late, the map shows what the page has shown and chosen until then. Until it comes, and if
// it never does, the page works without a map, and tries again with the next search.
func TestMapComesLate(t *testing.T) {
	needChromium(t)
	var lost atomic.Bool
	lost.Store(true)
	come := make(chan struct{})
	e := open(t, many.relay(t, mapLibrary, func(w http.ResponseWriter, r *http.Request) {
		if lost.Load() {
			http.NotFound(w, r)
			return
		}
		<-come
		many.proxy(t).ServeHTTP(w, r)
	}), "/?search=red+lion&map=52,0,9")
	e.forgive(`status of 404 .*` + mapLibrary)
	e.worksWithoutMap("could not be loaded")
	lost.Store(false)
	want := many.search(t, "search=red+lion&sort=relevance&amount=1").Results[0]
	e.do("focus #search", "retype red lion", "leave", "count search=red+lion", "click "+hit(want.UID), "until "+named(want.Name))
	testkit.FailIf(t, e.is(`document.querySelector('#map canvas')`), "there is a map without its library")
	close(come)
	e.do("points", "lose #no-map", "see .zoom")
	e.eventually("the pub on a map that comes late, with the hits", func() bool {
		got := e.view()
		return got.Hits > 100 && math.Abs(got.Lat-want.Latitude) < 0.001 && math.Abs(got.Lng-want.Longitude) < 0.001
	})
}
