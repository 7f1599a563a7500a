package browser

import (
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// bounds is the box of the map in degrees.
type bounds struct{ West, South, East, North float64 }

func (e explorer) bounds() bounds {
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

// The map first shows all pubs, including those in Orkney, then the hits of a search that were asked for, then the opened pub.
func TestMapFollowsSearch(t *testing.T) {
	s, e := exploreMany(t, "")
	e.awaitPoints(withCoordinates(t, s))
	e.settle()
	far := s.ask(t, "search=*&bbox=-8,58,2,62&amount=100").Results
	far = append(far, s.ask(t, "search=*&bbox=-8,49,2,50.2&amount=100").Results...)
	if b := e.bounds(); len(far) < 20 {
		t.Errorf("pubs at the edges of the map: got %d, want at least 20", len(far))
	} else {
		for _, p := range far {
			if !b.has(p) {
				t.Errorf("%s at %v, %v is not on the map %+v", p.Name, p.Latitude, p.Longitude, b)
			}
		}
	}
	whole := e.view().Zoom
	asked := s.ask(t, "search=wheatsheaf+ely&amount=100&relax=true") // without those that have only some of the words
	e.press("wheatsheaf ely")
	e.awaitCount(s.ask(t, "search=wheatsheaf+ely").Total)
	e.eventually("all hits that were asked for on a nearer map", func() bool {
		b := e.bounds()
		for _, p := range asked.Results {
			if p.Latitude != 0 && !b.has(p) {
				return false
			}
		}
		return e.view().Zoom > whole+0.5
	})
	e.run(chromedp.Navigate(s.origin + "/?search=red+lion"))
	many := s.ask(t, "search=red+lion&sort=relevance")
	e.awaitHits(many)
	e.eventually("hits on the map", func() bool { return int(e.view().Hits) > 500 })
	e.settle()
	e.run(chromedp.Click(chromedp.CSS("#results li a")))
	e.awaitPub(many.Results[0].Name)
	e.eventually("pub in the middle of a street map", func() bool {
		v := e.view()
		return v.Zoom >= 12.5 && math.Abs(v.Lat-many.Results[0].Latitude) < 0.001 && math.Abs(v.Lng-many.Results[0].Longitude) < 0.001
	})
}

// After the map has moved, a visitor can search its area and undo that.
func TestSearchThisArea(t *testing.T) {
	s, e := exploreMany(t, "?search=bell&map=52.2,0.7,9")
	e.awaitCount(s.ask(t, "search=bell").Total)
	e.awaitPoints(withCoordinates(t, s))
	if evaluate[bool](e.tab, "Boolean("+visible("#search-area")+")") {
		t.Error("the area can be searched before the map has moved")
	}
	e.drag(e.place("#map").X+300, 300, 60, 30)
	e.until("button", visible("#search-area"))
	before := e.view()
	e.run(chromedp.Click(chromedp.CSS("#search-area")))
	e.eventually("box in the address", func() bool { return e.address().Get("bbox") != "" })
	want := s.ask(t, "search=bell&sort=relevance&bbox="+url.QueryEscape(e.address().Get("bbox")))
	e.awaitCount(want.Total)
	e.awaitHits(want)
	e.until("no button", "!"+visible("#search-area"))
	if after := e.view(); after.Zoom != before.Zoom || after.Lat != before.Lat {
		t.Errorf("map after its area was searched: got %+v, want %+v", after, before)
	}
	e.run(chromedp.Click(chromedp.CSS("#area")))
	e.awaitAddress("bbox", "")
	e.awaitCount(s.ask(t, "search=bell").Total)
}

// At street scale, the map has the names of pubs. At any scale, it shows the name of the pub under the pointer.
func TestNamesOnTheMap(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	want := lonelyPub(t, s)
	e := explore(t, s, fmt.Sprintf("?map=%f,%f,15", want.Latitude, want.Longitude))
	e.awaitPoints(withCoordinates(t, s))
	e.eventually("names of streets", func() bool { return e.view().Names > 0 })
	hover := func() {
		t.Helper()
		x, y := e.place("#map").at(0.5, 0.5)
		e.run(chromedp.MouseEvent(chromedp.MouseMoved, x-200, y-200), chromedp.MouseEvent(chromedp.MouseMoved, x, y))
		e.until("name of "+want.Name, fmt.Sprintf(`document.querySelector('#tip').textContent === %q`, want.Name))
		e.run(chromedp.MouseEvent(chromedp.MouseMoved, x-200, y-200))
		e.until("no name", "document.querySelector('#tip').hidden")
	}
	hover()
	e.run(chromedp.Navigate(fmt.Sprintf("%s/?map=%f,%f,12", s.origin, want.Latitude, want.Longitude)))
	e.awaitPoints(withCoordinates(t, s))
	if n := e.view().Names; n != 0 {
		t.Errorf("names at the scale of a county: got %v, want none", n)
	}
	hover()
}

// allowLocation lets the page use the visitor's location, and sets it.
func (e explorer) allowLocation(s *server, lat, lng float64) {
	e.t.Helper()
	if _, err := chromedp.CallBrowser(e.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "geolocation"}, Setting: browser.PermissionSettingGranted,
		Origin: s.origin, BrowserContextID: chromedp.FromContext(e.ctx).BrowserContextID,
	}); err != nil {
		e.t.Fatal(err)
	}
	send(e.tab, emulation.SetGeolocationOverride, emulation.SetGeolocationOverrideParams{Latitude: new(lat), Longitude: new(lng), Accuracy: new(10.0)})
}

// The first screen has the best rated pubs with an explanation or, if the page may use the location, the nearest pubs.
func TestFirstScreen(t *testing.T) {
	s, e := exploreMany(t, "")
	best := s.ask(t, "search=*&sort=fair&order=desc")
	e.awaitHits(best)
	e.awaitPoints(withCoordinates(t, s))
	for _, want := range []struct{ selector, text string }{{"#count", "Best rated of"}, {"#sorted", "as if it had"}, {"#results .figure", "fair score"}} {
		if got := e.text(want.selector); !strings.Contains(got, want.text) {
			t.Errorf("%s: got %q, want %q", want.selector, got, want.text)
		}
	}
	if got := e.text("body"); strings.Contains(got, "0.0000") || strings.Contains(got, "0 degrees") || strings.Contains(got, "NaN") {
		t.Errorf("first screen: got %q, want no coordinates that nobody entered", got)
	}
	e.allowLocation(s, 51.97, 0.98)
	e.run(chromedp.Navigate(s.origin + "/"))
	near := s.ask(t, "search=*&lat=51.97&lng=0.98&distance=5")
	e.awaitCount(near.Total)
	e.awaitHits(answer{Results: near.Results[:5]})
	e.until("near you", `document.querySelector('#centre').textContent.includes('Near you')`)
	if got := e.text("#sorted"); !strings.Contains(got, "Nearest first") {
		t.Errorf("sorted: got %q, want the nearest first", got)
	}
	if got := e.text("#results .far"); got == "" {
		t.Error("a nearby hit has no distance")
	}
}

// The radius can be changed only if there is a centre.
func TestRadiusNeedsCentre(t *testing.T) {
	s, e := exploreMany(t, "?search=bell")
	e.awaitCount(s.ask(t, "search=bell").Total)
	e.until("no radius", `document.querySelector('#radius').disabled`)
	e.run(chromedp.Navigate(s.origin + "/?search=bell&lat=52.2&lng=0.7&distance=20"))
	e.awaitCount(s.ask(t, "search=bell&lat=52.2&lng=0.7&distance=20").Total)
	e.until("a radius", `!document.querySelector('#radius').disabled`)
	e.awaitPoints(withCoordinates(t, s))
	e.eventually("a place with a name", func() bool {
		name := e.text("#centre")
		return strings.Contains(name, "Near ") && !strings.Contains(name, "place")
	})
}

// Distances are in miles in regions that use them, and can be switched.
func TestUnits(t *testing.T) {
	s, e := exploreMany(t, "?lat=52.2&lng=0.7&distance=20")
	e.awaitCount(s.ask(t, "search=*&lat=52.2&lng=0.7&distance=20").Total)
	for _, c := range []struct{ name, radius, far string }{{"Miles", "12 mi", "mi"}, {"Kilometres", "20 km", "km"}} {
		e.until(c.name, fmt.Sprintf(`document.querySelector('#unit').textContent === %q`, c.name))
		e.until("radius in "+c.name, fmt.Sprintf(`document.querySelector('#radius-value').textContent === %q`, c.radius))
		e.until("distances in "+c.name, fmt.Sprintf(`[...document.querySelectorAll('#results .far')].at(-1)?.textContent.endsWith(%q)`, c.far))
		if c.name == "Miles" {
			e.run(chromedp.Click(chromedp.CSS("#unit")))
		}
	}
	e.run(chromedp.Navigate(s.origin + "/?lat=52.2&lng=0.7&distance=20"))
	e.until("kilometres again", `document.querySelector('#radius-value').textContent === '20 km'`)
}
