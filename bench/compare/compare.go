// Package compare measures servers in turn, class of requests by class and round by round, so that what else the machine does falls on
// all of them. It prints the samples as benchstat reads them, and the medians as a table and a chart.
package compare

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pubd/bench"
	"pubd/bench/chart"
	"pubd/bench/load"
	"pubd/bench/stage"
)

// The servers have one core, in turn, and the load another.
const serverCore, loadCore = "0", "1"

// OnServerCore is a command that runs the program behind it on the core of the servers.
var OnServerCore = []string{"taskset", "-c", serverCore, "env", "GOMAXPROCS=1"}

// TakeLoadCore moves this program to the core of the load.
func TakeLoadCore() error { return moveTo(loadCore, os.Getpid()) }

// MoveToServerCore moves a process to the core of the servers.
func MoveToServerCore(pid int) error { return moveTo(serverCore, pid) }

func moveTo(core string, pid int) error {
	said, err := exec.Command("taskset", "-acp", core, strconv.Itoa(pid)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s: it takes two cores, one for the servers and one for the load", err, said)
	}
	return nil
}

// A Contender is a server that is measured.
type Contender struct {
	Name    string
	Process *stage.Process
	// Rate puts load on the server for a while and returns the answers a second; NaN where the server cannot do what the class asks for.
	Rate func(ctx context.Context, class int, window time.Duration) (float64, error)
}

// HTTP returns the rate of a server for loads by class. An answer that is not right is an error: a rate that has such is worth nothing.
func HTTP(loads []*load.Load) func(context.Context, int, time.Duration) (float64, error) {
	return func(ctx context.Context, class int, window time.Duration) (float64, error) {
		l := *loads[class]
		l.Duration, l.Connections = window, 32
		got := l.Send(ctx)
		if got.Failed() > 0 || got.Sent() == 0 {
			return 0, fmt.Errorf("got %v, want answers and no failure", got)
		}
		return got.Rate(), nil
	}
}

// Prepare asks a server every query of each class once, with a key, and returns the loads on it by class, with the right answers; and the loads
// of a server of files, in a directory where it puts the bodies, unless that is empty.
func Prepare(address, key, dir string, classes []bench.Class, queries [][]string) (api, files []*load.Load, err error) {
	c := load.Conn{Address: address}
	defer c.Close()
	for i, class := range classes {
		right := &load.Snapshot{}
		toAPI, toFile := &load.Load{Address: address, Key: key}, &load.Load{Key: key}
		for _, query := range queries[i] {
			target := class.Path() + "?" + query
			answer, err := c.Ask(fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\n\r\n", target, key))
			if err != nil || answer.Status != 200 {
				return nil, nil, fmt.Errorf("%s: status %d, %v, want 200", target, answer.Status, err)
			}
			name := fmt.Sprintf("%016x", answer.Digest)
			if dir != "" {
				if err := os.WriteFile(filepath.Join(dir, name), c.Body(), 0o644); err != nil {
					return nil, nil, err
				}
			}
			right.ID = c.Snapshot()
			right.Answers = append(right.Answers, answer)
			toAPI.Targets, toFile.Targets = append(toAPI.Targets, target), append(toFile.Targets, "/"+name)
		}
		toAPI.Snapshots, toFile.Snapshots = []*load.Snapshot{right}, []*load.Snapshot{{Answers: right.Answers}}
		api, files = append(api, toAPI), append(files, toFile)
	}
	return api, files, nil
}

// A Sample is of one class in one round: answers a second, and the CPU time of the server for one.
type Sample struct {
	Rate float64
	CPU  time.Duration
}

// Results are samples by class, contender and round. The first contender is compared with the others.
type Results struct {
	Name                string // of the benchmark
	Classes, Contenders []string
	Samples             [][][]Sample
}

// Measure puts load on one contender after the other, for a while each, class by class and round by round.
func Measure(ctx context.Context, log io.Writer, name string, classes []string, contenders []*Contender, rounds int, window time.Duration) (*Results, error) {
	r := &Results{Name: name, Classes: classes}
	for _, c := range contenders {
		r.Contenders = append(r.Contenders, c.Name)
	}
	for range classes {
		r.Samples = append(r.Samples, make([][]Sample, len(contenders)))
	}
	for round := range rounds {
		for class, name := range classes {
			for i, c := range contenders {
				before := stage.ProcessorTime(c.Process.ID())
				rate, err := c.Rate(ctx, class, window)
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", c.Name, name, err)
				}
				used := stage.ProcessorTime(c.Process.ID()) - before
				c.Process.AwaitIdle(ctx)
				r.Samples[class][i] = append(r.Samples[class][i], Sample{rate, time.Duration(float64(used) / (rate * window.Seconds()))})
			}
		}
		fmt.Fprintf(log, "round %d of %d\n", round+1, rounds)
	}
	return r, nil
}

// WriteBenchmarks writes each sample as a line of Go's benchmarks, such as benchstat -col /server compares.
func (r *Results) WriteBenchmarks(w io.Writer, m stage.Machine) {
	fmt.Fprintf(w, "goos: linux\ncpu: %s\ncommit: %s\nUnit answers/s better=higher\nUnit cpu-ns/answer better=lower\n", m.CPU, m.Commit)
	for class, name := range r.Classes {
		for i, contender := range r.Contenders {
			for _, s := range r.Samples[class][i] {
				if !math.IsNaN(s.Rate) {
					fmt.Fprintf(w, "Benchmark%s/class=%s/server=%s 1 %.0f answers/s %d cpu-ns/answer\n", r.Name, word(name), word(contender), s.Rate, s.CPU)
				}
			}
		}
	}
}

// word returns a name as a benchmark may have it.
func word(name string) string { return strings.NewReplacer(" ", "_", ",", "").Replace(name) }

// Median is that of the answers a second.
func (r *Results) Median(class, contender int) float64 {
	var rates []float64
	for _, s := range r.Samples[class][contender] {
		rates = append(rates, s.Rate)
	}
	if slices.ContainsFunc(rates, math.IsNaN) {
		return math.NaN()
	}
	return bench.Median(rates)
}

// CPU returns the median CPU time of the server for an answer.
func (r *Results) CPU(class, contender int) time.Duration {
	var times []float64
	for _, s := range r.Samples[class][contender] {
		times = append(times, float64(s.CPU))
	}
	return time.Duration(bench.Median(times))
}

// Ratios returns the rates of the first contender divided by those of another in the same round, ascending.
func (r *Results) Ratios(class, contender int) (ratios []float64) {
	for round, s := range r.Samples[class][contender] {
		ratios = append(ratios, r.Samples[class][0][round].Rate/s.Rate)
	}
	slices.Sort(ratios)
	return ratios
}

// GeometricMean is that of the median ratios to a contender.
func (r *Results) GeometricMean(contender int) float64 {
	sum := 0.0
	for class := range r.Classes {
		sum += math.Log(bench.Median(r.Ratios(class, contender)))
	}
	return math.Exp(sum / float64(len(r.Classes)))
}

// Markdown returns a table of the medians: answers a second of each contender, and the first one's ratio to each other, from the least to the
// greatest of the rounds.
func (r *Results) Markdown() string {
	var b strings.Builder
	b.WriteString("| class |")
	for i, name := range r.Contenders {
		fmt.Fprintf(&b, " %s /s |", name)
		if i > 0 {
			fmt.Fprintf(&b, " ratio to %s |", name)
		}
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("--:|", 2*len(r.Contenders)-1))
	for class, name := range r.Classes {
		fmt.Fprintf(&b, "| %s |", name)
		for i := range r.Contenders {
			if math.IsNaN(r.Median(class, i)) {
				b.WriteString(" – | – |")
				continue
			}
			fmt.Fprintf(&b, " %s |", Number(r.Median(class, i)))
			if ratios := r.Ratios(class, i); i > 0 {
				fmt.Fprintf(&b, " %s – **%s** – %s |", ratio(ratios[0]), ratio(bench.Median(ratios)), ratio(ratios[len(ratios)-1]))
			}
		}
		b.WriteString("\n")
	}
	if len(r.Contenders) > 1 {
		b.WriteString("| geometric mean | |")
		for i := range r.Contenders[1:] {
			fmt.Fprintf(&b, " | %s |", ratio(r.GeometricMean(i+1)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Save writes the samples as NAME.txt, a text as NAME.md and a chart of the medians as NAME.svg into a directory, which is made.
func (r *Results) Save(dir, text string, m stage.Machine) error {
	name := filepath.Join(dir, strings.ToLower(r.Name))
	bars := chart.Bars{Title: "Answers a second on one core", Unit: "answers a second, logarithmic", Log: true, Labels: r.Classes}
	for i, contender := range r.Contenders {
		series := chart.Series{Name: contender}
		for class := range r.Classes {
			series.Values = append(series.Values, r.Median(class, i))
		}
		bars.Series = append(bars.Series, series)
	}
	var samples, svg strings.Builder
	r.WriteBenchmarks(&samples, m)
	if err := bars.WriteSVG(&svg); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for ending, content := range map[string]string{".txt": samples.String(), ".md": text, ".svg": svg.String()} {
		if err := os.WriteFile(name+ending, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Number returns a whole number with commas between its thousands.
func Number(value float64) string {
	digits := strconv.FormatFloat(value, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// ratio has two decimals below ten.
func ratio(value float64) string {
	if value < 10 {
		return strconv.FormatFloat(value, 'f', 2, 64)
	}
	return Number(value)
}
