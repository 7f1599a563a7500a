package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A memory is what a process holds, in bytes.
type memory struct{ resident, peak int64 }

// readMemory reads that of a process, as proc(5) describes.
func readMemory(pid int) (m memory, err error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	status, err := os.ReadFile(path)
	if err != nil {
		return memory{}, fmt.Errorf("memory of pubd: %w", err)
	}
	for name, to := range map[string]*int64{"VmRSS:": &m.resident, "VmHWM:": &m.peak} {
		_, rest, _ := strings.Cut(string(status), name)
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return memory{}, fmt.Errorf("memory of pubd: %s has no %s", path, name)
		}
		kilobytes, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return memory{}, fmt.Errorf("memory of pubd: %s: %w", path, err)
		}
		*to = kilobytes << 10
	}
	return m, nil
}

// processorTime is what all threads of a process have used so far, to the nanosecond; 0 where the system does not tell.
func processorTime(pid int) (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, thread := range threads {
		text, _ := os.ReadFile(thread)
		first, _, _ := strings.Cut(string(text), " ")
		used, _ := strconv.ParseInt(first, 10, 64)
		sum += time.Duration(used)
	}
	return sum
}

// pin gives the servers a core and this program another. It tells whether there was anything to do it with.
func pin(ctx context.Context, servers []*server) (pinned bool, err error) {
	taskset, err := exec.LookPath("taskset")
	if err != nil || runtime.NumCPU() < 2 {
		return false, nil
	}
	to := func(core, pid int) error {
		output, err := exec.CommandContext(ctx, taskset, "-acp", strconv.Itoa(core), strconv.Itoa(pid)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("taskset: %w: %s", err, output)
		}
		return nil
	}
	for _, s := range servers {
		if err := to(0, s.cmd.Process.Pid); err != nil {
			return false, err
		}
	}
	return true, to(1, os.Getpid())
}

// describeMachine names the processor and how many cores there are.
func describeMachine() string {
	model := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// describeProgram names the commit that is measured.
func describeProgram(ctx context.Context) string {
	commit, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown commit"
	}
	description := "commit " + strings.TrimSpace(string(commit))
	if changes, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output(); err == nil && len(changes) > 0 {
		description += " with changes"
	}
	return description
}
