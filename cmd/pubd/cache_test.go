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

// from returns where the log says that the latest data came from.
func (p *process) from() string {
	p.t.Helper()
	from := ""
	for _, line := range p.stderr.lines() {
		if line.Message == "data loaded" {
			from = line.From
		}
	}
	return from
}

// cached returns the files of a cache.
func cached(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	ok(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// The next start opens a cached index, unless it is damaged or another program's.
func TestCache(t *testing.T) {
	lane.Long(t, "starts a server for each state of the cache")
	t.Parallel()
	file, folder := write(t, "pubs.csv", pubs(50, "a")), filepath.Join(t.TempDir(), "new", "cache")
	var entry, answer string
	for _, c := range []struct {
		what   string
		change func()
		from   string
	}{
		{"an empty cache", func() {}, "build"},
		{"a good entry", func() {}, "cache"},
		{"a damaged entry", func() {
			content, err := os.ReadFile(entry)
			ok(t, err)
			replace(t, entry, string(damage(content)))
		}, "build"},
		{"the entry put right", func() {}, "cache"},
		{"an entry cut short", func() { os.Truncate(entry, 1000) }, "build"},
		{"an entry that is no index", func() { replace(t, entry, pubs(50, "a")) }, "build"},
		{"the entry put right again", func() {}, "cache"},
		{"the index of another snapshot", func() {
			code, _, errs := runFor(t, "build", "--force", write(t, "pubs.csv", pubs(51, "b")), entry)
			stopIf(t, code != exitOK, "build: got %d %s", code, errs)
		}, "build"},
		{"an entry that was removed", func() { os.Remove(entry) }, "build"},
	} {
		c.change()
		p := serve(t, "--data", file, "--cache", folder)
		if got := p.from(); got != c.from {
			t.Errorf("%s: data from %q, want %q", c.what, got, c.from)
		}
		got := p.ask("search=lion&amount=50", "demo")
		if answer == "" {
			answer = got.body
		}
		failIf(t, got.status != 200 || got.body != answer, "%s: got %d %s, want %s", c.what, got.status, got.body, answer)
		names := cached(t, folder)
		stopIf(t, len(names) != 1, "%s: the cache has %q, want one file", c.what, names)
		entry = filepath.Join(folder, names[0])
		p.signal(syscall.SIGTERM)
		p.exit(testPatience, exitOK)
	}
}

// A cache keeps the most recently used indexes, and removes files that a killed process left.
func TestCacheIsPruned(t *testing.T) {
	lane.Long(t, "builds more snapshots than the cache holds")
	t.Parallel()
	file, folder := write(t, "pubs.csv", pubs(50, "a")), t.TempDir()
	other := filepath.Join(folder, "notes.txt")
	replace(t, other, "not a file of the cache")
	p := serve(t, "--data", file, "--cache", folder)
	for i := range maxCached + 2 {
		replace(t, file, pubs(51+i, "b"))
		p.reload()
		got := p.readiness(200)
		stopIf(t, got.Pubs != 51+i || p.from() != "build", "got %+v from %q, want %d pubs from a build", got, p.from(), 51+i)
	}
	names := cached(t, folder)
	failIf(t, len(names) != maxCached+1, "the cache has %q, want %d indexes and a file of somebody's", names, maxCached)
	replace(t, file, pubs(55, "b"))
	p.reload()
	if got := p.readiness(200); got.Pubs != 55 || p.from() != "cache" {
		t.Errorf("an earlier snapshot: got %+v from %q, want it from the cache", got, p.from())
	}
}

// More columns are kept if the operator requests them. A cached index with other columns is not used; an index file given as data is served,
// with a warning.
func TestExtraColumns(t *testing.T) {
	lane.Long(t, "starts seven servers")
	t.Parallel()
	file, folder := write(t, "pubs.csv", "UID,name,phone,colour\n7,Bell,441,red\n"), t.TempDir()
	const request = "pubid=7&fields=UID&include=extra"
	built := filepath.Join(t.TempDir(), "pubs.idx")
	code, _, errs := runFor(t, "build", file, built, "--extra=colour")
	stopIf(t, code != exitOK, "build: got %d %s", code, errs)
	for _, c := range []struct {
		what, data, extra, want, from string
		warning                       string // in the log
	}{
		{"none", file, "", `"extra":{}`, "build", `"columns":["phone","colour"]`},
		{"one", file, "PHONE", `"extra":{"PHONE":"441"}`, "build", `"columns":["colour"]`},
		{"one again", file, "PHONE", `"extra":{"PHONE":"441"}`, "cache", ""},
		{"two", file, "colour,web", `"extra":{"colour":"red","web":null}`, "build", `"columns":["web"]`},
		{"none again", file, "", `"extra":{}`, "cache", ""},
		{"an index file", built, "", `"extra":{"colour":"red"}`, "index file", ""},
		{"an index file with another", built, "phone", `"extra":{"colour":"red"}`, "index file", "build it with pubd build --extra"},
	} {
		args := []string{"--data", c.data, "--cache", folder}
		if c.extra != "" {
			args = append(args, "--extra", c.extra)
		}
		p := serve(t, args...)
		got := p.ask(request, "demo")
		if from := p.from(); !strings.Contains(got.body, c.want) || from != c.from || !strings.Contains(p.stderr.String(), c.warning) {
			t.Errorf("%s: from %q, got %s\nwant %s\nlog %s", c.what, from, got.body, c.want, p.stderr)
		}
		p.signal(syscall.SIGTERM)
		p.exit(testPatience, exitOK)
	}
}

// A snapshot with wrong rows is served from a cache only if --max-bad-rows allows that number. Without a writable cache, a snapshot is still
// served.
func TestCacheDoesNotChangeWhatIsServed(t *testing.T) {
	t.Parallel()
	file, folder := write(t, "pubs.csv", pubs(50, "a")+"wrong,\n"), t.TempDir()
	serve(t, "--data", file, "--cache", folder, "--max-bad-rows=1")
	refuse(t, exitError, "pubs.csv:52: has 2 fields, the header has 5", "--data", file, "--cache", folder)
	p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--cache", file)
	got := p.stderr.count("cannot cache the index")
	failIf(t, got != 1, "a cache that is no folder: warned %d times, want once", got)
}

// An index file is served while it is replaced, truncated and deleted, and no request notices.
func TestIndexFileIsReplacedTruncatedAndDeleted(t *testing.T) {
	lane.Long(t, "reloads nine files")
	t.Parallel()
	index := func(count int, generation string) string {
		t.Helper()
		source, built := write(t, "pubs.csv", pubs(count, generation)), filepath.Join(t.TempDir(), "pubs.idx")
		code, _, errs := runFor(t, "build", source, built)
		stopIf(t, code != exitOK, "build: got %d %s", code, errs)
		content, err := os.ReadFile(built)
		ok(t, err)
		return string(content)
	}
	first, second := index(500, "a"), index(501, "b")
	file := write(t, "pubs.data", first) // recognised by its content, not by its name
	p := serve(t, "--data", file)
	failIf(t, p.from() != "index file", "data from %q, want an index file", p.from())
	stop, failed := make(chan struct{}), make(chan int)
	go func() {
		bad := 0
		defer func() { failed <- bad }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if got, err := p.try("http://"+p.api+"/api/v1/pubs/?search=lion&amount=100&sort=name", "demo"); err != nil || got.status != 200 {
				bad++
			}
		}
	}()
	for _, c := range []struct {
		what   string
		change func()
		pubs   int
		want   string // the start of last_reload
	}{
		{"untouched", func() {}, 500, "ok"},
		{"truncated in place", func() { os.Truncate(file, 4096) }, 500, file + ": "},
		{"overwritten in place", func() { os.WriteFile(file, []byte(first[:len(first)/2]), 0o600) }, 500, file + ": "},
		{"replaced", func() { replace(t, file, second) }, 501, "ok"},
		{"empty", func() { replace(t, file, "") }, 501, file + ": "},
		{"deleted", func() { os.Remove(file) }, 501, file + ": "},
		{"a snapshot file", func() { replace(t, file+".csv", pubs(502, "c")); os.Symlink(file+".csv", file) }, 501, file + ": the name must end in"},
		{"smaller", func() { os.Remove(file); replace(t, file, index(100, "d")) }, 501, file + ": has 100 pubs, and 501 are being served"},
		{"the first again", func() { replace(t, file, first) }, 500, "ok"},
	} {
		c.change()
		p.reload()
		got := p.readiness(200)
		failIf(t, got.Pubs != c.pubs || !strings.HasPrefix(got.LastReload, c.want), "%s: got %+v, want %d pubs and %q", c.what, got, c.pubs, c.want)
		time.Sleep(10 * time.Millisecond) // for some more requests
	}
	close(stop)
	if bad := <-failed; bad > 0 {
		t.Errorf("%d requests failed", bad)
	}
	equal(t, "unchanged", p.stderr.count("data unchanged"), 1)
}
