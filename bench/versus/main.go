// Command versus measures pubd beside nginx sending the same bytes, and beside what a user would pick instead.
//
// It needs two cores, one for the servers and one for the load, and wrk; nginx, PostgreSQL with PostGIS and Redis are
// measured where they are installed. Everything listens on loopback or in a temporary directory and ends with it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type commands struct {
	Compare compareCommand `cmd:"" default:"withargs" help:"Measure and write versus.md and versus.svg (the default command)."`
	Plain   plainCommand   `cmd:"" hidden:"" help:"Serve a directory the plain way."`
}

// terminal is where a command writes.
type terminal struct{ out, err io.Writer }

// run runs the program and gives its exit code: 1 for an error, 2 for a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	exited := -1
	var cli commands
	parser, err := kong.New(&cli, kong.Name("versus"), kong.Description("pubd beside nginx and what a user would pick instead."),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(terminal{stdout, stderr}))
	if err != nil {
		fmt.Fprintln(stderr, "versus:", err)
		return 1
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "versus: %v (--help lists the flags)\n", err)
		return 2
	}
	if err := parsed.Run(); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted: nothing was written")
		}
		fmt.Fprintln(stderr, "versus:", err)
		return 1
	}
	return 0
}
