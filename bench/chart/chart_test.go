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
	} {
		if err := c.WriteSVG(io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
