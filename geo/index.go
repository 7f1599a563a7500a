package geo

import (
	"errors"
	"slices"

	"pubd/geo/topk"
)

// Index is an immutable set of points, identified by ordinals; it is safe for concurrent use. Missing points have an
// ordinal but are in no circle.
//
// It returns hits as items: the ID is the ordinal, the key the squared chord from the centre of the circle.
type Index struct {
	points      []Point
	vectors     []Vector
	all, marked packing
}

// Open returns an index over arrays, which it retains and which must not change. It validates them, so that queries
// never read out of bounds, whatever the arrays contain. It takes some milliseconds for a million points.
func Open(flat Flat) (*Index, error) {
	if len(flat.Points) != len(flat.Vectors) {
		return nil, errors.New("the points differ in number from their vectors")
	}
	for _, p := range []*Packing{&flat.All, &flat.Marked} {
		if err := p.check(len(flat.Vectors)); err != nil {
			return nil, err
		}
	}
	return &Index{flat.Points, flat.Vectors, newPacking(flat.All), newPacking(flat.Marked)}, nil
}

// NewIndex builds and opens an index, which retains points.
func NewIndex(points []Point, marked func(ordinal uint32) bool) *Index {
	x, err := Open(Pack(points, marked))
	if err != nil {
		panic(err) // Pack and Open disagree
	}
	return x
}

// Len returns the number of ordinals.
func (x *Index) Len() int { return len(x.vectors) }

// Point returns the point of an ordinal in degrees; NaN if it is missing.
func (x *Index) Point(ordinal uint32) Point { return x.points[ordinal] }

// Vector returns the vector of an ordinal; NaN, which no circle contains, if the point is missing.
func (x *Index) Vector(ordinal uint32) Vector { return x.vectors[ordinal] }

// Neighbours returns the ordinals of the points that are not missing, ordered so that points near each other on the
// ground are near each other in the slice. The caller must not change it.
func (x *Index) Neighbours() []uint32 { return x.all.Ordinals }

// Distance returns the distance from the centre of c to an item found in c, not rounded.
func (x *Index) Distance(c *Circle, found topk.Item) Kilometres {
	if isShort(found.Key) {
		return shortDistance(found.Key)
	}
	return c.Distance(x.vectors[found.ID])
}

// Count returns the number of points, or of marked points, in c. Its cost depends on the number of groups that the
// circle's edge crosses, not on the points inside.
func (x *Index) Count(c *Circle, marked bool) (n int) {
	p := x.packing(marked)
	if c.limit == everywhere {
		return len(p.Ordinals)
	}
	p.search(c, func(_, _ [2]float64, group uint32) bool {
		n += p.countGroup(c, int(group), ChordSquared(c.center, p.Groups[group].Center))
		return true
	})
	return n
}

// CountWhole returns a lower bound of Count: the number of points in those groups, of some hundred neighbours, that are
// entirely in c. It costs some 50 ns per group that c touches.
func (x *Index) CountWhole(c *Circle, marked bool) (n int) {
	p := x.packing(marked)
	if c.limit == everywhere {
		return len(p.Ordinals)
	}
	p.search(c, func(_, _ [2]float64, group uint32) bool {
		b := &p.Groups[group]
		if near, _ := b.distanceBounds(c.limit, c.width); ChordSquared(c.center, b.Center) <= near {
			start, end, _, _ := p.group(int(group))
			n += end - start
		}
		return true
	})
	return n
}

// AppendWithin appends the ordinals of the points in c, or of the marked ones, to dst, in unspecified order.
func (x *Index) AppendWithin(dst []uint32, c *Circle, marked bool) []uint32 {
	p := x.packing(marked)
	if c.limit == everywhere {
		return append(dst, p.Ordinals...)
	}
	p.runs(c, func(start, end int, whole bool) bool {
		if whole {
			dst = append(dst, p.Ordinals[start:end]...)
			return true
		}
		n := len(dst)
		dst = slices.Grow(dst, end-start)[:n+end-start]
		for i, v := range p.Vectors[start:end] { // without a branch to mispredict
			dst[n] = p.Ordinals[start+i]
			n += topk.One(ChordSquared(c.center, v) <= c.limit)
		}
		dst = dst[:n]
		return true
	})
	return dst
}

// Covers reports whether c certainly contains all points that are not missing, in constant time.
func (x *Index) Covers(c *Circle) bool {
	if c.limit == everywhere || len(x.all.Whole) == 0 {
		return true
	}
	near, _ := x.all.Whole[0].distanceBounds(c.limit, c.width)
	return ChordSquared(c.center, x.all.Whole[0].Center) <= near
}

func (x *Index) packing(marked bool) *packing {
	if marked {
		return &x.marked
	}
	return &x.all
}
