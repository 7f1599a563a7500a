package browser

import (
	"fmt"
	"math"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tileSize is the width of the world at zoom 0, in pixels.
const tileSize = 256

// kilometres returns the size of a pixel at the centre of the map.
func (v view) kilometres() float64 {
	return 40_075 * math.Cos(v.Lat*math.Pi/180) / (tileSize * math.Exp2(v.Zoom))
}

// A click sets the centre of a circle, dragging its rim enlarges it, and the slider reduces it. Hits and address follow.
func TestRadius(t *testing.T) {
	s, e := exploreMany(t, "?map=51.97,0.98,10")
	e.awaitPoints(withCoordinates(t, s))
	e.run(chromedp.Click(chromedp.CSS("#centre")))
	x, y := e.place("#map").at(0.5, 0.5)
	e.click(x, y)
	e.eventually("centre in the address", func() bool {
		return math.Abs(e.float("lat")-51.97) < 0.01 && math.Abs(e.float("lng")-0.98) < 0.01 && e.float("distance") > 0
	})
	e.showsCircle(s)
	e.settle()

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
	e.run(chromedp.Focus(chromedp.CSS("#radius")), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	e.eventually("narrower circle", func() bool { return e.float("distance") < before })
	e.showsCircle(s)

	e.run(chromedp.Click(chromedp.CSS("#centre")))
	e.awaitAddress("lat", "", "lng", "", "distance", "")
}

// showsCircle waits until count, hits and #radius-value match the circle in the address, which is updated a little after a drag.
func (e explorer) showsCircle(s *server) {
	e.t.Helper()
	e.eventually("the pubs of the circle in the address", func() bool {
		a := e.address()
		want := s.ask(e.t, fmt.Sprintf("search=*&lat=%s&lng=%s&distance=%s", a.Get("lat"), a.Get("lng"), a.Get("distance")))
		hits := e.hits()
		var told float64
		var unit string
		_, _ = fmt.Sscanf(e.text("#radius-value"), "%f %s", &told, &unit)
		told *= map[string]float64{"km": 1, "mi": 1.609344, "m": 0.001, "yd": 0.0009144}[unit]
		return e.count() == want.Total && math.Abs(told-e.float("distance")) <= 0.5 &&
			(len(hits) == 0 && want.Total == 0 || len(hits) > 0 && hits[0] == want.Results[0].UID)
	})
}
