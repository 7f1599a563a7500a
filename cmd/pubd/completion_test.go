package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pubd/cmd/pubd/cli"
	"pubd/data/lane"
	"pubd/testkit"
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

// script writes a shell's completion script to a file.
func script(t *testing.T, shell string) string {
	t.Helper()
	lane.Programs(t, shell)
	return write(t, "pubd."+shell, must(t, "completion", shell))
}

func TestCompletionOfFish(t *testing.T) {
	file, folder := script(t, "fish"), t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(folder, "snapshot of today.csv"), nil, 0o644))
	for line, want := range map[string]string{"pubd se": "serve\n", "pubd serve --access-log o": "off\n", "pubd keys re": "revoke\n", "pubd check sn": "snapshot of today.csv\n"} {
		command := exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, file, line)
		command.Dir = folder
		command.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
		got, err := command.CombinedOutput()
		testkit.FailIf(t, err != nil || string(got) != want, "%q: got %q, %v, want %q", line, got, err, want)
	}
}
