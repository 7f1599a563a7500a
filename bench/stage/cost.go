package stage

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// ProcessorTime returns the CPU time used by all processes of a group, which is named by its leader, and by the
// leader's children, which PostgreSQL moves to groups of their own.
func ProcessorTime(group int) time.Duration {
	processes, _ := procfs.AllProcs()
	total := time.Duration(0)
	for _, p := range processes {
		if stat, err := p.Stat(); err == nil && (stat.PGRP == group || stat.PPID == group) { // an error: it has ended
			used, _ := ProcessorClock(p.PID)
			total += used
		}
	}
	return total
}

// ProcessorClock returns the CPU time used by one process, to the nanosecond (clock_getcpuclockid in POSIX).
func ProcessorClock(pid int) (time.Duration, error) {
	const ofProcess = 2 // the kernel's CPUCLOCK_SCHED
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|ofProcess), &used); err != nil {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}

// Memory returns the resident memory of a process and its highest value so far, in bytes.
func Memory(pid int) (resident, peak int64, err error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, 0, err
	}
	status, err := p.NewStatus()
	if err == nil && status.VmHWM == 0 { // a zombie has no memory
		err = fmt.Errorf("process %d has ended", pid)
	}
	return int64(status.VmRSS), int64(status.VmHWM), err
}
