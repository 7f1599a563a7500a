package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// A lowly thread runs on what the processors have left.
type lowly struct {
	thread int
	may    unix.CPUSet // processors that it may run on
	left   int         // the one that it was made to leave last
}

// yieldToRequests makes the calling goroutine run on a lowly thread of its own: of threads that wait for a processor, the kernel
// lets those of the requests go first (sched(7), SCHED_IDLE). The thread ends with the goroutine.
func yieldToRequests() *lowly {
	runtime.LockOSThread()
	l := &lowly{thread: unix.Gettid(), left: -1}
	// Where a sandbox forbids it, requests merely wait longer.
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
	_ = unix.SchedGetaffinity(0, &l.may)
	return l
}

// stepAside makes the thread leave a processor, the next one with each call, and lets it come back. A processor that becomes
// idle takes over a thread that waits at another (Linux, kernel/sched/fair.c, sched_balance_newidle); one that always has this
// thread looks for such a one at a tick of the kernel's clock at the soonest, and there are mostly 250 a second. The goroutine
// must not have ended.
func (l *lowly) stepAside() {
	if l.may.Count() < 2 {
		return
	}
	for next := true; next; next = !l.may.IsSet(l.left) {
		l.left = (l.left + 1) % maxProcessors
	}
	others := l.may
	others.Clear(l.left)
	_ = unix.SchedSetaffinity(l.thread, &others)
	_ = unix.SchedSetaffinity(l.thread, &l.may)
}

// maxProcessors is how many a unix.CPUSet has room for.
const maxProcessors = 1024
