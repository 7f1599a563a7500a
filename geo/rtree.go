package geo

import (
	"math"

	"github.com/tidwall/rtree"
)

// farRadius is the radius beyond which scanning all groups is cheaper than searching the tree. It is
// well below a quarter of the circumference, beyond which the circle's rectangle would be ill-conditioned.
const farRadius Kilometres = 2000

// rectangles finds the groups whose points may be in a circle or a box, by longitude and latitude. It is built when an
// index is opened, at a microsecond per group of some hundred points.
type rectangles struct {
	tree rtree.RTreeGN[float64, uint32]
}

// newRectangles returns a tree of the groups' rectangles.
func newRectangles(groups []Box) (r rectangles) {
	for group, around := range groups {
		r.tree.Insert([2]float64{around.West, around.South}, [2]float64{around.East, around.North}, uint32(group))
	}
	return r
}

// around returns the bounding rectangle of all points.
func (r *rectangles) around() Box {
	low, high := r.tree.Bounds()
	return Box{low[0], low[1], high[0], high[1]}
}

// searchBox calls visit for the groups whose rectangle intersects the box, with that rectangle.
func (r *rectangles) searchBox(b *Box, visit func(around Box, group int)) {
	r.tree.Search([2]float64{b.West, b.South}, [2]float64{b.East, b.North}, func(low, high [2]float64, group uint32) bool {
		visit(Box{low[0], low[1], high[0], high[1]}, int(group))
		return true
	})
}

// search calls visit for the groups whose rectangle intersects that of c, until visit returns false; it does not
// allocate. The radius must be at most farRadius. A circle that contains a pole or crosses the 180° meridian is
// searched at all longitudes.
func (r *rectangles) search(c *Circle, visit func(low, high [2]float64, group uint32) bool) {
	const margin = 1e-6 // degrees, 0.1 m: above the rounding errors below
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
