package geo

import "math"

// Cap is a spherical cap that contains a run of points. It only decides which points need not be tested one by one,
// never whether a single point is in a circle, and its margins are far above any rounding error (some 10 nm on the
// ground).
type Cap struct {
	Center Vector
	Chord  float64 // squared, to the farthest point from Center
	Width  float64 // twiceSin(Chord)
}

// NewCap returns a cap around at least one vector.
func NewCap(vectors []Vector) Cap {
	bounds := bounds3{vectors[0], vectors[0]}
	for _, v := range vectors {
		bounds.add(v)
	}
	middle := Vector{bounds.low.X + bounds.high.X, bounds.low.Y + bounds.high.Y, bounds.low.Z + bounds.high.Z}
	length := math.Sqrt(ChordSquared(middle, Vector{}))
	center := Vector{middle.X / length, middle.Y / length, middle.Z / length}
	if length < 1e-3 {
		center = vectors[0]
	}
	chord := 0.0
	for _, v := range vectors {
		chord = max(chord, ChordSquared(center, v))
	}
	return Cap{center, chord, twiceSin(chord)}
}

// bounds3 is an axis-aligned bounding box of vectors.
type bounds3 struct{ low, high Vector }

// add extends the box to a vector.
func (b *bounds3) add(v Vector) {
	b.low = Vector{min(b.low.X, v.X), min(b.low.Y, v.Y), min(b.low.Z, v.Z)}
	b.high = Vector{max(b.high.X, v.X), max(b.high.Y, v.Y), max(b.high.Z, v.Z)}
}

// twiceSin returns 2·sin of the angle whose squared chord is s, or slightly more: the 1e-14 outweighs the rounding
// of s where 4-s is small.
func twiceSin(s float64) float64 { return math.Sqrt(s * (4 + 1e-14 - s)) }

// distanceBounds decreases and increases an angle by the radius of the cap, all as squared chords: with s = 2-2·cos θ
// and m = 2-2·cos ρ it returns 2-2·cos(θ∓ρ), computed without subtracting numbers near 1; width is twiceSin(s). near
// is negative if θ < ρ, far is everywhere if θ+ρ is beyond the antipode. It has two uses:
//   - if the angle is the distance from a place to the cap's centre, the distances from the place to the cap's points
//     are between near and far;
//   - if the angle is the radius of a circle, the cap is inside the circle if their centres are within near, and
//     outside if they are beyond far.
func (c *Cap) distanceBounds(s, width float64) (near, far float64) {
	sum := s + c.Chord
	middle := sum - s*c.Chord/2
	margin := width*c.Width/2 + sum*1e-14 + 1e-30
	near, far = middle-margin, middle+margin
	if s < c.Chord {
		near = -1
	}
	if sum > 4 {
		far = everywhere
	}
	return near, far
}
