package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
	"pubd/data"
)

// refuseCommand checks that a command fails without output and gives the reason.
func refuseCommand(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	got, out, errs := runFor(t, args...)
	isRefused := got == code && out == "" && strings.Contains(errs, want) && !strings.Contains(errs, "goroutine ")
	testkit.FailIf(t, !isRefused, "pubd %q: got %d, stdout %q, stderr %q, want %d and %q", args, got, out, errs, code, want)
}

// secret matches the output of keys add.
var secret = regexp.MustCompile(`^pubd_[a-z2-7]{32,}\n$`)

// Keys are listed without secrets. An expiry may be a number of days, and public keys are listed as such.
func TestKeys(t *testing.T) {
	file, before := filepath.Join(t.TempDir(), "keys"), time.Now()
	secrets := map[string]bool{}
	for _, flags := range []string{"--name=plain", "--name=fast --rate=2.5", "--name=pubRef --expires=2999-01-31T12:00:00+01:00", "--name=day --expires=2999-01-31",
		"--name=visitors --public", "--name=pages --public --rate-per-client=20 --rate=500 --expires=30d"} {
		code, out, errs := runFor(t, append([]string{"keys", "add", "--file", file}, strings.Fields(flags)...)...)
		isNew := code == cli.ExitOK && secret.MatchString(out) && errs == "" && !secrets[out]
		testkit.FailIf(t, !isNew, "keys add %q: got %d, stdout %q, stderr %q, want 0 and a new secret alone", flags, code, out, errs)
		secrets[out] = true
	}
	rotated := must(t, "keys", "rotate", "--file", file, "--name", "day", "--overlap=0s")
	testkit.FailIf(t, !secret.MatchString(rotated) || secrets[rotated], "keys rotate: got %q, want a new secret alone", rotated)
	secrets[rotated] = true
	testkit.Equal(t, "keys revoke", must(t, "keys", "revoke", "--file", file, "--name", "fast"), "")
	list := must(t, "keys", "list", "--file", file)
	day := regexp.MustCompile(`pages .* (\S+Z) `).FindStringSubmatch(list)
	expires, err := time.Parse(time.RFC3339, strings.Join(day[min(1, len(day)):], ""))
	lasts := expires.Sub(before)
	testkit.FailIf(t, err != nil || lasts < 30*24*time.Hour-time.Second || lasts > 30*24*time.Hour+time.Minute, "expires: got %v, %v, want in 30 days", expires, err)
	list = strings.NewReplacer(time.Now().UTC().Format(time.DateOnly), "TODAY", expires.Format(time.RFC3339), "LATER").Replace(list)
	list = regexp.MustCompile(`TODAY *TODAY\S+Z`).ReplaceAllString(list, "TODAY  NOW")
	testkit.Equal(t, "keys list", regexp.MustCompile(` {2,}`).ReplaceAllString(list, "|"), `NAME|STATE|CREATED|EXPIRES|RATE|PER CLIENT
plain|valid|TODAY|never|-|-
fast|revoked TODAY|TODAY|never|2.5/s|-
pubRef|valid|TODAY|2999-01-31T11:00:00Z|-|-
day|expired|TODAY|NOW|-|-
visitors|valid|TODAY|never|-|50/s, public
pages|valid|TODAY|LATER|500/s|20/s, public
day|valid|TODAY|2999-01-31T00:00:00Z|-|-
`)
	shown, _, _ := strings.Cut(list+string(testkit.Read(t, file)), `{"name":"visitors"`) // its secret is public, as is the next
	for secret := range secrets {
		testkit.FailIf(t, strings.Contains(shown, strings.TrimSpace(secret)), "list or key file shows the secret: %s", shown)
	}
	info := testkit.Must(os.Stat(file))(t)
	testkit.Equal(t, "mode of the key file", info.Mode().Perm(), 0o600)
}

func TestSample(t *testing.T) {
	testkit.FailIf(t, must(t, "sample") != string(data.Sample()), "sample: is not that of package data")
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
	files(t, map[string]string{"good.csv": pubs(1, "a")})
	addKey(t, "keys", "first")
	for command, left := range map[string]int{"sample": 0, "sample --pubs=1": 0, "sample --pubs=10000": 100_000, "keys add --file=keys --name=second": 0, "keys list --file=keys": 0,
		"check good.csv": 0} {
		var errs testkit.Output
		code := run(t.Context(), strings.Fields(command), &fullWriter{left}, &errs)
		isTold := strings.Contains(errs.String(), syscall.ENOSPC.Error())
		testkit.FailIf(t, code != cli.ExitError || !isTold, "pubd %s to a full disk: got %d %q, want 1 and the reason", command, code, &errs)
	}
	closed := testkit.Must(os.Create("closed"))(t)
	closed.Close()
	var errs testkit.Output
	code := run(t.Context(), []string{"sample"}, closed, &errs)
	testkit.FailIf(t, code != cli.ExitError || !strings.Contains(errs.String(), "closed"), "pubd sample to a closed file: got %d %q, want 1 and the reason", code, &errs)
}

// A key is not added, and the file does not change, if its secret cannot be printed.
func TestKeysAddToNobody(t *testing.T) {
	for _, c := range []struct{ output, err string }{
		{">&-", "standard output is closed or /dev/null: nobody would see the secret of second, so it was not added"},
		{">/dev/null", "standard output is closed or /dev/null"},
		{">/dev/full", "no space left on device"},
		{"1<keys", "bad file descriptor"},
		{"| (exec <&-; echo >gone)", "broken pipe"},
	} {
		folder := t.TempDir()
		file := filepath.Join(folder, "keys")
		addKey(t, file, "first")
		testkit.OK(t, syscall.Mkfifo(filepath.Join(folder, "gone"), 0o600))
		before := testkit.Read(t, file)
		// The command waits until the reader has closed the pipe.
		script := `{ cat gone >&2; "$0" "$@"; echo "code $?" >&2; } ` + c.output
		if !strings.HasPrefix(c.output, "|") {
			script = `"$0" "$@" ` + c.output + `; echo "code $?" >&2`
		}
		shell := inShell(pubd("keys", "add", "--file=keys", "--name=second"), script)
		shell.Dir = folder
		var errs testkit.Output
		shell.Stderr = &errs
		_ = shell.Run()
		testkit.Contains(t, c.output, errs.String(), "code 1\n", c.err, "was not added")
		testkit.Equal(t, c.output+": the key file", string(testkit.Read(t, file)), string(before))
		left, _ := filepath.Glob(filepath.Join(folder, ".keys.*"))
		testkit.FailIf(t, len(left) > 0, "%s: left behind: %q", c.output, left)
	}
}
