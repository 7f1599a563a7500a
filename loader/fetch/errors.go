package fetch

import (
	"errors"
	"fmt"
	"runtime/debug"

	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/fetch/worker"
	"pubd/loader/storage"
)

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
	if late := new(disk.Late); errors.As(err, &late) {
		return late
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
