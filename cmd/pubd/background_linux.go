package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// backgroundNice is the nice value of loading. It costs answers no more than SCHED_IDLE does, which would wait for ever where
// other programs keep all processors busy; of a processor shared with one such program, it gets a tenth (sched(7)).
const backgroundNice = 10

// yieldToRequests makes the calling goroutine run on a thread of its own, behind those of the requests. The thread ends with
// the goroutine.
func yieldToRequests() {
	runtime.LockOSThread()
	// On Linux this is about the calling thread alone. Where a sandbox forbids it, requests merely wait longer.
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, backgroundNice)
}
