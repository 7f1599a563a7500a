package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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
		{"a damaged entry", func() { replace(t, entry, string(damage(read(t, entry)))) }, "build"},
		{"the entry put right", func() {}, "cache"},
		{"an entry cut short", func() { os.Truncate(entry, 1000) }, "build"},
		{"an entry that is no index", func() { replace(t, entry, pubs(50, "a")) }, "build"},
		{"the entry put right again", func() {}, "cache"},
		{"the index of another snapshot", func() { replace(t, entry, string(read(t, built(t, pubs(51, "b"))))) }, "build"},
		{"an entry that was removed", func() { os.Remove(entry) }, "build"},
	} {
		c.change()
		p := serve(t, "--data", file, "--cache", folder)
		equal(t, c.what+": data from", p.from(), c.from)
		got := p.search("search=lion&amount=50", "demo")
		if answer == "" {
			answer = got.body
		}
		failIf(t, got.status != 200 || got.body != answer, "%s: got %d %s, want %s", c.what, got.status, got.body, answer)
		names := cached(t, folder)
		stopIf(t, len(names) != 1, "%s: the cache has %q, want one file", c.what, names)
		entry = filepath.Join(folder, names[0])
		p.stop()
	}
}

// A cache keeps the most recently used indexes, and removes files that a killed process left.
func TestCacheIsPruned(t *testing.T) {
	lane.Long(t, "builds more snapshots than the cache holds")
	t.Parallel()
	file, folder := write(t, "pubs.csv", pubs(50, "a")), t.TempDir()
	replace(t, filepath.Join(folder, "notes.txt"), "not a file of the cache")
	p := serve(t, "--data", file, "--cache", folder)
	const most = 4
	for i := range most + 2 {
		replace(t, file, pubs(51+i, "b"))
		p.reload()
		got := p.readiness(200)
		stopIf(t, got.Pubs != 51+i || p.from() != "build", "got %+v from %q, want %d pubs from a build", got, p.from(), 51+i)
	}
	names := cached(t, folder)
	failIf(t, len(names) != most+1, "the cache has %q, want %d indexes and a file of somebody's", names, most)
	replace(t, file, pubs(55, "b"))
	p.reload()
	got := p.readiness(200)
	failIf(t, got.Pubs != 55 || p.from() != "cache", "an earlier snapshot: got %+v from %q, want it from the cache", got, p.from())
}

// More columns are kept if the operator requests them. A cached index with other columns is not used; an index file
// given as data is served, with a warning.
func TestExtraColumns(t *testing.T) {
	lane.Long(t, "starts seven servers")
	t.Parallel()
	const content = "UID,name,beds,colour\n7,Bell,441,red\n"
	file, folder, built := write(t, "pubs.csv", content), t.TempDir(), built(t, content, "--extra=colour")
	for _, c := range []struct {
		what, data, extra, want, from string
		warning                       string // in the log
	}{
		{"none", file, "", `"extra":{}`, "build", `"columns":["beds","colour"]`},
		{"one", file, "--extra BEDS", `"extra":{"BEDS":"441"}`, "build", `"columns":["colour"]`},
		{"one again", file, "--extra BEDS", `"extra":{"BEDS":"441"}`, "cache", ""},
		{"two", file, "--extra colour,web", `"extra":{"colour":"red","web":null}`, "build", `"columns":["web"]`},
		{"none again", file, "", `"extra":{}`, "cache", ""},
		{"an index file", built, "", `"extra":{"colour":"red"}`, "index file", ""},
		{"an index file with another", built, "--extra beds", `"extra":{"colour":"red"}`, "index file", "build it with pubd build --extra"},
	} {
		p := serve(t, append([]string{"--data", c.data, "--cache", folder}, strings.Fields(c.extra)...)...)
		contains(t, c.what, p.search("pubid=7&fields=UID&include=extra", "demo").body, c.want)
		equal(t, c.what+": data from", p.from(), c.from)
		contains(t, c.what+": log", p.stderr.String(), c.warning)
		p.stop()
	}
}

// A snapshot with wrong rows is served from a cache only if --max-bad-rows allows that number. Without a writable
// cache, a snapshot is still served.
func TestCacheDoesNotChangeWhatIsServed(t *testing.T) {
	t.Parallel()
	file, folder := write(t, "pubs.csv", pubs(50, "a")+"wrong,\n"), t.TempDir()
	serve(t, "--data", file, "--cache", folder, "--max-bad-rows=1")
	refuse(t, exitError, "pubs.csv:52: has 2 fields, the header has 5", "--data", file, "--cache", folder)
	p := serve(t, "--data", write(t, "pubs.csv", pubs(3, "a")), "--cache", file)
	equal(t, "warnings of a cache that is no folder", p.stderr.count("cannot cache the index"), 1)
}

// An index file is served while it is replaced, truncated and deleted, and no request notices.
func TestIndexFileIsReplacedTruncatedAndDeleted(t *testing.T) {
	lane.Long(t, "reloads nine files")
	t.Parallel()
	index := func(count int, generation string) string { return string(read(t, built(t, pubs(count, generation)))) }
	first, second := index(500, "a"), index(501, "b")
	file := write(t, "pubs.data", first) // recognised by its content, not by its name
	p := serve(t, "--data", file)
	equal(t, "data from", p.from(), "index file")
	var group sync.WaitGroup
	defer group.Wait()
	var done atomic.Bool
	defer done.Store(true)
	group.Go(func() {
		for !done.Load() {
			got, err := p.try(p.url("search=lion&amount=100&sort=name"), "demo")
			failIf(t, err != nil || got.status != 200, "a request during the changes: got %d, %v", got.status, err)
		}
	})
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
	equal(t, "unchanged", p.stderr.count("data unchanged"), 1)
}
