// Package chart draws horizontal bar charts as SVG, for the reports of the benchmarks. [Bars.SVG] is the only entry
// point: a title, labels and series of values of at least 0 go in, and the text of a file comes out. It does not
// change the chart, so any number of goroutines may call it, and the same chart gives the same bytes.
//
// One file serves light and dark backgrounds: its style sheet has the colours of both, and the reader's setting
// chooses. There are six colours; a seventh series would repeat the first. The axis begins at 0, because the length of
// a bar stands for its value. Widths are fixed, and labels are not wrapped.
//
// It does not use gonum/plot, which has only fixed colours, and depends on a font renderer.
package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// A Series is the bars of one colour: a value of at least 0 for each label.
type Series struct {
	Name   string
	Values []float64
}

// Bars is a chart of horizontal bars, with a group for each label.
type Bars struct {
	Title, Unit string
	Labels      []string
	Series      []Series
}

const (
	width      = 900
	labelWidth = 330
	barsWidth  = 510
	barHeight  = 11
	groupGap   = 12
	headHeight = 70
)

// style has the colours of text, lines and six series, for both backgrounds.
const style = `<style>
text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.small{font-size:10px;fill:#59636e}
.back{fill:#fff}.grid{stroke:#d1d9e0}.c0{fill:#1a7f37}.c1{fill:#6e7781}.c2{fill:#0969da}.c3{fill:#cf222e}.c4{fill:#bf8700}.c5{fill:#8250df}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.back{fill:#0d1117}.grid{stroke:#3d444d}
.c0{fill:#3fb950}.c1{fill:#9198a1}.c2{fill:#4493f8}.c3{fill:#f85149}.c4{fill:#d29922}.c5{fill:#ab7df8}}
</style>
`

// SVG draws the chart.
func (b *Bars) SVG() string {
	high := 1.0
	for _, s := range b.Series {
		for _, value := range s.Values {
			high = max(high, value)
		}
	}
	step := math.Pow(10, math.Floor(math.Log10(high)))
	high = math.Ceil(high/step) * step
	group := barHeight*len(b.Series) + groupGap
	bottom := headHeight + group*len(b.Labels)
	var d strings.Builder
	text := func(x float64, y int, anchor, class, text string) {
		fmt.Fprintf(&d, `<text x="%.1f" y="%d" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class, html.EscapeString(text))
	}
	rect := func(class string, x float64, y int, width float64, height int) {
		fmt.Fprintf(&d, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"/>`+"\n", class, x, y, width, height)
	}
	fmt.Fprintf(&d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n%s", width, bottom+40, html.EscapeString(b.Title), style)
	rect("back", 0, 0, width, bottom+40)
	text(12, 22, "start", "title", b.Title)
	const ticks = 4
	for i := range ticks + 1 {
		x := labelWidth + barsWidth*float64(i)/ticks
		fmt.Fprintf(&d, `<line class="grid" x1="%.1f" y1="%d" x2="%[1]f" y2="%[3]d"/>`+"\n", x, headHeight-8, bottom)
		text(x, bottom+14, "middle", "small", short(high*float64(i)/ticks))
	}
	text(labelWidth+barsWidth/2, bottom+30, "middle", "small", b.Unit)
	for i, label := range b.Labels {
		text(labelWidth-8, headHeight+group*i+(group-groupGap)/2+4, "end", "", label)
	}
	x := 12.0
	for j, s := range b.Series {
		colour := "c" + strconv.Itoa(j%6)
		rect(colour, x, 37, 10, 10)
		text(x+15, 46, "start", "", s.Name)
		x += 35 + 7*float64(len([]rune(s.Name)))
		for i, value := range s.Values {
			y, length := headHeight+group*i+j*barHeight, barsWidth*value/high
			rect(colour, labelWidth, y, length, barHeight-1)
			text(labelWidth+length+4, y+barHeight-2, "start", "small", short(value))
		}
	}
	return d.String() + "</svg>\n"
}

// short abbreviates a number, such as 1.5k or 20M.
func short(value float64) string {
	unit := ""
	for _, name := range []string{"k", "M", "G"} {
		if value >= 1000 {
			value, unit = value/1000, name
		}
	}
	return strconv.FormatFloat(value, 'g', 3, 64) + unit
}
