package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"pubd/bench/chart"
	"pubd/bench/stage"
)

// A report is what a comparison measured. Slices by contender are in the order of Contenders, of which the first is pubd.
type report struct {
	Suite      *suite
	Machine    stage.Machine
	Data       string
	Tools      []string // with their versions
	Kept       float64  // by the host, of the cores' time while it was measured
	Rounds     int
	Seconds    int
	Requests   int // drawn for each class
	Contenders []string
	Notes      []string // by contender, or empty
	Classes    []classReport
}

type classReport struct {
	Name     string
	Target   target
	Distinct int     // requests
	BodySize float64 // mean, in bytes
	// Pubs is the mean number of pubs in an answer by contender, Rates the answers a second by contender and round, and
	// Busy the part of its core that a contender used. NaN is what is not known, or what a contender cannot do.
	Pubs  []float64
	Rates [][]float64
	Busy  [][]float64
}

const nginxName = "nginx"

// otherName is what another pubd is called.
const otherName = "other pubd"

// printOther prints the ratios of pubd's rates, and of its answers by processor time, to those of another pubd by class: the median
// of the rounds, and all of them.
func (r *report) printOther(w io.Writer) {
	other := slices.Index(r.Contenders, otherName)
	if other < 0 {
		return
	}
	var rates, busy []float64
	for i := range r.Classes {
		c := &r.Classes[i]
		byRate := ratios(c.Rates[0], c.Rates[other])
		byBusy := ratios(ratios(c.Rates[0], c.Busy[0]), ratios(c.Rates[other], c.Busy[other]))
		rates, busy = append(rates, median(byRate)), append(busy, median(byBusy))
		fmt.Fprintf(w, "%-50s %.3f of %s, by processor time %.3f; by round %.3f and %.3f\n", c.Name, median(byRate), otherName, median(byBusy), byRate, byBusy)
	}
	fmt.Fprintf(w, "%-50s %.3f, by processor time %.3f\n", "geometric mean", geometricMean(rates), geometricMean(busy))
}

// nginx is the place of nginx among the contenders, or -1.
func (r *report) nginx() int { return slices.Index(r.Contenders, nginxName) }

// ratios are those of pubd's rates to nginx's by round; none where nginx was not measured.
func (r *report) ratios(c *classReport) []float64 {
	if r.nginx() < 0 {
		return nil
	}
	return ratios(c.Rates[0], c.Rates[r.nginx()])
}

// processorRatios are those of pubd's answers by processor time to nginx's by round; none where nginx was not measured.
func (r *report) processorRatios(c *classReport) []float64 {
	if r.nginx() < 0 {
		return nil
	}
	return ratios(ratios(c.Rates[0], c.Busy[0]), ratios(c.Rates[r.nginx()], c.Busy[r.nginx()]))
}

// quiet is the least part of its core that a server uses when nothing but its own speed holds it back.
const quiet = 0.9

// isDisturbed tells that pubd or nginx could not use its core in most rounds: other programs ran, or the load was the limit.
func (r *report) isDisturbed(c *classReport) bool {
	return r.nginx() >= 0 && (median(c.Busy[0]) < quiet || median(c.Busy[r.nginx()]) < quiet)
}

// met says which of its target a class meets.
func (r *report) met(c *classReport) string {
	verdict := c.Target.verdict(median(r.ratios(c)))
	if r.isDisturbed(c) {
		verdict += ", disturbed"
	}
	return verdict
}

// metOverall says which of its target the geometric mean meets.
func (r *report) metOverall() string {
	verdict := r.Suite.overall.verdict(r.overall(r.ratios))
	for i := range r.Classes {
		if r.isDisturbed(&r.Classes[i]) {
			return verdict + ", disturbed"
		}
	}
	return verdict
}

// overall is the geometric mean of the classes' median ratios.
func (r *report) overall(ratios func(*classReport) []float64) float64 {
	var medians []float64
	for i := range r.Classes {
		medians = append(medians, median(ratios(&r.Classes[i])))
	}
	return geometricMean(medians)
}

// others are the places of the contenders that are neither pubd nor nginx.
func (r *report) others() (places []int) {
	for i, name := range r.Contenders {
		if i > 0 && name != nginxName {
			places = append(places, i)
		}
	}
	return places
}

// save writes the report and its picture into a directory, which is made.
func (r *report) save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var svg bytes.Buffer
	if err := r.chart().WriteSVG(&svg); err != nil {
		return err
	}
	for name, content := range map[string][]byte{r.Suite.file + ".md": r.markdown(), r.Suite.file + ".svg": svg.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) chart() *chart.Bars {
	bars := &chart.Bars{Title: "Answers a second on one core", Unit: "answers a second, logarithmic", Log: true}
	for _, c := range r.Classes {
		bars.Labels = append(bars.Labels, c.Name)
	}
	for i, name := range r.Contenders {
		series := chart.Series{Name: name}
		for _, c := range r.Classes {
			series.Values = append(series.Values, median(c.Rates[i]))
		}
		bars.Series = append(bars.Series, series)
	}
	return bars
}

// print writes the medians as a table for a terminal.
func (r *report) print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "CLASS")
	for _, name := range r.Contenders {
		fmt.Fprintf(table, "\t%s /s", name)
	}
	fmt.Fprintln(table, "\tPUBD/NGINX\tREACH\tAIM\tMET")
	for i := range r.Classes {
		c := &r.Classes[i]
		fmt.Fprint(table, c.Name)
		for _, rates := range c.Rates {
			fmt.Fprintf(table, "\t%s", count(median(rates)))
		}
		fmt.Fprintf(table, "\t%s\t%.2f\t%.2f\t%s\n", decimal(median(r.ratios(c))), c.Target.reach, c.Target.aim, r.met(c))
	}
	fmt.Fprint(table, "geometric mean", strings.Repeat("\t", len(r.Contenders)))
	fmt.Fprintf(table, "\t%s\t%.2f\t%.2f\t%s\n", decimal(r.overall(r.ratios)), r.Suite.overall.reach, r.Suite.overall.aim, r.metOverall())
	_ = table.Flush()
}

// count is a number with commas between its thousands; – is none.
func count(value float64) string {
	if math.IsNaN(value) {
		return "–"
	}
	digits := strconv.FormatFloat(value, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// decimal is a number with two decimals; – is none.
func decimal(value float64) string {
	if math.IsNaN(value) {
		return "–"
	}
	return strconv.FormatFloat(value, 'f', 2, 64)
}

// percent is a part of one; – is none.
func percent(part float64) string {
	if math.IsNaN(part) {
		return "–"
	}
	return strconv.FormatFloat(part*100, 'f', 0, 64) + " %"
}

// times is a factor; small ones have decimals.
func times(factor float64) string {
	if factor < 10 {
		return decimal(factor)
	}
	return count(factor)
}
