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
	failIf(t, strings.Contains(out+errs, "panic") || strings.Contains(out+errs, "goroutine "), "pubd %q: panics: %s%s", c.args, out, errs)
}

func holds(text, part string) bool {
	return strings.Contains(text, part) && (text == "") == (part == "")
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
	failIf(t, strings.Join(rows, "\n") != strings.Join(want, "\n"), "keys list: got %q, want %q", rows, want)
	content := read(t, file)
	for secret := range secrets {
		if secret = strings.TrimSpace(secret); strings.Contains(list, secret) || strings.Contains(string(content), secret) {
			t.Errorf("list or key file shows the secret: %s%s", list, content)
		}
	}
	info, _ := os.Stat(file)
	failIf(t, info.Mode().Perm() != 0o600, "mode of the key file: got %v, want 0600", info.Mode())
}

// An expiry may be a number of days, and public keys are listed as such.
func TestPublicKeyIsListed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	before := time.Now()
	addKey(t, file, "pages", "--public", "--rate-per-client=20", "--rate=500", "--expires=30d")
	_, list, _ := runFor(t, "keys", "list", "--file", file)
	fields := strings.Fields(list[strings.Index(list, "pages"):])
	expires, err := time.Parse(time.RFC3339, fields[3])
	lasts := expires.Sub(before)
	failIf(t, err != nil || lasts < 30*24*time.Hour-time.Second || lasts > 30*24*time.Hour+time.Minute, "expires: got %v, %v, want in 30 days", expires, err)
	got := strings.Join(fields[4:], " ")
	failIf(t, got != "500/s 20/s, public", "rates: got %s", got)
	failIf(t, strings.Contains(list, "pubd_"), "the list shows a secret: %s", list)
}

// Paths and times that a golden file cannot hold.
func TestWrongKeyFiles(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "keys")
	for _, c := range []commandCase{
		{[]string{"keys", "add", "--file", filepath.Join(folder, "no", "keys"), "--name=x"}, exitError, "", "no such file"},
		{[]string{"keys", "add", "--file", folder, "--name=x"}, exitError, "", "regular file"},
		{[]string{"keys", "add", "--file", file, "--name=x", "--expires=0d"}, exitError, "", "past"},
	} {
		c.check(t)
	}
	addKey(t, file, "first")
	must(t, "keys", "revoke", "--file", file, "--name=first")
	commandCase{[]string{"keys", "revoke", "--file", file, "--name=first"}, exitError, "", "was revoked"}.check(t)
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
			failIf(t, !bytes.Equal(before, after) || len(left) > 0, "%s: the key file was %q and is %q; left behind: %q", c.output, before, after, left)
		}
	}
}
