package geo

import (
	"errors"
	"math"
	"runtime"
	"sync"

	"pubd/geo/topk"
)

// Flat is an index as arrays of numbers, which a file can hold. By ordinal, points that are nowhere are NaN.
type Flat struct {
	Points      []Point
	Vectors     []Vector
	All, Marked Packing
}

// Packing is points in an order in which neighbours on the ground are neighbours in memory: blocks of blockSize points, groups
// of groupSize, only the last of each not full. A block is few enough points that testing them all is cheaper than one more level, a
// group few enough blocks. A circle that crosses a town touches some dozen groups.
type Packing struct {
	Vectors        []Vector
	Ordinals       []uint32
	Blocks, Groups []Cap
	Rectangles     []Rectangle // of groups
	Whole          []Cap       // one of all points, or none without any
}

// Rectangle is the smallest between parallels and meridians around some points, in degrees.
type Rectangle struct{ West, South, East, North float64 }

const (
	blockSize = 32
	groupSize = 16 * blockSize
)

// Build packs points[i] as the point of ordinal i. marked reports a subset, which is packed once more. It keeps the points, and takes
// about 1 µs a point with one processor.
func Build(points []Point, marked func(ordinal uint32) bool) Flat {
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

// packed packs the points that chosen reports.
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

// rectangleOf returns the rectangle around some points. One that straddles the 180° meridian is around the whole Earth.
func rectangleOf(points []Point, ordinals []uint32) Rectangle {
	r := Rectangle{180, 90, -180, -90}
	for _, ordinal := range ordinals {
		p := points[ordinal]
		r = Rectangle{min(r.West, p.Lng), min(r.South, p.Lat), max(r.East, p.Lng), max(r.North, p.Lat)}
	}
	return r
}

// order puts the points of items, whose keys it overwrites, into an order in which every aligned run of groupSize and in it of
// blockSize is compact: halves, a whole number of runs each, are cut across their longest edge. Large halves are ordered in parallel.
func order(items []topk.Item, vectors []Vector) {
	free := make(chan struct{}, runtime.GOMAXPROCS(0)-1)
	var all sync.WaitGroup
	divide(items, vectors, func(half []topk.Item, rest func([]topk.Item)) {
		if len(half) > 64*groupSize {
			select {
			case free <- struct{}{}:
				all.Go(func() {
					rest(half)
					<-free
				})
				return
			default:
			}
		}
		rest(half)
	})
	all.Wait()
}

// divide orders items, and hands the first half of each division to fork with what is to be done with it.
func divide(items []topk.Item, vectors []Vector, fork func(half []topk.Item, rest func([]topk.Item))) {
	for len(items) > blockSize {
		low, high := vectors[items[0].ID], vectors[items[0].ID]
		for _, item := range items {
			v := vectors[item.ID]
			low = Vector{min(low.X, v.X), min(low.Y, v.Y), min(low.Z, v.Z)}
			high = Vector{max(high.X, v.X), max(high.Y, v.Y), max(high.Z, v.Z)}
		}
		x, y, z := high.X-low.X, high.Y-low.Y, high.Z-low.Z
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
		fork(items[:middle], func(half []topk.Item) { divide(half, vectors, fork) })
		items = items[middle:]
	}
}

// check returns what is wrong with arrays that come from outside: Open relies on nothing else.
func (p *Packing) check(points int) error {
	runs := func(size int) int { return (len(p.Ordinals) + size - 1) / size }
	switch {
	case len(p.Vectors) != len(p.Ordinals) || len(p.Blocks) != runs(blockSize) || len(p.Groups) != runs(groupSize) ||
		len(p.Rectangles) != len(p.Groups) || len(p.Whole) != min(1, len(p.Ordinals)):
		return errors.New("the arrays of the packed points do not fit each other")
	}
	for _, ordinal := range p.Ordinals {
		if int(ordinal) >= points {
			return errors.New("the packed points refer to what is not there")
		}
	}
	for _, r := range p.Rectangles {
		if !(-180 <= r.West && r.West <= r.East && r.East <= 180 && -90 <= r.South && r.South <= r.North && r.North <= 90) {
			return errors.New("a rectangle of the packed points is none")
		}
	}
	return nil
}
