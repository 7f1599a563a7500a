// Command pubd serves a pub directory from memory.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"pubd/cmd/pubd/hangup"
	"pubd/loader"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// The exit codes of the program.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// commands is the command line. Every flag except --help and --version is also an environment variable: --max-unpaged is PUBD_MAX_UNPAGED.
type commands struct {
	Serve      serveCommand      `cmd:"" default:"withargs" help:"Serve a snapshot over HTTP (the default command)."`
	Check      checkCommand      `cmd:"" help:"Read snapshots as serve would, and report."`
	Diff       diffCommand       `cmd:"" help:"Compare two snapshots; exit with 1 when they differ, 2 on an error."`
	Import     importCommand     `cmd:"" help:"Convert a published list of pubs to a snapshot."`
	Keys       keysCommand       `cmd:"" help:"Create, revoke and list API keys."`
	Sample     sampleCommand     `cmd:"" help:"Write a synthetic directory as CSV."`
	Build      buildCommand      `cmd:"" help:"Build the index file of a snapshot, which serve opens instantly."`
	Inspect    inspectCommand    `cmd:"" help:"Check an index file and show what is in it."`
	Publish    publishCommand    `cmd:"" help:"Publish a snapshot for replicas, to a directory or a bucket."`
	Completion completionCommand `cmd:"" help:"Print a script that completes commands, flags and values in a shell."`
	Version    versionCommand    `cmd:"" help:"Print version, commit and Go version."`

	Builder builderCommand `cmd:"" hidden:"" help:"Build a snapshot for the server that starts this process."`

	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version, as the command version does."`
}

// terminal is where a command writes.
type terminal struct{ out, err io.Writer }

const description = `An in-memory index server for a pub directory.

pubd alone serves an embedded sample on http://127.0.0.1:8080 with the key demo.`

// run runs the program and returns its exit code. The end of the context acts like SIGTERM.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	exited := -1
	var cli commands
	parser, err := kong.New(&cli, kong.Name("pubd"), kong.Description(description), kong.DefaultEnvars("PUBD"),
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{"version": readBuild().String()},
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(terminal{stdout, stderr}))
	if err != nil {
		fmt.Fprintln(stderr, "pubd:", err)
		return exitError
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "pubd: %s (pubd --help lists commands and flags)\n", visible(err))
		return exitUsage
	}
	if parsed.Selected().Name != "serve" {
		hangup.Restore()
	}
	switch err := parsed.Run(parser.Model); {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitError
	case errors.Is(err, errTrouble):
		return exitTrouble
	default:
		fmt.Fprintln(stderr, "pubd:", visible(err))
		return exitError
	}
}

// visible returns an error for a terminal, line by line.
func visible(err error) string {
	text := err.Error()
	if path := new(fs.PathError); errors.As(err, &path) {
		text = strings.ReplaceAll(text, path.Path, loader.Visible(path.Path)) // it may contain a line break
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = loader.Visible(line)
	}
	return strings.Join(lines, "\n")
}

// errReported is an error that has already been printed.
var errReported = errors.New("reported")

// now returns the time in UTC to the second, as in files and reports.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
