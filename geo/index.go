package geo

import (
	"errors"

	"pubd/geo/topk"
)

// Index is an immutable set of points, known by their ordinals; it is safe for concurrent use. Those that are nowhere
// have an ordinal but are in no circle.
//
// What it finds comes as items: the ID is the ordinal, the key the squared chord from the centre of the circle.
type Index struct {
	points      []Point
	vectors     []Vector
	all, marked packing
}

// Open returns an index of arrays, which it keeps and which must not change, or what is wrong with them. It takes some milliseconds for a
// million points. Whatever the arrays hold, queries read nothing outside of them.
func Open(flat Flat) (*Index, error) {
	if len(flat.Points) != len(flat.Vectors) {
		return nil, errors.New("the points and their vectors do not fit each other")
	}
	for _, p := range []*Packing{&flat.All, &flat.Marked} {
		if err := p.check(len(flat.Points)); err != nil {
			return nil, err
		}
	}
	return &Index{flat.Points, flat.Vectors, newPacking(flat.All), newPacking(flat.Marked)}, nil
}

// NewIndex builds and opens an index. It keeps the points, which must not change any more.
func NewIndex(points []Point, marked func(ordinal uint32) bool) *Index {
	x, err := Open(Build(points, marked))
	if err != nil {
		panic(err) // Build and Open contradict each other
	}
	return x
}

// Len is the number of ordinals.
func (x *Index) Len() int { return len(x.vectors) }

// Point is the place of the ordinal in degrees; NaN if it is nowhere.
func (x *Index) Point(ordinal uint32) Point { return x.points[ordinal] }

// Vector is the place of the ordinal; NaN, which no circle contains, if it is nowhere.
func (x *Index) Vector(ordinal uint32) Vector { return x.vectors[ordinal] }

// Neighbours is the ordinals of the points that are somewhere, in an order in which those near one another on the ground
// are near one another. It must not be changed.
func (x *Index) Neighbours() []uint32 { return x.all.Ordinals }

// Distance is that of an item found in c from its centre, not rounded.
func (x *Index) Distance(c *Circle, found topk.Item) Kilometres {
	if isShort(found.Key) {
		return shortDistance(found.Key)
	}
	return c.Distance(x.vectors[found.ID])
}

// Count is the number of points in c, or of marked ones. It costs what the rim crosses, not what the circle holds.
func (x *Index) Count(c *Circle, marked bool) int {
	p := x.packing(marked)
	if c.limit == everywhere {
		return len(p.Ordinals)
	}
	return p.count(c)
}

// AppendWithin appends the ordinals of the points in c, or of the marked ones, to dst, in no order to rely on.
func (x *Index) AppendWithin(dst []uint32, c *Circle, marked bool) []uint32 {
	p := x.packing(marked)
	if c.limit == everywhere {
		return append(dst, p.Ordinals...)
	}
	return p.appendWithin(dst, c)
}

// Covers reports whether every point that is somewhere is certainly in c. It costs the same whatever c is.
func (x *Index) Covers(c *Circle) bool {
	if c.limit == everywhere || len(x.all.Whole) == 0 {
		return true
	}
	near, _ := x.all.Whole[0].distanceBounds(c.limit, c.width)
	return ChordSquared(c.center, x.all.Whole[0].Center) <= near
}

// AppendHitsIn appends to dst the items of the points in c, or of the marked ones, whose ordinals are in chosen: ordinal o is bit o%64 of
// word o/64, and there is a bit for each. They come in no order to rely on. It costs 1.5 ns for each point in c and 10 more
// for each item.
func (x *Index) AppendHitsIn(dst []topk.Item, c *Circle, marked bool, chosen []uint64) []topk.Item {
	return x.packing(marked).appendHitsIn(dst, c, chosen)
}

func (x *Index) packing(marked bool) *packing {
	if marked {
		return &x.marked
	}
	return &x.all
}
