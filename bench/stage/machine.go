package stage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// Machine describes this machine, the commit and the day in one sentence, for reports.
func Machine(ctx context.Context) string {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	model := "unknown CPU"
	if fs, err := procfs.NewDefaultFS(); err == nil {
		if cpus, err := fs.CPUInfo(); err == nil && len(cpus) > 0 {
			model = cpus[0].ModelName
		}
	}
	return fmt.Sprintf("%s, %d cores, Linux %s, %s, commit %s.", model, runtime.NumCPU(), strings.TrimSpace(string(release)), runtime.Version(), Commit(ctx))
}

// Commit returns the commit of the working directory, followed by +dirty if the sources differ from it, and the day.
// Reports do not count as changes.
func Commit(ctx context.Context) string {
	commit, err := Output(exec.CommandContext(ctx, "git", "rev-parse", "--short=12", "HEAD"))
	if err != nil {
		commit = "unknown"
	}
	commit = strings.TrimSpace(commit)
	changes, err := Output(exec.CommandContext(ctx, "git", "status", "--porcelain", "--", ":/", ":(top,exclude)bench/results", ":(top,exclude)docs/reliability.md"))
	if err != nil || changes != "" {
		commit += "+dirty"
	}
	return commit + ", " + time.Now().UTC().Format(time.DateOnly)
}
