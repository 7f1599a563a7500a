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

// A completionCase is a command line up to the cursor, and its completions. They are whole words: after --access-log=, bash completes only the
// value, other shells the whole flag.
type completionCase struct {
	line string
	want []string
}

var completionCases = []completionCase{
	{"pubd se", []string{"serve"}},
	{"pubd ke", []string{"keys"}},
	{"pubd no-such-", nil},
	{"pubd serve --ac", []string{"--access-log"}},
	{"pubd --ac", []string{"--access-log"}},
	{"pubd --data serve --ac", []string{"--access-log"}},
	{"pubd --keys keys --ac", []string{"--access-log"}},
	{"pubd --keys=keys --ac", []string{"--access-log"}},
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
}

// script writes a shell's completion script to a file.
func script(t *testing.T, shell string) string {
	t.Helper()
	lane.Programs(t, shell)
	code, out, errs := runFor(t, "completion", shell)
	if code != exitOK || errs != "" {
		t.Fatalf("completion %s: got %d, stderr %q, want 0", shell, code, errs)
	}
	return write(t, "pubd."+shell, out)
}

// completed runs a shell's program with arguments and returns the sorted lines of its output.
func completed(t *testing.T, folder, shell string, args ...string) []string {
	t.Helper()
	command := exec.Command(shell, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", command.Args, err, out)
	}
	lines := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' || r == '\r' })
	slices.Sort(lines)
	return lines
}

func TestCompletionOfBash(t *testing.T) {
	file := script(t, "bash")
	// As bash splits words: "=" is a word.
	const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pubd; printf '%s\n' "${COMPREPLY[@]}"`
	for _, c := range completionCases {
		var words []string
		for _, word := range strings.Split(c.line, " ") {
			flag, value, cut := strings.Cut(word, "=")
			if words = append(words, flag); cut {
				words = append(words, "=")
			}
			if value != "" {
				words = append(words, value)
			}
		}
		if got := completed(t, t.TempDir(), "bash", append([]string{"--norc", "-c", program, "bash", file}, words...)...); !slices.Equal(got, c.want) {
			t.Errorf("bash: %q: got %q, want %q", c.line, got, c.want)
		}
	}
	// If COMP_WORDBREAKS has no "=".
	if got := completed(t, t.TempDir(), "bash", "--norc", "-c", program, "bash", file, "pubd", "--access-log=o"); !slices.Equal(got, []string{"--access-log=off"}) {
		t.Errorf("bash: --access-log=o as one word: got %q, want --access-log=off", got)
	}
}

func TestCompletionOfFish(t *testing.T) {
	file := script(t, "fish")
	folder := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(folder, "snapshot.csv"), nil, 0o644))
	for _, c := range append(completionCases, completionCase{"pubd check sn", []string{"snapshot.csv"}}, completionCase{"pubd serve sn", nil},
		completionCase{"pubd serve --data sn", []string{"snapshot.csv"}}) {
		got := completed(t, folder, "fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, file, c.line)
		for i, line := range got {
			got[i], _, _ = strings.Cut(line, "\t") // a description follows
			if flag, value, cut := strings.Cut(got[i], "="); cut && strings.HasPrefix(flag, "--") {
				got[i] = value
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("fish: %q: got %q, want %q", c.line, got, c.want)
		}
	}
}
