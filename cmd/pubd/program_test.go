package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"pubd/data"
)

// hint matches the curl command that pubd suggests.
var hint = regexp.MustCompile(`(?m)^or:   curl -H '([^:']+): ([^']+)' '(http://[^']+)'$`)

// totals are the counts in an answer.
type totals struct {
	Results []json.RawMessage
	Total   int `json:"total_results"`
	Pubs    int `json:"total_pubs"`
}

func count(t *testing.T, got reply) (c totals) {
	t.Helper()
	err := json.Unmarshal([]byte(got.body), &c)
	stopIf(t, err != nil || got.status != 200, "got %d %q (%v), want 200 and JSON", got.status, got.body, err)
	return c
}

func TestHintOfSampleWorksAsPasted(t *testing.T) {
	t.Parallel()
	p := serve(t)
	eventually(t, "hint on standard output", func() bool { return hint.MatchString(p.stdout.String()) })
	parts := hint.FindStringSubmatch(p.stdout.String())
	if parts[1] != "x-api-key" || parts[2] != "demo" || !strings.Contains(parts[3], p.api) {
		t.Fatalf("hint: got %q, want the header x-api-key: demo and %s", parts[0], p.api)
	}
	got, err := p.try(parts[3], parts[2])
	ok(t, err)
	if c := count(t, got); c.Pubs != data.SamplePubs || len(c.Results) != 3 {
		t.Errorf("%s: got %d of %d pubs, want 3 of %d", parts[3], len(c.Results), c.Pubs, data.SamplePubs)
	}
	for _, key := range []string{"", "Demo", "demo2"} {
		got := p.ask("search=*", key)
		failIf(t, got.status != 401 && got.status != 403, "key %q: got %d, want 401 or 403", key, got.status)
	}
}

func TestOperatorsListener(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")))
	if got := p.operate("/debug/pprof/"); got.status != 404 {
		t.Errorf("/debug/pprof/ without --pprof: got %d, want 404", got.status)
	}
	p = serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--pprof")
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/debug/pprof/"} {
		got := p.operate(path)
		failIf(t, got.status != 200 || got.body == "", "%s: got %d %q, want 200", path, got.status, got.body)
	}
	if got := p.operate("/api/v1/pubs/?pubid=u1"); got.status != 404 {
		t.Errorf("pubs on the operators' listener: got %d, want 404", got.status)
	}
	ready := p.readiness(200)
	if snapshot := p.ask("pubid=u1", "demo").header.Get("X-Snapshot"); ready.Snapshot != snapshot || ready.Pubs != 3 ||
		ready.LastReload != "ok" || ready.LoadedAt == nil {
		t.Errorf("/readyz: got %+v, want snapshot %s, 3 pubs, loaded_at and last_reload ok", ready, snapshot)
	}
}

// An empty --admin turns only the admin listener off.
func TestNoOperatorsListener(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--admin", "")
	got := generation(p, "demo")
	failIf(t, got != "a" || p.admin != "", "--admin \"\": got generation %q, admin %q, want a and none", got, p.admin)
	p.signal(syscall.SIGHUP)
	eventually(t, "reload", func() bool { return p.stderr.count("data unchanged") == 1 })
	p.stop()
}

func TestClosedStandardInput(t *testing.T) {
	t.Parallel()
	command := pubd()
	args := append([]string{"/bin/sh", "-c", `exec "$0" "$@" <&-`, command.Path},
		anywhere("--data", write(t, "pubs.csv", pubs(3, "a")))...)
	command.Path, command.Args = args[0], args
	p := start(t, command)
	p.await()
	equal(t, "generation", generation(p, "demo"), "a")
	p.stop()
}

// Every flag has an environment variable, over which the flag takes precedence.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keyFile := filepath.Join(folder, "keys")
	secret := addKey(t, keyFile, "suite")
	file := filepath.Join(folder, "pubs.csv")
	replace(t, file, pubs(10, "a")+"wrong,\n")
	environment := []string{"PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DATA=" + file, "PUBD_KEYS=" + keyFile,
		"PUBD_MAX_UNPAGED=3", "PUBD_MAX_BAD_ROWS=1", "PUBD_DRAIN_DELAY=0s", "PUBD_MAX_SHRINK=100", "PUBD_ACCESS_LOG=all"}
	for _, c := range []struct {
		name     string
		args     []string
		unpaged  int // pubs of a distance search without amount
		accepted bool
		requests int // of one, how many are logged
	}{
		{"environment", nil, 3, true, 1},
		{"flag wins", []string{"--max-unpaged=5", "--max-shrink=50", "--access-log=off"}, 5, false, 0},
		{"flag wins after the command", []string{"serve", "--max-unpaged=0"}, 10, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			replace(t, file, pubs(10, "a")+"wrong,\n")
			command := pubd(c.args...)
			command.Env = append(command.Env, environment...)
			p := start(t, command)
			p.await()
			if got := count(t, p.ask("search=*&lat=52&lng=-1&distance=1", secret)); len(got.Results) != c.unpaged || got.Total != 10 {
				t.Errorf("%v: distance search: got %d of %d pubs, want %d of 10", c.args, len(got.Results), got.Total, c.unpaged)
			}
			replace(t, file, pubs(1, "b"))
			p.reload()
			want := map[bool]string{true: "b", false: "a"}[c.accepted]
			equal(t, fmt.Sprintf("%v: generation after shrinking", c.args), generation(p, secret), want)
			p.signal(os.Interrupt)
			p.exit(testPatience, exitOK)
			equal(t, fmt.Sprintf("%v: logged requests", c.args), p.stderr.count("request"), 2*c.requests)
		})
	}
}
