package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pubd/cmd/pubd/cli"
	"pubd/data/lane"
	"pubd/testkit"
)

// A build of a tag has the tag's version, and one without version control the linker's; see docs/operations.md.
func TestVersionOfCheckouts(t *testing.T) {
	lane.Long(t, "builds the program twice")
	lane.Programs(t, "go", "git")
	tree := cleanCopy(t)
	git(t, tree, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first")
	git(t, tree, "tag", "v0.1.0")
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"tag", []string{"-buildvcs=true"}, `pubd v0\.1\.0\ncommit [0-9a-f]{12} of 20.*`},
		{"linker", []string{"-buildvcs=false", "-ldflags=-X main.version=v0.2.0"}, `pubd v0\.2\.0\ncommit unknown: built without version control`},
	} {
		program := filepath.Join(t.TempDir(), "pubd")
		compile := exec.Command("go", append(append([]string{"build", "-o", program}, c.flags...), "./cmd/pubd")...)
		compile.Dir = tree
		output, err := compile.CombinedOutput()
		testkit.StopIf(t, err != nil, "%s: %v\n%s", c.name, err, output)
		got, err := exec.Command(program, "version").Output()
		want := regexp.MustCompile("^" + c.want + "\ngo.*\n$")
		testkit.FailIf(t, err != nil || !want.Match(got), "%s: got %q (%v), want %s", c.name, got, err, want)
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}, {"serve", "--version"}} {
		commandCase{args, cli.ExitOK, cli.ThisRelease().String() + "\n", ""}.check(t)
	}
	code, out, errs := runFor(t, "version", "--json")
	var got cli.Release
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	testkit.OK(t, decoder.Decode(&got))
	testkit.Equal(t, "version --json", got, cli.ThisRelease())
	testkit.FailIf(t, code != cli.ExitOK || errs != "" || strings.Count(out, "\n") != 1, "version --json: got %d, stdout %q, stderr %q, want 0 and a line", code, out, errs)
}
