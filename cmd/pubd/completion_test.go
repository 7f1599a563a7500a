package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pubd/data/lane"
)

// The program completes a command line up to the cursor.
func TestCompletion(t *testing.T) {
	t.Chdir(filepath.Dir(write(t, "snapshot.csv", "")))
	for _, c := range []struct {
		line string
		want []string
	}{
		{"pubd se", []string{"serve"}},
		{"pubd ke", []string{"keys"}},
		{"pubd bui", []string{"build"}}, // not the hidden builder
		{"pubd no-such-", nil},
		{"pubd serve --ac", []string{"--access-log"}},
		{"pubd --ac", []string{"--access-log"}},
		{"pubd --data serve --ac", []string{"--access-log"}},
		{"pubd serve --access-log o", []string{"off"}},
		{"pubd serve --access-log=", []string{"all", "errors", "off"}},
		{"pubd serve --access-log=e", []string{"errors"}},
		{"pubd keys ", []string{"add", "list", "revoke"}},
		{"pubd keys re", []string{"revoke"}},
		{"pubd keys add --ra", []string{"--rate", "--rate-per-client"}},
		{"pubd keys --ra", nil},
		{"pubd check --access", nil},
		{"pubd import --from ge", []string{"geojson"}},
		{"pubd publish --roll", []string{"--rollback"}},
		{"pubd publish ke", []string{"keygen"}},
		{"pubd completion ", []string{"bash", "fish", "zsh"}},
		{"pubd version --js", []string{"--json"}},
		{"pubd check sn", []string{"snapshot.csv"}},
		{"pubd serve --data sn", []string{"snapshot.csv"}},
		{"pubd serve --listen sn", nil},
	} {
		t.Setenv("COMP_LINE", c.line)
		code, out, errs := runFor(t)
		got := strings.Fields(out)
		slices.Sort(got)
		failIf(t, code != exitOK || !slices.Equal(got, c.want) || errs != "", "%q: got %d, %q, stderr %q, want %q", c.line, code, got, errs, c.want)
	}
}

// script writes a shell's completion script to a file.
func script(t *testing.T, shell string) string {
	t.Helper()
	lane.Programs(t, shell)
	code, out, errs := runFor(t, "completion", shell)
	stopIf(t, code != exitOK || errs != "", "completion %s: got %d, stderr %q, want 0", shell, code, errs)
	return write(t, "pubd."+shell, out)
}

func TestCompletionOfFish(t *testing.T) {
	file, folder := script(t, "fish"), t.TempDir()
	ok(t, os.WriteFile(filepath.Join(folder, "snapshot of today.csv"), nil, 0o644))
	for line, want := range map[string]string{"pubd se": "serve\n", "pubd serve --access-log o": "off\n", "pubd keys re": "revoke\n", "pubd check sn": "snapshot of today.csv\n"} {
		command := exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, file, line)
		command.Dir = folder
		command.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
		got, err := command.CombinedOutput()
		failIf(t, err != nil || string(got) != want, "%q: got %q, %v, want %q", line, got, err, want)
	}
}
