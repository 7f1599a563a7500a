package extract

import (
	"math"
)

// degree is the number of units in a degree: OpenStreetMap has seven decimals.
const degree = 1e7

// position is a point in units. An unknown position is nowhere.
type position struct{ lat, lon int32 }

var nowhere = position{math.MinInt32, math.MinInt32}

// fromUnits returns the position, or nowhere if there is none such.
func fromUnits(lat, lon float64) position {
	// A NaN fails the comparison.
	if math.Abs(lat) <= 90*degree && math.Abs(lon) <= 180*degree {
		return position{int32(math.Round(lat)), int32(math.Round(lon))}
	}
	return nowhere
}

// box surrounds points. noBox surrounds none.
type box struct{ south, west, north, east int32 }

var noBox = box{math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32}

func (b box) isEmpty() bool { return b.south > b.north }

func (b box) with(p position) box {
	if p == nowhere {
		return b
	}
	return b.union(box{p.lat, p.lon, p.lat, p.lon})
}

func (b box) union(c box) box {
	return box{min(b.south, c.south), min(b.west, c.west), max(b.north, c.north), max(b.east, c.east)}
}

// middle returns the middle in degrees, or NaN.
func (b box) middle() (lat, lon float64) {
	if b.isEmpty() {
		return math.NaN(), math.NaN()
	}
	return half(b.south, b.north), half(b.west, b.east)
}

// half returns the middle of two coordinates in degrees, with seven decimals, halves away from zero.
func half(a, b int32) float64 { return math.Round((float64(a)+float64(b))/2) / degree }
