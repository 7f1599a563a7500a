package feed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A blocked read times out. Nothing else of its source is read until it returns.
func TestAttempt(t *testing.T) {
	const limit = 50 * time.Millisecond
	reads := &attempts{limit: limit}
	release := make(chan struct{})
	try := func(read func(context.Context) (string, error)) string {
		t.Helper()
		value, err := attempt(reads, "pubs.csv", read)
		return fmt.Sprint(value, err)
	}
	hang := func(context.Context) (string, error) { <-release; return "late", nil }
	read := func(context.Context) (string, error) { return "read ", nil }
	endless := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	const late = "pubs.csv: not read within 50ms: check its file system"
	const again = " timed out and still hangs: check its file system, or restart pubd"
	for _, step := range []struct {
		what string
		read func(context.Context) (string, error)
		want string // suffix of the error
	}{
		{"a good file", read, "read <nil>"},
		{"an error", func(context.Context) (string, error) { return "", errors.New("wrong") }, "wrong"},
		{"a panic", func(context.Context) (string, error) { panic("no") }, "loading crashed: no"},
		{"an endless read", endless, late},
		{"a good file after it", read, "read <nil>"},
		{"a read that hangs", hang, late},
		{"a good file after it", read, again},
	} {
		begun := time.Now()
		got := try(step.read)
		if !strings.HasSuffix(got, step.want) || step.want == late && time.Since(begun) < limit {
			t.Errorf("%s: got %q after %v, want %q", step.what, got, time.Since(begun), step.want)
		}
	}
	close(release)
	for begun := time.Now(); try(read) != "read <nil>"; time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("nothing is read after the end of the read that hung")
		}
	}
}

// A load that reads a mapped file beyond its new end fails. It does not end the process.
func TestLoadOfTruncatedMapping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pubs.idx")
	ok(t, os.WriteFile(path, []byte("content"), 0o600))
	f, err := os.Open(path)
	ok(t, err)
	defer f.Close()
	mapped, err := syscall.Mmap(int(f.Fd()), 0, len("content"), syscall.PROT_READ, syscall.MAP_SHARED)
	ok(t, err)
	defer syscall.Munmap(mapped)
	ok(t, os.Truncate(path, 0))
	if recovered(func() error { _ = string(mapped); return nil }) == nil {
		t.Error("got no error")
	}
}
