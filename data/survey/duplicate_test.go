package survey

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pubd/geo"
)

// A pub that is near a point is in one of its cubes, one that is farther away than they reach is in none.
func TestCubes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const reach = 0.4 // kilometres
	nearby, far := 0, 0
	for range 100_000 {
		p := geo.Point{Lat: 180*rng.Float64() - 90, Lng: 360*rng.Float64() - 180}
		if rng.IntN(10) == 0 {
			p.Lat = 90 - rng.Float64()/1000
		}
		q := geo.Point{Lat: max(-90, min(90, p.Lat+(rng.Float64()-0.5)/100)), Lng: p.Lng + (rng.Float64()-0.5)/100}
		around, _ := cubes(7, p.Vector())
		_, own := cubes(7, q.Vector())
		switch apart := geo.Distance(p.Vector(), q.Vector()); {
		case 1000*float64(apart) <= near:
			nearby++
			if !slices.Contains(around[:], own) {
				t.Fatalf("%v and %v: %v km, but not in a cube around it", p, q, apart)
			}
		case apart > reach:
			far++
			if slices.Contains(around[:], own) {
				t.Fatalf("%v and %v: %v km, but in a cube around it", p, q, apart)
			}
		}
	}
	if nearby < 100 || far < 100 {
		t.Errorf("%d pairs near each other, %d far", nearby, far)
	}
}
