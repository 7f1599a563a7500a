package geo

import (
	"math"
	"slices"
)

// Degrees are points by ordinal. Most data has at most seven decimals, and these take half of the memory of two
// float64.
type Degrees struct {
	Fixed []FixedPoint
	// Odd are the points that are none, OddOrdinals their ordinals, ascending.
	Odd         []Point
	OddOrdinals []uint32
}

// FixedPoint is a point in ten-millionths of a degree, a centimetre, from 90°S and 180°W. Lat is noFixed if it is
// another point or missing.
type FixedPoint struct{ Lat, Lng uint32 }

const (
	noFixed   = math.MaxUint32
	perDegree = 1e7
)

// degreesOf returns points as Degrees.
func degreesOf(points []Point) (d Degrees) {
	d.Fixed = make([]FixedPoint, len(points))
	for i, p := range points {
		fixed := FixedPoint{uint32(math.Round(p.Lat*perDegree) + 90*perDegree), uint32(math.Round(p.Lng*perDegree) + 180*perDegree)}
		switch {
		case math.IsNaN(p.Lat):
			d.Fixed[i] = FixedPoint{noFixed, noFixed}
		case isSame(fixed.point(), p):
			d.Fixed[i] = fixed
		default:
			d.Fixed[i] = FixedPoint{noFixed, noFixed}
			d.Odd, d.OddOrdinals = append(d.Odd, p), append(d.OddOrdinals, uint32(i))
		}
	}
	return d
}

// isSame reports whether two points have the same bits.
func isSame(p, other Point) bool {
	return math.Float64bits(p.Lat) == math.Float64bits(other.Lat) && math.Float64bits(p.Lng) == math.Float64bits(other.Lng)
}

// point returns the float64 that are nearest to the decimal numbers, as parsing them does.
func (f FixedPoint) point() Point {
	return Point{float64(int64(f.Lat)-90*perDegree) / perDegree, float64(int64(f.Lng)-180*perDegree) / perDegree}
}

// at returns the point of an ordinal; NaN if it is missing.
func (d *Degrees) at(ordinal uint32) Point {
	if fixed := d.Fixed[ordinal]; fixed.Lat != noFixed {
		return fixed.point()
	}
	// The index of an ordinal is at most the ordinal, and less by at most the number of points that are not odd.
	high := min(int(ordinal)+1, len(d.Odd))
	low := min(max(0, int(ordinal)+len(d.Odd)-len(d.Fixed)), high)
	if i, ok := slices.BinarySearch(d.OddOrdinals[low:high], ordinal); ok {
		return d.Odd[low+i]
	}
	return Point{math.NaN(), math.NaN()}
}
