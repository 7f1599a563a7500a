package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// Two releases of a commit have the same bytes, and the program in them runs, stripped.
func TestRelease(t *testing.T) {
	t.Parallel()
	testkit.Programs(t, "sh", "git", "go", "npm", "tar")
	root := testkit.Must(filepath.Abs("../.."))(t)
	run := func(command *exec.Cmd) string {
		t.Helper()
		output, err := command.CombinedOutput()
		testkit.StopIf(t, err != nil, "%v: %v\n%s", command.Args, err, output)
		return string(output)
	}
	if exec.Command("git", "-C", root, "rev-parse", "HEAD").Run() != nil {
		t.Skip("needs a clone: deploy/release.sh builds the last commit")
	}
	compiler := exec.Command("npm", "exec", "--yes", "--package=typescript@5.9.3", "--", "tsc", "--version")
	if output, err := compiler.CombinedOutput(); err != nil {
		t.Skipf("npm cannot run tsc: %v\n%s", err, output)
	}
	var folders, sums []string
	for range 2 {
		folder := filepath.Join(t.TempDir(), "dist")
		release := exec.Command("sh", "deploy/release.sh", folder)
		release.Dir = root
		folders, sums = append(folders, folder), append(sums, run(release))
	}
	testkit.Equal(t, "the second release", sums[1], sums[0])
	testkit.Equal(t, "files", len(testkit.Must(os.ReadDir(folders[0]))(t)), 6)
	archive := testkit.Must(filepath.Glob(filepath.Join(folders[0], "*-linux-"+runtime.GOARCH+".tar.gz")))(t)
	run(exec.Command("tar", "-xzf", archive[0], "-C", folders[0], "--strip-components=1"))
	program := filepath.Join(folders[0], "pubd")
	commit := run(exec.Command("git", "-C", root, "rev-parse", "--short=12", "HEAD"))
	testkit.Contains(t, "pubd version", run(exec.Command(program, "version")), "commit "+strings.TrimSpace(commit))
	testkit.Contains(t, "completion", string(testkit.Read(t, filepath.Join(folders[0], "completion", "pubd.bash"))), "-C pubd pubd\n")
	_, err := exec.Command("go", "tool", "nm", program).Output()
	testkit.FailIf(t, err == nil, "pubd has symbols, want a stripped program")
}
