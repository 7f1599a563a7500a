package geo

import "math"

// Circle is the places within a distance of a centre, its rim included.
type Circle struct {
	point  Point
	center Vector
	radius Kilometres
	limit  float64 // separation of the rim from the centre, or everywhere
	swell  float64 // of limit
}

// everywhere is beyond every separation, rounded up or not.
const everywhere = 5

// NewCircle is the circle around center. The radius is at least 0: a circle of radius 0 holds the places whose
// vector is that of the centre, and one of half the Earth's circumference or more every place that is somewhere.
func NewCircle(center Point, radius Kilometres) Circle {
	c := Circle{point: center, center: center.Vector(), radius: radius, limit: everywhere}
	if radius < math.Pi*EarthRadius {
		chord := 2 * math.Sin(float64(radius/(2*EarthRadius)))
		c.limit = chord * chord
		c.swell = swell(c.limit)
	}
	return c
}

// Center is the centre.
func (c *Circle) Center() Vector { return c.center }

// Separation is that of v from the centre.
func (c *Circle) Separation(v Vector) float64 { return Separation(c.center, v) }

// Distance is that of v from the centre, not rounded.
func (c *Circle) Distance(v Vector) Kilometres { return Distance(c.center, v) }

// Holds reports whether what has a separation from the centre is in the circle; what is nowhere never is.
func (c *Circle) Holds(separation float64) bool { return separation <= c.limit }

// Contains reports whether v is in the circle.
func (c *Circle) Contains(v Vector) bool { return c.Holds(c.Separation(v)) }
