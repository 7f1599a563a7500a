package geo

// Box is the places between two parallels and two meridians, in degrees, its edges included. One whose West is greater
// than its East crosses the 180° meridian.
type Box struct{ West, South, East, North float64 }

// Contains reports whether p is in the box; what is nowhere never is.
func (b *Box) Contains(p Point) bool {
	if b.West > b.East {
		return b.South <= p.Lat && p.Lat <= b.North && (p.Lng >= b.West || p.Lng <= b.East)
	}
	return b.South <= p.Lat && p.Lat <= b.North && b.West <= p.Lng && p.Lng <= b.East
}

// halves is the box, cut at the 180° meridian where it crosses that.
func (b *Box) halves() []Box {
	if b.West > b.East {
		return []Box{{b.West, b.South, 180, b.North}, {-180, b.South, b.East, b.North}}
	}
	return []Box{*b}
}

// Around is at least how many points are in the box, and at most a few groups more: what InBox looks at.
func (x *Index) Around(b *Box) (points int) {
	for _, half := range b.halves() {
		x.all.tree.tree.Search([2]float64{half.West, half.South}, [2]float64{half.East, half.North},
			func(_, _ [2]float64, group uint32) bool {
				start, end, _, _ := x.all.group(int(group))
				points += end - start
				return true
			})
	}
	return points
}

// InBox appends the ordinals of the points in the box to dst, in no order to rely on; one may come twice.
func (x *Index) InBox(dst []uint32, b *Box) []uint32 {
	for _, half := range b.halves() {
		x.all.tree.tree.Search([2]float64{half.West, half.South}, [2]float64{half.East, half.North},
			func(_, _ [2]float64, group uint32) bool {
				start, end, _, _ := x.all.group(int(group))
				for _, ordinal := range x.all.ordinals[start:end] {
					if b.Contains(x.points[ordinal]) {
						dst = append(dst, ordinal)
					}
				}
				return true
			})
	}
	return dst
}

// Point is the place of the ordinal as it was given; NaN if it is nowhere.
func (x *Index) Point(ordinal uint32) Point { return x.points[ordinal] }

// Arrange puts the hits of ranks from to end in their places, sorted, the smaller ones before and the larger ones after
// them. What their separations measure is the caller's.
func Arrange(hits []Hit, from, end int) { arrange(hits, from, end) }
