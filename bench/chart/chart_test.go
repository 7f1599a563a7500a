package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"pubd/bench/chart"
)

func TestChartsAreWellFormed(t *testing.T) {
	none := math.NaN()
	bars := func(log bool, values ...float64) *chart.Bars {
		return &chart.Bars{Title: `<a> & "b"`, Labels: make([]string, len(values)), Log: log, Series: []chart.Series{{Name: "<s>", Values: values}}}
	}
	for name, c := range map[string]interface{ WriteSVG(io.Writer) error }{
		"bars":             bars(false, 0, 3, 17),
		"logarithmic bars": bars(true, 0.5, none, 130000),
		"no bars":          bars(true),
		"equal bars":       bars(true, 10, 10),
		"nothing known":    bars(false, none),
		"lines": &chart.Lines{X: "pubs", Y: "/s", LogX: true, At: []float64{1e4, 5e4, 1e6},
			Series: []chart.Series{{Name: "a", Values: []float64{3, none, 5}}, {Name: "b", Values: []float64{-1, 0, 1}}}},
	} {
		var svg bytes.Buffer
		if err := c.WriteSVG(&svg); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text := svg.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: not all numbers are finite:\n%s", name, text)
		}
		for decoder := xml.NewDecoder(&svg); ; {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
}

func TestChartsRefuse(t *testing.T) {
	for name, c := range map[string]interface{ WriteSVG(io.Writer) error }{
		"too few values": &chart.Bars{Labels: []string{"a", "b"}, Series: []chart.Series{{Values: []float64{1}}}},
		"zero on log":    &chart.Bars{Log: true, Labels: []string{"a"}, Series: []chart.Series{{Values: []float64{0}}}},
		"infinite":       &chart.Lines{At: []float64{1}, Series: []chart.Series{{Values: []float64{math.Inf(1)}}}},
	} {
		if err := c.WriteSVG(io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
