package feed

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"pubd/loader"
	"pubd/loader/storage"
)

// windUp is how long a read that timed out may take to return before it counts as hanging in the kernel.
const windUp = 100 * time.Millisecond

// attempts reads the files of one source with a time limit, because any access to a file may hang in the kernel
// forever. It is safe for concurrent use.
type attempts struct {
	limit time.Duration
	hangs atomic.Pointer[time.Time] // when the read began that timed out and has not returned; nil if there is none
}

// attempt calls read and stops waiting after the limit, with an error of type storage.Unreachable. The read continues
// in its own goroutine until it returns or notices its context. Until then nothing of this source is read. A panic of
// read becomes an error.
func attempt[T any](a *attempts, path string, read func(context.Context) (T, error)) (T, error) {
	var none T
	begun := time.Now()
	if since := a.hangs.Load(); since != nil {
		return none, late(path, "not read, because a read that began at %s timed out and still hangs: check its file system, or restart pubd",
			since.UTC().Format(time.RFC3339))
	}
	ctx, cancel := context.WithTimeout(context.Background(), a.limit)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var got result
		got.err = recovered(func() (err error) {
			got.value, err = read(ctx)
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
		case got := <-done: // it stopped because its context ended, or just made it
			if got.err == nil {
				return got.value, nil
			}
		case <-time.After(windUp):
			a.hangs.Store(&begun)
			go func() {
				<-done
				a.hangs.Store(nil)
			}()
		}
	}
	return none, late(path, "not read within %v: check its file system", a.limit)
}

func late(path, format string, values ...any) error {
	return &storage.Unreachable{Location: storage.Local(path), Err: fmt.Errorf(format, values...)}
}

// A panicError is a recovered panic.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string { return "loading crashed: " + loader.Visible(fmt.Sprint(e.cause)) }

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
