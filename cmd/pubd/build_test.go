package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/index"
)

// An index file is written completely or not at all, replaces another one only on request, and is always the same.
func TestBuildCommand(t *testing.T) {
	folder := t.TempDir()
	source, target := filepath.Join(folder, "pubs.csv"), filepath.Join(folder, "pubs.idx")
	replace(t, source, pubs(50, "a"))
	replace(t, filepath.Join(folder, ".pubs.idx.123"), "left by a process that was killed")
	var first []byte
	for _, c := range []struct {
		what    string
		content string
		args    []string
		code    int
		out     string // the start of standard output
		errs    string // in standard error
		changes bool   // the target
	}{
		{"a good snapshot", pubs(50, "a"), nil, exitOK, target + ": 50 pubs, ", "", true},
		{"over it", pubs(50, "a"), nil, exitError, "", "pubs.idx: exists: use --force to replace it", false},
		{"over it with --force", pubs(50, "a"), []string{"--force"}, exitOK, target + ": 50 pubs, ", "", false},
		{"a wrong row", pubs(50, "a") + "wrong,\n", []string{"--force"}, exitError, "", "pubs.csv:52: has 2 fields, the header has 5", false},
		{"a wrong row that may be", pubs(50, "a") + "wrong,\n", []string{"--force", "--max-bad-rows=1"}, exitOK, target + ": 50 pubs, ", "the header has 5 (skipped)", true},
		{"an unknown column", "UID,name,colour\n7,Bell,red\n", []string{"--force"}, exitOK, target + ": 1 pub, ", "unknown columns, ignored: colour", true},
		{"an unknown column that is kept", "UID,name,colour\n7,Bell,red\n", []string{"--force", "--extra=Colour,phone"}, exitOK, target + ": 1 pub, ",
			"pubs.csv: columns of --extra not found: phone\n", true},
		{"no pub", "UID,name\n", []string{"--force"}, exitError, "", "has no pub", false},
	} {
		replace(t, source, c.content)
		before, _ := os.ReadFile(target)
		code, out, errs := runFor(t, append([]string{"build", source, target}, c.args...)...)
		after, _ := os.ReadFile(target)
		if code != c.code || !strings.HasPrefix(out, c.out) || (c.out == "") != (out == "") || !strings.Contains(errs, c.errs) || bytes.Equal(before, after) == c.changes {
			t.Errorf("%s: got %d %q %q, changed: %v", c.what, code, out, errs, !bytes.Equal(before, after))
		}
		if first == nil {
			first = after
		}
		names := cached(t, folder)
		failIf(t, len(names) != 2, "%s: the folder has %q, want pubs.csv and pubs.idx", c.what, names)
	}
	refuseCommand(t, exitUsage, "the name must end in .idx", "build", source, source)
	refuseCommand(t, exitUsage, `--extra: column "LNG": is a member of a pub`, "build", source, target, "--extra=phone,LNG")
	refuseCommand(t, exitUsage, "--max-bad-rows -1: must be 0 or more", "build", source, target, "--max-bad-rows=-1")
	refuseCommand(t, exitError, "absent.csv: file does not exist", "build", filepath.Join(folder, "absent.csv"), filepath.Join(folder, "new.idx"))

	ended, end := context.WithCancel(t.Context())
	end()
	var out, errs output
	before, _ := os.ReadFile(target)
	if code := run(ended, []string{"build", "--force", source, target}, &out, &errs); code != exitError {
		t.Errorf("interrupted: got %d %s", code, &errs)
	}
	if after, _ := os.ReadFile(target); !bytes.Equal(after, before) || len(cached(t, folder)) != 2 {
		t.Errorf("interrupted: the target changed, or a file was left: %q", cached(t, folder))
	}
}

// refuseCommand checks that a command fails and its last message has the reason.
func refuseCommand(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	got, out, errs := runFor(t, args...)
	failIf(t, got != code || out != "" || !strings.Contains(errs, want), "%q: got %d, stdout %q, stderr %q, want %d and %q", args, got, out, errs, code, want)
}

// damage returns an index file with a bit flipped in one of its sections. The padding between them has no checksum.
func damage(content []byte) []byte {
	damaged := bytes.Clone(content)
	at := len(damaged) / 2
	for damaged[at] == 0 {
		at++
	}
	damaged[at] ^= 1
	return damaged
}

func TestInspect(t *testing.T) {
	folder := t.TempDir()
	source, target := filepath.Join(folder, "pubs.csv"), filepath.Join(folder, "pubs.idx")
	replace(t, source, pubs(50, "a"))
	must(t, "build", source, target)
	code, out, errs := runFor(t, "inspect", target)
	failIf(t, code != exitOK || errs != "", "got %d %q", code, errs)
	for _, want := range []string{target + ": ok: 50 pubs, 0 rated\n", "\nbuilder   ", fmt.Sprintf("\nformat    %d\n", index.FormatVersion()), " a pub\n", "\npubs.json  ", "█"} {
		failIf(t, !strings.Contains(out, want), "%q is missing in\n%s", want, out)
	}
	content := read(t, target)
	flipped := damage(content)
	for _, c := range []struct{ what, content, want string }{
		{"a flipped bit", string(flipped), "checksum differs"},
		{"cut short", string(content[:len(content)/2]), "cut short"},
		{"empty", "", "it is empty"},
		{"a snapshot", pubs(3, "a"), "not an index file of pubd"},
	} {
		damaged := write(t, "damaged.idx", c.content)
		refuseCommand(t, exitError, c.want, "inspect", damaged)
		refuseCommand(t, exitError, damaged+": ", "inspect", damaged)
		refuse(t, exitError, damaged+": ", "--data", damaged)
	}
	refuseCommand(t, exitError, "no such file", "inspect", filepath.Join(folder, "absent.idx"))
}
