package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
)

// addKey adds a key and returns its secret.
func addKey(t *testing.T, file, name string, flags ...string) (secret string) {
	t.Helper()
	return strings.TrimSuffix(must(t, append([]string{"keys", "add", "--file", file, "--name", name}, flags...)...), "\n")
}

// soon is the time within which a change of keys must take effect after SIGHUP.
const soon = time.Second

func TestKeysReload(t *testing.T) {
	t.Parallel()
	keyFile := filepath.Join(t.TempDir(), "keys")
	first := addKey(t, keyFile, "first")
	ok(t, os.Chmod(keyFile, 0o644))
	p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--keys", keyFile, "--access-log=all")
	equal(t, "warnings of mode 0644", p.stderr.count("key file is exposed"), 1)
	contains(t, "log", p.stderr.String(), "chmod o-r "+keyFile)
	ok(t, os.Chmod(keyFile, 0o600))
	status := func(key string) int { return p.search("pubid=u1", key).status }
	equal(t, "first, demo, none", []int{status(first), status("demo"), status("")}, []int{200, 403, 401})

	second := addKey(t, keyFile, "second")
	equal(t, "a key added, before SIGHUP", status(second), 403)
	p.signal(syscall.SIGHUP)
	within(t, soon, "the key added works", func() bool { return status(second) == 200 })

	must(t, "keys", "revoke", "--file", keyFile, "--name", "first")
	p.signal(syscall.SIGHUP)
	within(t, soon, "the key revoked is refused", func() bool { return status(first) == 403 })
	equal(t, "the other key", status(second), 200)
	equal(t, "builds, as keys are loaded by themselves", p.stderr.count("data loaded"), 1)
	p.stop()
	isNamed := slices.ContainsFunc(p.stderr.lines(), func(line logLine) bool { return line.Key == "second" })
	log := p.stderr.String()
	failIf(t, !isNamed || strings.Contains(log, first) || strings.Contains(log, second), "log: got %s, want the name of the key second, and no secret", log)
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
		contains(t, c.name+": log", reason, c.reason, keyFile)
		equal(t, c.name+": the old key", p.search("pubid=u1", secret).status, 200)
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

// The default rate of a public key lets four visitors at one address type a word of 12 letters, a request for each
// letter, even if all requests come at once. So they also may at 60 ms a letter.
func TestVisitorsOfOneAddressCanType(t *testing.T) {
	t.Parallel()
	keyFile := filepath.Join(t.TempDir(), "keys")
	secret := addKey(t, keyFile, "visitors", "--public")
	p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--keys", keyFile)
	const word = "wheatsheaves"
	var visitors sync.WaitGroup
	for range 4 {
		visitors.Go(func() {
			for letters := range len(word) {
				got, err := p.try("http://"+p.api+"/api/v1/suggest?search="+word[:letters+1], secret)
				failIf(t, err != nil || got.status != 200, "%s: got %d, %v, want 200", word[:letters+1], got.status, err)
			}
		})
	}
	visitors.Wait()
}
