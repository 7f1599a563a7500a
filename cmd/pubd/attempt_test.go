package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	const again = " timed out and still hangs: restore its file system, or restart pubd"
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
		failIf(t, !strings.HasSuffix(got, step.want), "%s: got %q, want %q", step.what, got, step.want)
		failIf(t, step.want == late && time.Since(begun) < limit, "%s: given up after %v", step.what, time.Since(begun))
	}
	close(release)
	eventually(t, "the read ends", func() bool { return try(read) == "read <nil>" })
}
