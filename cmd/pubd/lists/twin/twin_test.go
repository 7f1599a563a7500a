package twin

import (
	"math/rand/v2"
	"testing"

	"pubd/bench/testkit"
	"pubd/geo"
	"pubd/index/text"
)

// A pub that is near a point is in one of the cubes between those of its corners.
func TestCubes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	nearby := 0
	for range 100_000 {
		p := geo.Point{Lat: 180*rng.Float64() - 90, Lng: 360*rng.Float64() - 180}
		if rng.IntN(10) == 0 {
			p.Lat = 90 - rng.Float64()/1000
		}
		q := geo.Point{Lat: max(-90, min(90, p.Lat+(rng.Float64()-0.5)/500)), Lng: p.Lng + (rng.Float64()-0.5)/500}
		if 1000*float64(geo.Distance(p.Vector(), q.Vector())) > near {
			continue
		}
		nearby++
		low, high, own := cubeOf("", p.Vector(), -near), cubeOf("", p.Vector(), near), cubeOf("", q.Vector(), 0)
		if own.x < low.x || own.x > high.x || own.y < low.y || own.y > high.y || own.z < low.z || own.z > high.z {
			t.Fatalf("%v and %v: near, but not in a cube around it", p, q)
		}
	}
	testkit.FailIf(t, nearby < 100, "%d pairs near each other", nearby)
}

// Names are alike without their generic words.
func TestKey(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Red Lion", "red lion"}, {"The Red Lion", "red lion"}, {"The Dog & Duck", "dog duck"}, {"Dog and Duck", "dog duck"}, {"Swan", "swan"},
		{"Swan Inn", "swan"}, {"Swan Hotel Ltd", "swan"}, {"Ye Olde Swan", "swan"}, {"O'Neill's", "oneills"}, {"Café Zlín", "zlin"}, {"The Pub", "the pub"},
		{"Bar 1", "1"}, {"Bar 2", "2"}, {"", ""},
	} {
		testkit.Equal(t, c.name, Key(string(text.AppendFolded(nil, []byte(c.name)))), c.want)
	}
}
