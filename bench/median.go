package bench

import "slices"

// Median returns the middle of the values, the upper one of two; 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
