// Pubd is an in-memory index server for a pub directory.
//
//	pubd [serve] [SOURCE]     serve a snapshot, an index file or a manifest; without one, a sample
//	pubd check, import        find mistakes, convert published lists
//	pubd build, inspect       make an index file, look into one
//	pubd publish              publish snapshots for a fleet of replicas
//	pubd keys                 add, rotate, revoke and list API keys; pubd help lists the rest
//
// Each command is a type with a method Run, in the folder of its group. Serve starts a feed of data and a poller of
// keys: each new state of the data becomes an arrangement, which the service swaps in. Package wire serves the API,
// package ops the admin address. The server builds no index itself: the hidden command builder does, in a process of
// its own, whose memory is freed when it ends. SIGHUP loads data and keys again; SIGTERM and SIGINT let requests under
// way finish.
//
// Flags of serve are also environment variables, PUBD_ and their names. The exit code is 1 for an error and 2 for a
// wrong command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	_ "time/tzdata" // a container may have no time zones

	"github.com/alecthomas/kong"

	"pubd/cmd/pubd/cli"
	"pubd/cmd/pubd/hangup"
	"pubd/cmd/pubd/keys"
	"pubd/cmd/pubd/lists"
	"pubd/cmd/pubd/publish"
	"pubd/cmd/pubd/serve"
	"pubd/index/text"
)

// While a server runs, the main thread runs main alone, which waits: the kernel gives it SIGTERM, and one that hangs in
// an access to a disk would not pass it on.
func init() { runtime.LockOSThread() }

func main() {
	cli.Version = version
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// commands is the command line. Every flag of serve is also an environment variable: --max-unpaged is
// PUBD_MAX_UNPAGED.
type commands struct {
	Serve      serve.Command     `cmd:"" default:"withargs" help:"Serve a snapshot over HTTP (the default command)."`
	Check      lists.Check       `cmd:"" help:"Read snapshots as serve would, and report."`
	Import     lists.Import      `cmd:"" help:"Convert a published list of pubs to a snapshot."`
	Places     lists.Places      `cmd:"" help:"Make a gazetteer of GeoNames' dump of a country."`
	Keys       keys.Command      `cmd:"" help:"Add, rotate, revoke and list API keys."`
	Sample     sampleCommand     `cmd:"" help:"Write a synthetic directory as CSV."`
	Build      serve.Build       `cmd:"" help:"Build the index file of a snapshot, which serve opens instantly."`
	Inspect    lists.Inspect     `cmd:"" help:"Check an index file and show what is in it."`
	Publish    publish.Command   `cmd:"" help:"Publish a snapshot for replicas, to a directory or a bucket."`
	Completion completionCommand `cmd:"" help:"Print a script that completes commands, flags and values in a shell."`
	Version    versionCommand    `cmd:"" help:"Print version, commit and Go version."`

	Builder serve.Builder `cmd:"" hidden:"" help:"Build a snapshot for the server that starts this process."`

	ShowVersion kong.VersionFlag `name:"version" short:"v" help:"Print the version, as the command version does."`
}

const description = `An in-memory index server for a pub directory.

pubd alone serves an embedded sample on http://127.0.0.1:8080 with the key demo.`

// run runs the program and returns its exit code. The end of the context acts like SIGTERM.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	exited := -1
	var line commands
	parser, err := kong.New(&line, kong.Name("pubd"), kong.Description(description), kong.PostBuild(nameVariables), serve.Groups,
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { exited = code }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{"version": cli.ThisRelease().String()},
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(cli.Terminal{Out: stdout, Err: stderr}))
	if err != nil {
		fmt.Fprintln(stderr, "pubd:", err)
		return cli.ExitError
	}
	if os.Getenv("COMP_LINE") != "" {
		return completions(parser, stdout, stderr)
	}
	args, err = lead(parser.Model, args)
	if err != nil {
		fmt.Fprintln(stderr, "pubd:", cli.Visible(err))
		return cli.ExitUsage
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "pubd: %s (pubd --help lists commands and flags)\n", cli.Visible(err))
		return cli.ExitUsage
	}
	if parsed.Selected().Name != "serve" {
		hangup.Restore()
		runtime.UnlockOSThread()
	}
	switch err := parsed.Run(parser.Model); {
	case err == nil:
		return cli.ExitOK
	case errors.Is(err, cli.ErrReported):
		return cli.ExitError
	default:
		fmt.Fprintln(stderr, "pubd:", cli.Visible(err))
		return cli.ExitError
	}
}

// nameVariables gives each flag of serve its environment variable. Other commands take none, so that a variable meant
// for a server does not change what they do.
func nameVariables(k *kong.Kong) error {
	for _, flag := range commandOf(k.Model, "serve").Flags {
		flag.Envs = []string{"PUBD_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))}
		flag.Tag.Envs = flag.Envs
	}
	return nil
}

// commandOf returns the command with a name; nil if there is none.
func commandOf(app *kong.Application, name string) *kong.Node {
	for _, command := range app.Children {
		if command.Name == name {
			return command
		}
	}
	return nil
}

// lead returns the arguments with help in the form of --help. It is an error if the first one is neither a flag, a
// command nor, for serve, a file.
func lead(app *kong.Application, args []string) ([]string, error) {
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], "./") || commandOf(app, args[0]) != nil {
		return args, nil
	}
	nearest, least := "", 3
	for _, command := range app.Children {
		if edits := text.Edits(args[0], command.Name); !command.Hidden && edits < least {
			nearest, least = command.Name, edits
		}
	}
	if nearest != "" {
		return nil, fmt.Errorf("%s: is not a command: did you mean pubd %s? (pubd help lists the commands)", args[0], nearest)
	}
	return nil, fmt.Errorf("%s: is not a command (pubd help lists them)", args[0])
}
