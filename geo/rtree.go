package geo

import (
	"math"

	"github.com/tidwall/rtree"
)

// farRadius is where a circle's rectangle covers so many groups that going through all of them is cheaper. It is
// well below a quarter of the circumference, beyond which the rectangle would be ill-conditioned.
const farRadius Kilometres = 2000

// rectangles finds the groups whose points may be in a circle or a box, by longitude and latitude. It is made when an index is opened: a
// rectangle for some hundred points takes a microsecond.
type rectangles struct {
	tree rtree.RTreeGN[float64, uint32]
}

// newRectangles returns the tree of the rectangles of groups, by number.
func newRectangles(of []Rectangle) (r rectangles) {
	for group, around := range of {
		r.tree.Insert([2]float64{around.West, around.South}, [2]float64{around.East, around.North}, uint32(group))
	}
	return r
}

// around is the rectangle of all points.
func (r *rectangles) around() Rectangle {
	low, high := r.tree.Bounds()
	return Rectangle{low[0], low[1], high[0], high[1]}
}

// searchBox calls visit for the groups whose rectangle meets the box, with that rectangle.
func (r *rectangles) searchBox(b *Box, visit func(around Rectangle, group int)) {
	r.tree.Search([2]float64{b.West, b.South}, [2]float64{b.East, b.North}, func(low, high [2]float64, group uint32) bool {
		visit(Rectangle{low[0], low[1], high[0], high[1]}, int(group))
		return true
	})
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
