package extract

import "math"

// degree is the number of units in a degree: OpenStreetMap has seven decimals.
const degree = 1e7

// A Box surrounds points, in degrees or, within this package, in whole units.
type Box struct{ South, West, North, East float64 }

// NoBox surrounds no point.
var NoBox = Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

// IsEmpty reports whether a box surrounds no point.
func (b Box) IsEmpty() bool { return b.South > b.North }

// With returns the box around another one and a point.
func (b Box) With(lat, lng float64) Box { return b.union(Box{lat, lng, lat, lng}) }

func (b Box) union(c Box) Box {
	return Box{min(b.South, c.South), min(b.West, c.West), max(b.North, c.North), max(b.East, c.East)}
}

// boxAt returns the box around a position in units, rounded; NoBox if there is none such.
func boxAt(lat, lng float64) Box {
	// A NaN fails the comparison.
	if math.Abs(lat) <= 90*degree && math.Abs(lng) <= 180*degree {
		return NoBox.With(math.Round(lat), math.Round(lng))
	}
	return NoBox
}

// middle returns the middle of a box in units, in degrees with seven decimals, halves away from zero; NaN if it is
// empty.
func (b Box) middle() (lat, lng float64) {
	if b.IsEmpty() {
		return math.NaN(), math.NaN()
	}
	return math.Round((b.South+b.North)/2) / degree, math.Round((b.West+b.East)/2) / degree
}
