// Package chart draws bars as SVG that can be read in light and in dark. It is not gonum/plot, which writes fixed colours and brings a
// renderer of fonts with it.
package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Series is what is drawn in one colour. A value of NaN is left out.
type Series struct {
	Name   string
	Values []float64
}

// Bars is a chart of horizontal bars in groups.
type Bars struct {
	Title, Unit string
	// Labels name the groups; each series has a value for each.
	Labels []string
	Series []Series
	// Log makes the axis logarithmic, on which all values must be positive.
	Log bool
}

const (
	width      = 900
	labelWidth = 330
	valueWidth = 60
	barHeight  = 11
	groupGap   = 12
	headHeight = 70
	colours    = 6
)

// style has the colours of text, lines and up to six series, for both backgrounds.
const style = `<style>
text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.small{font-size:10px;fill:#59636e}
.back{fill:#fff}.grid{stroke:#d1d9e0}.c0{fill:#1a7f37}.c1{fill:#6e7781}.c2{fill:#0969da}.c3{fill:#cf222e}.c4{fill:#bf8700}.c5{fill:#8250df}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.back{fill:#0d1117}.grid{stroke:#3d444d}
.c0{fill:#3fb950}.c1{fill:#9198a1}.c2{fill:#4493f8}.c3{fill:#f85149}.c4{fill:#d29922}.c5{fill:#ab7df8}}
</style>
`

// WriteSVG draws the chart.
func (b *Bars) WriteSVG(w io.Writer) error {
	low, high := 0.0, 0.0
	scale := func(value float64) float64 { return value }
	if b.Log {
		low, high, scale = math.Inf(1), math.Inf(-1), math.Log10
	}
	for _, s := range b.Series {
		if len(s.Values) != len(b.Labels) {
			return fmt.Errorf("chart: series %s has %d values for %d labels", s.Name, len(s.Values), len(b.Labels))
		}
		for _, value := range s.Values {
			if math.IsInf(value, 0) || b.Log && value <= 0 {
				return fmt.Errorf("chart: value %v has no place on the axis", value)
			}
			if !math.IsNaN(value) {
				low, high = min(low, scale(value)), max(high, scale(value))
			}
		}
	}
	if low > high {
		low, high = 0, 1
	}
	ticks := 4.0
	if b.Log {
		low, high = math.Floor(low), max(math.Ceil(high), math.Floor(low)+1)
		ticks = high - low
	} else {
		step := math.Pow(10, math.Floor(math.Log10(max(high, 1))))
		high = max(math.Ceil(high/step)*step, low+1)
	}
	group := barHeight*len(b.Series) + groupGap
	bottom := headHeight + group*len(b.Labels)
	at := func(scaled float64) float64 {
		return labelWidth + (scaled-low)/(high-low)*(width-labelWidth-valueWidth)
	}
	var d strings.Builder
	text := func(x, y float64, anchor, class, text string) {
		fmt.Fprintf(&d, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class, html.EscapeString(text))
	}
	bar := func(x, y, width, height float64, series int) {
		fmt.Fprintf(&d, `<rect class="c%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", series%colours, x, y, width, height)
	}
	fmt.Fprintf(&d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n%s", width, bottom+40, html.EscapeString(b.Title), style)
	fmt.Fprintf(&d, `<rect class="back" width="%d" height="%d"/>`+"\n", width, bottom+40)
	text(12, 22, "start", "title", b.Title)
	x := 12.0
	for i, s := range b.Series {
		bar(x, 37, 10, 10, i)
		text(x+15, 46, "start", "", s.Name)
		x += 35 + 7*float64(len([]rune(s.Name)))
	}
	for i := 0.0; i <= ticks; i++ {
		scaled := low + i*(high-low)/ticks
		value := scaled
		if b.Log {
			value = math.Pow(10, scaled)
		}
		fmt.Fprintf(&d, `<line class="grid" x1="%.1f" y1="%d" x2="%[1]f" y2="%[3]d"/>`+"\n", at(scaled), headHeight-8, bottom)
		text(at(scaled), float64(bottom)+14, "middle", "small", short(value))
	}
	text((labelWidth+width-valueWidth)/2, float64(bottom)+30, "middle", "small", b.Unit)
	for i, label := range b.Labels {
		top := float64(headHeight + group*i)
		text(labelWidth-8, top+float64(group-groupGap)/2+4, "end", "", label)
		for j, s := range b.Series {
			if y := top + float64(j*barHeight); !math.IsNaN(s.Values[i]) {
				bar(labelWidth, y, at(scale(s.Values[i]))-labelWidth, barHeight-1, j)
				text(at(scale(s.Values[i]))+4, y+barHeight-2, "start", "small", short(s.Values[i]))
			}
		}
	}
	_, err := io.WriteString(w, d.String()+"</svg>\n")
	return err
}

// short writes a number in few characters, such as 1.5k or 20M.
func short(value float64) string {
	unit := ""
	for _, name := range []string{"k", "M", "G"} {
		if math.Abs(value) >= 1000 {
			value, unit = value/1000, name
		}
	}
	return strconv.FormatFloat(value, 'g', 3, 64) + unit
}
