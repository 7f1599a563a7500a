// Package disk accesses files that may hang in the kernel forever, as on a network file system whose server is away. [Do]
// does something with files on a [Clock], and gives it up when it makes no progress. [Open] is where all files are
// opened that are read, and [ReadFile] reads a small one.
package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// windUp is how long what timed out may take to return before it counts as hanging in the kernel.
const windUp = 100 * time.Millisecond

// A Clock limits how long something may make no progress. It is safe for concurrent use; a nil one limits nothing.
type Clock struct {
	Limit time.Duration

	mu    sync.Mutex // guards what follows
	timer *time.Timer
	place string    // accessed last
	begun time.Time // when
	hangs int       // calls of Do that timed out and have not returned
}

// At says that an access to a place begins, or to the same one as before if it is empty. The limit counts from now on.
func (c *Clock) At(place string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.place, c.begun = cmp.Or(place, c.place), time.Now(); c.timer != nil {
		c.timer.Reset(c.Limit)
	}
}

// Pause stops the clock until the next access, while nothing is accessed.
func (c *Clock) Pause() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
}

// A Late error means that an access was given up, or not tried because another one hangs.
type Late struct {
	Path   string
	Reason error
}

func (e *Late) Error() string { return e.Path + ": " + e.Reason.Error() }

// Hung returns an error while something that timed out has not returned.
func (c *Clock) Hung() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hangs == 0 {
		return nil
	}
	return &Late{c.place, fmt.Errorf("no answer, because an access that began at %s timed out and still hangs: check its file system, or restart pubd",
		c.begun.UTC().Format(time.RFC3339))}
}

// late returns the error of what made no progress.
func (c *Clock) late() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Late{c.place, fmt.Errorf("no answer within %v: check its file system", c.Limit)}
}

func (c *Clock) hang(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hangs += more
}

// errLate is why the context of what makes no progress ends.
var errLate = errors.New("no answer")

// Do calls access, which says on the clock what it is at, and stops waiting for it when it makes no progress within the
// limit; the error is then of type [*Late], and the context of access ends. Without a result, access continues in its
// own goroutine until it returns, and its result is closed, or released if it has that method. Until then the clock
// lets nothing else be done. One Do at a time uses a clock.
func Do[T any](ctx context.Context, c *Clock, place string, access func(context.Context) (T, error)) (T, error) {
	var none T
	if err := c.Hung(); err != nil {
		return none, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.mu.Lock()
	c.timer = time.AfterFunc(c.Limit, func() { cancel(errLate) })
	c.mu.Unlock()
	defer c.Pause()
	c.At(place)
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := access(ctx)
		done <- result{value, err}
	}()
	patience := c.Limit
	select {
	case got := <-done:
		done <- got
	case <-ctx.Done():
		if context.Cause(ctx) == errLate {
			patience = windUp
		}
	}
	select {
	case got := <-done: // perhaps because it noticed the end of its context, or just made it
		if got.err != nil && context.Cause(ctx) == errLate {
			return none, c.late()
		}
		return got.value, got.err
	case <-time.After(patience):
		c.hang(1)
		go func() {
			got := <-done
			c.hang(-1)
			if got.err == nil {
				drop(got.value)
			}
		}()
		return none, c.late()
	}
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

// IsLate reports whether an error is that of an access that was given up.
func IsLate(err error) bool { return errors.As(err, new(*Late)) }
