package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
)

// The program completes a command line up to the cursor.
func TestCompletion(t *testing.T) {
	list := testkit.Cases(t, "completion.txt")
	files(t, map[string]string{"snapshot.csv": ""})
	for _, c := range list {
		t.Setenv("COMP_LINE", c.Given)
		code, out, errs := runFor(t)
		got := strings.Fields(out)
		slices.Sort(got)
		testkit.Equal(t, c.Given, strings.Join(got, " "), c.Want)
		testkit.FailIf(t, code != cli.ExitOK || errs != "", "%q: got %d, stderr %q", c.Given, code, errs)
	}
}

// The scripts make shells ask the program.
func TestCompletionScripts(t *testing.T) {
	for shell, c := range map[string]struct{ command, want string }{
		"bash": {`source "$0"; complete -p pubd`, "-C '"},
		"zsh":  {`autoload -U compinit; compinit -u -D; source "$0"; print $_comps[pubd]`, "_bash_complete"},
		"fish": {`source $argv[1]; complete -C "pubd serve --access-log o"`, "off\n"},
	} {
		t.Run(shell, func(t *testing.T) {
			testkit.Programs(t, shell)
			script := testkit.File(t, "pubd."+shell, must(t, "completion", shell))
			command := exec.Command(shell, "-c", c.command, script)
			command.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir())
			got := string(testkit.Must(command.CombinedOutput())(t))
			testkit.Contains(t, shell, got, c.want)
		})
	}
}
