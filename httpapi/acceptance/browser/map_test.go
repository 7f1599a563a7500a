package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"github.com/chromedp/chromedp"
)

// colours returns the number of colours in a screenshot of an element.
func (e explorer) colours(selector string) int {
	e.t.Helper()
	picture, err := png.Decode(bytes.NewReader(value(e.tab, chromedp.Screenshot(chromedp.CSS(selector)))))
	if err != nil {
		e.t.Fatal(err)
	}
	return coloursOf(picture)
}

func coloursOf(picture image.Image) int {
	seen := map[color.Color]bool{}
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			seen[picture.At(x, y)] = true
		}
	}
	return len(seen)
}

// Dragging moves the map, and its points are pubs.
func TestMap(t *testing.T) {
	s, e := exploreMany(t, "")
	e.awaitPoints(withCoordinates(t, s))
	if n := e.colours("#map"); n < 3 {
		t.Errorf("colours of the map: got %d, want points on a background", n)
	}
	before, at := e.view(), e.place("#map")
	x, y := at.at(0.5, 0.5)
	e.drag(x, y, 80, 40)
	e.eventually("map dragged to the north-west", func() bool {
		now := e.view()
		return now.Lng < before.Lng && now.Lat > before.Lat && now.Zoom == before.Zoom
	})
	before = e.view()
	e.wheel(x, y, -240)
	e.eventually("nearer", func() bool { return e.view().Zoom > before.Zoom })
	e.wheel(x, y, 480)
	e.eventually("farther", func() bool { return e.view().Zoom < before.Zoom })
}

// Clicking a point opens its pub.
func TestPointOpens(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	want := lonelyPub(t, s)
	e := explore(t, s, fmt.Sprintf("?map=%f,%f,15", want.Latitude, want.Longitude))
	e.awaitPoints(withCoordinates(t, s))
	x, y := e.place("#map").at(0.5, 0.5)
	e.click(x, y)
	e.awaitAddress("pub", want.UID)
	e.until("panel of "+want.Name, fmt.Sprintf(`document.querySelector('#pub h2')?.textContent === %q`, want.Name))
}

// lonelyPub returns a pub that has no other within 100 m.
func lonelyPub(t *testing.T, s *server) pub {
	t.Helper()
	for _, p := range s.ask(t, "search=*&lat=52.2&lng=0.7&distance=50&amount=100").Results {
		if s.ask(t, fmt.Sprintf("search=*&lat=%f&lng=%f&distance=0.1", p.Latitude, p.Longitude)).Total == 1 {
			return p
		}
	}
	t.Fatal("all of 100 pubs have another within 100 m")
	return pub{}
}

// Two fingers zoom.
func TestPinch(t *testing.T) {
	_, e := exploreMany(t, "?search=anchor&map=52,0,7", phone...)
	e.show("#map")
	before, at := e.view(), e.place("#map")
	x, y := at.at(0.5, 0.5)
	e.pinch(x, y, 60, 180)
	e.eventually("nearer", func() bool { return e.view().Zoom > before.Zoom })
	near := e.view()
	e.pinch(x, y, 180, 60)
	e.eventually("farther", func() bool { return e.view().Zoom < near.Zoom })
}

// The browser's location is the centre of a distance search.
func TestNearMe(t *testing.T) {
	s, e := exploreMany(t, "")
	e.allowLocation(s, 51.97, 0.98)
	e.run(chromedp.Click(chromedp.CSS("#near")))
	e.eventually("place in the address", func() bool {
		lat, lng := e.float("lat"), e.float("lng")
		return math.Abs(lat-51.97) < 0.01 && math.Abs(lng-0.98) < 0.01 && e.float("distance") > 0
	})
	a := e.address()
	want := s.ask(t, "search=*&lat="+a.Get("lat")+"&lng="+a.Get("lng")+"&distance="+a.Get("distance"))
	e.awaitCount(want.Total)
	e.eventually("nearest pub first", func() bool { hits := e.hits(); return len(hits) > 0 && hits[0] == want.Results[0].UID })
	e.settle()
	if v := e.view(); math.Abs(v.Lat-51.97) > 0.5 || math.Abs(v.Lng-0.98) > 0.5 {
		t.Errorf("map after near me: got %+v, want 51.97, 0.98 on it", v)
	}
}
