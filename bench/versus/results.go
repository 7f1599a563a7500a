package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pubd/bench"
	"pubd/bench/chart"
	"pubd/bench/stage"
)

// A sample is what one class took in one round: answers per second, and the server's CPU time per answer in nanoseconds.
type sample struct{ rate, cpu float64 }

// results has samples by class, contender and round. The first contender is compared with the last.
type results struct {
	classes    []string
	contenders []*contender
	samples    [][][]sample
}

// measure loads the contenders in turn, class by class and round by round, so that other work of the machine affects all of them. A wrong
// answer is an error, as it makes the rate meaningless.
func measure(ctx context.Context, log io.Writer, classes []bench.Class, contenders []*contender, rounds int, window time.Duration) (*results, error) {
	r := &results{contenders: contenders}
	for _, class := range classes {
		r.classes = append(r.classes, class.Name)
		r.samples = append(r.samples, make([][]sample, len(contenders)))
	}
	for round := range rounds {
		for class, name := range r.classes {
			for i, c := range contenders {
				before := stage.ProcessorTime(c.process.ID())
				l := *c.loads[class]
				l.Duration, l.Connections = window, 32
				got := l.Send(ctx)
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if got.Failed() > 0 || got.Sent() == 0 {
					return nil, fmt.Errorf("%s: %s: got %v, want answers and no failure", c.name, name, got)
				}
				used := stage.ProcessorTime(c.process.ID()) - before
				c.process.AwaitIdle(ctx)
				r.samples[class][i] = append(r.samples[class][i], sample{got.Rate(), float64(used) / float64(got.Sent())})
			}
		}
		fmt.Fprintf(log, "round %d of %d\n", round+1, rounds)
	}
	return r, nil
}

// benchmarks returns the samples in Go's benchmark format, for benchstat -col /server.
func (r *results) benchmarks(suite string, m stage.Machine) string {
	var b strings.Builder
	name := "Benchmark" + strings.ToUpper(suite[:1]) + suite[1:]
	word := strings.NewReplacer(" ", "_", ",", "").Replace
	fmt.Fprintf(&b, "goos: linux\ncpu: %s\ncommit: %s\nUnit answers/s better=higher\nUnit cpu-ns/answer better=lower\n", m.CPU, m.Commit)
	for i, c := range r.contenders {
		if c.start != "" {
			fmt.Fprintf(&b, "BenchmarkStart/server=%s 1 %s\n", word(c.name), c.start)
		}
		for class, of := range r.classes {
			for _, s := range r.samples[class][i] {
				fmt.Fprintf(&b, "%s/class=%s/server=%s 1 %.0f answers/s %.0f cpu-ns/answer\n", name, word(of), word(c.name), s.rate, s.cpu)
			}
		}
	}
	return b.String()
}

// rate returns the median number of answers per second.
func (r *results) rate(class, contender int) float64 {
	return r.median(class, contender, func(s sample) float64 { return s.rate })
}

// cpu returns the server's median CPU time per answer, in nanoseconds.
func (r *results) cpu(class, contender int) float64 {
	return r.median(class, contender, func(s sample) float64 { return s.cpu })
}

func (r *results) median(class, contender int, of func(sample) float64) float64 {
	var values []float64
	for _, s := range r.samples[class][contender] {
		values = append(values, of(s))
	}
	return bench.Median(values)
}

// ratios returns the first contender's rates divided by another's in the same rounds.
func (r *results) ratios(class, contender int) (all []float64) {
	for round, s := range r.samples[class][contender] {
		all = append(all, r.samples[class][0][round].rate/s.rate)
	}
	return all
}

// save writes the samples to path.txt, a text to path.md and a chart of the medians to path.svg, and creates their directory.
func (r *results) save(path, samples, text string) error {
	bars := chart.Bars{Title: "Responses per second on one core", Unit: "responses per second", Labels: r.classes}
	for i, c := range r.contenders {
		series := chart.Series{Name: c.name}
		for class := range r.classes {
			series.Values = append(series.Values, r.rate(class, i))
		}
		bars.Series = append(bars.Series, series)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	for ending, content := range map[string]string{".txt": samples, ".md": text, ".svg": bars.SVG()} {
		if err := os.WriteFile(path+ending, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
