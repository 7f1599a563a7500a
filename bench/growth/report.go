package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pubd/bench/stage"
)

// A report is all that was measured, by ascending size.
type report struct {
	machine stage.Machine
	pinned  bool
	sizes   []int
	servers []figures
	classes []class
}

// What is promised of the largest size, which is compared with the common one.
const (
	largest, common = 1_000_000, 50_000

	mostReady    = 20 * time.Second
	mostResident = 1_500_000_000 // bytes
	leastRate    = 0.5           // of the rate at the common size
	leastLookup  = 0.9           // of that; what is less is more than the noise of machines
)

// markdown is the report as it is kept.
func (r *report) markdown() string {
	var b strings.Builder
	cores := "Servers and load shared the cores."
	if r.pinned {
		cores = "The servers had one core, the load another."
	}
	m := r.machine
	fmt.Fprintf(&b, "# How pubd grows\n\n%s, commit %s, %s, %d cores, Linux %s, %s. %s\n\n", m.Date.Format(time.DateOnly), m.Commit, m.CPU, m.Cores,
		m.Kernel, m.Go, cores)
	b.WriteString("![](growth.svg)\n\n")
	r.writeServers(&b)
	fmt.Fprintf(&b, "\nAnswers a second over %d kept connections, and the processor time of the server for one.\n\n", connections)
	r.writeClasses(&b)
	if targets := r.targets(); len(targets) > 0 {
		fmt.Fprintf(&b, "\nAt %s pubs:\n\n", number(largest))
		for _, target := range targets {
			fmt.Fprintf(&b, "- %s\n", target)
		}
	}
	return b.String()
}

func (r *report) writeServers(b *strings.Builder) {
	writeRow(b, "pubs", "ready", "resident", "bytes a pub", "at most while loading", "resident after the requests")
	writeRow(b, "--:", "--:", "--:", "--:", "--:", "--:")
	for i, s := range r.servers {
		writeRow(b, number(r.sizes[i]), seconds(s.ready), megabytes(s.once.resident), number(int(s.once.resident)/r.sizes[i]),
			megabytes(s.once.peak), megabytes(s.after.resident))
	}
}

func (r *report) writeClasses(b *strings.Builder) {
	head, line := []string{"requests"}, []string{"---"}
	for _, size := range r.sizes {
		head, line = append(head, number(size)), append(line, "--:")
	}
	compared := slices.Contains(r.sizes, common) && slices.Contains(r.sizes, largest)
	if compared {
		head, line = append(head, fmt.Sprintf("%s of %s", number(largest), number(common))), append(line, "--:")
	}
	head, line = append(head, "bytes an answer"), append(line, "--:")
	writeRow(b, head...)
	writeRow(b, line...)
	for _, c := range r.classes {
		row := []string{c.name}
		for i := range r.sizes {
			row = append(row, fmt.Sprintf("%s (%s)", number(int(c.rates[i])), microseconds(c.costs[i])))
		}
		if compared {
			row = append(row, percent(r.kept(c)))
		}
		smallest, greatest := slices.Min(c.answers), slices.Max(c.answers)
		writeRow(b, append(row, fmt.Sprintf("%s–%s", number(int(smallest)), number(int(greatest))))...)
	}
}

// kept is the part of its rate at the common size that a class has at the largest.
func (r *report) kept(c class) float64 {
	return c.rates[slices.Index(r.sizes, largest)] / c.rates[slices.Index(r.sizes, common)]
}

// targets says of each promise whether it holds; nothing where its sizes were not measured.
func (r *report) targets() (lines []string) {
	at := slices.Index(r.sizes, largest)
	if at < 0 {
		return nil
	}
	add := func(met bool, format string, values ...any) {
		lines = append(lines, map[bool]string{true: "met: ", false: "**missed**: "}[met]+fmt.Sprintf(format, values...))
	}
	s := r.servers[at]
	add(s.ready <= mostReady, "ready within %v: %s", mostReady, seconds(s.ready))
	add(s.once.resident < mostResident, "less than %s resident once ready: %s", megabytes(mostResident), megabytes(s.once.resident))
	if !slices.Contains(r.sizes, common) {
		return lines
	}
	for _, c := range r.classes {
		least := leastRate
		if c.name == "lookup" {
			least = leastLookup
		}
		add(r.kept(c) >= least, "%s at %s or more of the rate at %s: %s", c.name, percent(least), number(common), percent(r.kept(c)))
	}
	return lines
}

func writeRow(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// number writes a number with commas.
func number(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func microseconds(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d)/1e3) }

func megabytes(bytes int64) string { return number(int(bytes/1e6)) + " MB" }

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
