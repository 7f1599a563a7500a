package main

import (
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"

	"pubd/cmd/pubd/cli"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help says how to load the script.
func (c *completionCommand) Help() string {
	return `bash: source <(pubd completion bash), in ~/.bashrc to keep it.

zsh: source <(pubd completion zsh), in ~/.zshrc after compinit.

fish: pubd completion fish > ~/.config/fish/completions/pubd.fish`
}

// Run writes the script, which starts the program at each press of the Tab key.
func (c *completionCommand) Run(ctx *kong.Context) error {
	if err := (&kongcompletion.Completion{Shell: c.Shell, Code: true}).Run(ctx); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// completions writes the completions of the command line in COMP_LINE, as shells ask for them.
func completions(parser *kong.Kong, stdout, stderr io.Writer) int {
	command, err := kongcompletion.Command(parser, kongcompletion.WithPredictor("file", complete.PredictFunc(filesOf)))
	if err != nil {
		fmt.Fprintln(stderr, "pubd:", err)
		return cli.ExitError
	}
	// Without a command, it is the default one.
	command.Flags = command.Sub["serve"].GlobalFlags
	publish := command.Sub["publish"]
	publish.Flags = publish.Sub["snapshot"].GlobalFlags
	command.Sub["publish"] = publish
	completion := complete.New(parser.Model.Name, command)
	completion.Out = stdout
	completion.Complete()
	return cli.ExitOK
}

// filesOf returns the files that a word may mean. Shells with COMP_POINT, bash and zsh, complete files themselves if
// the program names none, and quote them.
func filesOf(a complete.Args) []string {
	if os.Getenv("COMP_POINT") != "" {
		return nil
	}
	return complete.PredictFiles("*").Predict(a)
}
