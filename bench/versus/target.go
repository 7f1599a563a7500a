package main

// A target is what the ratio of pubd's rate to nginx's is measured against: at least reach, aiming at aim.
type target struct{ reach, aim float64 }

// targets are those of the classes, in their order.
var targets = []target{
	{1.0, 1.2},
	{0.75, 1.0},
	{0.85, 1.0},
	{0.65, 0.9},
	{0.65, 0.9},
	{0.75, 0.9},
	{0.7, 0.9},
	{0.6, 0.9},
	{0.3, 0.6},
}

// overall is the target of the geometric mean of all classes.
var overall = target{0.7, 1.0}

// verdict says which of a target a ratio meets.
func (t target) verdict(ratio float64) string {
	switch {
	case ratio >= t.aim:
		return "aim"
	case ratio >= t.reach:
		return "reach"
	case ratio < t.reach:
		return "no"
	}
	return "–"
}
