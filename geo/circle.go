package geo

import "math"

// Circle is the set of points within a distance of a centre, inclusive.
type Circle struct {
	point  Point
	center Vector
	radius Kilometres
	limit  float64 // squared chord of the radius, or everywhere
	width  float64 // twiceSin(limit)
}

// everywhere is greater than every squared chord, including rounding errors.
const everywhere = 5

// NewCircle returns a circle around center. The radius must be at least 0: a circle of radius 0 contains the points
// with the same vector as the centre; one of half the Earth's circumference or more contains every point that is not
// missing.
func NewCircle(center Point, radius Kilometres) Circle {
	c := Circle{point: center, center: center.Vector(), radius: radius, limit: everywhere}
	if radius < math.Pi*EarthRadius {
		chord := 2 * math.Sin(float64(radius/(2*EarthRadius)))
		c.limit = chord * chord
		c.width = twiceSin(c.limit)
	}
	return c
}

// WithRadius returns a circle with the same centre and another radius.
func (c *Circle) WithRadius(radius Kilometres) Circle { return NewCircle(c.point, radius) }

// Center returns the centre.
func (c *Circle) Center() Point { return c.point }

// ChordSquared returns the squared chord from the centre to v.
func (c *Circle) ChordSquared(v Vector) float64 { return ChordSquared(c.center, v) }

// Distance returns the distance from the centre to v, not rounded.
func (c *Circle) Distance(v Vector) Kilometres { return Distance(c.center, v) }

// Holds reports whether a point with this squared chord from the centre is in the circle. A missing point never is.
func (c *Circle) Holds(chordSquared float64) bool { return chordSquared <= c.limit }

// Contains reports whether v is in the circle.
func (c *Circle) Contains(v Vector) bool { return c.Holds(c.ChordSquared(v)) }
