package geo

import (
	"math"

	"github.com/tidwall/rtree"
)

// farRadius is where a circle's rectangle covers so many groups that going through all of them is cheaper. It is
// well below a quarter of the circumference, beyond which the rectangle would be ill-conditioned.
const farRadius Kilometres = 2000

// rectangles finds the groups whose points may be in a circle, by longitude and latitude.
type rectangles struct {
	tree rtree.RTreeGN[float64, uint32]
}

// insert adds a group by its points. One that straddles the 180° meridian has a rectangle around the whole Earth.
func (r *rectangles) insert(group uint32, points []Point, ordinals []uint32) {
	low, high := [2]float64{180, 90}, [2]float64{-180, -90}
	for _, ordinal := range ordinals {
		p := points[ordinal]
		low = [2]float64{min(low[0], p.Lng), min(low[1], p.Lat)}
		high = [2]float64{max(high[0], p.Lng), max(high[1], p.Lat)}
	}
	r.tree.Insert(low, high, group)
}

// search calls visit, until it returns false, for the groups whose rectangle meets that of c; it does not allocate.
// The radius is at most farRadius. A circle that holds a pole or crosses the 180° meridian is searched at all longitudes.
func (r *rectangles) search(c *Circle, visit func(low, high [2]float64, group uint32) bool) {
	const margin = 1e-6 // degrees, 0.1 m: above the rounding of what follows
	radius := float64(c.radius / EarthRadius)
	height := radius*(180/math.Pi) + margin
	low := [2]float64{-180, c.point.Lat - height}
	high := [2]float64{180, c.point.Lat + height}
	if low[1] > -90 && high[1] < 90 {
		// The meridians that touch a circle: sin Δλ = sin r / cos φ.
		width := math.Asin(min(1, math.Sin(radius)/math.Cos(c.point.Lat*(math.Pi/180))))*(180/math.Pi) + margin
		if c.point.Lng-width >= -180 && c.point.Lng+width <= 180 {
			low[0], high[0] = c.point.Lng-width, c.point.Lng+width
		}
	}
	r.tree.Search(low, high, visit)
}
