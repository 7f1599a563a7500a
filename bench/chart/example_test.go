package chart_test

import (
	"fmt"
	"strings"

	"pubd/bench/chart"
)

func ExampleBars_SVG() {
	bars := chart.Bars{Title: "Answers", Unit: "per second", Labels: []string{"lookup"}, Series: []chart.Series{{Name: "pubd", Values: []float64{37191}}}}
	fmt.Println(strings.HasPrefix(bars.SVG(), "<svg"))
	// Output: true
}
