package stage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// A Machine is where and of what a report was made.
type Machine struct {
	CPU    string
	Cores  int
	Kernel string
	Go     string
	Commit string // of the sources; +dirty where they differ from it
	Date   time.Time
}

// ReadMachine describes this one.
func ReadMachine(ctx context.Context) Machine {
	m := Machine{Cores: runtime.NumCPU(), Go: runtime.Version(), Commit: commit(ctx), Date: time.Now().UTC()}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	m.Kernel = strings.TrimSpace(string(release))
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// String describes the machine in a sentence.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, Linux %s, %s, commit %s, %s.", m.CPU, m.Cores, m.Kernel, m.Go, m.Commit, m.Date.Format(time.DateOnly))
}

// commit is that of the working directory; earlier reports do not count as changes.
func commit(ctx context.Context) string {
	head, err := Output(exec.CommandContext(ctx, "git", "rev-parse", "--short=12", "HEAD"))
	if err != nil {
		return "unknown"
	}
	changes, err := Output(exec.CommandContext(ctx, "git", "status", "--porcelain", "--", ":/", ":(top,exclude)bench/results", ":(top,exclude)docs/reliability.md"))
	if err != nil || changes != "" {
		return strings.TrimSpace(head) + "+dirty"
	}
	return strings.TrimSpace(head)
}
