package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/cmd/pubd/cli"
	"pubd/data"
	"pubd/testkit"
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
	testkit.StopIf(t, err != nil || got.status != 200, "got %d %q (%v), want 200 and JSON", got.status, got.body, err)
	return c
}

func TestHintOfSampleWorksAsPasted(t *testing.T) {
	t.Parallel()
	p := startServer(t, "--basemap=../../httpapi/acceptance/browser/testdata/streets.pmtiles")
	testkit.Eventually(t, "hint on standard output", func() bool { return hint.MatchString(p.stdout.String()) })
	parts := hint.FindStringSubmatch(p.stdout.String())
	testkit.Contains(t, "hint", parts[0], "x-api-key: demo", p.api)
	c := count(t, p.get(parts[3], parts[2]))
	testkit.Equal(t, parts[3]+": results and pubs", []int{len(c.Results), c.Pubs}, []int{3, data.SamplePubs})
	r := cli.ThisRelease() // operators of many replicas see the version of each
	testkit.Equal(t, "pubd_build_info", p.seriesValue(fmt.Sprintf("pubd_build_info{commit=%q,goversion=%q,version=%q}", r.Commit, r.Go, r.Version)), 1)
	testkit.Contains(t, "log", p.stderr.String(), fmt.Sprintf(`"version":%q,"commit":%q`, r.Version, r.Commit))
	testkit.Contains(t, "settings", p.get("http://"+p.api+"/explorer/settings.json", "").body, `"basemap":"openmaptiles"`, `"demo"`)
	testkit.Equal(t, "/debug/pprof/ without --pprof", p.operate("/debug/pprof/").status, 404)
}

// SIGHUP and a request to the admin address load data and keys again. What is rejected changes nothing, and readiness,
// metrics and log say why.
func TestReload(t *testing.T) {
	t.Parallel()
	keyFile, file := filepath.Join(t.TempDir(), "keys"), write(t, "pubs.csv", pubs(20, "a"))
	first := addKey(t, keyFile, "first")
	testkit.OK(t, os.Chmod(keyFile, 0o644))
	p := startServer(t, "--data", file, "--keys", keyFile, "--pprof")
	testkit.Equal(t, "/debug/pprof/", p.operate("/debug/pprof/").status, 200)
	testkit.Contains(t, "log of mode 0644", p.stderr.String(), "chmod o-r "+keyFile)
	status := func(key string) int { return p.search("pubid=u1", key).status }
	testkit.Equal(t, "first, demo, none", []int{status(first), status("demo"), status("")}, []int{200, 403, 401})
	second := addKey(t, keyFile, "second")
	must(t, "keys", "revoke", "--file", keyFile, "--name", "first")
	replace(t, file, pubs(20, "b"))
	p.reload()
	testkit.Equal(t, "first, second", []int{status(first), status(second)}, []int{403, 200})
	testkit.Equal(t, "generation", generation(p, second), "b")

	ready := p.readiness(200)
	replace(t, file, pubs(2, "c"))
	testkit.OK(t, os.Remove(keyFile))
	p.reload()
	after, failures := p.readiness(200), []string{}
	for _, line := range p.stderr.lines() {
		if line.Level == "error" && line.Message == "reload rejected; keeping the old one" {
			failures = append(failures, line.What+" "+line.Error)
		}
	}
	slices.Sort(failures)
	testkit.Contains(t, "log", strings.Join(failures, "\n"), "data "+file+": has 2 pubs, and 20 are being served", keyFile+": no such file or directory, make it with pubd keys add")
	testkit.Contains(t, "last_reload", after.LastReload, keyFile, file)
	testkit.Equal(t, "snapshot", after.Snapshot, ready.Snapshot)
	testkit.Equal(t, "failed reloads", p.reloads("data", "failed")+p.reloads("keys", "failed"), 2)
	testkit.Equal(t, "generation", generation(p, second), "b")
	answer, err := p.client.Post("http://"+p.admin+"/-/reload?accept-shrink=true", "", nil)
	testkit.OK(t, err)
	testkit.OK(t, answer.Body.Close())
	testkit.Eventually(t, "accepted", func() bool { return generation(p, second) == "c" })
}

// An empty --admin turns only the admin listener off.
func TestNoOperatorsListener(t *testing.T) {
	t.Parallel()
	p := startServer(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--admin", "")
	got := generation(p, "demo")
	testkit.FailIf(t, got != "a" || p.admin != "", "--admin \"\": got generation %q, admin %q, want a and none", got, p.admin)
	p.signal(syscall.SIGHUP)
	testkit.Eventually(t, "reload", func() bool { return p.stderr.count("data unchanged") == 1 })
	p.stop()
}

// Every flag has an environment variable, over which the flag takes precedence.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keyFile, file := filepath.Join(folder, "keys"), filepath.Join(folder, "pubs.csv")
	secret := addKey(t, keyFile, "suite")
	replace(t, file, pubs(10, "a")+"wrong,\n")
	environment := []string{"PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DATA=" + file, "PUBD_KEYS=" + keyFile,
		"PUBD_MAX_UNPAGED=3", "PUBD_MAX_BAD_ROWS=1", "PUBD_DRAIN_DELAY=0s", "PUBD_ACCESS_LOG=all"}
	for _, c := range []struct {
		args    []string // flags take precedence, with and without the command
		unpaged int      // pubs of a distance search without amount
		logged  int      // of one request
	}{
		{nil, 3, 1},
		{[]string{"--max-unpaged=5", "--access-log=off"}, 5, 0},
		{[]string{"serve", "--max-unpaged=0"}, 10, 1},
	} {
		command := pubd(c.args...)
		command.Env = append(command.Env, environment...)
		p := start(t, command)
		p.await()
		got := count(t, p.search("search=*&lat=52&lng=-1&distance=1", secret))
		testkit.Equal(t, fmt.Sprintf("%v: results and total of a distance search", c.args), []int{len(got.Results), got.Total}, []int{c.unpaged, 10})
		p.signal(os.Interrupt)
		p.exit(testkit.Patience, cli.ExitOK)
		testkit.Equal(t, fmt.Sprintf("%v: logged requests", c.args), p.stderr.count("request"), c.logged)
	}
}

// An invalid address is reported differently from one that is not loopback, as a key file would not help.
func TestWrongAddressesAreRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.OK(t, err)
	defer taken.Close()
	for address, want := range map[string]string{taken.Addr().String(): "address already in use", "127.0.0.1:99999": "invalid port", "127.0.0.1": "missing port"} {
		refuse(t, cli.ExitError, want, "--listen", address)
		refuse(t, cli.ExitError, want, "--admin", address)
	}
	refuse(t, cli.ExitError, "--listen", "--listen", "")
}

// After a signal, a server goes on answering for a while, unready. Each answer closes its connection.
func TestDrain(t *testing.T) {
	t.Parallel()
	const delay = 2 * time.Second // long enough for requests on a busy machine
	p := startServer(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--drain-delay", delay.String())
	testkit.Equal(t, "closed before the signal", p.search("pubid=u1", "demo").closed, false)
	begun := time.Now()
	p.signal(syscall.SIGTERM)
	testkit.Within(t, delay, "/readyz 503", func() bool { return p.operate("/readyz").status == 503 })
	testkit.Equal(t, "/livez", p.operate("/livez").status, 200)
	p.signal(syscall.SIGHUP) // too late for a reload, and must not end the process
	for time.Since(begun) < delay/2 {
		got := p.search("pubid=u1", "demo")
		testkit.StopIf(t, got.status != 200 || !got.closed, "during the drain: got %d, closed %v, want 200 with Connection: close", got.status, got.closed)
		time.Sleep(10 * time.Millisecond)
	}
	p.exit(testkit.Patience, cli.ExitOK)
	testkit.FailIf(t, time.Since(begun) < delay, "--drain-delay %v: ended after %v", delay, time.Since(begun))
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := startServer(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--drain-delay=1h")
	p.signal(syscall.SIGTERM)
	testkit.Eventually(t, "draining", func() bool { return p.stderr.count("draining") == 1 })
	testkit.FailIf(t, p.over(), "ended at the first")
	p.signal(syscall.SIGINT)
	p.exit(testkit.Patience/2, cli.ExitError)
}

// While a start waits, SIGTERM and SIGINT end it at once, and SIGHUP has everything read again later.
func TestSignalsWhileStarting(t *testing.T) {
	t.Parallel()
	keyFile := filepath.Join(t.TempDir(), "keys")
	addKey(t, keyFile, "app")
	asked, release := make(chan struct{}, 10), make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-release:
			http.ServeFile(w, r, keyFile)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(web.Close)
	begin := func(signal os.Signal) *process {
		p := start(t, pubd(anywhere("--drain-delay=1h", "--keys="+web.URL+"/keys")...))
		<-asked
		p.signal(signal)
		return p
	}
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		begin(signal).exit(testkit.Patience, cli.ExitOK)
	}
	p := begin(syscall.SIGHUP)
	close(release)
	p.await()
	testkit.Eventually(t, "keys read again", func() bool { return p.reloads("keys", "ok") == 2 })
}

// A server survives when the reader of its standard output or error ends.
func TestStreamsAreClosed(t *testing.T) {
	t.Parallel()
	for _, isLog := range []bool{false, true} {
		reader, writer, err := os.Pipe()
		testkit.OK(t, err)
		reader.Close()
		command := pubd(anywhere("--data", write(t, "pubs.csv", pubs(3, "a")), "--access-log=all")...)
		if isLog {
			command.Stderr = writer
		} else {
			command.Stdout = writer
		}
		p := start(t, command)
		writer.Close()
		if isLog {
			testkit.Eventually(t, "hint on standard output", func() bool { return p.over() || hint.MatchString(p.stdout.String()) })
			parts := hint.FindStringSubmatch(p.stdout.String())
			testkit.StopIf(t, parts == nil, "it ended")
			testkit.Equal(t, parts[3], p.get(parts[3], parts[2]).status, 200)
		} else {
			p.await()
			testkit.Equal(t, "generation", generation(p, "demo"), "a")
		}
		p.stop()
	}
}
