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

// A Machine describes where a report was made, and from which sources.
type Machine struct {
	CPU    string
	Cores  int
	Kernel string
	Go     string
	Commit string // followed by +dirty if the sources differ from it
	Date   time.Time
}

// ReadMachine describes this machine.
func ReadMachine(ctx context.Context) Machine {
	m := Machine{Cores: runtime.NumCPU(), Go: runtime.Version(), Commit: commit(ctx), Date: time.Now().UTC()}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	m.Kernel = strings.TrimSpace(string(release))
	if fs, err := procfs.NewDefaultFS(); err == nil {
		if cpus, err := fs.CPUInfo(); err == nil && len(cpus) > 0 {
			m.CPU = cpus[0].ModelName
		}
	}
	return m
}

// String describes the machine in one sentence.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, Linux %s, %s, commit %s, %s.", m.CPU, m.Cores, m.Kernel, m.Go, m.Commit, m.Date.Format(time.DateOnly))
}

// commit returns the commit of the working directory. Reports do not count as changes.
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
