package chart

import (
	"fmt"
	"io"
	"math"
)

// Bars is a chart of horizontal bars in groups.
type Bars struct {
	Title, Unit string
	// Labels name the groups; each series has a value for each.
	Labels []string
	Series []Series
	// Log makes the axis logarithmic.
	Log bool
}

const (
	barsWidth   = 900
	labelWidth  = 330
	valueWidth  = 60
	barHeight   = 11
	groupGap    = 12
	headHeight  = 70
	scaleHeight = 40
)

// WriteSVG draws the chart.
func (b *Bars) WriteSVG(w io.Writer) error {
	var values []float64
	for _, s := range b.Series {
		if len(s.Values) != len(b.Labels) {
			return fmt.Errorf("chart: series %s has %d values for %d labels", s.Name, len(s.Values), len(b.Labels))
		}
		values = append(values, s.Values...)
	}
	scale, err := newAxis(b.Log, values...)
	if err != nil {
		return err
	}
	group := barHeight*len(b.Series) + groupGap
	bottom := float64(headHeight + group*len(b.Labels))
	d := newDrawing(barsWidth, int(bottom)+scaleHeight, b.Title)
	d.legend(margin, 46, b.Series)
	at := func(value float64) float64 {
		return labelWidth + scale.place(value)*(barsWidth-labelWidth-valueWidth)
	}
	for _, tick := range scale.ticks {
		d.grid(at(tick), headHeight-8, at(tick), bottom)
		d.text(at(tick), bottom+14, "middle", "small", short(tick))
	}
	d.text((labelWidth+barsWidth-valueWidth)/2, bottom+30, "middle", "small", b.Unit)
	for i, label := range b.Labels {
		top := float64(headHeight + group*i)
		d.text(labelWidth-8, top+float64(group-groupGap)/2+4, "end", "", label)
		for j, s := range b.Series {
			y := top + float64(j*barHeight)
			if math.IsNaN(s.Values[i]) {
				continue
			}
			d.bar(labelWidth, y, at(s.Values[i])-labelWidth, barHeight-1, j)
			d.text(at(s.Values[i])+4, y+barHeight-2, "start", "small", short(s.Values[i]))
		}
	}
	_, err = io.WriteString(w, d.close())
	return err
}
