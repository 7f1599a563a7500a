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
