package geo_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pubd/geo"
)

var london = geo.Point{Lat: 51.5074, Lng: -0.1278}

// towns returns n points distributed like the pubs of Britain: one in eighteen around London, one in five in the
// countryside, and the rest in towns with Zipf-distributed sizes.
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

// BenchmarkIndex uses many circles, so that the branch predictor cannot learn one.
func BenchmarkIndex(b *testing.B) {
	const circles = 512
	for _, size := range []int{51566, 1000000} {
		rng := rand.New(rand.NewPCG(1, 1))
		points := towns(rng, size)
		x := geo.NewIndex(points, everyThird)
		for _, radius := range []geo.Kilometres{0.1, 2, 20, 300, 20000, 30000} {
			var centers [circles]geo.Point
			var totals [circles]int
			sum := 0
			for i := range circles {
				centers[i] = points[rng.IntN(size)]
				c := geo.NewCircle(centers[i], radius)
				totals[i] = x.Count(&c, false)
				sum += totals[i]
			}
			run := func(operation string, got func(c *geo.Circle, total int) int, want func(total int) int) {
				b.Run(fmt.Sprintf("%s/points=%d/km=%v/mean=%d", operation, size, radius, sum/circles), func(b *testing.B) {
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						c := geo.NewCircle(centers[i%circles], radius)
						total := totals[i%circles]
						if got, want := got(&c, total), want(total); got != want {
							b.Fatalf("%v: got %d, want %d", centers[i%circles], got, want)
						}
					}
				})
			}
			all := func(total int) int { return total }
			run("count", func(c *geo.Circle, _ int) int { return x.Count(c, false) }, all)
			var members []uint32
			run("members", func(c *geo.Circle, _ int) int { members = x.AppendWithin(members[:0], c, false); return len(members) }, all)
			var s geo.Workspace
			page := func(descending bool, deep int) func(*geo.Circle, int) int {
				return func(c *geo.Circle, total int) int {
					hits, _ := x.Select(&s, c, false, descending, total*deep/2, 20)
					return len(hits)
				}
			}
			run("first", page(false, 0), func(total int) int { return min(20, total) })
			run("middle", page(false, 1), func(total int) int { return min(20, total-total/2) })
			run("farthest", page(true, 0), func(total int) int { return min(20, total) })
		}
	}
}
