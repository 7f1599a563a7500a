package bench_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aclements/go-moremath/stats"
	"github.com/dustin/go-humanize"

	"pubd/bench"
)

// A sample is what one server needed for the requests of one class.
type sample struct {
	server, class string
	rate          float64 // answers per second
	cpu           float64 // the server's CPU time, in µs per answer
	allocations   float64 // per answer; 0 if unknown
}

// median returns the median of a figure of a server's samples of a class, or NaN without any.
func median(samples []sample, server, class string, figure func(sample) float64) float64 {
	var values []float64
	for _, s := range samples {
		if s.server == server && s.class == class {
			values = append(values, figure(s))
		}
	}
	return bench.Median(values)
}

func rateOf(s sample) float64 { return s.rate }
func cpuOf(s sample) float64  { return s.cpu }

// serversOf returns the servers that have samples of some class, in the order of the samples.
func serversOf(samples []sample, classes []bench.Class) (servers []string) {
	for _, s := range samples {
		if !slices.Contains(servers, s.server) && slices.ContainsFunc(classes, func(c bench.Class) bool { return c.Name == s.class }) {
			servers = append(servers, s.server)
		}
	}
	return servers
}

// tables returns two Markdown tables of medians, of [bench.Classes] and of all other classes. A ratio is the CPU time that a
// server needs for an answer, compared with that of the first sample's server: other work of the machine affects CPU
// time least. Below a table, the classes are named that miss [bench.Class.Reach].
func tables(samples []sample) string {
	text := ""
	for _, classes := range [][]bench.Class{bench.Classes, append(slices.Clone(bench.MoreClasses), bench.Extensions...)} {
		if servers := serversOf(samples, classes); len(servers) > 0 {
			text += tableOf(samples, servers, classes) + "\n"
		}
	}
	return text
}

func tableOf(samples []sample, servers []string, classes []bench.Class) string {
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
		allocations := median(samples, first, class.Name, func(s sample) float64 { return s.allocations })
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

// mustReach is the ratio to nginx's rate that a class without [bench.Class.Reach] must reach.
const mustReach = 0.4

// thousands formats a number with commas.
func thousands(value float64) string { return humanize.Comma(int64(math.Round(value))) }

// digits formats a ratio with two decimals below 10, and as an integer above.
func digits(ratio float64) string {
	if ratio < 10 {
		return strconv.FormatFloat(ratio, 'f', 2, 64)
	}
	return thousands(ratio)
}

// The medians of each class count, allocations are those of the first server, and a class that misses its ratio to
// nginx is named.
func TestTables(t *testing.T) {
	samples := []sample{
		{"pubd", "lookup", 50000, 20, 0}, {"pubd", "lookup", 10000, 90, 8}, {"pubd", "lookup", 60000, 10, 0},
		{"old pubd", "lookup", 40000, 25, 0}, {"pubd", "within 2 km", 8000, 125, 0}, {"old pubd", "within 2 km", 8000, 125, 0},
		{"pubd", "min_total", 900.4, 125, 0}, {"nginx", "lookup", 50001, 20, 0}, {"PostgreSQL", "within 2 km", 80, 12500, 0},
	}
	const want = `| answers per second | pubd | CPU | allocations | old pubd | nginx | PostgreSQL |
|---|--:|--:|--:|--:|--:|--:|
| lookup | 50,000 | 20 µs | 0 | 40,000 (×1.25) | 50,001 (×1.00) | |
| within 2 km | 8,000 | 125 µs | 0 | 8,000 (×1.00) | | 80 (×100) |
| geometric mean | | | | ×1.12 | ×1.00 | ×100 |

**Missed**: lookup has 1.00 times nginx's rate, and must reach 1.00.

| answers per second | pubd | CPU | allocations |
|---|--:|--:|--:|
| min_total | 900 | 125 µs | 0 |

`
	if got := tables(samples); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
