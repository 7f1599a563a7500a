package feed

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/storage"
)

// attempt is [disk.Do]; a panic becomes an error.
func attempt[T any](on *disk.Disk, path string, access func(context.Context) (T, error)) (T, error) {
	return disk.Do(on, loader.Visible(path), func(ctx context.Context) (value T, err error) {
		err = recovered(func() error {
			value, err = access(ctx)
			return err
		})
		return value, err
	})
}

// ofSource returns the error of reading a local source: that of a late one has the type storage.Unreachable.
func ofSource(err error) error {
	if late := new(disk.Late); errors.As(err, &late) {
		return &storage.Unreachable{Location: storage.Local(late.Path), Err: late.Reason}
	}
	return err
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
