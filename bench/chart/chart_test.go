package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"pubd/bench/chart"
)

func TestBars(t *testing.T) {
	none := math.NaN()
	for name, c := range map[string]struct {
		log    bool
		values []float64
	}{
		"linear":             {false, []float64{0, 3, 17}},
		"logarithmic":        {true, []float64{0.5, none, 130000}},
		"none":               {true, nil},
		"equal":              {true, []float64{10, 10}},
		"nothing known":      {false, []float64{none}},
		"FAIL: zero on log":  {true, []float64{0}},
		"FAIL: infinite":     {false, []float64{math.Inf(1)}},
		"FAIL: one too many": {false, []float64{1, 2, 3, 4}},
	} {
		var svg strings.Builder
		bars := chart.Bars{Title: `<a> & "b"`, Labels: make([]string, min(3, len(c.values))), Log: c.log, Series: []chart.Series{{Name: "<s>", Values: c.values}}}
		err := bars.WriteSVG(&svg)
		if strings.HasPrefix(name, "FAIL") != (err != nil) {
			t.Errorf("%s: got error %v", name, err)
		}
		if text := svg.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: not all numbers are finite:\n%s", name, text)
		}
		for decoder := xml.NewDecoder(strings.NewReader(svg.String())); err == nil; {
			if _, err = decoder.Token(); err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
