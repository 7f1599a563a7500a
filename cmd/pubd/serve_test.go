package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"pubd/bench/testkit"
	"pubd/cmd/pubd/cli"
)

// hint matches the curl command that pubd suggests.
var hint = regexp.MustCompile(`(?m)^or:   curl -H '([^:']+): ([^']+)' '(http://[^']+)'$`)

func TestHintOfSampleWorksAsPasted(t *testing.T) {
	t.Parallel()
	p := startServer(t, "--basemap=../../httpapi/acceptance/browser/testdata/streets.pmtiles")
	testkit.Eventually(t, "hint on standard output", func() bool { return hint.MatchString(p.stdout.String()) })
	parts := hint.FindStringSubmatch(p.stdout.String())
	testkit.Contains(t, "hint", parts[0], "x-api-key: demo", p.api)
	testkit.Contains(t, parts[3], p.get(parts[3], parts[2]).body, `"total_pubs":2000,`)
	r := cli.ThisRelease() // operators of many replicas see the version of each
	labels := fmt.Sprintf("{commit=%q,goversion=%q,version=%q}", r.Commit, r.Go, r.Version)
	testkit.Contains(t, "/metrics", p.operate("/metrics").body, "\npubd_build_info"+labels+" 1\n")
	testkit.Contains(t, "log", p.stderr.String(), fmt.Sprintf(`"version":%q,"commit":%q`, r.Version, r.Commit))
	settings := p.get("http://"+p.api+"/explorer/settings.json", "").body
	testkit.Contains(t, "settings", settings, `"basemap":"openmaptiles"`, `"demo"`)
	testkit.Equal(t, "/debug/pprof/ without --pprof", p.operate("/debug/pprof/").status, 404)
}

// A server takes flags from the command line before those from the environment, loads again on SIGHUP and on request,
// and survives when the reader of its standard output ends.
func TestServe(t *testing.T) {
	t.Parallel()
	keyFile, file := filepath.Join(t.TempDir(), "keys"), testkit.File(t, "pubs.csv", pubs(20, "a")+"wrong,\n")
	first := addKey(t, keyFile, "first")
	testkit.OK(t, os.Chmod(keyFile, 0o644))
	reader, writer, err := os.Pipe()
	testkit.OK(t, err)
	reader.Close()
	defer writer.Close()
	command := pubd(anywhere("--max-unpaged=5", "--pprof")...)
	command.Stdout = writer
	command.Env = append(command.Env, "PUBD_DATA="+file, "PUBD_KEYS="+keyFile, "PUBD_MAX_UNPAGED=3", "PUBD_MAX_BAD_ROWS=1",
		"PUBD_ACCESS_LOG=all")
	p := start(t, command)
	p.await()
	testkit.Contains(t, "log of mode 0644", p.stderr.String(), "chmod o-r "+keyFile)
	testkit.Equal(t, "/debug/pprof/", p.operate("/debug/pprof/").status, 200)
	circle := p.search("search=*&lat=52&lng=-1&distance=1", first).body
	testkit.Equal(t, "results of a distance search", strings.Count(circle, `"UID"`), 5)

	second := addKey(t, keyFile, "second")
	must(t, "keys", "revoke", "--file", keyFile, "--name", "first")
	replace(t, file, pubs(2, "b"))
	p.signal(syscall.SIGHUP)
	testkit.Eventually(t, "keys and data are read", func() bool {
		return p.search("pubid=u1", first).status == 403 && strings.Contains(p.readiness(200).LastReload, "has 2 pubs, and 20 are being served")
	})
	testkit.Equal(t, "generation", generation(p, second), "a")
	answer := testkit.Must(p.client.Post("http://"+p.admin+"/-/reload?accept-shrink=true", "", nil))(t)
	testkit.OK(t, answer.Body.Close())
	testkit.Eventually(t, "accepted", func() bool { return generation(p, second) == "b" })
	p.stop()
	failed := func(line logLine) bool {
		return line.Level == "error" && line.Message == "reload rejected; keeping the old one"
	}
	testkit.Equal(t, "rejected reloads in the log", p.logged(failed), 1)
	requests := p.logged(func(line logLine) bool { return line.Message == "request" && line.Key == "second" })
	testkit.FailIf(t, requests == 0, "no request is in the log")
}

// After a signal, a server goes on answering, unready, and closes connections. A second signal ends it at once.
func TestDrain(t *testing.T) {
	t.Parallel()
	p := startServer(t, "--data", testkit.File(t, "pubs.csv", pubs(3, "a")), "--drain-delay=1h")
	testkit.Equal(t, "closed before the signal", p.search("pubid=u1", "demo").closed, false)
	p.signal(syscall.SIGTERM)
	testkit.Eventually(t, "/readyz 503", func() bool { return p.operate("/readyz").status == 503 })
	testkit.Equal(t, "/livez", p.operate("/livez").status, 200)
	p.signal(syscall.SIGHUP) // too late for a reload, and must not end the process
	got := p.search("pubid=u1", "demo")
	testkit.FailIf(t, got.status != 200 || !got.closed, "got %d, closed %v, want 200 with Connection: close", got.status, got.closed)
	testkit.FailIf(t, p.over(), "ended at the first")
	p.signal(syscall.SIGINT)
	p.exit(cli.ExitError)
}

// While a start waits, SIGTERM ends it at once, and SIGHUP has everything read again later.
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
		p := start(t, pubd(anywhere("--drain-delay=1h", "--admin=", "--keys="+web.URL+"/keys")...))
		<-asked
		p.signal(signal)
		return p
	}
	begin(syscall.SIGTERM).exit(cli.ExitOK)
	p := begin(syscall.SIGHUP)
	close(release)
	p.await()
	testkit.Equal(t, "address of --admin=", p.admin, "")
	<-asked // again
}

func TestWrongAddressesAreRefused(t *testing.T) {
	refuseCommand(t, cli.ExitError, "pubd: --listen : missing port", "serve", "--listen=", "--admin=")
	refuseCommand(t, cli.ExitError, "pubd: --admin 127.0.0.1:99999: listen tcp: address 99999: invalid port", "serve",
		"--listen=127.0.0.1:0", "--admin=127.0.0.1:99999")
}
