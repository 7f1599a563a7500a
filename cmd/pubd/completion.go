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

// Help returns how to load the script.
func (c *completionCommand) Help() string {
	return `bash: source <(pubd completion bash), in ~/.bashrc to keep it.

zsh: source <(pubd completion zsh), in ~/.zshrc after compinit.

fish: pubd completion fish > ~/.config/fish/completions/pubd.fish`
}

//go:embed completions
var completions embed.FS

// Run writes the script, which needs no library: those for kong (kongplete, kong-completion) run the program at each key press and know no
// descriptions in zsh or fish. It is made from the commands and flags that the program has.
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

// A completable is a command, or the program alone, with what may come after it.
type completable struct {
	Path     string // the words after pubd, such as "keys add"; empty for the program alone
	Commands []*kong.Node
	Flags    []*kong.Flag // those of the commands above included
	Values   []string     // of its argument, where they are some
	Files    bool         // it takes files
}

// appendCompletable adds a command and those below it.
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

// valuedFlags returns the flags after which a value comes, such as "--data".
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

// takesFile tells a flag whose value is a file: its help calls it FILE, or FILE.html and the like.
func takesFile(flag *kong.Flag) bool {
	return strings.HasPrefix(flag.PlaceHolder, "FILE") || flag.PlaceHolder == "SOURCE"
}

// Function returns the name of the command's function in zsh.
func (c completable) Function() string {
	return "_" + strings.Join(append([]string{"pubd"}, strings.Fields(c.Path)...), "_")
}

// quotedForZsh returns a text for a description of _arguments, inside single quotes.
func quotedForZsh(text string) string {
	return strings.NewReplacer(`'`, `'\''`, `\`, `\\`, `[`, `\[`, `]`, `\]`, `:`, `\:`).Replace(text)
}

// quotedForFish returns a text for the inside of single quotes.
func quotedForFish(text string) string {
	return strings.NewReplacer(`'`, `\'`, `\`, `\\`).Replace(text)
}
