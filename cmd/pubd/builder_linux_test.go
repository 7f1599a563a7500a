package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pubd/bench/testkit"
)

// slowToBuild is a number of pubs whose build lasts long enough for a test to observe it.
const slowToBuild = 100_000

// building starts a reload that takes long to build, and returns the building process once the kernel kills it first
// when memory runs out, and it ignores signals.
func (p *process) building(file, content string) (builder int) {
	p.t.Helper()
	replace(p.t, file, content)
	p.signal(syscall.SIGHUP)
	testkit.Eventually(p.t, "a building process", func() bool {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.command.Process.Pid))
		if err != nil || len(tasks) == 0 {
			p.t.Skipf("the system does not list the children of a process: %v", err)
		}
		for _, task := range tasks {
			children, _ := os.ReadFile(task)
			for _, child := range strings.Fields(string(children)) {
				builder, _ = strconv.Atoi(child)
			}
		}
		score, _ := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", builder))
		return string(score) == "1000\n"
	})
	return builder
}

// A reload is built by a process that has what others leave of the processors, ignores signals to all processes of the
// server, and is the first to be killed when memory runs out. Then the reload is rejected. It does not outlive the
// server.
func TestBuildingProcess(t *testing.T) {
	testkit.Long(t, "builds parts of 100,000 pubs")
	t.Parallel()
	file, slow := testkit.File(t, "pubs.csv", pubs(50, "a")), generated(t, slowToBuild, 1)
	command := pubd(anywhere("--data", file)...)
	command.Env = append(command.Env, idleVariable+"=1")
	p := start(t, command)
	p.await()
	builder := p.building(file, slow)
	testkit.Eventually(t, "idle priority", func() bool { return isIdle(builder) })
	group, err := syscall.Getpgid(builder)
	testkit.FailIf(t, err != nil || group != builder, "process group: got %d, %v, want its own, %d", group, err, builder)
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		testkit.OK(t, syscall.Kill(builder, signal))
	}
	const reason = "pubs.csv: the process that builds it crashed: signal: killed, perhaps by the kernel, out of memory"
	testkit.Eventually(t, "the reload is rejected", func() bool { return strings.Contains(p.readiness(200).LastReload, reason) })
	testkit.Equal(t, "the old snapshot", p.search("pubid=u1", "demo").status, 200)
	builder = p.building(file, slow)
	p.signal(syscall.SIGKILL)
	testkit.Eventually(t, "the end of the building process", func() bool {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", builder))
		return err != nil || bytes.Contains(state, []byte(") Z "))
	})
}

// isIdle reports whether all threads of a process have the policy SCHED_IDLE.
func isIdle(pid int) bool {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, thread := range threads {
		id, _ := strconv.Atoi(thread.Name())
		if attr, err := unix.SchedGetAttr(id, 0); err != nil || attr.Policy != unix.SCHED_IDLE {
			return false
		}
	}
	return len(threads) > 1
}
