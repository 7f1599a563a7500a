// Command growth measures how pubd grows with its directory: time until it is ready, memory, and the rate of each class of requests.
// It prints samples that benchstat compares, and writes them, a table and a chart.
//
// It starts a server for each size, on loopback, and asks them in turn. It needs two cores, one for the servers and one for the load.
// Processes and temporary files end with it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"pubd/bench"
	"pubd/bench/compare"
	"pubd/bench/stage"
	"pubd/loader"
)

type command struct {
	Sizes  []int         `default:"10000,50000,200000,1000000" placeholder:"N,..." help:"Numbers of pubs (${default})."`
	Rounds int           `default:"5" help:"How often everything is measured (${default}); the median counts."`
	Window time.Duration `default:"200ms" help:"How long each server has load, by round and class (${default})."`
	Out    string        `default:"bench/results" placeholder:"DIR" help:"Where growth.md, growth.svg and growth.txt are written (${default})."`
}

func main() {
	var c command
	kong.Parse(&c, kong.Description("How pubd grows with its directory."))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	err := c.run(ctx, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// A size is what a server of a directory takes, in bytes and time.
type size struct {
	pubs                  int
	ready                 time.Duration // from the start of the process
	resident, peak, after int64         // once ready, at most until then, and after all requests
}

func (c *command) run(ctx context.Context, stdout, stderr io.Writer) error {
	if len(c.Sizes) == 0 || slices.Min(c.Sizes) < 1 || c.Rounds < 1 || c.Window <= 0 {
		return fmt.Errorf("--sizes %v, --rounds %d, --window %v: must be more than 0", c.Sizes, c.Rounds, c.Window)
	}
	dir, err := os.MkdirTemp("", "growth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := stage.BuildPubd(ctx, dir)
	if err != nil {
		return err
	}
	slices.Sort(c.Sizes)
	var sizes []size
	var contenders []*compare.Contender
	classes, names := bench.AllClasses(), []string{}
	for _, class := range classes {
		names = append(names, class.Name)
	}
	for _, pubs := range slices.Compact(c.Sizes) {
		fmt.Fprintf(stderr, "%d pubs: starting\n", pubs)
		file := filepath.Join(dir, fmt.Sprint(pubs, ".csv"))
		if err := bench.WriteDirectory(file, pubs); err != nil {
			return err
		}
		loaded, err := loader.LoadFile(file, loader.Options{})
		if err != nil {
			return err
		}
		server, err := stage.NewServer(file)
		if err != nil {
			return err
		}
		begun := time.Now()
		if err := server.Start(ctx, nil, program, "--access-log", "off"); err != nil {
			return err
		}
		defer server.Stop()
		s := size{pubs: pubs, ready: time.Since(begun)}
		time.Sleep(time.Second) // until it rests
		s.resident, err = stage.Memory(server.ID(), "VmRSS")
		if err == nil {
			s.peak, err = stage.Memory(server.ID(), "VmHWM")
		}
		if err != nil {
			return err
		}
		if err := compare.MoveToServerCore(server.ID()); err != nil {
			return err
		}
		requests := bench.Requests(loaded.Directory.Pubs)
		var queries [][]string
		for _, class := range classes {
			queries = append(queries, requests[class.Name])
		}
		loads, _, err := compare.Prepare(server.API, "demo", "", classes, queries)
		if err != nil {
			return err
		}
		sizes = append(sizes, s)
		contenders = append(contenders, &compare.Contender{Name: compare.Number(float64(pubs)) + " pubs", Process: server.Process, Rate: compare.HTTP(loads)})
	}
	if err := compare.TakeLoadCore(); err != nil {
		return err
	}
	r, err := compare.Measure(ctx, stderr, "Growth", names, contenders, c.Rounds, c.Window)
	if err != nil {
		return err
	}
	for i := range sizes {
		if sizes[i].after, err = stage.Memory(contenders[i].Process.ID(), "VmRSS"); err != nil {
			return err
		}
	}
	m := stage.ReadMachine(ctx)
	text := markdown(sizes, r, m)
	fmt.Fprint(stderr, text)
	r.WriteBenchmarks(stdout, m)
	return r.Save(c.Out, text, m)
}

// markdown returns the report for people.
func markdown(sizes []size, r *compare.Results, m stage.Machine) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# How pubd grows\n\n%s The servers had one core, the load another.\n\n![](growth.svg)\n\n", m)
	b.WriteString("| pubs | ready | resident | bytes a pub | at most until then | resident after the requests |\n|--:|--:|--:|--:|--:|--:|\n")
	for _, s := range sizes {
		fmt.Fprintf(&b, "| %s | %.2f s | %d MB | %d | %d MB | %d MB |\n", compare.Number(float64(s.pubs)), s.ready.Seconds(), s.resident/1e6, s.resident/int64(s.pubs), s.peak/1e6, s.after/1e6)
	}
	b.WriteString("\nAnswers a second over 32 kept connections, every body checked, and the processor time of the server for one.\n\n| class |")
	for _, name := range r.Contenders {
		fmt.Fprintf(&b, " %s |", name)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("--:|", len(r.Contenders)))
	for class, name := range r.Classes {
		fmt.Fprintf(&b, "| %s |", name)
		for i := range r.Contenders {
			fmt.Fprintf(&b, " %s (%.1f µs) |", compare.Number(r.Median(class, i)), float64(r.CPU(class, i))/1e3)
		}
		b.WriteString("\n")
	}
	return b.String()
}
