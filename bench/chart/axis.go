package chart

import (
	"fmt"
	"math"
	"strconv"
)

// An axis maps values to places from 0 to 1.
type axis struct {
	low, high float64 // of values, or of their decimal logarithms
	log       bool
	ticks     []float64
}

// newAxis makes an axis on which all values have a place. A linear one begins at 0 or below, a logarithmic one at a power
// of ten.
func newAxis(log bool, values ...float64) (axis, error) {
	a := axis{log: log, low: math.Inf(1), high: math.Inf(-1)}
	for _, value := range values {
		if math.IsNaN(value) {
			continue
		}
		if math.IsInf(value, 0) || log && value <= 0 {
			return axis{}, fmt.Errorf("chart: value %v has no place on the axis", value)
		}
		a.low, a.high = min(a.low, a.scale(value)), max(a.high, a.scale(value))
	}
	if a.low > a.high {
		a.low, a.high = 0, 1
	}
	if log {
		a.low, a.high = math.Floor(a.low), math.Ceil(a.high)
		a.high = max(a.high, a.low+1)
		for power := a.low; power <= a.high; power++ {
			a.ticks = append(a.ticks, math.Pow(10, power))
		}
		return a, nil
	}
	a.low = min(a.low, 0)
	if a.low == a.high {
		a.high = a.low + 1
	}
	step := math.Pow(10, math.Floor(math.Log10(a.high-a.low)))
	for _, part := range []float64{5, 2, 1} { // the widest of 1, 2 and 5 times a power of ten with four steps or more
		if (a.high-a.low)/(step*part) >= 4 {
			step *= part
			break
		}
		if part == 1 {
			step /= 5
		}
	}
	a.low, a.high = math.Floor(a.low/step)*step, math.Ceil(a.high/step)*step
	for i := 0; a.low+float64(i)*step <= a.high+step/2; i++ {
		a.ticks = append(a.ticks, a.low+float64(i)*step)
	}
	return a, nil
}

func (a *axis) scale(value float64) float64 {
	if a.log {
		return math.Log10(value)
	}
	return value
}

func (a *axis) place(value float64) float64 { return (a.scale(value) - a.low) / (a.high - a.low) }

// short writes a number of a tick or a bar in few characters, such as 1.5k or 20M.
func short(value float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(value) >= unit.size {
			return strconv.FormatFloat(value/unit.size, 'g', 3, 64) + unit.name
		}
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}
