package main

import (
	"math"
	"slices"
)

// median is the middle value, of an even number the mean of the two; NaN of none or where one is NaN.
func median(values []float64) float64 {
	if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}

// geometricMean is that of positive values; NaN of none or where one is NaN.
func geometricMean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, value := range values {
		sum += math.Log(value)
	}
	return math.Exp(sum / float64(len(values)))
}

// ratios divides value by value.
func ratios(dividends, divisors []float64) []float64 {
	quotients := make([]float64, min(len(dividends), len(divisors)))
	for i := range quotients {
		quotients[i] = dividends[i] / divisors[i]
	}
	return quotients
}
