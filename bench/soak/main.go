// Command soak proves what pubd promises under load, faults and bad input: each row of its table is a stimulus and the
// figure that pubd must reach. It builds pubd and runs it on loopback and in a temporary directory; everything ends with
// it. A row that needs another program names it and how to install it where it is missing.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"pubd/bench/stage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type command struct {
	Rows    []string      `arg:"" optional:"" help:"Which rows, by name; all without any."`
	Data    string        `placeholder:"FILE" help:"The snapshot; a made-up directory of 51,566 pubs without it."`
	Short   bool          `help:"Run the short forms, as go test does."`
	List    bool          `help:"Name the rows and end."`
	Out     string        `placeholder:"DIR" help:"Where rows of reliability.md are replaced and fuzz.csv is added to, such as bench/results; neither without it."`
	Fuzz    time.Duration `default:"1m" help:"How long each fuzz target runs (${default})."`
	Targets string        `placeholder:"EXPRESSION" help:"Which fuzz targets, such as 'JSON|CSV'; all without it."`
}

// run runs the program and gives its exit code: 0 when all rows passed, 1 when one did not or could not be run, 2 for a
// wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	exited := -1
	var c command
	parser, err := kong.New(&c, kong.Name("soak"), kong.Description("pubd under load, faults and bad input."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	_, err = parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	var chosen []row
	if err == nil {
		chosen, err = choose(c.Rows)
	}
	if err != nil {
		fmt.Fprintf(stderr, "soak: %v (--help lists the flags, --list the rows)\n", err)
		return 2
	}
	if c.List {
		for _, row := range chosen {
			fmt.Fprintf(stdout, "%-4s %s: %s\n", row.name, row.stimulus, row.passes)
		}
		return 0
	}
	passed, err := c.soak(ctx, chosen, stdout, stderr)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(stderr, "soak:", err)
	}
	if !passed || err != nil {
		return 1
	}
	return 0
}

// soak runs the timed rows one after the other, then the others two at a time, since they wait more than they work. It
// reports, also of those before an interruption. A row that cannot be run has not passed; what the machine cannot tell is
// not held against pubd.
func (c *command) soak(ctx context.Context, chosen []row, stdout, stderr io.Writer) (passed bool, err error) {
	r := report{Machine: stage.ReadMachine(ctx), Short: c.Short}
	b, err := newBed(ctx, c.Data, c.Short, stderr)
	if err != nil {
		return false, err
	}
	defer b.close()
	b.fuzzing, b.targets, b.out = c.Fuzz, c.Targets, c.Out
	results := make([]result, len(chosen))
	run := func(i int) {
		fmt.Fprintf(stderr, "%s: %s\n", chosen[i].name, chosen[i].stimulus)
		stop := tick(stderr, chosen[i].name)
		outcome, err := chosen[i].attempt(ctx, b)
		stop()
		if ctx.Err() == nil {
			results[i] = resultOf(chosen[i], outcome, err)
			fmt.Fprintf(stderr, "%s: %s: %s\n", chosen[i].name, results[i].Verdict, results[i].Figure)
		}
	}
	timed := func(want bool) (places []int) {
		for i, row := range chosen {
			if row.timed == want {
				places = append(places, i)
			}
		}
		return places
	}
	release, how := keepAwake()
	r.Attended = how
	inLanes(ctx, 1, timed(true), run) // first, so that the machine need not be left alone for all of it
	release()
	inLanes(ctx, 2, timed(false), run)
	passed = true
	for _, result := range results {
		if result.Verdict != "" { // or it was interrupted
			r.Rows = append(r.Rows, result)
			passed = passed && (result.Verdict == verdictPassed || result.Verdict == verdictUndecided)
		}
	}
	var text strings.Builder
	r.writeMarkdown(&text, "")
	fmt.Fprint(stdout, text.String())
	if c.Out != "" {
		err = r.keep(filepath.Join(c.Out, "reliability.md"))
	}
	return passed, errors.Join(ctx.Err(), err)
}

// inLanes runs for each of them, so many at a time, until ctx is done.
func inLanes(ctx context.Context, lanes int, all []int, run func(int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range lanes {
		wait.Go(func() {
			for i := range next {
				if ctx.Err() == nil {
					run(i)
				}
			}
		})
	}
	for _, i := range all {
		next <- i
	}
	close(next)
	wait.Wait()
}

// tick tells every minute that a row goes on, until stop is called.
func tick(w io.Writer, name string) (stop func()) {
	done, begun := make(chan struct{}), time.Now()
	var wait sync.WaitGroup
	wait.Go(func() {
		minute := time.NewTicker(time.Minute)
		defer minute.Stop()
		for {
			select {
			case <-done:
				return
			case <-minute.C:
				fmt.Fprintf(w, "%s: %v\n", name, time.Since(begun).Round(time.Second))
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}
