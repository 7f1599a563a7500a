package geo

import "math"

// Index is an immutable set of points, known by their ordinals; it is safe for concurrent use. Those that are nowhere
// have an ordinal but are in no circle. It takes 70 bytes a point and 30 more for a marked one.
type Index struct {
	points      []Point
	vectors     []Vector
	all, marked *pack
}

// NewIndex makes points[i] the point of ordinal i. marked reports a subset, which has counts and an order of its own.
// It takes points over, which must not change any more, and less than a microsecond a point.
func NewIndex(points []Point, marked func(ordinal uint32) bool) *Index {
	x := &Index{points: points, vectors: make([]Vector, len(points))}
	for i, p := range points {
		x.vectors[i] = p.Vector()
	}
	located := func(ordinal uint32) bool { return !math.IsNaN(x.vectors[ordinal].X) }
	x.all = newPack(points, x.vectors, located)
	x.marked = newPack(points, x.vectors, func(ordinal uint32) bool { return located(ordinal) && marked(ordinal) })
	return x
}

// Len is the number of ordinals.
func (x *Index) Len() int { return len(x.vectors) }

// Vector is the place of the ordinal; NaN, which no circle contains, if it is nowhere.
func (x *Index) Vector(ordinal uint32) Vector { return x.vectors[ordinal] }

// Neighbours is the ordinals of the points that are somewhere, in an order in which those near one another on the ground
// are near one another. It must not be changed.
func (x *Index) Neighbours() []uint32 { return x.all.ordinals }

// Distance is that of a hit of c from its centre, not rounded.
func (x *Index) Distance(c *Circle, h Hit) Kilometres {
	if near(h.Separation) {
		return nearby(h.Separation)
	}
	return c.Distance(x.vectors[h.Ordinal])
}

// Count is the number of points in c, or of marked ones. It costs what the rim crosses, not what the circle holds.
func (x *Index) Count(c *Circle, marked bool) int {
	p := x.pack(marked)
	if c.limit == everywhere {
		return len(p.ordinals)
	}
	return p.count(c)
}

// Members appends the ordinals of the points in c, or of the marked ones, to dst, in no order to rely on.
func (x *Index) Members(dst []uint32, c *Circle, marked bool) []uint32 {
	p := x.pack(marked)
	if c.limit == everywhere {
		return append(dst, p.ordinals...)
	}
	return p.members(dst, c)
}

// Covers reports whether every point that is somewhere is certainly in c. It costs the same whatever c is.
func (x *Index) Covers(c *Circle) bool {
	near, _ := x.all.whole.reach(c.limit, c.swell)
	return c.limit == everywhere || Separation(c.center, x.all.whole.center) <= near
}

// Among appends to dst the hits among the points in c, or the marked ones, whose ordinals are in chosen: ordinal o is bit o%64 of
// word o/64, and there is a bit for each. They come in no order to rely on. It costs 1.5 ns for each point in c and 10 more
// for each hit.
func (x *Index) Among(dst []Hit, c *Circle, marked bool, chosen []uint64) []Hit {
	return x.pack(marked).among(dst, c, chosen)
}

func (x *Index) pack(marked bool) *pack {
	if marked {
		return x.marked
	}
	return x.all
}
