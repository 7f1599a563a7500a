package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aclements/go-moremath/stats"

	"pubd/bench/chart"
)

// A Sample is what one server needed for the requests of one class.
type Sample struct {
	Server, Class string
	Rate          float64 // answers per second
	CPU           float64 // the server's CPU time, in µs per answer
	Allocations   float64 // per answer; 0 if unknown
}

// median returns the median of a figure of a server's samples of a class, or NaN without any.
func median(samples []Sample, server, class string, figure func(Sample) float64) float64 {
	var values []float64
	for _, s := range samples {
		if s.Server == server && s.Class == class {
			values = append(values, figure(s))
		}
	}
	return Median(values)
}

func rateOf(s Sample) float64 { return s.Rate }
func cpuOf(s Sample) float64  { return s.CPU }

// serversOf returns the servers that have samples of some class, in the order of the samples.
func serversOf(samples []Sample, classes []Class) (servers []string) {
	for _, s := range samples {
		if !slices.Contains(servers, s.Server) && slices.ContainsFunc(classes, func(c Class) bool { return c.Name == s.Class }) {
			servers = append(servers, s.Server)
		}
	}
	return servers
}

// Tables returns two Markdown tables of medians, of [Classes] and of all other classes. A ratio is the CPU time that a
// server needs for an answer, compared with that of the first sample's server: other work of the machine affects CPU
// time least. Below a table, the classes are named that miss [Class.Reach].
func Tables(samples []Sample) string {
	text := ""
	for _, classes := range [][]Class{Classes, append(slices.Clone(MoreClasses), Extensions...)} {
		if servers := serversOf(samples, classes); len(servers) > 0 {
			text += tableOf(samples, servers, classes) + "\n"
		}
	}
	return text
}

func tableOf(samples []Sample, servers []string, classes []Class) string {
	var b strings.Builder
	first, others, missed := servers[0], servers[1:], ""
	fmt.Fprintf(&b, "| answers per second | %s | CPU | allocations |", first)
	for _, other := range others {
		fmt.Fprintf(&b, " %s |", other)
	}
	fmt.Fprintf(&b, "\n|---|--:|--:|--:|%s\n", strings.Repeat("--:|", len(others)))
	ratios := map[string][]float64{}
	for _, class := range classes {
		rate, cpu := median(samples, first, class.Name, rateOf), median(samples, first, class.Name, cpuOf)
		if !(rate > 0) { // not measured
			continue
		}
		allocations := median(samples, first, class.Name, func(s Sample) float64 { return s.Allocations })
		fmt.Fprintf(&b, "| %s | %s | %.0f µs | %.0f |", class.Name, thousands(rate), cpu, allocations)
		for _, other := range others {
			its := median(samples, other, class.Name, rateOf)
			if !(its > 0) {
				b.WriteString(" |")
				continue
			}
			ratio := median(samples, other, class.Name, cpuOf) / cpu
			ratios[other] = append(ratios[other], ratio)
			fmt.Fprintf(&b, " %s (×%s) |", thousands(its), digits(ratio))
			if least := cmp.Or(class.Reach, mustReach); other == "nginx" && rate < least*its {
				missed += fmt.Sprintf("\n**Missed**: %s has %.2f times nginx's rate, and must reach %.2f.\n", class.Name, rate/its, least)
			}
		}
		b.WriteString("\n")
	}
	if len(others) > 0 {
		b.WriteString("| geometric mean | | | |")
		for _, other := range others {
			fmt.Fprintf(&b, " ×%s |", digits(stats.GeoMean(ratios[other])))
		}
		b.WriteString("\n")
	}
	return b.String() + missed
}

// mustReach is the ratio to nginx's rate that a class without [Class.Reach] must reach.
const mustReach = 0.4

// Chart returns a chart of the answers per second in [Classes], as SVG.
func Chart(samples []Sample) string {
	bars := chart.Bars{Title: "Answers per second of one core", Unit: "answers per second"}
	for _, class := range Classes {
		bars.Labels = append(bars.Labels, class.Name)
	}
	for _, server := range serversOf(samples, Classes) {
		series := chart.Series{Name: server}
		for _, label := range bars.Labels {
			series.Values = append(series.Values, max(0, median(samples, server, label, rateOf)))
		}
		bars.Series = append(bars.Series, series)
	}
	return bars.SVG()
}

// thousands formats a number with commas.
func thousands(value float64) string {
	text := strconv.FormatFloat(value, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// digits formats a ratio with two decimals below 10, and as an integer above.
func digits(ratio float64) string {
	if ratio < 10 {
		return strconv.FormatFloat(ratio, 'f', 2, 64)
	}
	return thousands(ratio)
}
