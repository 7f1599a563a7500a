package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A blocked read times out. Its file is not read again until the read returns; other files are.
func TestAttempt(t *testing.T) {
	const limit = 50 * time.Millisecond
	reads := &attempts{limit: limit}
	file := write(t, "pubs.csv", "a")
	release := make(chan struct{})
	ended := make(chan struct{}, 100)
	try := func(path string, read func(context.Context) (string, error)) string {
		t.Helper()
		value, err := attempt(reads, path, func(ctx context.Context) (string, error) {
			defer func() { ended <- struct{}{} }()
			return read(ctx)
		})
		return fmt.Sprint(value, err)
	}
	hang := func(context.Context) (string, error) { <-release; return "late", nil }
	read := func(context.Context) (string, error) { return "read ", nil }
	endless := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	late := ": not read within 50ms (--file-timeout): check its file system"
	again := " timed out and still hangs: put another file in its place, or restore its file system"
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		what string
		path string
		read func(context.Context) (string, error)
		want string // suffix of the error
	}{
		{"a good file", file, read, "read <nil>"},
		{"no file", file + "x", read, "read <nil>"},
		{"an error", file, func(context.Context) (string, error) { return "", errors.New("wrong") }, "wrong"},
		{"a panic", file, func(context.Context) (string, error) { panic("no") }, "loading crashed: no"},
		{"an endless read", file, endless, late},
		{"a good file after it", file, read, "read <nil>"},
		{"a read that hangs", file, hang, late},
		{"the same file", file, read, again},
		{"a link to it", link, read, again},
		{"another file", write(t, "pubs.csv", "a"), read, "read <nil>"},
	} {
		begun := time.Now()
		if got := try(step.path, step.read); !strings.HasSuffix(got, step.want) {
			t.Errorf("%s: got %q, want %q", step.what, got, step.want)
		}
		if strings.HasPrefix(step.want, ":") && time.Since(begun) < limit {
			t.Errorf("%s: given up after %v", step.what, time.Since(begun))
		}
	}
	replace(t, file, "b")
	if got := try(file, read); got != "read <nil>" {
		t.Errorf("another file in its place: got %q", got)
	}
	for i := range maxAbandoned - 1 {
		replace(t, file, fmt.Sprint(i))
		if got := try(file, hang); !strings.HasSuffix(got, late) {
			t.Errorf("%d reads that hang: got %q", i+2, got)
		}
	}
	replace(t, file, "c")
	if got := try(file, read); !strings.Contains(got, "8 earlier reads timed out") {
		t.Errorf("with 8 reads that hang: got %q", got)
	}
	close(release)
	eventually(t, "the reads end", func() bool { return reads.waiting() == 0 })
	if got := try(file, read); got != "read <nil>" {
		t.Errorf("after they have ended: got %q", got)
	}
}
