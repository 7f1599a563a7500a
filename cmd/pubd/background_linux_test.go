package main

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// A thread that steps aside leaves the processor whose turn it is, keeps its rank, and may come back.
func TestStepAside(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("there is only one processor")
	}
	const tries = 100
	done, elsewhere := make(chan struct{}), 0
	go func() { // a goroutine of its own, with whose thread the rank goes
		defer close(done)
		l := yieldToRequests()
		for range tries {
			l.stepAside()
			one := l.left
			var only unix.CPUSet
			only.Set(one)
			if err := unix.SchedSetaffinity(0, &only); err != nil {
				t.Error(err)
			}
			l.left = one - 1
			if l.stepAside(); l.left != one {
				t.Errorf("it left %d, want %d", l.left, one)
			}
			if processor(t) != one {
				elsewhere++
			}
		}
		var may unix.CPUSet
		if err := unix.SchedGetaffinity(0, &may); err != nil || may != l.may {
			t.Errorf("afterwards it may run on %v, %v; want %v", may, err, l.may)
		}
		if rank, err := unix.SchedGetAttr(0, 0); err != nil || rank.Policy != unix.SCHED_IDLE {
			t.Errorf("its rank is %v, %v; want SCHED_IDLE", rank, err)
		}
	}()
	<-done
	if elsewhere < tries/2 {
		t.Errorf("%d of %d times it was elsewhere, want nearly always", elsewhere, tries)
	}
}

// processor is the one that the calling thread runs on: proc_pid_stat(5), field 39.
func processor(t *testing.T) int {
	stat, err := os.ReadFile("/proc/thread-self/stat")
	if err != nil {
		t.Error(err)
		return -1
	}
	_, fields, _ := bytes.Cut(stat, []byte(") "))
	number, err := strconv.Atoi(string(bytes.Fields(fields)[39-3]))
	if err != nil {
		t.Error(err)
	}
	return number
}
