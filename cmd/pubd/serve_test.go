package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
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
	contains(t, "hint", parts[0], "x-api-key: demo", p.api)
	c := count(t, p.get(parts[3], parts[2]))
	equal(t, parts[3]+": results and pubs", []int{len(c.Results), c.Pubs}, []int{3, data.SamplePubs})
	r := thisRelease() // operators of many replicas see the version of each
	equal(t, "pubd_build_info", p.seriesValue(fmt.Sprintf("pubd_build_info{commit=%q,goversion=%q,version=%q}", r.Commit, r.Go, r.Version)), 1)
	contains(t, "log", p.stderr.String(), fmt.Sprintf(`"version":%q,"commit":%q`, r.Version, r.Commit))
	for _, key := range []string{"", "Demo", "demo2"} {
		got := p.search("search=*", key)
		failIf(t, got.status != 401 && got.status != 403, "key %q: got %d, want 401 or 403", key, got.status)
	}
}

func TestOperatorsListener(t *testing.T) {
	t.Parallel()
	p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")))
	equal(t, "/debug/pprof/ without --pprof", p.operate("/debug/pprof/").status, 404)
	p = serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--pprof")
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/debug/pprof/"} {
		got := p.operate(path)
		failIf(t, got.status != 200 || got.body == "", "%s: got %d %q, want 200", path, got.status, got.body)
	}
	equal(t, "pubs on the operators' listener", p.operate("/api/v1/pubs/?pubid=u1").status, 404)
	ready, snapshot := p.readiness(200), p.search("pubid=u1", "demo").header.Get("X-Snapshot")
	isRight := ready.Snapshot == snapshot && ready.Pubs == 3 && ready.LastReload == "ok" && ready.LoadedAt != nil
	failIf(t, !isRight, "/readyz: got %+v, want snapshot %s, 3 pubs, loaded_at and last_reload ok", ready, snapshot)
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
	p := start(t, inShell(pubd(anywhere("--data", write(t, "pubs.csv", pubs(3, "a")))...), `exec "$0" "$@" <&-`))
	p.await()
	equal(t, "generation", generation(p, "demo"), "a")
	p.stop()
}

// Every flag has an environment variable, over which the flag takes precedence.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keyFile, file := filepath.Join(folder, "keys"), filepath.Join(folder, "pubs.csv")
	secret := addKey(t, keyFile, "suite")
	environment := []string{"PUBD_LISTEN=127.0.0.1:0", "PUBD_ADMIN=127.0.0.1:0", "PUBD_DATA=" + file, "PUBD_KEYS=" + keyFile,
		"PUBD_MAX_UNPAGED=3", "PUBD_MAX_BAD_ROWS=1", "PUBD_DRAIN_DELAY=0s", "PUBD_MAX_SHRINK=100", "PUBD_ACCESS_LOG=all"}
	for _, c := range []struct {
		args     []string // flags take precedence, with and without the command
		unpaged  int      // pubs of a distance search without amount
		after    string   // generation after shrinking
		requests int      // of two, how many are logged
	}{
		{nil, 3, "b", 2},
		{[]string{"--max-unpaged=5", "--max-shrink=50", "--access-log=off"}, 5, "a", 0},
		{[]string{"serve", "--max-unpaged=0"}, 10, "b", 2},
	} {
		replace(t, file, pubs(10, "a")+"wrong,\n")
		command := pubd(c.args...)
		command.Env = append(command.Env, environment...)
		p := start(t, command)
		p.await()
		got := count(t, p.search("search=*&lat=52&lng=-1&distance=1", secret))
		equal(t, fmt.Sprintf("%v: results and total of a distance search", c.args), []int{len(got.Results), got.Total}, []int{c.unpaged, 10})
		replace(t, file, pubs(1, "b"))
		p.reload()
		equal(t, fmt.Sprintf("%v: generation after shrinking", c.args), generation(p, secret), c.after)
		p.signal(os.Interrupt)
		p.exit(testPatience, exitOK)
		equal(t, fmt.Sprintf("%v: logged requests", c.args), p.stderr.count("request"), c.requests)
	}
}

// The map is served in parts, as it was at the start: a file that takes its place is for the next start, and one that
// was written to is not mixed with the old one.
func TestBasemap(t *testing.T) {
	t.Parallel()
	content := read(t, "../../httpapi/acceptance/browser/testdata/streets.pmtiles")
	file := write(t, "map.pmtiles", string(content))
	p := serve(t, "--basemap", file)
	part := func() (got reply) {
		request, err := http.NewRequest(http.MethodGet, "http://"+p.api+"/explorer/basemap.pmtiles", nil)
		ok(t, err)
		request.Header.Set("Range", "bytes=0-99999")
		response, err := p.client.Do(request)
		ok(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		ok(t, err)
		return reply{status: response.StatusCode, header: response.Header, body: string(body)}
	}
	isWhole := func(when string) {
		t.Helper()
		got := part()
		failIf(t, got.status != 206 || got.body != string(content[:100_000]), "%s: got %d and %d bytes, want 206 and the first 100,000", when, got.status, len(got.body))
	}
	isWhole("at the start")
	equal(t, "settings", p.get("http://"+p.api+"/explorer/settings.json", "").status, 200)
	contains(t, "settings", p.get("http://"+p.api+"/explorer/settings.json", "").body, `"attribution":"© OpenStreetMap contributors"`, `"basemap":"openmaptiles"`)

	moved := file + ".old"
	ok(t, os.Rename(file, moved))
	replace(t, file, "another file")
	p.reload()
	isWhole("after another file took its place, and a reload")

	ok(t, os.Truncate(moved, 200_000))
	equal(t, "status after the file was cut off", part().status, 500)
	eventually(t, "a log line", func() bool { return p.stderr.count("file cannot be read") == 1 })
	contains(t, "log", p.stderr.String(), "the file has changed since the start: restart pubd; replace it by a rename next time")
	equal(t, "status of a search", p.search("search=*", "demo").status, 200)
}
