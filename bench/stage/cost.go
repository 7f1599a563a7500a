package stage

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// AwaitIdle waits until the process uses no processor any more, ten seconds at most: a server may go on with what a load left behind, at
// the cost of the next measurement.
func (p *Process) AwaitIdle(ctx context.Context) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline) && ctx.Err() == nil; {
		before := ProcessorTime(p.ID())
		time.Sleep(50 * time.Millisecond)
		if ProcessorTime(p.ID()) == before {
			return
		}
	}
}

// ticksPerSecond is the unit of processor times in /proc, the same on all of Linux's architectures.
const ticksPerSecond = 100

// ProcessorTime returns what the processes of a group, which the leader names, have used so far.
func ProcessorTime(group int) time.Duration {
	entries, _ := os.ReadDir("/proc")
	ticks := 0
	for _, entry := range entries {
		if name := entry.Name(); name[0] < '1' || name[0] > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // ended meanwhile
		}
		// After the name, which is in brackets and may hold anything: state, parent, group and so on.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 12 && fields[2] == strconv.Itoa(group) {
			user, _ := strconv.Atoi(fields[11])
			system, _ := strconv.Atoi(fields[12])
			ticks += user + system
		}
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond
}

// ProcessorClock returns what one process has used so far, to the nanosecond, by its clock (clock_getcpuclockid of POSIX).
func ProcessorClock(pid int) (time.Duration, error) {
	const ofProcess = 2 // CPUCLOCK_SCHED of the kernel
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|ofProcess), &used); err != nil {
		return 0, fmt.Errorf("processor clock of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}

// Memory returns a figure of a process in bytes: VmRSS, which is resident now, or VmHWM, the most that ever was (proc(5)).
func Memory(pid int, name string) (int64, error) {
	file := fmt.Sprintf("/proc/%d/status", pid)
	status, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kibibytes int64
		if _, err := fmt.Sscanf(line, name+": %d kB", &kibibytes); err == nil {
			return kibibytes << 10, nil
		}
	}
	return 0, fmt.Errorf("%s: has no line %s, the process has ended", file, name)
}
