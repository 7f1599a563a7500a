package main

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"
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

//go:embed completions
var completions embed.FS

// Run writes the script, which is generated from the commands and flags of the program. It needs no library: those for kong (kongplete,
// kong-completion) run the program at each key press and have no descriptions in zsh or fish.
func (c *completionCommand) Run(t terminal, app *kong.Application) error {
	file := "pubd." + c.Shell
	script, err := template.New(file).Funcs(template.FuncMap{"join": strings.Join, "file": takesFile, "zsh": quotedForZsh, "fish": quotedForFish}).
		ParseFS(completions, "completions/"+file)
	if err != nil {
		return err
	}
	words := appendCompletable(nil, app.Node)
	if err := script.Execute(t.out, map[string]any{"Commands": words, "Valued": valuedFlags(words)}); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// A completable is a command, or the program itself, with what can follow it.
type completable struct {
	Path     string // the words after pubd, such as "keys add"; empty for the program itself
	Commands []*kong.Node
	Flags    []*kong.Flag // including those of its parents
	Values   []string     // of its argument, if it is an enumeration
	Files    bool         // it takes files
}

// appendCompletable adds a command and its subcommands.
func appendCompletable(all []completable, node *kong.Node) []completable {
	c := completable{Path: node.Path()}
	if node.DefaultCmd != nil {
		c.Flags = node.DefaultCmd.Flags
	}
	for _, group := range node.AllFlags(true) {
		c.Flags = append(c.Flags[:len(c.Flags):len(c.Flags)], group...)
	}
	for _, argument := range node.Positional {
		if argument.Enum != "" {
			c.Values = argument.EnumSlice()
		} else {
			c.Files = true
		}
	}
	for _, child := range node.Children {
		if !child.Hidden {
			c.Commands = append(c.Commands, child)
		}
	}
	all = append(all, c)
	for _, child := range c.Commands {
		all = appendCompletable(all, child)
	}
	return all
}

// valuedFlags returns the flags that take a value, such as "--data".
func valuedFlags(all []completable) (flags []string) {
	known := map[string]bool{}
	for _, c := range all {
		for _, flag := range c.Flags {
			if !flag.IsBool() && !known[flag.Name] {
				known[flag.Name] = true
				flags = append(flags, "--"+flag.Name)
			}
		}
	}
	return flags
}

// takesFile reports whether the value of a flag is a file: its placeholder is FILE, FILE.html and so on.
func takesFile(flag *kong.Flag) bool {
	return strings.HasPrefix(flag.PlaceHolder, "FILE") || flag.PlaceHolder == "SOURCE"
}

// Function returns the name of the command's zsh function.
func (c completable) Function() string {
	return "_" + strings.Join(append([]string{"pubd"}, strings.Fields(c.Path)...), "_")
}

// quotedForZsh quotes a text for a description of _arguments, inside single quotes.
func quotedForZsh(text string) string {
	return strings.NewReplacer(`'`, `'\''`, `\`, `\\`, `[`, `\[`, `]`, `\]`, `:`, `\:`).Replace(text)
}

// quotedForFish quotes a text for the inside of single quotes.
func quotedForFish(text string) string {
	return strings.NewReplacer(`'`, `\'`, `\`, `\\`).Replace(text)
}
