package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"pubd/loader"
)

// maxAbandoned bounds the reads that timed out and have not returned: each may block a thread in the kernel.
const maxAbandoned = 8

// windUp is how long a read that timed out may take to return before it counts as hanging in the kernel.
const windUp = 100 * time.Millisecond

// attempts reads files with a time limit, because any access to a file may hang in the kernel forever. It is safe for concurrent use.
type attempts struct {
	limit     time.Duration
	mu        sync.Mutex
	abandoned map[*reading]bool // timed out and not returned; guarded by mu
}

// A reading is one read of a file. Its fields are guarded by the mutex of attempts.
type reading struct {
	begun time.Time
	link  fs.FileInfo // of the path itself, perhaps a symbolic link; nil until known, like that of the file
	file  fs.FileInfo
	ended bool
}

// attempt calls read and stops waiting after the limit. The read continues in its own goroutine until it returns or notices its context.
// Until then the same file is not read again, but other files are. A panic of read becomes an error.
func attempt[T any](a *attempts, path string, read func(context.Context) (T, error)) (T, error) {
	var none T
	if waiting := a.waiting(); waiting >= maxAbandoned {
		return none, tooManyAbandoned(path, waiting)
	}
	ctx, cancel := context.WithTimeout(context.Background(), a.limit)
	defer cancel()
	r := &reading{begun: time.Now()}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var got result
		got.err = recovered(func() (err error) {
			defer a.end(r)
			if err = a.identify(r, path); err == nil {
				got.value, err = read(ctx)
			}
			return err
		})
		done <- got
	}()
	select {
	case got := <-done:
		if got.err == nil || ctx.Err() == nil {
			return got.value, got.err
		}
	case <-ctx.Done():
		select {
		case <-done: // it stopped because its context ended
		case <-time.After(windUp):
			a.abandon(r)
		}
	}
	return none, notRead(path, a.limit)
}

func tooManyAbandoned(path string, waiting int) error {
	return fmt.Errorf("%s: not read, because %d earlier reads timed out and still hang: restore their file system, or restart pubd", loader.Visible(path), waiting)
}

func notRead(path string, limit time.Duration) error {
	return fmt.Errorf("%s: not read within %v (--file-timeout): check its file system", loader.Visible(path), limit)
}

// A panicError is a recovered panic.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("loading crashed: %v", e.cause) }

// recovered calls load and turns a panic into a [*panicError], also one from reading a mapped file that was truncated.
func recovered(load func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{cause, debug.Stack()}
		}
	}()
	return load()
}

func (a *attempts) waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.abandoned)
}

// identify finds out which file a path names, step by step, because each step may hang. It is an error if an abandoned read of the same
// file has not returned.
func (a *attempts) identify(r *reading, path string) error {
	link, _ := os.Lstat(path) // the read reports the error
	if err := a.compare(path, func(other *reading) bool { return other.file == nil && os.SameFile(other.link, link) }, func() { r.link = link }); err != nil {
		return err
	}
	file, _ := os.Stat(path)
	return a.compare(path, func(other *reading) bool {
		// The inode number of a removed file may be reused for a new one.
		return os.SameFile(other.file, file) && other.file.ModTime().Equal(file.ModTime())
	}, func() { r.file = file })
}

// compare returns an error if an abandoned read is of the same file; otherwise it calls makeKnown to record what this one reads.
func (a *attempts) compare(path string, isSame func(*reading) bool, makeKnown func()) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for other := range a.abandoned {
		if isSame(other) {
			return fmt.Errorf("%s: not read, because a read that began at %s timed out and still hangs: put another file in its place, or restore its file system",
				loader.Visible(path), other.begun.UTC().Format(time.RFC3339))
		}
	}
	makeKnown()
	return nil
}

func (a *attempts) abandon(r *reading) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.ended {
		return
	}
	if a.abandoned == nil {
		a.abandoned = map[*reading]bool{}
	}
	a.abandoned[r] = true
}

func (a *attempts) end(r *reading) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.ended = true
	delete(a.abandoned, r)
}
