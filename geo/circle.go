package geo

import "math"

// Circle is the places within a distance of a centre, its rim included.
type Circle struct {
	point  Point
	center Vector
	radius Kilometres
	limit  float64 // squared chord from the centre to the rim, or everywhere
	width  float64 // twiceSin(limit)
}

// everywhere is beyond every squared chord, rounded up or not.
const everywhere = 5

// NewCircle returns the circle around center. The radius is at least 0: a circle of radius 0 holds the places whose
// vector is that of the centre, and one of half the Earth's circumference or more every place that is somewhere.
func NewCircle(center Point, radius Kilometres) Circle {
	c := Circle{point: center, center: center.Vector(), radius: radius, limit: everywhere}
	if radius < math.Pi*EarthRadius {
		chord := 2 * math.Sin(float64(radius/(2*EarthRadius)))
		c.limit = chord * chord
		c.width = twiceSin(c.limit)
	}
	return c
}

// WithRadius is the circle of a radius around the same centre.
func (c *Circle) WithRadius(radius Kilometres) Circle { return NewCircle(c.point, radius) }

// ChordSquared is the squared chord from the centre to v.
func (c *Circle) ChordSquared(v Vector) float64 { return ChordSquared(c.center, v) }

// Distance is that of v from the centre, not rounded.
func (c *Circle) Distance(v Vector) Kilometres { return Distance(c.center, v) }

// Holds reports whether a place is in the circle by its squared chord from the centre; what is nowhere never is.
func (c *Circle) Holds(chordSquared float64) bool { return chordSquared <= c.limit }

// Contains reports whether v is in the circle.
func (c *Circle) Contains(v Vector) bool { return c.Holds(c.ChordSquared(v)) }
