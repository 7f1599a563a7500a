package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"pubd/data/lane"
	"pubd/loader/feed/worker"
)

// builders returns the building processes of a process.
func builders(t *testing.T, parent int) (pids []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	if err != nil || len(tasks) == 0 {
		t.Skipf("the system does not list the children of a process: %v", err)
	}
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for _, child := range strings.Fields(string(children)) {
			pid, err := strconv.Atoi(child)
			ok(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

// slowToBuild is a number of pubs whose build lasts long enough for a test to observe it.
const slowToBuild = 100_000

var slowOnce sync.Once
var slowText string

// slow returns slowToBuild pubs, which are generated once.
func slow(t *testing.T) string {
	slowOnce.Do(func() { slowText = generated(t, slowToBuild, 1) })
	return slowText
}

// building starts a reload that takes long to build, and returns the building process.
func (p *process) building(file string) (builder int) {
	p.t.Helper()
	replace(p.t, file, slow(p.t))
	p.signal(syscall.SIGHUP)
	eventually(p.t, "a building process", func() bool {
		pids := builders(p.t, p.command.Process.Pid)
		if len(pids) == 1 {
			builder = pids[0]
		}
		return len(pids) == 1
	})
	return builder
}

// A reload is built by a process with idle priority.
func TestBuildingProcessIsIdle(t *testing.T) {
	lane.Long(t, "builds parts of 100,000 pubs")
	t.Parallel()
	file := write(t, "pubs.csv", pubs(50, "a"))
	p := serveWith(t, []string{idleVariable + "=1"}, "--data", file)
	builder := p.building(file)
	eventually(t, "its priority", func() bool { return isIdle(builder) })
}

// The building process is killed first when memory runs out. However it ends, the reload is rejected and the next one
// works.
func TestBuildingProcessDies(t *testing.T) {
	lane.Long(t, "builds parts of 100,000 pubs")
	t.Parallel()
	file := write(t, "pubs.csv", pubs(50, "a"))
	p := serve(t, "--data", file)
	const crashed = "pubs.csv: the process that builds it crashed: "
	for i, c := range []struct {
		signal syscall.Signal
		want   string
	}{{syscall.SIGKILL, crashed + "signal: killed, perhaps by the kernel, out of memory"}, {syscall.SIGQUIT, crashed + "exit status 2"}} {
		builder := p.building(file)
		eventually(t, "oom_score_adj of 1000", func() bool { return isKilledFirst(builder) })
		failed := p.reloads("data", "failed")
		ok(t, syscall.Kill(builder, c.signal))
		eventually(t, "the reload is rejected", func() bool { return p.reloads("data", "failed") == failed+1 })
		got := p.readiness(200)
		failIf(t, !strings.Contains(got.LastReload, c.want) || got.Pubs != 50+i, "%v: got %+v, want %q", c.signal, got, c.want)
		equal(t, fmt.Sprintf("%v: the old snapshot", c.signal), p.search("pubid=u1", "demo").status, 200)
		replace(t, file, pubs(51+i, "b"))
		p.reload()
		got = p.readiness(200)
		failIf(t, got.LastReload != "ok" || got.Pubs != 51+i, "the reload after %v: got %+v, want %d pubs", c.signal, got, 51+i)
	}
	equal(t, "stacks of a crash", p.stderr.count("loading crashed"), 1)
	contains(t, "log", p.stderr.String(), "goroutine")
}

// isKilledFirst reports whether the kernel kills a process first when memory runs out. A building process that does so
// already ignores signals.
func isKilledFirst(pid int) bool {
	score, _ := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
	return string(score) == "1000\n"
}

// isIdle reports whether all threads of a process but the one that watches its memory have the policy SCHED_IDLE.
func isIdle(pid int) bool {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	ordinary := 0
	for _, thread := range threads {
		id, _ := strconv.Atoi(thread.Name())
		if attr, err := unix.SchedGetAttr(id, 0); err != nil || attr.Policy != unix.SCHED_IDLE {
			ordinary++
		}
	}
	return len(threads) > 1 && ordinary <= 1
}

// A building process does not outlive its server, however the server ends.
func TestBuildingProcessEndsWithServer(t *testing.T) {
	lane.Long(t, "builds parts of 100,000 pubs")
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		file := write(t, "pubs.csv", pubs(50, "a"))
		p := serve(t, "--data", file, "--max-shrink=100")
		builder := p.building(file)
		p.signal(signal)
		eventually(t, "exit", p.over)
		eventually(t, "the end of the building process", func() bool {
			state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", builder))
			return err != nil || bytes.Contains(state, []byte(") Z "))
		})
	}
}

// The building process ends when its standard input is closed, whether or not it has output.
func TestBuildingProcessEndsWithItsInput(t *testing.T) {
	lane.Long(t, "builds parts of 100,000 pubs")
	t.Parallel()
	order, err := json.Marshal(worker.Order{File: write(t, "pubs.csv", slow(t)), Free: worker.Room{Bytes: math.MaxInt64}})
	ok(t, err)
	file, err := worker.NewAnonymousFile()
	ok(t, err)
	defer file.Close()
	command := pubd(worker.Command)
	command.ExtraFiles = []*os.File{file}
	in, err := command.StdinPipe()
	ok(t, err)
	p := start(t, command)
	fmt.Fprintf(in, "%s\n", order)
	eventually(t, "the first report", func() bool { return p.stdout.String() != "" })
	fmt.Fprintln(in, "{}") // it may build
	eventually(t, "progress", func() bool { return strings.Contains(p.stdout.String(), `"progress"`) })
	in.Close()
	p.exit(testPatience, exitError)
	failIf(t, strings.Contains(p.stdout.String(), `"built"`), "it went on to the end")
}

// A signal from the terminal or the service manager to all processes ends the server, not the build before the server.
func TestBuildingProcessIgnoresSignals(t *testing.T) {
	lane.Long(t, "builds 100,000 pubs")
	t.Parallel()
	file := write(t, "pubs.csv", pubs(50, "a"))
	p := serve(t, "--data", file)
	builder := p.building(file)
	eventually(t, "oom_score_adj of 1000", func() bool { return isKilledFirst(builder) })
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		ok(t, syscall.Kill(builder, signal))
	}
	group, err := syscall.Getpgid(builder)
	failIf(t, err != nil || group != builder, "process group: got %d, %v, want its own, %d", group, err, builder)
	eventually(t, "the new snapshot", func() bool { return p.readiness(200).Pubs == slowToBuild })
}

// A server maps the index of a snapshot file from sealed memory and keeps no other file of it open.
func TestServedIndexIsSealed(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", write(t, "pubs.csv", pubs(50, "a")))
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.command.Process.Pid))
	if err != nil {
		t.Skipf("the system does not tell: %v", err)
	}
	sealed := regexp.MustCompile(`(?m)^(\S+) (\S+) .*/memfd:pubd-index`).FindAllStringSubmatch(string(maps), -1)
	failIf(t, len(sealed) == 0, "no sealed memory in %s", maps)
	for _, found := range sealed {
		equal(t, "mode of the mapping", found[2], "r--s")
		path := fmt.Sprintf("/proc/%d/map_files/%s", p.command.Process.Pid, found[1])
		failIf(t, os.Truncate(path, 0) == nil, "%s: was truncated", path)
	}
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.command.Process.Pid))
	for _, fd := range open {
		target, _ := os.Readlink(fd)
		failIf(t, strings.Contains(target, "memfd"), "%s is open: %s", fd, target)
	}
	equal(t, "generation", generation(p, "demo"), "a")
}

// ^C in a terminal ends a server at once. Only a service manager's signal makes it wait for load balancers.
func TestInterruptOnTerminal(t *testing.T) {
	t.Parallel()
	terminal, _, screen := newTerminal(t)
	command := pubd(anywhere("--data", write(t, "pubs.csv", pubs(3, "a")), "--drain-delay=1h")...)
	command.Stderr = terminal
	p := start(t, command)
	eventually(t, "serving", func() bool { return strings.Contains(screen.String(), "serving") })
	p.signal(syscall.SIGINT)
	p.exit(testPatience, exitOK)
}
