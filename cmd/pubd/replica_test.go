package main

import (
	"os"
	"syscall"
	"testing"
	"time"

	"pubd/httpapi"
	"pubd/index"
	"pubd/loader/manifest"
)

// A held snapshot that proves unusable when its time comes is logged. It does not end the process.
func TestSettleInTimePanics(t *testing.T) {
	var log output
	p := &replica{service: httpapi.New(httpapi.Config{}), log: newLogSink(&log), held: map[identity]*loadedIndex{}}
	now := time.Now()
	s := manifest.Snapshot{PublishedAt: now, ActivateAt: now.Add(time.Hour)}
	p.follow(&manifest.Manifest{Sequence: 1, Snapshots: []manifest.Snapshot{s}}, nil)
	p.settle()
	p.held[heldAs(s)] = &loadedIndex{Snapshot: new(index.Snapshot)} // whose every use panics
	p.timer.Reset(0)
	eventually(t, "the panic is logged", func() bool { return log.count("loading crashed") == 1 })
}

// A load that reads a mapped file beyond its new end fails. It does not end the process.
func TestLoadOfTruncatedMapping(t *testing.T) {
	path := write(t, "pubs.idx", "content")
	f, err := os.Open(path)
	ok(t, err)
	defer f.Close()
	mapped, err := syscall.Mmap(int(f.Fd()), 0, len("content"), syscall.PROT_READ, syscall.MAP_SHARED)
	ok(t, err)
	defer syscall.Munmap(mapped)
	ok(t, os.Truncate(path, 0))
	failIf(t, recovered(func() error { _ = string(mapped); return nil }) == nil, "got no error")
}
