package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"pubd/loader"
)

// memoryShare is how much of the memory that its cgroup allows pubd leaves to Go: the rest is for its text, for stacks, and for
// what Go needs for a moment beyond its limit.
const memoryShare = 0.85

// limitMemory makes Go collect garbage in time for the limit of the cgroup, unless GOMEMLIMIT or no cgroup sets one.
func limitMemory() error {
	if _, err := memlimit.Set(memlimit.WithRatio(memoryShare)); err != nil && !errors.Is(err, memlimit.ErrNoCgroup) {
		return err
	}
	return nil
}

// freeMemory is how many bytes of the memory limit are left, by what the last collection found live; [math.MaxInt64] without a
// limit, and at least 1.
func freeMemory() int64 {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return limit
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return max(limit-int64(live[0].Value.Uint64())-int64(memory.Sys-memory.HeapSys), 1)
}

// noRoom adds the memory limit to an error about memory.
func noRoom(err error) error {
	if room := new(loader.RoomError); errors.As(err, &room) {
		return fmt.Errorf("%w; the limit is %d MiB (GOMEMLIMIT, or %v %% of the cgroup's)", err, debug.SetMemoryLimit(-1)>>20, 100*memoryShare)
	}
	return err
}

// dropKept lets the kept snapshots go, and reports whether there were any.
func (p *program) dropKept() bool {
	kept := p.service.Kept()
	if kept == 0 {
		return false
	}
	p.service.DropHistory()
	runtime.GC()
	p.log.Warn().Int("kept", kept).Int64("memory_limit", debug.SetMemoryLimit(-1)).Msg("kept snapshots let go for memory")
	return true
}
