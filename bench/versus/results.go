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

// results has samples by class, contender and round: answers per second, and the server's CPU time per answer in nanoseconds. The first
// contender is compared with the last.
type results struct {
	classes     []bench.Class
	contenders  []*contender
	rates, cpus [][][]float64
}

// measure loads the contenders in turn, class by class and round by round, so that other work of the machine affects all of them. A wrong
// answer is an error, as it makes the rate meaningless.
func measure(ctx context.Context, log io.Writer, classes []bench.Class, contenders []*contender, rounds int, window time.Duration) (*results, error) {
	r := &results{classes: classes, contenders: contenders}
	for range classes {
		r.rates, r.cpus = append(r.rates, make([][]float64, len(contenders))), append(r.cpus, make([][]float64, len(contenders)))
	}
	for round := range rounds {
		for class := range classes {
			for i, c := range contenders {
				before := stage.ProcessorTime(c.process.ID())
				l := *c.loads[class]
				l.Duration, l.Connections = window, 32
				got := l.Send(ctx)
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				if got.Failed() > 0 || got.Sent() == 0 {
					return nil, fmt.Errorf("%s: %s: got %v, want answers and no failure", c.name, classes[class].Name, got)
				}
				used := stage.ProcessorTime(c.process.ID()) - before
				c.process.AwaitIdle(ctx)
				r.rates[class][i] = append(r.rates[class][i], got.Rate())
				r.cpus[class][i] = append(r.cpus[class][i], float64(used)/float64(got.Sent()))
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
			for round, rate := range r.rates[class][i] {
				cpu := r.cpus[class][i][round]
				fmt.Fprintf(&b, "%s/class=%s/server=%s 1 %.0f answers/s %.0f cpu-ns/answer\n", name, word(of.Name), word(c.name), rate, cpu)
			}
		}
	}
	return b.String()
}

// save writes the samples to path.txt, a text to path.md and a chart of the medians to path.svg, and creates their directory.
func (r *results) save(path, samples, text string) error {
	bars := chart.Bars{Title: "Responses per second on one core", Unit: "responses per second"}
	for _, class := range r.classes {
		bars.Labels = append(bars.Labels, class.Name)
	}
	for i, c := range r.contenders {
		series := chart.Series{Name: c.name}
		for class := range r.classes {
			series.Values = append(series.Values, bench.Median(r.rates[class][i]))
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
