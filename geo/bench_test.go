package geo_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pubd/geo"
)

var london = geo.Point{Lat: 51.5074, Lng: -0.1278}

// towns is n points like the pubs of Britain: a London of 3,000 of 51,566 within 20 km, towns whose sizes fall off by
// Zipf's law, and one in five in the country.
func towns(rng *rand.Rand, n int) []geo.Point {
	country := func() geo.Point { return geo.Point{Lat: 50.2 + 6*rng.Float64(), Lng: -4.5 + 5.5*rng.Float64()} }
	centers := make([]geo.Point, 400)
	for i := range centers {
		centers[i] = country()
	}
	town := rand.NewZipf(rng, 1.2, 8, uint64(len(centers)-1))
	points := make([]geo.Point, n)
	for i := range points {
		switch share := rng.Float64(); {
		case share < 0.055:
			d := 0.12 * rng.Float64()
			angle := 2 * math.Pi * rng.Float64()
			points[i] = geo.Point{Lat: london.Lat + d*math.Sin(angle), Lng: london.Lng + 1.6*d*math.Cos(angle)}
		case share < 0.8:
			points[i] = near(rng, centers[town.Uint64()], 0.05)
		default:
			points[i] = country()
		}
	}
	return points
}

func BenchmarkNewIndex(b *testing.B) {
	for _, size := range []int{51566, 1000000} {
		b.Run(fmt.Sprintf("points=%d", size), func(b *testing.B) {
			points := towns(rand.New(rand.NewPCG(1, 1)), size)
			b.ReportAllocs()
			for b.Loop() {
				if x := geo.NewIndex(points, everyThird); x.Len() != size {
					b.Fatal(x.Len())
				}
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	for _, size := range []int{51566, 1000000} {
		x := geo.NewIndex(towns(rand.New(rand.NewPCG(1, 1)), size), everyThird)
		for _, radius := range []geo.Kilometres{0.1, 2, 20, 300, 20000, 30000} {
			c := geo.NewCircle(london, radius)
			total := x.Count(&c, false)
			members := x.Members(nil, &c, false)
			run := func(operation string, got func(c *geo.Circle) int, want int) {
				b.Run(fmt.Sprintf("%s/points=%d/km=%v/total=%d", operation, size, radius, total), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						c := geo.NewCircle(london, radius)
						if got := got(&c); got != want {
							b.Fatalf("got %d, want %d", got, want)
						}
					}
				})
			}
			run("count", func(c *geo.Circle) int { return x.Count(c, false) }, total)
			run("members", func(c *geo.Circle) int { members = x.Members(members[:0], c, false); return len(members) }, total)
			page := func(descending bool, first int) func(c *geo.Circle) int {
				var s geo.Scratch
				return func(c *geo.Circle) int {
					hits, total := x.Select(&s, c, false, descending, first, 20)
					return total - len(hits)
				}
			}
			run("first", page(false, 0), max(0, total-20))
			run("middle", page(false, total/2), total-min(20, total-total/2))
			run("farthest", page(true, 0), max(0, total-20))
		}
	}
}
