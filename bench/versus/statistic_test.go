package main

import (
	"math"
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, math.NaN()},
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{8, 2, 4, 100}, 6},
		{[]float64{1, math.NaN(), 3}, math.NaN()},
	} {
		given := slices.Clone(test.values)
		if got := median(test.values); !same(got, test.want) {
			t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
		}
		if !slices.EqualFunc(given, test.values, same) {
			t.Errorf("median changed %v to %v", given, test.values)
		}
	}
}

func TestGeometricMean(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{nil, math.NaN()},
		{[]float64{3}, 3},
		{[]float64{2, 8}, 4},
		{[]float64{0.5, 1, 2}, 1},
		{[]float64{1, math.NaN()}, math.NaN()},
	} {
		if got := geometricMean(test.values); !same(got, test.want) {
			t.Errorf("geometricMean(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

func same(a, b float64) bool {
	return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b)
}

func TestVerdict(t *testing.T) {
	for ratio, want := range map[float64]string{0.64: "no", 0.65: "reach", 0.89: "reach", 0.9: "aim", 3: "aim"} {
		if got := (target{0.65, 0.9}).verdict(ratio); got != want {
			t.Errorf("verdict of %v is %q, want %q", ratio, got, want)
		}
	}
	if got := (target{0.65, 0.9}).verdict(math.NaN()); got != "–" {
		t.Errorf("verdict of NaN is %q, want –", got)
	}
}
