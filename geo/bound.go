package geo

import "math"

// bound is a cap that holds a run of points. Whether a point is in a circle never rests on it: it only says which
// points need no look, and its margins are far above any rounding error (some 10 nm on the ground).
type bound struct {
	center Vector
	spread float64 // separation of the farthest point from center
	swell  float64 // of spread
}

func newBound(vectors []Vector) bound {
	var around box
	for _, v := range vectors {
		around.add(v)
	}
	middle := Vector{around.low.X + around.high.X, around.low.Y + around.high.Y, around.low.Z + around.high.Z}
	length := math.Sqrt(Separation(middle, Vector{}))
	b := bound{center: Vector{middle.X / length, middle.Y / length, middle.Z / length}}
	if length < 1e-3 {
		b.center = vectors[0]
	}
	for _, v := range vectors {
		b.spread = max(b.spread, Separation(b.center, v))
	}
	b.swell = swell(b.spread)
	return b
}

// box is the smallest one around some vectors with its edges along the axes.
type box struct {
	low, high Vector
	some      bool
}

func (b *box) add(v Vector) {
	if !b.some {
		*b = box{v, v, true}
	}
	b.low = Vector{min(b.low.X, v.X), min(b.low.Y, v.Y), min(b.low.Z, v.Z)}
	b.high = Vector{max(b.high.X, v.X), max(b.high.Y, v.Y), max(b.high.Z, v.Z)}
}

// swell is 2·sin of the angle that has the separation s, and never less than that: the 1e-14 outweighs the rounding
// of s where 4-s is small.
func swell(s float64) float64 { return math.Sqrt(s * (4 + 1e-14 - s)) }

// reach widens an angle by the radius of b both ways, all as separations: with s = 2-2·cos θ and m = 2-2·cos ρ it is
// 2-2·cos(θ∓ρ), written without a difference of numbers near 1. near is negative when θ < ρ, far is everywhere when
// θ+ρ is beyond the antipode. It answers two questions:
// the angle being that of b.center from a place, all points of b are from near to far of that place;
// the angle being the radius of a circle, all points of b are in it when b.center is within near of its centre,
// and none when b.center is beyond far.
func (b *bound) reach(s, swell float64) (near, far float64) {
	sum := s + b.spread
	middle := sum - s*b.spread/2
	width := swell*b.swell/2 + sum*1e-14 + 1e-30
	near, far = middle-width, middle+width
	if s < b.spread {
		near = -1
	}
	if sum > 4 {
		far = everywhere
	}
	return near, far
}
