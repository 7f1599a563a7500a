// Command growth measures how pubd grows with its directory: time until it is ready, memory, and the rate of each class
// of requests.
//
// It starts a server for each size, all on loopback, and asks them in turn, so that what else the machine does
// meanwhile falls on all of them. The servers share one core and the load has another where taskset is installed.
// Processes and temporary files end with it, also when it is interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pubd/bench/stage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		stop()
		os.Exit(1)
	}
}

// A plan is what is measured, and for how long.
type plan struct {
	sizes  []int
	rounds int
	window time.Duration // a class and size in a round
	out    string        // directory of the results
	limit  time.Duration // of everything
}

func parse(args []string, stderr io.Writer) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	flags.SetOutput(stderr)
	sizes := flags.String("sizes", "10000,50000,200000,1000000", "numbers of pubs")
	flags.IntVar(&p.rounds, "rounds", 5, "rounds, of which the median counts")
	flags.DurationVar(&p.window, "window", 200*time.Millisecond, "time for a class and size in a round")
	flags.StringVar(&p.out, "out", "bench/results", "directory of growth.md and growth.svg")
	flags.DurationVar(&p.limit, "limit", 20*time.Minute, "time for everything")
	if err := flags.Parse(args); err != nil {
		return plan{}, err
	}
	for field := range strings.SplitSeq(*sizes, ",") {
		size, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || size < 1 {
			return plan{}, fmt.Errorf("-sizes %q: must be numbers of pubs with commas between", *sizes)
		}
		p.sizes = append(p.sizes, size)
	}
	slices.Sort(p.sizes)
	p.sizes = slices.Compact(p.sizes)
	if p.rounds < 1 || p.window <= 0 {
		return plan{}, fmt.Errorf("-rounds %d, -window %v: must be more than 0", p.rounds, p.window)
	}
	return p, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	p, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, p.limit, fmt.Errorf("not done after %v: give it more with -limit", p.limit))
	defer cancel()
	scratch, err := os.MkdirTemp("", "growth")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	program, err := stage.BuildPubd(ctx, scratch)
	if err != nil {
		return err
	}
	r := report{sizes: p.sizes, machine: stage.ReadMachine(ctx)}
	var servers []*server
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	for _, size := range p.sizes {
		fmt.Fprintf(out, "%d pubs: starting\n", size)
		s, err := start(ctx, program, scratch, size)
		if s != nil {
			servers = append(servers, s)
		}
		if err != nil {
			return fmt.Errorf("%d pubs: %w", size, err)
		}
	}
	if r.pinned, err = pin(ctx, servers); err != nil {
		return err
	}
	if r.classes, err = measure(ctx, p, servers, out); err != nil {
		return err
	}
	for _, s := range servers {
		if s.after, err = readMemory(s.cmd.Process.Pid); err != nil {
			return err
		}
		r.servers = append(r.servers, s.figures)
	}
	text := r.markdown()
	if err := os.MkdirAll(p.out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.out, "growth.md"), []byte(text), 0o644); err != nil {
		return err
	}
	if err := r.draw(filepath.Join(p.out, "growth.svg")); err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}
