package stage

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"pubd/bench/testkit"
)

// A server keeps running when the threads end that this program had when it started.
func TestServerOutlivesThreads(t *testing.T) {
	p, err := Start(t.Context(), Command(t.Context(), "sleep", "60"), syscall.SIGTERM, func() bool { return true })
	testkit.OK(t, err)
	defer p.Stop()
	const threads = 100 // more than there are
	var locked, ended sync.WaitGroup
	locked.Add(threads)
	for range threads {
		ended.Go(func() {
			runtime.LockOSThread() // ends with the goroutine
			locked.Done()
			locked.Wait()
		})
	}
	ended.Wait()
	select {
	case <-p.Ended():
		t.Fatal("the server has ended with a thread")
	case <-time.After(100 * time.Millisecond):
	}
}
