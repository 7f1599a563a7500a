package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
	"pubd/index"
)

// An index file is written completely or not at all, replaces another one only on request, and is always the same.
func TestBuildCommand(t *testing.T) {
	folder := t.TempDir()
	source, target := filepath.Join(folder, "pubs.csv"), filepath.Join(folder, "pubs.idx")
	replace(t, filepath.Join(folder, ".pubs.idx.123"), "left by a process that was killed")
	for _, c := range []struct {
		what, content string
		args          []string
		code          int
		out, errs     string // the start of standard output, a part of standard error
		changes       bool   // the target
	}{
		{"a good snapshot", pubs(50, "a"), nil, cli.ExitOK, target + ": 50 pubs, ", "", true},
		{"over it", pubs(50, "a"), nil, cli.ExitError, "", "pubs.idx: exists: use --force to replace it", false},
		{"over it with --force", pubs(50, "a"), []string{"--force"}, cli.ExitOK, target + ": 50 pubs, ", "", false},
		{"a wrong row", pubs(50, "a") + "wrong,\n", []string{"--force"}, cli.ExitError, "", "pubs.csv:52: has 2 fields, the header has 5", false},
		{"a wrong row that may be", pubs(50, "a") + "wrong,\n", []string{"--force", "--max-bad-rows=1"}, cli.ExitOK, target + ": 50 pubs, ", "the header has 5 (skipped)", true},
		{"an unknown column", "UID,name,colour\n7,Bell,red\n", []string{"--force"}, cli.ExitOK, target + ": 1 pub, ", "unknown columns, ignored: colour", true},
		{"an unknown time zone", "UID,name,time_zone\n7,Bell,Mars\n8,Lion,Pluto\n", []string{"--force"}, cli.ExitOK, target + ": 2 pubs, ", "has no meaning; left out, with 1 more of this column", true},
		{"an unknown column that is kept", "UID,name,colour\n7,Bell,red\n", []string{"--force", "--extra=Colour,beds"}, cli.ExitOK, target + ": 1 pub, ",
			"pubs.csv: columns of --extra or --facet not found: beds\n", true},
		{"a value of another type", "UID,name,price\n7,Bell,n/a\n8,Lion,3\n9,Swan,-\n", []string{"--force", "--facet=price:number"}, cli.ExitOK, target + ": 3 pubs, ",
			`pubs.csv:2: price "n/a": must be a number, as --facet says; left out, with 1 more of this column`, true},
		{"types found out", "UID,name,price,style\n7,Bell,n/a,12\n8,Lion,3,13\n9,Swan,5,14\n", []string{"--force", "--facet=price,style"}, cli.ExitOK, target + ": 3 pubs, ",
			"pubs.csv: types of columns found out, which --facet can declare: price:text, style:number\n", true},
		{"as many columns of numbers as there may be", "UID,name,a,b,c,d,e,f,g,h\n7,Bell,1,2,3,4,5,6,7,8\n", []string{"--force", "--facet=a,b,c,d,e,f,g,h:number"}, cli.ExitOK, target + ": 1 pub, ", "", true},
		{"a type that there is not", pubs(50, "a"), []string{"--force", "--facet=price:num"}, cli.ExitUsage, "", `--facet: column "price": the type "num" must be number or text`, false},
		{"no pub", "UID,name\n", []string{"--force"}, cli.ExitError, "", "has no pub", false},
	} {
		replace(t, source, c.content)
		before, _ := os.ReadFile(target)
		code, out, errs := runFor(t, append([]string{"build", source, target}, c.args...)...)
		after, _ := os.ReadFile(target)
		isRight := code == c.code && strings.HasPrefix(out, c.out) && (c.out == "") == (out == "") && strings.Contains(errs, c.errs)
		testkit.FailIf(t, !isRight, "%s: got %d %q %q, want %d %q %q", c.what, code, out, errs, c.code, c.out, c.errs)
		testkit.Equal(t, c.what+": changes", !bytes.Equal(before, after), c.changes)
		left := testkit.Names(t, folder)
		testkit.FailIf(t, len(left) != 2, "%s: the folder has %q, want pubs.csv and pubs.idx", c.what, left)
	}
}

// built returns an index file of a snapshot.
func built(t *testing.T, content string, flags ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pubs.idx")
	must(t, append([]string{"build", testkit.File(t, "pubs.csv", content), path}, flags...)...)
	return path
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
	target := built(t, pubs(50, "a"))
	code, out, errs := runFor(t, "inspect", target)
	testkit.FailIf(t, code != cli.ExitOK || errs != "", "got %d %q", code, errs)
	format := fmt.Sprintf("\nformat    %d\n", index.FormatVersion())
	testkit.Contains(t, "inspect", out, target+": ok: 50 pubs, 0 rated\n", "\nbuilder   ", format, " a pub\n", "\npubs  ", "\n--all ")
	testkit.FailIf(t, strings.Count(out, "\n") > 40, "inspect prints more than a page: %s", out)
	testkit.Contains(t, "inspect --all", must(t, "inspect", "--all", target), "\npubs.json  ")
	content := testkit.Read(t, target)
	for want, content := range map[string]string{
		"checksum differs": string(damage(content)), "cut short": string(content[:len(content)/2]),
	} {
		damaged := testkit.File(t, "damaged.idx", content)
		refuseCommand(t, cli.ExitError, damaged+": ", "inspect", damaged)
		refuseCommand(t, cli.ExitError, want, "inspect", damaged)
	}
}
