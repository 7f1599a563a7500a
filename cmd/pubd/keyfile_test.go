package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
)

// addKey adds a key and returns its secret.
func addKey(t *testing.T, file, name string, flags ...string) (secret string) {
	t.Helper()
	code, out, errs := runFor(t, append([]string{"keys", "add", "--file", file, "--name", name}, flags...)...)
	stopIf(t, code != exitOK || errs != "", "keys add --name %s: got %d %q, want 0", name, code, errs)
	return strings.TrimSuffix(out, "\n")
}

// soon is the time within which a change of keys must take effect after SIGHUP.
const soon = time.Second

func TestKeysReload(t *testing.T) {
	t.Parallel()
	keyFile := filepath.Join(t.TempDir(), "keys")
	first := addKey(t, keyFile, "first")
	ok(t, os.Chmod(keyFile, 0o644))
	p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--keys", keyFile, "--access-log=all")
	if got := p.stderr.count("key file is exposed"); got != 1 || !strings.Contains(p.stderr.String(), "chmod o-r "+keyFile) {
		t.Errorf("mode 0644: warned %d times, want once, with what to do", got)
	}
	ok(t, os.Chmod(keyFile, 0o600))
	statuses := func(keys ...string) (statuses []int) {
		for _, key := range keys {
			statuses = append(statuses, p.ask("pubid=u1", key).status)
		}
		return statuses
	}
	if got := statuses(first, "demo", ""); got[0] != 200 || got[1] != 403 || got[2] != 401 {
		t.Fatalf("first, demo, none: got %v, want 200, 403, 401", got)
	}

	second := addKey(t, keyFile, "second")
	if got := statuses(second); got[0] != 403 {
		t.Errorf("a key added: got %d before SIGHUP, want 403", got[0])
	}
	p.signal(syscall.SIGHUP)
	within(t, soon, "the key added works", func() bool { return statuses(second)[0] == 200 })

	must(t, "keys", "revoke", "--file", keyFile, "--name", "first")
	p.signal(syscall.SIGHUP)
	within(t, soon, "the key revoked is refused", func() bool { return statuses(first)[0] == 403 })
	if got := statuses(second); got[0] != 200 {
		t.Errorf("the other key: got %d, want 200", got[0])
	}
	equal(t, "builds", p.stderr.count("data loaded"), 1)
	p.stop()
	named := 0
	for _, line := range p.stderr.lines() {
		if line.Key == "second" {
			named++
		}
	}
	if log := p.stderr.String(); named == 0 || strings.Contains(log, first) || strings.Contains(log, second) {
		t.Errorf("log: names the key second %d times, want more than none, and no secret: %s", named, log)
	}
}

// An invalid key file is rejected, and the old keys stay valid. Log, metrics and readiness say what is wrong.
func TestKeysReloadRefused(t *testing.T) {
	lane.Long(t, "reloads four kinds of wrong key files")
	t.Parallel()
	keyFile := filepath.Join(t.TempDir(), "keys")
	secret := addKey(t, keyFile, "first")
	good := read(t, keyFile)
	data := write(t, "pubs.csv", pubs(3, "a"))
	p := serve(t, "--data", data, "--keys", keyFile)
	for i, c := range []struct {
		name   string
		change func()
		reason string
	}{
		{"broken", func() { replace(t, keyFile, string(good)+"broken\n") }, keyFile + ":2: "},
		{"empty", func() { replace(t, keyFile, "") }, "no key"},
		{"writable by its group", func() {
			replace(t, keyFile, string(good))
			ok(t, os.Chmod(keyFile, 0o620))
		}, "chmod go-w " + keyFile},
		{"deleted", func() { os.Remove(keyFile) }, "no such file"},
	} {
		failures := p.reloads("keys", "failed")
		c.change()
		p.reload()
		eventually(t, c.name+": log line", func() bool { return p.stderr.count("reload rejected; keeping the old one") == i+1 })
		var reason string
		for _, line := range p.stderr.lines() {
			if line.What == "keys" {
				reason = line.Error
			}
		}
		failIf(t, !strings.Contains(reason, c.reason) || !strings.Contains(reason, keyFile), "%s: log: got %q, want %q and the file's name", c.name, reason, c.reason)
		equal(t, c.name+": the old key", p.ask("pubid=u1", secret).status, 200)
		equal(t, c.name+": failed reloads of keys", p.reloads("keys", "failed"), failures+1)
		equal(t, c.name+": last_reload", p.readiness(200).LastReload, reason)
	}

	replace(t, data, pubs(3, "b"))
	p.reload()
	equal(t, "data beside a key file that is not there", generation(p, secret), "b")
	replace(t, keyFile, string(good))
	p.reload()
	eventually(t, "last_reload ok", func() bool { return p.readiness(200).LastReload == "ok" })
}
