package browser

import (
	"encoding/json"
	"slices"
	"testing"

	"pubd/bench/testkit"
)

// The name of a town has its dot, or a cluster on it, where the town is, at every zoom; or the town is
// not drawn.
func TestTownsAreAtTheirDots(t *testing.T) {
	needChromium(t)
	type town struct {
		Name     string
		Lat, Lng float64
	}
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
		var towns []town
		testkit.OK(t, json.Unmarshal([]byte(evaluate[string](e, `document.querySelector('#map').dataset.towns`)), &towns))
		v, seen := e.view(), 0
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
