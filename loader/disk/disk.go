// Package disk accesses files with a time limit, because any access may hang in the kernel forever, as on a network
// file system whose server is away. [Do] is one access, such as opening or renaming; a [File] does so with each of its
// operations. [Open] is where all files are opened that are read, and [ReadFile] reads a small one.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// windUp is how long an access that timed out may take to return before it counts as hanging in the kernel.
const windUp = 100 * time.Millisecond

// A Disk is what hangs as a whole, such as the file system of a folder. It is safe for concurrent use.
type Disk struct {
	// Limit is how long an access may take.
	Limit time.Duration

	mu    sync.Mutex // guards what follows
	hangs int        // accesses that timed out and have not returned
	since time.Time  // when the first of them began
}

// A Late error means that an access was given up, or not tried because another one hangs.
type Late struct {
	Path   string
	Reason error
}

func (e *Late) Error() string { return e.Path + ": " + e.Reason.Error() }

// Do calls access and stops waiting after the limit; the error is then of type [*Late]. The access continues in its own
// goroutine until it returns or notices its context, and its result is closed, or released if it has that method. Until
// then no other access is tried, so at most one thread of a disk hangs for each goroutine that was using it.
func Do[T any](d *Disk, path string, access func(context.Context) (T, error)) (T, error) {
	var none T
	begun := time.Now()
	d.mu.Lock()
	hangs, since := d.hangs, d.since
	d.mu.Unlock()
	if hangs > 0 {
		return none, &Late{path, fmt.Errorf("no answer, because an access that began at %s timed out and still hangs: check its file system, or restart pubd",
			since.UTC().Format(time.RFC3339))}
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.Limit)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := access(ctx)
		done <- result{value, err}
	}()
	select {
	case got := <-done:
		if got.err == nil || ctx.Err() == nil {
			return got.value, got.err
		}
	case <-ctx.Done():
		select {
		case got := <-done: // it stopped because its context ended, or just made it
			if got.err == nil {
				return got.value, nil
			}
		case <-time.After(windUp):
			d.hang(begun)
			go func() {
				got := <-done
				d.mu.Lock()
				d.hangs--
				d.mu.Unlock()
				if got.err == nil {
					drop(got.value)
				}
			}()
		}
	}
	return none, &Late{path, fmt.Errorf("no answer within %v: check its file system", d.Limit)}
}

// drop closes or releases a result that nobody waits for.
func drop(value any) {
	switch value := value.(type) {
	case io.Closer:
		_ = value.Close()
	case interface{ Release() }:
		value.Release()
	}
}

// hang counts an access that hangs.
func (d *Disk) hang(begun time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hangs++; d.hangs == 1 {
		d.since = begun
	}
}

// IsLate reports whether an error is that of an access that was given up.
func IsLate(err error) bool { return errors.As(err, new(*Late)) }
