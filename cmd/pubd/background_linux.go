package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// yieldToRequests makes the calling goroutine run on a thread of its own, on what the processors have left: of threads that wait
// for one, the kernel lets those of the requests go first (sched(7), SCHED_IDLE). The thread ends with the goroutine.
func yieldToRequests() {
	runtime.LockOSThread()
	// Where a sandbox forbids it, requests merely wait longer.
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
}
