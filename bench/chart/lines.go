package chart

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Lines is a chart of values over a quantity.
type Lines struct {
	Title string
	// X and Y name the axes; LogX and LogY make them logarithmic.
	X, Y       string
	LogX, LogY bool
	// At are the places on the axis X; each series has a value for each.
	At     []float64
	Series []Series
}

const (
	linesWidth, linesHeight = 860, 460
	left, right             = 80, 20
	top, below              = 70, 60
)

// WriteSVG draws the chart.
func (l *Lines) WriteSVG(w io.Writer) error {
	var values []float64
	for _, s := range l.Series {
		if len(s.Values) != len(l.At) {
			return fmt.Errorf("chart: series %s has %d values for %d places", s.Name, len(s.Values), len(l.At))
		}
		values = append(values, s.Values...)
	}
	across, err := newAxis(l.LogX, l.At...)
	if err != nil {
		return err
	}
	up, err := newAxis(l.LogY, values...)
	if err != nil {
		return err
	}
	d := newDrawing(linesWidth, linesHeight, l.Title)
	d.legend(margin, 46, l.Series)
	x := func(value float64) float64 { return left + across.place(value)*(linesWidth-left-right) }
	y := func(value float64) float64 { return linesHeight - below - up.place(value)*(linesHeight-top-below) }
	for _, tick := range across.ticks {
		d.grid(x(tick), top, x(tick), linesHeight-below)
		d.text(x(tick), linesHeight-below+16, "middle", "small", short(tick))
	}
	for _, tick := range up.ticks {
		d.grid(left, y(tick), linesWidth-right, y(tick))
		d.text(left-6, y(tick)+4, "end", "small", short(tick))
	}
	d.text((left+linesWidth-right)/2, linesHeight-below+36, "middle", "small", l.X)
	d.text(margin, top-8, "start", "small", l.Y)
	for i, s := range l.Series {
		var points []string
		for j, value := range s.Values {
			if math.IsNaN(value) {
				continue
			}
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(l.At[j]), y(value)))
			fmt.Fprintf(d, `<circle class="c%d" cx="%.1f" cy="%.1f" r="3"/>`+"\n", i%colours, x(l.At[j]), y(value))
		}
		fmt.Fprintf(d, `<polyline class="c%d line" points="%s"/>`+"\n", i%colours, strings.Join(points, " "))
	}
	_, err = io.WriteString(w, d.close())
	return err
}
