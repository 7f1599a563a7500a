package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"pubd/data/lane"
)

func TestRelease(t *testing.T) {
	const revision, at = "3ec372c0ab1234567890abcdef1234567890abcd", "2026-11-21T20:00:00Z"
	platform := " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.0", []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: at}, {Key: "vcs.modified", Value: "false"}},
			"pubd v1.2.0\ncommit 3ec372c0ab12 of " + at},
		{"", []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: at}, {Key: "vcs.modified", Value: "true"}},
			"pubd (devel)\ncommit 3ec372c0ab12+dirty of " + at},
		{"(devel)", []debug.BuildSetting{{Key: "vcs.modified", Value: "false"}, {Key: "vcs.revision", Value: "1f"}}, "pubd (devel)\ncommit 1f"},
		{"(devel)", nil, "pubd (devel)\ncommit unknown: built without version control"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "pubd", Version: c.version}, Settings: c.settings}
		equal(t, fmt.Sprintf("%q with %v", c.version, c.settings), releaseOf(info).String(), c.want+"\ngo1.26.0"+platform)
	}
}

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
		stopIf(t, err != nil, "%s: %v\n%s", c.name, err, output)
		got, err := exec.Command(program, "version").Output()
		want := regexp.MustCompile("^" + c.want + "\ngo.*\n$")
		failIf(t, err != nil || !want.Match(got), "%s: got %q (%v), want %s", c.name, got, err, want)
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}, {"serve", "--version"}} {
		commandCase{args, exitOK, thisRelease().String() + "\n", ""}.check(t)
	}
	code, out, errs := runFor(t, "version", "--json")
	var got release
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	ok(t, decoder.Decode(&got))
	equal(t, "version --json", got, thisRelease())
	failIf(t, code != exitOK || errs != "" || strings.Count(out, "\n") != 1, "version --json: got %d, stdout %q, stderr %q, want 0 and a line", code, out, errs)
}
