package geo

import "math"

// Box is the area between two parallels and two meridians, in degrees, including its edges. If West is greater than
// East, it crosses the 180° meridian; 180 and -180 are the same edge.
type Box struct{ West, South, East, North float64 }

// Contains reports whether p is in the box. A missing point never is.
func (b *Box) Contains(p Point) bool {
	if b.West > b.East {
		return b.South <= p.Lat && p.Lat <= b.North && (p.Lng >= b.West || p.Lng <= b.East)
	}
	return b.South <= p.Lat && p.Lat <= b.North &&
		(b.West <= p.Lng && p.Lng <= b.East || p.Lng == 180 && b.West == -180 || p.Lng == -180 && b.East == 180)
}

// Middle returns the point half-way between the edges of a box that does not cross the 180° meridian.
func (b *Box) Middle() Point { return Point{(b.South + b.North) / 2, (b.West + b.East) / 2} }

// halves returns the box, or its two parts if it crosses or touches the 180° meridian.
func (b *Box) halves() (parts [2]Box, count int) {
	switch {
	case b.West > b.East:
		return [2]Box{{b.West, b.South, 180, b.North}, {-180, b.South, b.East, b.North}}, 2
	case b.West == -180 && b.East < 180:
		return [2]Box{*b, {180, b.South, 180, b.North}}, 2
	case b.East == 180 && b.West > -180:
		return [2]Box{*b, {-180, b.South, -180, b.North}}, 2
	}
	return [2]Box{*b}, 1
}

// BoxCovers reports whether the box certainly contains all points that are not missing, in constant time.
func (x *Index) BoxCovers(b *Box) bool { return b.covers(x.all.tree.around()) }

// Bounds returns the smallest box that contains all points that are not missing, and does not cross the 180° meridian;
// false if all are missing. It takes constant time.
func (x *Index) Bounds() (b Box, ok bool) {
	return x.all.tree.around(), len(x.all.Ordinals) > 0
}

// covers reports whether the box contains another one; neither may cross the 180° meridian.
func (b *Box) covers(r Box) bool {
	return b.West <= r.West && r.East <= b.East && b.South <= r.South && r.North <= b.North
}

// AppendInBox appends the ordinals of the points in the box to dst, in unspecified order and possibly with duplicates.
// Groups that are entirely inside are copied without testing each point.
func (x *Index) AppendInBox(dst []uint32, b *Box) []uint32 {
	// The vectors of a group are contiguous in memory, its points are not: for most points, the distances of their
	// vectors from the planes through the box's sides already decide.
	const margin = 1e-9
	low, high := math.Sin(b.South*math.Pi/180), math.Sin(b.North*math.Pi/180)
	halves, count := b.halves()
	for _, half := range halves[:count] {
		aside := margin
		if half.East-half.West > 179 {
			aside = 2 // no plane bounds more than half of the Earth
		}
		westY, westX := math.Sincos(half.West * math.Pi / 180)
		eastY, eastX := math.Sincos(half.East * math.Pi / 180)
		x.all.tree.searchBox(&half, func(around Box, group int) {
			start, end, _, _ := x.all.group(group)
			if half.covers(around) {
				dst = append(dst, x.all.Ordinals[start:end]...)
				return
			}
			for i, v := range x.all.Vectors[start:end] {
				south, north := v.Z-low, high-v.Z
				if south < -margin || north < -margin {
					continue
				}
				west, east := westX*v.Y-westY*v.X, eastY*v.X-eastX*v.Y
				if west < -aside || east < -aside {
					continue
				}
				ordinal := x.all.Ordinals[start+i]
				if west > aside && east > aside && south > margin && north > margin || b.Contains(x.Point(ordinal)) {
					dst = append(dst, ordinal)
				}
			}
		})
	}
	return dst
}
