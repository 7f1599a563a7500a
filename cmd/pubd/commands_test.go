package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data"
)

// A command line and texts that its standard output and standard error contain. An empty text means no output.
type commandCase struct {
	args     []string
	code     int
	out, err string
}

func (c commandCase) check(t *testing.T) {
	t.Helper()
	code, out, errs := runFor(t, c.args...)
	if code != c.code || !holds(out, c.out) || !holds(errs, c.err) {
		t.Errorf("pubd %q: got %d, stdout %q, stderr %q, want %d, %q, %q", c.args, code, out, errs, c.code, c.out, c.err)
	}
	if strings.Contains(out+errs, "panic") || strings.Contains(out+errs, "goroutine ") {
		t.Errorf("pubd %q: panics: %s%s", c.args, out, errs)
	}
}

func holds(text, part string) bool {
	return strings.Contains(text, part) && (text == "") == (part == "")
}

func TestUsage(t *testing.T) {
	for _, c := range []commandCase{
		{[]string{"no-such-command"}, exitUsage, "", "unexpected argument no-such-command"},
		{[]string{"--no-such-flag"}, exitUsage, "", "unknown flag --no-such-flag"},
		{[]string{"keys"}, exitUsage, "", `"add", "revoke", "list"`},
		{[]string{"keys", "show"}, exitUsage, "", "show"},
		{[]string{"keys", "add"}, exitUsage, "", "--file=FILE, --name=NAME"},
		{[]string{"keys", "revoke", "--file=k"}, exitUsage, "", "--name=NAME"},
		{[]string{"keys", "list"}, exitUsage, "", "--file=FILE"},
		{[]string{"check"}, exitUsage, "", "<file>"},
		{[]string{"sample", "--pubs=many"}, exitUsage, "", "--pubs"},
		{[]string{"sample", "--pubs=1.5"}, exitUsage, "", "--pubs"},
		{[]string{"sample", "--seed=-1"}, exitUsage, "", "--seed"},
		{[]string{"sample", "more"}, exitUsage, "", "more"},
	} {
		c.check(t)
	}
}

// secret matches the output of keys add.
var secret = regexp.MustCompile(`^pubd_[a-z2-7]{32,}\n$`)

func TestKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	secrets := map[string]bool{}
	for _, flags := range [][]string{{"--name=plain"}, {"--name=fast", "--rate=2.5"}, {"--name=pubRef", "--expires=2999-01-31T12:00:00+01:00"},
		{"--name=day", "--expires=2999-01-31"}} {
		code, out, errs := runFor(t, append([]string{"keys", "add", "--file", file}, flags...)...)
		if code != exitOK || !secret.MatchString(out) || errs != "" || secrets[out] {
			t.Errorf("keys add %q: got %d, stdout %q, stderr %q, want 0 and a new secret alone", flags, code, out, errs)
		}
		secrets[out] = true
	}
	commandCase{[]string{"keys", "revoke", "--file", file, "--name", "fast"}, exitOK, "", ""}.check(t)
	_, list, _ := runFor(t, "keys", "list", "--file", file)
	today := time.Now().UTC().Format(time.DateOnly)
	rows := strings.Split(regexp.MustCompile(` {2,}`).ReplaceAllString(strings.ReplaceAll(list, today, "TODAY"), "|"), "\n")
	want := []string{"NAME|STATE|CREATED|EXPIRES|RATE|PER CLIENT", "plain|valid|TODAY|never|-|-", "fast|revoked TODAY|TODAY|never|2.5/s|-",
		"pubRef|valid|TODAY|2999-01-31T11:00:00Z|-|-", "day|valid|TODAY|2999-01-31T00:00:00Z|-|-", ""}
	if strings.Join(rows, "\n") != strings.Join(want, "\n") {
		t.Errorf("keys list: got %q, want %q", rows, want)
	}
	content := read(t, file)
	for secret := range secrets {
		if secret = strings.TrimSpace(secret); strings.Contains(list, secret) || strings.Contains(string(content), secret) {
			t.Errorf("list or key file shows the secret: %s%s", list, content)
		}
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the key file: got %v, want 0600", info.Mode())
	}
}

// An expiry may be a number of days, and public keys are listed as such.
func TestPublicKeyIsListed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	before := time.Now()
	addKey(t, file, "pages", "--public", "--rate-per-client=20", "--rate=500", "--expires=30d")
	_, list, _ := runFor(t, "keys", "list", "--file", file)
	fields := strings.Fields(list[strings.Index(list, "pages"):])
	expires, err := time.Parse(time.RFC3339, fields[3])
	if lasts := expires.Sub(before); err != nil || lasts < 30*24*time.Hour-time.Second || lasts > 30*24*time.Hour+time.Minute {
		t.Errorf("expires: got %v, %v, want in 30 days", expires, err)
	}
	if got := strings.Join(fields[4:], " "); got != "500/s 20/s, public" {
		t.Errorf("rates: got %s", got)
	}
	if strings.Contains(list, "pubd_") {
		t.Errorf("the list shows a secret: %s", list)
	}
}

func TestWrongKeysAreRefused(t *testing.T) {
	folder := t.TempDir()
	file, broken := filepath.Join(folder, "keys"), filepath.Join(folder, "broken")
	addKey(t, file, "first")
	replace(t, broken, "broken\n")
	before, _ := os.ReadFile(file)
	add := func(flags ...string) []string { return append([]string{"keys", "add", "--file", file}, flags...) }
	for _, c := range []commandCase{
		{add("--name=first"), exitError, "", "is in use"},
		{add("--name="), exitError, "", "must be 1 to 64 printable characters without spaces"},
		{add("--name=a b"), exitError, "", "must be 1 to 64 printable characters without spaces"},
		{add("--name=a\nb"), exitError, "", "must be 1 to 64 printable characters without spaces"},
		{add("--name=none", "--rate=0"), exitError, "", "must be a number above 0"},
		{add("--name=x", "--rate=-1"), exitError, "", "must be a number above 0"},
		{add("--name=x", "--rate=NaN"), exitError, "", "must be a number above 0"},
		{add("--name=x", "--rate=1e7"), exitError, "", "at most 1000000"},
		{add("--name=x", "--rate=fast"), exitUsage, "", "--rate"},
		{add("--name=x", "--expires=tomorrow"), exitUsage, "", "--expires"},
		{add("--name=x", "--expires=2999-02-30"), exitUsage, "", "must be a number of days such as 30d, a date"},
		{add("--name=x", "--expires=-30d"), exitUsage, "", "--expires"},
		{add("--name=x", "--expires=99999d"), exitUsage, "", "--expires"},
		{add("--name=x", "--expires=d"), exitUsage, "", "--expires"},
		{add("--name=x", "--expires=0d"), exitError, "", "past"},
		{add("--name=x", "--public"), exitError, "", "--public: needs --rate-per-client"},
		{add("--name=x", "--rate-per-client=20"), exitError, "", "--rate-per-client: is for a key that is --public"},
		{add("--name=x", "--public", "--rate-per-client=0"), exitError, "", "must be a number above 0"},
		{add("--name=x", "--public", "--rate-per-client=1e7"), exitError, "", "at most 1000000"},
		{add("--name=late", "--expires=2001-01-01T00:00:00Z"), exitError, "", "past"},
		{add("--name=never", "--expires=0001-01-01T00:00:00Z"), exitError, "", "from 1970"},
		{[]string{"keys", "add", "--file", filepath.Join(folder, "no", "keys"), "--name=x"}, exitError, "", "no such file"},
		{[]string{"keys", "add", "--file", folder, "--name=x"}, exitError, "", "regular file"},
		{[]string{"keys", "add", "--file", broken, "--name=x"}, exitError, "", "broken:1: "},
		{[]string{"keys", "revoke", "--file", file, "--name=second"}, exitError, "", "is not in the file"},
		{[]string{"keys", "revoke", "--file", file + ".absent", "--name=first"}, exitError, "", "keys.absent"},
		{[]string{"keys", "list", "--file", file + ".absent"}, exitError, "", "keys.absent"},
		{[]string{"keys", "list", "--file", broken}, exitError, "", "broken:1: "},
	} {
		c.check(t)
		if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
			t.Errorf("pubd %q: changes the key file to %s", c.args, after)
			before = after
		}
	}
	commandCase{[]string{"keys", "revoke", "--file", file, "--name=first"}, exitOK, "", ""}.check(t)
	commandCase{[]string{"keys", "revoke", "--file", file, "--name=first"}, exitError, "", "was revoked"}.check(t)
}

func TestCheck(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		replace(t, filepath.Join(folder, name), content)
		return filepath.Join(folder, name)
	}
	good := file("good.csv", "uid,name,beer,review_count,colour\nu1,Lion,7,3,red\nu2,Bear,,0,\n")
	flawed := file("flawed.csv", "UID,name\nu1,Lion\nu2,\nu1,Twin\n")
	ok := "good.csv: ok: 2 pubs, 1 rated, 2 without coordinates"
	for _, c := range []commandCase{
		{[]string{"check", good}, exitOK, ok, ""},
		{[]string{"check", good}, exitOK, "good.csv: unknown columns, ignored: colour", ""},
		{[]string{"check", flawed}, exitError, "flawed.csv:3: name: must not be empty", "1 of 1 files would be rejected"},
		{[]string{"check", flawed}, exitError, "flawed.csv:4: UID \"u1\": ", "1 of 1 files would be rejected"},
		{[]string{"check", "--max-bad-rows=1", flawed}, exitError, "flawed.csv:4: ", "1 of 1 files would be rejected"},
		{[]string{"check", "--max-bad-rows=2", flawed}, exitOK, "flawed.csv:3: name: must not be empty (skipped)", ""},
		{[]string{"check", "--max-bad-rows=2", flawed}, exitOK, "flawed.csv: ok: 1 pubs, 0 rated, 1 without coordinates; 2 wrong rows skipped", ""},
		{[]string{"check", flawed, good, folder + "/absent.csv"}, exitError, ok, "2 of 3 files would be rejected"},
		{[]string{"check", good, flawed}, exitError, "flawed.csv:3: ", "1 of 2 files would be rejected"},
		{[]string{"check", folder + "/absent.csv"}, exitError, "absent.csv: file does not exist", "1 of 1 files would be rejected"},
		{[]string{"check", folder}, exitError, folder, "1 of 1 files would be rejected"},
		{[]string{"check", "--max-bad-rows=-1", good}, exitUsage, "", "--max-bad-rows -1: must be 0 or more"},
		{[]string{"check", "--max-bad-rows=few", good}, exitUsage, "", "--max-bad-rows"},
	} {
		c.check(t)
	}
}

func TestSample(t *testing.T) {
	var out bytes.Buffer
	if code := run(context.Background(), []string{"sample"}, &out, new(output)); code != exitOK || !bytes.Equal(out.Bytes(), data.Sample()) {
		t.Errorf("sample: got %d and %d bytes, want 0 and the embedded sample", code, out.Len())
	}
	for _, args := range [][]string{{"sample", "--pubs=100"}, {"sample", "--pubs=100", "--seed=18446744073709551615"}, {"sample", "--pubs=1"}} {
		_, first, _ := runFor(t, args...)
		if code, again, errs := runFor(t, args...); code != exitOK || again != first || errs != "" {
			t.Errorf("%q: got %d, %d bytes, then %d bytes, stderr %q, want the same bytes", args, code, len(first), len(again), errs)
		}
	}
	for _, pubs := range []string{"0", "-1", "536870913", "9223372036854775807"} {
		commandCase{[]string{"sample", "--pubs=" + pubs}, exitError, "", "pubs " + pubs + ": must be "}.check(t)
	}
}

// fullWriter accepts a limited number of bytes.
type fullWriter struct{ left int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		return w.left, syscall.ENOSPC
	}
	w.left -= len(p)
	return len(p), nil
}

// A command whose output cannot be written fails and reports it.
func TestOutputThatIsNotTaken(t *testing.T) {
	folder := t.TempDir()
	keyFile := filepath.Join(folder, "keys")
	addKey(t, keyFile, "first")
	good := filepath.Join(folder, "good.csv")
	replace(t, good, pubs(1, "a"))
	for _, c := range []struct {
		args []string
		left int
	}{
		{[]string{"sample"}, 0},
		{[]string{"sample", "--pubs=10000"}, 100_000},
		{[]string{"keys", "add", "--file", keyFile, "--name=second"}, 0},
		{[]string{"keys", "list", "--file", keyFile}, 0},
		{[]string{"check", good}, 0},
	} {
		var errs output
		if code := run(context.Background(), c.args, &fullWriter{c.left}, &errs); code != exitError ||
			!strings.Contains(errs.String(), syscall.ENOSPC.Error()) {
			t.Errorf("pubd %q to a full disk: got %d %q, want 1 and the reason", c.args, code, &errs)
		}
	}
	closed, err := os.CreateTemp(folder, "")
	ok(t, err)
	closed.Close()
	var errs output
	if code := run(context.Background(), []string{"sample"}, closed, &errs); code != exitError || !strings.Contains(errs.String(), "closed") {
		t.Errorf("pubd sample to a closed file: got %d %q, want 1 and the reason", code, &errs)
	}
}

// A key is not added, and the file does not change, if its secret cannot be printed.
func TestKeysAddToNobody(t *testing.T) {
	for _, c := range []struct{ output, err string }{
		{">&-", "standard output is closed or /dev/null: nobody would see the secret, so the key second was not added"},
		{">/dev/null", "standard output is closed or /dev/null"},
		{">/dev/full", "no space left on device"},
		{"1<keys", "bad file descriptor"},
		{"| (exec <&-; echo >gone)", "broken pipe"},
	} {
		for _, existing := range []bool{false, true} {
			folder := t.TempDir()
			file := filepath.Join(folder, "keys")
			if existing || strings.Contains(c.output, "<keys") {
				addKey(t, file, "first")
			}
			ok(t, syscall.Mkfifo(filepath.Join(folder, "gone"), 0o600))
			before, _ := os.ReadFile(file)
			// The command waits until the reader has closed the pipe.
			add := pubd("keys", "add", "--file=keys", "--name=second")
			script := `{ cat gone >&2; "$0" "$@"; echo "code $?" >&2; } ` + c.output
			if !strings.HasPrefix(c.output, "|") {
				script = `"$0" "$@" ` + c.output + `; echo "code $?" >&2`
			}
			shell := exec.Command("sh", append([]string{"-c", script}, add.Args...)...)
			shell.Env, shell.Dir = add.Env, folder
			var errs bytes.Buffer
			shell.Stderr = &errs
			_ = shell.Run()
			if got := errs.String(); !strings.Contains(got, "code 1\n") || !strings.Contains(got, c.err) || !strings.Contains(got, "was not added") {
				t.Errorf("%s: got %q, want code 1 and %q", c.output, got, c.err)
			}
			after, _ := os.ReadFile(file)
			left, _ := filepath.Glob(filepath.Join(folder, ".keys.*"))
			if !bytes.Equal(before, after) || len(left) > 0 {
				t.Errorf("%s: the key file was %q and is %q; left behind: %q", c.output, before, after, left)
			}
		}
	}
}
