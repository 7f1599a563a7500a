package geo

import (
	"errors"
	"math"

	"pubd/geo/topk"
)

// Flat is an index as arrays of numbers, for storage in a file. Points and Vectors, by ordinal, have NaN for missing
// points.
type Flat struct {
	Points      []Point
	Vectors     []Vector
	All, Marked Packing
}

// Packing orders points so that neighbours on the ground are neighbours in memory, in blocks of blockSize points and
// groups of groupSize; only the last block and the last group may be partly filled. Testing all points of a block is
// cheaper than another tree level, and so is testing all blocks of a group. A circle that crosses a town touches some
// dozen groups.
type Packing struct {
	Vectors        []Vector
	Ordinals       []uint32
	Blocks, Groups []Cap
	Rectangles     []Box // of groups
	Whole          []Cap // one around all points, or none if there are no points
}

const (
	blockSize = 32
	groupSize = 16 * blockSize
)

// Pack packs points[i] as the point with ordinal i, and the points for which marked is true a second time. It
// retains points. It takes about 1 µs per point on one core.
func Pack(points []Point, marked func(ordinal uint32) bool) Flat {
	vectors := make([]Vector, len(points))
	for i, p := range points {
		vectors[i] = p.Vector()
	}
	located := func(ordinal uint32) bool { return !math.IsNaN(vectors[ordinal].X) }
	return Flat{
		Points:  points,
		Vectors: vectors,
		All:     packed(points, vectors, located),
		Marked:  packed(points, vectors, func(ordinal uint32) bool { return located(ordinal) && marked(ordinal) }),
	}
}

// packed packs the points for which chosen is true.
func packed(points []Point, vectors []Vector, chosen func(ordinal uint32) bool) Packing {
	var items []topk.Item
	for ordinal := range uint32(len(vectors)) {
		if chosen(ordinal) {
			items = append(items, topk.Item{ID: ordinal})
		}
	}
	order(items, vectors)
	p := Packing{Vectors: make([]Vector, len(items)), Ordinals: make([]uint32, len(items))}
	for i, item := range items {
		p.Vectors[i], p.Ordinals[i] = vectors[item.ID], item.ID
	}
	for start := 0; start < len(items); start += blockSize {
		p.Blocks = append(p.Blocks, NewCap(p.Vectors[start:min(start+blockSize, len(items))]))
	}
	for start := 0; start < len(items); start += groupSize {
		end := min(start+groupSize, len(items))
		p.Groups = append(p.Groups, NewCap(p.Vectors[start:end]))
		p.Rectangles = append(p.Rectangles, rectangleOf(points, p.Ordinals[start:end]))
	}
	if len(items) > 0 {
		p.Whole = []Cap{NewCap(p.Vectors)}
	}
	return p
}

// rectangleOf returns the bounding rectangle of points. If they straddle the 180° meridian, it spans all longitudes.
func rectangleOf(points []Point, ordinals []uint32) Box {
	r := Box{180, 90, -180, -90}
	for _, ordinal := range ordinals {
		p := points[ordinal]
		r = Box{min(r.West, p.Lng), min(r.South, p.Lat), max(r.East, p.Lng), max(r.North, p.Lat)}
	}
	return r
}

// order sorts items, whose keys it overwrites, so that every aligned run of groupSize points, and of blockSize within
// it, is compact: it recursively splits across the longest edge, at a multiple of the run length.
func order(items []topk.Item, vectors []Vector) {
	for len(items) > blockSize {
		b := bounds3{vectors[items[0].ID], vectors[items[0].ID]}
		for _, item := range items {
			b.add(vectors[item.ID])
		}
		x, y, z := b.high.X-b.low.X, b.high.Y-b.low.Y, b.high.Z-b.low.Z
		for i := range items {
			v := vectors[items[i].ID]
			switch {
			case x >= y && x >= z:
				items[i].Key = v.X
			case y >= z:
				items[i].Key = v.Y
			default:
				items[i].Key = v.Z
			}
		}
		size := groupSize
		if len(items) <= groupSize {
			size = blockSize
		}
		runs := (len(items) + size - 1) / size
		middle := (runs + 1) / 2 * size
		topk.PartialSort(items, middle, middle)
		order(items[:middle], vectors)
		items = items[middle:]
	}
}

// check validates untrusted arrays. Open relies on nothing else.
func (p *Packing) check(points int) error {
	runs := func(size int) int { return (len(p.Ordinals) + size - 1) / size }
	if len(p.Vectors) != len(p.Ordinals) || len(p.Blocks) != runs(blockSize) || len(p.Groups) != runs(groupSize) ||
		len(p.Rectangles) != len(p.Groups) || len(p.Whole) != min(1, len(p.Ordinals)) {
		return errors.New("the arrays of the packed points differ in length")
	}
	for _, ordinal := range p.Ordinals {
		if int(ordinal) >= points {
			return errors.New("the packed points have ordinals out of range")
		}
	}
	for _, r := range p.Rectangles {
		if !(-180 <= r.West && r.West <= r.East && r.East <= 180 && -90 <= r.South && r.South <= r.North && r.North <= 90) {
			return errors.New("a rectangle of the packed points is invalid")
		}
	}
	return nil
}
