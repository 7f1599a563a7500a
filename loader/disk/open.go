package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Open opens a regular file to read it, and nothing else: a named pipe would wait for a writer, and a device may be
// endless. All files that are read are opened here.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if cause := new(fs.PathError); errors.As(err, &cause) {
		cause.Op = "open"
	}
	if err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		return nil, nil, err
	}
	// If a named pipe has replaced the file by now, opening it must not wait.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

func checkRegular(path string, info fs.FileInfo) error {
	what := "not one"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("is %s: must be a regular file", what)}
}

// Patience is how long it may take to read a small file.
const Patience = 30 * time.Second

// A TooLarge error has the maximum number of bytes that a file exceeds.
type TooLarge int64

func (most TooLarge) Error() string { return fmt.Sprintf("must be at most %d bytes", int64(most)) }

// ReadFile reads a regular file of at most most bytes. It stops waiting when the context ends or after Patience, also for
// files, such as some in /proc, that block.
func ReadFile(ctx context.Context, path string, most int64) (content []byte, info fs.FileInfo, err error) {
	type result struct {
		content []byte
		info    fs.FileInfo
	}
	got, err := Do(ctx, &Clock{Limit: Patience}, path, func(ctx context.Context) (r result, err error) {
		file, info, err := Open(path)
		if err != nil {
			return r, err
		}
		defer file.Close()
		defer context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) })()
		content, err := io.ReadAll(io.LimitReader(file, most+1))
		if int64(len(content)) > most {
			err = &fs.PathError{Op: "read", Path: path, Err: TooLarge(most)}
		}
		return result{content, info}, err
	})
	return got.content, got.info, err
}
