package browser

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

type town struct {
	Name     string
	Lat, Lng float64
}

// towns returns the places that the map names.
func (e *tab) towns() (towns []town) {
	e.t.Helper()
	testkit.OK(e.t, json.Unmarshal([]byte(evaluate[string](e, `document.querySelector('#map').dataset.towns`)), &towns))
	return towns
}

// The largest places in view are named, whatever numbers are there, and so is the place that is searched, where its pubs are.
func TestLargestPlacesAreNamed(t *testing.T) {
	needChromium(t)
	for _, c := range []struct {
		screen step
		query  string
		want   string
	}{
		{desktop, "", "London Birmingham Manchester Leeds Glasgow Edinburgh"}, {desktop, "?search=red+lion", "London Birmingham Manchester Leeds"},
		{phone, "", "London Birmingham Manchester Glasgow"}, {desktop, "?search=pubs+in+leeds", "Leeds"}, {desktop, "?search=york", "York"},
	} {
		e := open(t, many, "/"+c.query, c.screen)
		e.do(`run document.querySelector('#show-map').click()`, "points")
		for name := range strings.FieldsSeq(c.want) {
			e.eventually(name+" on the map of "+c.query, func() bool { return slices.ContainsFunc(e.towns(), func(at town) bool { return at.Name == name }) })
		}
	}
}

// The name of a town has its dot, or a cluster on it, where the town is, at every zoom; or the town is
// not drawn.
func TestTownsAreAtTheirDots(t *testing.T) {
	needChromium(t)
	for _, c := range []struct {
		view  string
		phone bool
	}{
		{"54.5,-3,5", false}, {"54.5,-3,6", false}, {"53.5,-2,7.5", false}, {"53.8,-1.5,9", false}, {"51.75,-1.26,12", false},
		{"54.5,-3,5", true}, {"53.5,-2,7.5", true},
	} {
		screen := desktop
		if c.phone {
			screen = phone
		}
		e := open(t, many, "/?map="+c.view, screen, drawn)
		if c.phone {
			e.do("click #show-map")
		}
		e.do("see #map", "points")
		towns, v, seen := e.towns(), e.view(), 0
		e.eventually("dots of towns at "+c.view, func() bool {
			shot := e.mapPicture()
			return !slices.ContainsFunc(towns, func(at town) bool {
				p := shot.around(v, at.Lat, at.Lng, 7)
				if !p.part.In(shot.part) {
					return false
				}
				seen++
				return p.share(isDark) < 0.04
			})
		})
		testkit.FailIf(t, seen == 0, "%+v: got no town in the picture", c)
	}
}
