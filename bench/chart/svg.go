// Package chart draws bars as SVG that can be read in light and in dark. It is not gonum/plot, which writes fixed colours and brings a
// renderer of fonts with it.
package chart

import (
	"fmt"
	"html"
	"strings"
)

// A Series is what is drawn in one colour. A value of NaN is left out; on a logarithmic axis all others must be positive.
type Series struct {
	Name   string
	Values []float64
}

// style has the colours of text, lines and up to six series, for both backgrounds.
const style = `<style>
text{font:12px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.small{font-size:10px;fill:#59636e}
.back{fill:#fff}.grid{stroke:#d1d9e0}.line{fill:none;stroke-width:2}
.c0{fill:#1a7f37;stroke:#1a7f37}.c1{fill:#6e7781;stroke:#6e7781}.c2{fill:#0969da;stroke:#0969da}
.c3{fill:#cf222e;stroke:#cf222e}.c4{fill:#bf8700;stroke:#bf8700}.c5{fill:#8250df;stroke:#8250df}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.back{fill:#0d1117}.grid{stroke:#3d444d}
.c0{fill:#3fb950;stroke:#3fb950}.c1{fill:#9198a1;stroke:#9198a1}.c2{fill:#4493f8;stroke:#4493f8}
.c3{fill:#f85149;stroke:#f85149}.c4{fill:#d29922;stroke:#d29922}.c5{fill:#ab7df8;stroke:#ab7df8}}
.bar{stroke:none}.line{fill:none}
</style>
`

const colours = 6

// A drawing is SVG in the making.
type drawing struct{ strings.Builder }

func newDrawing(width, height int, title string) *drawing {
	d := &drawing{}
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n",
		width, height, html.EscapeString(title))
	d.WriteString(style)
	fmt.Fprintf(d, `<rect class="back" width="%d" height="%d"/>`+"\n", width, height)
	d.text(margin, 22, "start", "title", title)
	return d
}

const margin = 12

// text writes a text whose anchor is start, middle or end.
func (d *drawing) text(x, y float64, anchor, class, text string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class, html.EscapeString(text))
}

func (d *drawing) grid(x1, y1, x2, y2 float64) {
	fmt.Fprintf(d, `<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", x1, y1, x2, y2)
}

func (d *drawing) bar(x, y, width, height float64, series int) {
	fmt.Fprintf(d, `<rect class="c%d bar" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", series%colours, x, y, width, height)
}

// legend names the series in one line.
func (d *drawing) legend(x, y float64, series []Series) {
	for i, s := range series {
		d.bar(x, y-9, 10, 10, i)
		d.text(x+15, y, "start", "", s.Name)
		x += 35 + 7*float64(len([]rune(s.Name)))
	}
}

func (d *drawing) close() string {
	d.WriteString("</svg>\n")
	return d.String()
}
