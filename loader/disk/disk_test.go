package disk

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench/testkit"
)

// A blocked access times out. Nothing else of its disk is accessed until it returns.
func TestDo(t *testing.T) {
	const limit = 50 * time.Millisecond
	on := &Clock{Limit: limit}
	release := make(chan struct{})
	try := func(read func(context.Context) (string, error)) string {
		t.Helper()
		value, err := Do(t.Context(), on, "pubs.csv", read)
		return fmt.Sprint(value, err)
	}
	hang := func(context.Context) (string, error) { <-release; return "late", nil }
	read := func(context.Context) (string, error) { return "read ", nil }
	endless := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	const late = "pubs.csv: no answer within 50ms: check its file system"
	const again = " timed out and still hangs: check its file system, or restart pubd"
	for _, step := range []struct {
		what string
		read func(context.Context) (string, error)
		want string // suffix of the error
	}{
		{"a good file", read, "read <nil>"},
		{"an error", func(context.Context) (string, error) { return "", errors.New("wrong") }, "wrong"},
		{"an endless read", endless, late},
		{"a good file after it", read, "read <nil>"},
		{"a read that hangs", hang, late},
		{"a good file after it", read, again},
	} {
		begun := time.Now()
		got := try(step.read)
		testkit.FailIf(t, !strings.HasSuffix(got, step.want) || step.want == late && time.Since(begun) < limit,
			"%s: got %q after %v, want %q", step.what, got, time.Since(begun), step.want)
	}
	close(release)
	for begun := time.Now(); try(read) != "read <nil>"; time.Sleep(time.Millisecond) {
		testkit.StopIf(t, time.Since(begun) > time.Minute, "nothing is read after the end of the read that hung")
	}
}

// What is no regular file is an error at once, and so is one that is too large.
func TestReadFile(t *testing.T) {
	folder := t.TempDir()
	pipe, file := filepath.Join(folder, "pipe"), testkit.File(t, "file", "12345")
	testkit.OK(t, syscall.Mkfifo(pipe, 0o600))
	for _, c := range []struct {
		path string
		most int64
		want string
	}{
		{file, 5, "12345<nil>"}, {file, 4, "read PATH: must be at most 4 bytes"}, {filepath.Join(folder, "none"), 1, "open PATH: no such file or directory"},
		{folder, 1, "open PATH: is a directory: must be a regular file"}, {pipe, 1, "open PATH: is a named pipe: must be a regular file"},
		{"/dev/zero", 1, "open PATH: is a device: must be a regular file"},
	} {
		content, _, err := ReadFile(t.Context(), c.path, c.most)
		if err != nil {
			content = nil
		}
		testkit.Equal(t, c.path, fmt.Sprint(string(content), err), strings.ReplaceAll(c.want, "PATH", c.path))
	}
}

// A result says when it was closed, and a snapshot when it was released.
type (
	result   chan struct{}
	snapshot chan struct{}
)

func (r result) Close() error { close(r); return nil }
func (s snapshot) Release()   { close(s) }

// A result that arrives late is closed, or released.
func TestLateResult(t *testing.T) {
	on, release, ended := &Clock{Limit: time.Millisecond}, make(chan struct{}), make(chan struct{})
	_, err := Do(t.Context(), on, "pubs.csv", func(context.Context) (result, error) { <-release; return result(ended), nil })
	testkit.StopIf(t, !IsLate(err), "%v", err)
	close(release)
	<-ended
	on, release, ended = &Clock{Limit: time.Millisecond}, make(chan struct{}), make(chan struct{})
	_, err = Do(t.Context(), on, "pubs.csv", func(context.Context) (snapshot, error) { <-release; return snapshot(ended), nil })
	testkit.StopIf(t, !IsLate(err), "%v", err)
	close(release)
	<-ended
}
