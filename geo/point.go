// Package geo finds the points of a fixed set that lie within a great-circle distance of a centre, nearest or farthest
// first, or in a box. A point is known by its ordinal; its key is the squared chord from the centre.
//
// [Pack] packs points into a [Flat], which is stored in a file; [Open] checks one and indexes it. An [Index] is
// immutable and safe for concurrent use, a [Workspace] serves one goroutine. Points are ordered so that neighbours on
// the ground are neighbours in memory, in blocks of 32 and groups of 512 with a cap around each. tidwall/rtree finds
// the groups that a circle touches; caps inside it are counted without being read, and only the rest is tested point
// by point, which is cheaper than more levels of a tree. [Index.Select] looks only where the ranks of a page can be.
//
// Chords have the order of distances, and cost three multiplications instead of an arc tangent. Points whose chords
// differ by no more than rounding errors are compared again by [Index.Measure], so that equal distances are ties.
// The marked points, in pubd the rated pubs, are packed a second time, so that a search for them reads no others.
package geo

import "math"

// Kilometres is a length along a great circle.
type Kilometres float64

// EarthRadius is the mean radius R1 = (2a+b)/3 of the Earth that IUGG adopted (Moritz, Geodetic Reference System
// 1980).
const EarthRadius Kilometres = 6371.0088

// Point is a position in degrees: Lat from -90 to 90, Lng from -180 to 180. A missing point has NaN for both.
type Point struct{ Lat, Lng float64 }

// Vector is a position on the unit sphere: X towards 0°N 0°E, Y towards 0°N 90°E, Z towards the north pole.
// That of a missing point is all NaN.
type Vector struct{ X, Y, Z float64 }

// Vector returns p on the unit sphere.
func (p Point) Vector() Vector {
	sinLat, cosLat := math.Sincos(p.Lat * (math.Pi / 180))
	sinLng, cosLng := math.Sincos(p.Lng * (math.Pi / 180))
	return Vector{cosLat * cosLng, cosLat * sinLng, sinLat}
}

// ChordSquared returns the squared chord |a-b|² on the unit sphere, from 0 to 4. It has the same order as Distance,
// costs three multiplications, and is exactly 0 for equal vectors and NaN if one of them is missing.
func ChordSquared(a, b Vector) float64 {
	x, y, z := a.X-b.X, a.Y-b.Y, a.Z-b.Z
	// The conversions prevent fused multiply-add, which would make the order of near-ties depend on the CPU.
	return float64(x*x) + float64(y*y) + float64(z*z)
}

// Distance returns the great-circle distance 2R·atan2(|a-b|, |a+b|), accurate from 0 to the antipode (Kahan, How
// Futile are Mindless Assessments of Roundoff, §12); NaN if one of them is missing. Up to some 600 km it uses the
// series of the arc sine of |a-b|/2, which agrees to 1e-9 km in a fifth of the time.
func Distance(a, b Vector) Kilometres {
	chord := ChordSquared(a, b)
	if isShort(chord) {
		return shortDistance(chord)
	}
	opposite := Vector{-b.X, -b.Y, -b.Z}
	return 2 * EarthRadius * Kilometres(math.Atan2(math.Sqrt(chord), math.Sqrt(ChordSquared(a, opposite))))
}

// isShort reports whether a squared chord is less than 637 km.
func isShort(chord float64) bool { return chord < 0.01 }

// shortDistance returns 2R·asin(√chord / 2), by the series of the arcsine.
func shortDistance(chord float64) Kilometres {
	square := chord / 4
	series := 1 + float64(square*(1.0/6+float64(square*(3.0/40+float64(square*(15.0/336))))))
	return EarthRadius * Kilometres(math.Sqrt(chord)*series)
}
