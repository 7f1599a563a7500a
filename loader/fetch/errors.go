package fetch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/fetch/worker"
	"pubd/loader/storage"
)

// Attempt is [disk.Do]; a panic becomes an error.
func Attempt[T any](on *disk.Disk, path string, access func(context.Context) (T, error)) (T, error) {
	return disk.Do(on, loader.Visible(path), func(ctx context.Context) (value T, err error) {
		err = Recovered(func() error {
			value, err = access(ctx)
			return err
		})
		return value, err
	})
}

// OfSource returns the error of reading a local source: that of a late one has the type storage.Unreachable.
func OfSource(err error) error {
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

// Recovered calls load and turns a panic into a [*panicError], also one from reading a mapped file that was truncated.
func Recovered(load func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{cause, debug.Stack()}
		}
	}()
	return load()
}

// A ConfigError means that a source contradicts the configuration: nothing of it may be served, not even from the
// cache.
type ConfigError struct{ error }

// Unreachable returns the error of a source that is unreachable, or cannot be read in time, within an error, or nil.
func Unreachable(err error) error {
	if from := new(storage.Unreachable); errors.As(err, &from) {
		return from
	}
	if errors.Is(err, worker.ErrLate) && !errors.Is(err, worker.ErrUnwritable) {
		return err
	}
	return nil
}

// LogCrash logs an error that is a recovered panic, or that a worker crashed.
func LogCrash(log Log, err error) {
	if broken := new(panicError); errors.As(err, &broken) {
		log.Error().Str("panic", fmt.Sprint(broken.cause)).Bytes("stack", broken.stack).Msg("loading crashed")
	}
	if crash := new(worker.Crash); errors.As(err, &crash) && crash.Stderr != "" {
		log.Error().Str("stack", crash.Stderr).Msg("loading crashed")
	}
}
