package main

import (
	"os"

	"pubd/bench/chart"
)

// draw writes the chart of the rates.
func (r *report) draw(path string) error {
	bars := chart.Bars{Title: "Answers a second by number of pubs", Unit: "answers a second", Log: true}
	for i, size := range r.sizes {
		series := chart.Series{Name: number(size) + " pubs"}
		for _, c := range r.classes {
			series.Values = append(series.Values, c.rates[i])
		}
		bars.Series = append(bars.Series, series)
	}
	for _, c := range r.classes {
		bars.Labels = append(bars.Labels, c.name)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := bars.WriteSVG(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
