package main

import "pubd/bench"

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

// A suite is classes that are measured together.
type suite struct {
	file    string // of the report, without its extension
	classes []bench.Class
	targets []target // of the classes, in their order
	overall target   // of the geometric mean
}

var (
	contract   = &suite{"versus", bench.Classes, targets, target{0.7, 1.0}}
	extensions = &suite{"extensions", bench.Extensions, extensionTargets(), target{0.4, 0.4}}
)

// extensionTargets are 0.4, but for facets, which count all that was found, and for suggest.
func extensionTargets() (all []target) {
	for _, class := range bench.Extensions {
		t := target{0.4, 0.4}
		switch class.Name {
		case "facets":
			t = target{0.2, 0.2}
		case "suggest":
			t = target{0.8, 0.8}
		}
		all = append(all, t)
	}
	return all
}

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
