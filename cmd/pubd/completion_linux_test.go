package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pubd/testkit"
)

// Typing and pressing Tab completes in each shell.
func TestCompletionAsTyped(t *testing.T) {
	for _, shell := range []struct {
		name, flags, load string
	}{
		{"bash", "--norc -i", "source '%s'"},
		{"zsh", "-f -i", "autoload -U compinit; compinit -u -D; source '%s'"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			file := script(t, shell.name)
			folder := t.TempDir()
			testkit.OK(t, os.WriteFile(filepath.Join(folder, "snapshot of today.csv"), nil, 0o644))
			terminal, keys, screen := newTerminal(t)
			command := exec.Command(shell.name, strings.Fields(shell.flags)...)
			command.Dir = folder
			command.Env = append(os.Environ(), "HOME="+folder, "TERM=xterm", "LC_ALL=C")
			command.Stdin, command.Stdout, command.Stderr = terminal, terminal, terminal
			command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			start(t, command)
			// The program prints its arguments, and a prompt that does not appear in the command line itself.
			fmt.Fprintf(keys, shell.load+`; pubd() { printf 'got'; printf '<%%s>' "$@"; echo; }; PS1='rea''dy> '`+"\r", file)
			testkit.Eventually(t, "a prompt", func() bool { return strings.Contains(screen.String(), "ready> ") })
			for _, c := range []struct{ typed, want string }{
				{"pubd se\t", "<serve>"},
				{"pubd serve --acces\to\t", "<serve><--access-log><off>"},
				{"pubd serve --data sn\t", "<serve><--data><snapshot of today.csv>"},
				{"pubd check sn\t", "<check><snapshot of today.csv>"},
				{"pubd keys re\t", "<keys><revoke>"},
			} {
				before := len(screen.String())
				fmt.Fprint(keys, c.typed+"\r")
				testkit.Eventually(t, c.typed, func() bool {
					_, told, _ := strings.Cut(screen.String()[before:], "got<")
					return strings.Contains(told, "ready> ")
				})
				got := screen.String()[before:]
				testkit.FailIf(t, !strings.Contains(got, "got"+c.want+"\r\n"), "%s: %q: got %q, want %q", shell.name, c.typed, got, c.want)
			}
		})
	}
}
