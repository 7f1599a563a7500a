package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"pubd/bench/chart"
)

func TestBars(t *testing.T) {
	for _, values := range [][]float64{nil, {0}, {0, 3, 17}, {0.5, 130000, 1e9}, {10, 10}} {
		bars := chart.Bars{Title: `<a> & "b"`, Labels: make([]string, len(values)), Series: []chart.Series{{Name: "<s>", Values: values}}}
		svg := bars.SVG()
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Count(svg, `class="c0"`) != len(values)+1 {
			t.Errorf("%v: want a finite bar for each:\n%s", values, svg)
		}
		decoder, err := xml.NewDecoder(strings.NewReader(svg)), error(nil)
		for err == nil {
			_, err = decoder.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%v: %v", values, err)
		}
	}
}
