// Command versus prints what `go test -bench . ./bench` measured as tables, with the medians of repeated measurements,
// and draws a chart. It reads the output of one or more runs from its standard input:
//
//	go test -bench . -count 5 ./bench | tee new.txt | go run ./bench/versus -chart new.svg
//
// The first line says what was measured where. Below, a class of requests is a row and a server a column: answers per
// second and, in brackets, the CPU time of an answer as a multiple of that of pubd. With -old, the benchmarks measure
// another pubd, too, which is the column old pubd. Below a table are the classes in which pubd does not reach the
// required share of nginx's rate; they do not change the exit code.
//
// Package bench decides what a table contains. benchstat compares two runs of the same benchmark; this compares
// servers within a run.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/perf/benchfmt"

	"pubd/bench"
)

func main() {
	chart := flag.String("chart", "", "also write a chart to this SVG `FILE`")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *chart); err != nil {
		fmt.Fprintln(os.Stderr, "versus:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, chart string) error {
	run, samples, err := read(in)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "%s\n\n%s", run, bench.Tables(samples)); err != nil || chart == "" {
		return err
	}
	return os.WriteFile(chart, []byte(bench.Chart(samples)), 0o644)
}

// benchmark matches the names of the benchmarks: a peer and a class. The last number is GOMAXPROCS.
var benchmark = regexp.MustCompile(`^(?:Pubd|Peers/([^/]+))/(.+?)(?:-\d+)?$`)

// read returns the samples of a benchmark's output, and the line that describes the run.
func read(in io.Reader) (run string, samples []bench.Sample, err error) {
	names := map[string]string{}
	for _, class := range append(bench.AllClasses(), bench.Extensions...) {
		names[strings.ReplaceAll(class.Name, " ", "_")] = class.Name
	}
	reader := benchfmt.NewReader(in, "standard input")
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return "", nil, r
		case *benchfmt.Result:
			parts := benchmark.FindStringSubmatch(string(r.Name))
			if parts == nil || names[parts[2]] == "" {
				continue
			}
			run = r.GetConfig("run")
			sample := func(server, prefix string) {
				s := bench.Sample{Server: server, Class: names[parts[2]]}
				s.Allocations, _ = r.Value(prefix + "allocs/op")
				s.CPU, _ = r.Value(prefix + "cpu-µs/op")
				var ok bool
				if s.Rate, ok = r.Value(prefix + "answers/s"); ok {
					samples = append(samples, s)
				}
			}
			sample(cmp.Or(parts[1], "pubd"), "")
			sample("old pubd", "old-")
		}
	}
	if err := reader.Err(); err != nil {
		return "", nil, err
	}
	if len(samples) == 0 {
		return "", nil, errors.New("no benchmark in the input: pipe the output of go test -bench . ./bench into this")
	}
	return run, samples, nil
}
