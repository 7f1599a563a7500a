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

// maxAbandoned bounds the reads that were given up and have not ended: each may hold a thread that waits in the kernel.
const maxAbandoned = 8

// windUp is how long a read may take to end once it was given up, before it counts as one that waits in the kernel.
const windUp = 100 * time.Millisecond

// attempts reads files and gives up after a while, since what reads or even looks at a file may wait in the kernel for ever. It is safe
// for concurrent use.
type attempts struct {
	limit     time.Duration
	mu        sync.Mutex
	abandoned map[*reading]bool // guarded by mu; those that were given up and have not ended
}

// A reading is one read of a file. Its fields are guarded by the mutex of attempts.
type reading struct {
	begun time.Time
	link  fs.FileInfo // of the path itself, a symbolic link perhaps; nil before it is known, as are those of the file
	file  fs.FileInfo
	ended bool
}

// attempt calls read and gives it up after the limit. The read goes on in a goroutine of its own until it ends or notices its
// context. While it does, the same file is not read again, and another one is. A panic of read becomes an error.
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
		case <-done: // it stopped as its context asked it to
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

// A panicError is what a panic becomes.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("loading crashed: %v", e.cause) }

// recovered turns a panic into a [*panicError].
func recovered(load func() error) (err error) {
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

// identify finds out which file a path names, step by step, as each may take for ever. It is an error when an abandoned read of that file
// has not ended.
func (a *attempts) identify(r *reading, path string) error {
	link, _ := os.Lstat(path) // an error is for who reads
	if err := a.compare(path, func(other *reading) bool { return other.file == nil && os.SameFile(other.link, link) }, func() { r.link = link }); err != nil {
		return err
	}
	file, _ := os.Stat(path)
	return a.compare(path, func(other *reading) bool {
		// The number of a file that was removed may be that of a new one.
		return os.SameFile(other.file, file) && other.file.ModTime().Equal(file.ModTime())
	}, func() { r.file = file })
}

// compare returns an error when an abandoned read is the same, and else makes known what this one reads.
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
