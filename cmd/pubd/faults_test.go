package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
	"pubd/loader/feed"
	"pubd/loader/manifest"
)

// badContents are what a file may have become, by name, made of its content; in the quick lane some of them.
var badContents = []badContent{
	{"space", func(string) string { return "\n" }},
	{"null", func(string) string { return "null" }},
	{"a list", func(string) string { return "[]" }},
	{"empty", func(string) string { return "" }},
	{"HTML", func(string) string { return "<!DOCTYPE html><html><body>Sign in</body></html>" }},
	{"cut short", func(good string) string { return good[:len(good)/2] }},
	{"zeros", func(good string) string { return strings.Repeat("\x00", len(good)) }},
}[lane.Pick(3, 0):]

type badContent struct {
	name string
	make func(good string) string
}

// servedSite is a site behind a web server that counts the index files that it sends.
type servedSite struct {
	*site
	web     *httptest.Server
	indexes atomic.Int64
	away    atomic.Bool // answers only with 503
}

func serveSite(t *testing.T) *servedSite {
	p := &servedSite{site: newSite(t)}
	files := http.FileServer(http.Dir(p.dir))
	p.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.away.Load() {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		if strings.HasSuffix(r.URL.Path, manifest.Extension) && r.Header.Get("If-None-Match") == "" {
			p.indexes.Add(1)
		}
		if info, err := os.Stat(filepath.Join(p.dir, r.URL.Path)); err == nil {
			w.Header().Set("ETag", fmt.Sprintf(`"%d-%d"`, info.Size(), info.ModTime().UnixNano()))
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(p.web.Close)
	return p
}

func (p *servedSite) url() string { return p.web.URL + "/" + manifest.Name }

// A manifest that is wrong at a start is an error that names it, with or without a signature to check; with a good
// cache, the snapshot in it is served, and the operator sees why.
func TestStartWithWrongManifest(t *testing.T) {
	t.Parallel()
	private, public := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "key.pub")
	must(t, "publish", "keygen", private, public)
	s := newSite(t, "--sign", private)
	s.publish("a")
	old := s.content()
	s.publish("b", "--activate-in", "0s")
	good := s.content()
	cases := append(badContents[:len(badContents):len(badContents)], badContent{"old", func(string) string { return old }})
	for _, trust := range [][]string{nil, {"--trust", public}} {
		cache := filepath.Join(t.TempDir(), "cache")
		flags := append([]string{"--data", s.manifest(), "--refresh", "100ms"}, trust...)
		p := serve(t, append(flags, "--cache", cache)...)
		p.stop()
		for _, c := range cases {
			replace(t, s.manifest(), c.make(good))
			if c.name != "old" {
				refuse(t, exitError, s.manifest(), flags...)
			}
			p := serve(t, append(flags, "--cache", cache)...)
			if got := generation(p, "demo"); got != "b" {
				t.Errorf("%s: got generation %s, want b", c.name, got)
			}
			if got := p.readiness(200).LastReload; !strings.Contains(got, s.manifest()) {
				t.Errorf("%s: last reload %q, want an error that names the manifest", c.name, got)
			}
			replace(t, s.manifest(), good)
			eventually(t, c.name+", then good", func() bool { return p.readiness(200).LastReload == "ok" })
			p.stop()
		}
	}
}

// A manifest that becomes wrong while it is followed changes nothing.
func TestRefreshOfWrongManifest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.publish("a")
	p, good := s.replica(), s.content()
	for _, c := range badContents {
		replace(t, s.manifest(), c.make(good))
		eventually(t, c.name, func() bool { return strings.Contains(p.readiness(200).LastReload, s.manifest()) })
		if got := generation(p, "demo"); got != "a" {
			t.Errorf("%s: got generation %s, want a", c.name, got)
		}
		replace(t, s.manifest(), good)
		eventually(t, c.name+", then good", func() bool { return p.readiness(200).LastReload == "ok" })
	}
}

// Remote data and keys that are wrong at a start are taken from the cache; without one they are errors.
func TestStartWithWrongSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keyFile, dataFile := filepath.Join(dir, "keys"), filepath.Join(dir, "pubs.csv")
	secret := addKey(t, keyFile, "app")
	replace(t, dataFile, pubs(20, "a"))
	web := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer web.Close()
	flags := []string{"--data", web.URL + "/pubs.csv", "--keys", web.URL + "/keys", "--refresh", "100ms"}
	cached := append(flags[:len(flags):len(flags)], "--cache", filepath.Join(t.TempDir(), "cache"))
	serve(t, cached...).stop()
	for _, file := range []string{keyFile, dataFile} {
		good := string(read(t, file))
		for _, c := range badContents {
			replace(t, file, c.make(good))
			if c.name == "cut short" && file == dataFile {
				replace(t, file, good[:strings.LastIndex(good, ",")]) // within a row
			}
			refuse(t, exitError, web.URL+"/"+filepath.Base(file), flags...)
			p := serve(t, cached...)
			if got := generation(p, secret); got != "a" {
				t.Errorf("%s, %s: got generation %s, want a", filepath.Base(file), c.name, got)
			}
			p.stop()
		}
		replace(t, file, good)
	}
}

// A cache that cannot be used is like none.
func TestUnusableCache(t *testing.T) {
	t.Parallel()
	file := write(t, "file", "")
	full := t.TempDir()
	caches := []string{file, filepath.Join(file, "below"), filepath.Join(t.TempDir(), strings.Repeat("x", 300))}
	if syscall.Mount("none", full, "tmpfs", 0, "size=16k") == nil {
		t.Cleanup(func() { _ = syscall.Unmount(full, syscall.MNT_DETACH) })
		caches = append(caches, full)
	}
	for _, cache := range caches {
		s := serveSite(t)
		s.publish("a")
		dir := t.TempDir()
		replace(t, filepath.Join(dir, "pubs.csv"), pubs(500, "a"))
		web := httptest.NewServer(http.FileServer(http.Dir(dir)))
		defer web.Close()
		replica := serve(t, "--data", s.url(), "--cache", cache, "--refresh", "100ms")
		remote := serve(t, "--data", web.URL+"/pubs.csv", "--cache", cache, "--refresh", "100ms")
		local := serve(t, "--data", filepath.Join(dir, "pubs.csv"), "--cache", cache, "--refresh", "100ms")
		s.publish("b", "--activate-in", "0s")
		replace(t, filepath.Join(dir, "pubs.csv"), pubs(500, "b"))
		for name, p := range map[string]*process{"manifest": replica, "remote": remote, "local": local} {
			eventually(t, name+" with the cache "+cache, func() bool { return generation(p, "demo") == "b" })
			p.stop()
		}
	}
}

// Servers that share a cache and start at the same moment all serve, and keep each other's files.
func TestSharedCache(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "cache")
	sites := []*servedSite{serveSite(t), serveSite(t)}
	sites[0].publish("a")
	sites[1].publish("b")
	dir := t.TempDir()
	replace(t, filepath.Join(dir, "pubs.csv"), pubs(20, "c"))
	web := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer web.Close()
	sources := []string{sites[0].url(), sites[1].url(), web.URL + "/pubs.csv", web.URL + "/pubs.csv"}
	want := []string{"a", "b", "c", "c"}
	together := func() {
		var servers []*process
		for _, source := range sources {
			servers = append(servers, start(t, pubd(anywhere("--data", source, "--cache", cache, "--refresh", "100ms")...)))
		}
		for i, p := range servers {
			p.await()
			if got := generation(p, "demo"); got != want[i] {
				t.Errorf("%s: got generation %s, want %s", sources[i], got, want[i])
			}
		}
		for _, p := range servers {
			p.stop()
		}
	}
	for range lane.Pick(3, 50) {
		ok(t, os.RemoveAll(cache))
		together()
	}
	for _, s := range sites {
		s.web.Close()
	}
	web.Close()
	together()
}

// A replica that is killed at any moment starts again, with or without its source, and leaves nothing behind.
func TestKilledReplica(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	cache := filepath.Join(t.TempDir(), "cache")
	flags := []string{"--data", s.url(), "--cache", cache, "--refresh", "100ms"}
	s.publish("0")
	serve(t, flags...).stop()
	random := rand.New(rand.NewPCG(1, 1))
	for i := range lane.Pick(4, 100) {
		s.publish(fmt.Sprint(i+1), "--activate-in", "0s")
		p := start(t, pubd(anywhere(flags...)...))
		time.Sleep(time.Duration(random.IntN(150)) * time.Millisecond)
		_ = p.command.Process.Kill()
		<-p.exited
		s.away.Store(i%2 == 1)
		p = serve(t, flags...)
		if got, want := generation(p, "demo"), fmt.Sprint(i+1); got != want && (i%2 == 0 || got != fmt.Sprint(i)) {
			t.Errorf("kill %d: got generation %s, want %s, or, without the source, the one before", i, got, want)
		}
		s.away.Store(false)
		eventually(t, "the newest", func() bool { return generation(p, "demo") == fmt.Sprint(i+1) })
		p.stop()
		for _, name := range cached(t, cache) {
			if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "pubd-data-") || strings.HasSuffix(name, ".part") {
				t.Errorf("kill %d: left %s in the cache", i, name)
			}
		}
	}
}

// Odd files in the place of those of the cache neither hang the start nor are written to.
func TestOddFilesInCache(t *testing.T) {
	t.Parallel()
	s := serveSite(t)
	s.publish("a")
	cache, target := t.TempDir(), write(t, "target", "precious")
	flags := []string{"--data", s.url(), "--cache", cache, "--refresh", "100ms"}
	serve(t, flags...).stop()
	names, err := os.ReadDir(cache)
	ok(t, err)
	index := s.read().Snapshots[0].Index
	for _, entry := range names {
		names := []string{entry.Name()}
		if strings.HasSuffix(entry.Name(), feed.IndexExtension) {
			names = append(names, strings.Replace(entry.Name(), index.ExpandedSHA256+feed.IndexExtension, index.SHA256+".part", 1))
		}
		for _, name := range names {
			for odd, make := range map[string]func(place string) error{
				"a named pipe":  func(place string) error { return syscall.Mkfifo(place, 0o600) },
				"a sparse file": func(place string) error { return os.WriteFile(place, nil, 0o600) },
				"a link":        func(place string) error { return os.Symlink(target, place) },
				"a folder":      func(place string) error { return os.Mkdir(place, 0o700) },
			} {
				place := filepath.Join(cache, name)
				if strings.HasSuffix(name, ".part") { // the index must be downloaded
					ok(t, os.RemoveAll(filepath.Join(cache, entry.Name())))
				}
				ok(t, os.RemoveAll(place))
				ok(t, make(place))
				if odd == "a sparse file" {
					ok(t, os.Truncate(place, 4<<30))
				}
				p := serve(t, flags...)
				if got := generation(p, "demo"); got != "a" {
					t.Errorf("%s for %s: got generation %s, want a", odd, name, got)
				}
				p.stop()
				ok(t, os.RemoveAll(place))
				if got := string(read(t, target)); got != "precious" {
					t.Fatalf("%s for %s: wrote %q to the target of the link", odd, name, got)
				}
			}
		}
	}
}

// An index that is mapped from a file and damaged in place is not served: the source replaces what is in a cache, and a
// reload takes what was mended.
func TestDamagedInPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	snapshot, index, cache := filepath.Join(dir, "pubs.csv"), filepath.Join(dir, "pubs.idx"), filepath.Join(dir, "cache")
	replace(t, snapshot, generated(t, lane.Pick(2000, 20_000), 1))
	must(t, "build", snapshot, index)
	s := newSite(t)
	s.run(snapshot)
	for _, c := range []struct {
		name  string
		flags []string
		file  func() string
	}{
		{"index file", []string{"--data", index}, func() string { return index }},
		{"cached build", []string{"--data", snapshot, "--cache", cache}, func() string { return only(t, cache, `^[0-9a-f]{64}-`) }},
		{"manifest", []string{"--data", s.manifest(), "--cache", cache}, func() string { return only(t, cache, `^fleet-.*\.idx$`) }},
	}[:lane.Pick(1, 3)] {
		serve(t, c.flags...).stop()
		command := pubd(anywhere(c.flags...)...)
		command.Env = append(command.Env, "GOMEMLIMIT="+lane.Pick("8MiB", "40MiB")) // too little is free to copy the index to
		p := start(t, command)
		p.await()
		good := read(t, c.file())
		file, err := os.OpenFile(c.file(), os.O_RDWR, 0)
		ok(t, err)
		_, err = file.WriteAt(bytes.Repeat([]byte{0xff}, len(good)-4096), 4096)
		ok(t, err)
		ok(t, file.Close())
		if c.name != "manifest" { // there is no other copy, and too little memory to build one
			eventually(t, "unready", func() bool { return p.search("search=inn", "demo").status == 503 })
			if got := p.readiness(503).LastReload; !strings.Contains(got, dir) {
				t.Errorf("%s: /readyz says %q", c.name, got)
			}
			replace(t, c.file(), string(good))
			p.reload()
		}
		eventually(t, c.name+": replaced", func() bool {
			return strings.Contains(p.stderr.String(), "an open index is damaged") && p.search("search=inn", "demo").status == 200
		})
		for _, query := range []string{"search=inn", "search=the", "search=*&lat=52&lng=-1&distance=50"} {
			if got := p.search(query, "demo"); got.status != 200 {
				t.Errorf("%s, %s: got %d %s", c.name, query, got.status, got.body)
			}
		}
	}
}

// only returns the one file of a folder whose name matches a pattern.
func only(t *testing.T, folder, pattern string) (place string) {
	t.Helper()
	for _, name := range cached(t, folder) {
		if regexp.MustCompile(pattern).MatchString(name) {
			if place != "" {
				t.Fatalf("%s and %s match %s", place, name, pattern)
			}
			place = filepath.Join(folder, name)
		}
	}
	if place == "" {
		t.Fatalf("no file of %q matches %s", cached(t, folder), pattern)
	}
	return place
}

// A published index that is wrong is not downloaded at each refresh, but after some, more each time; when it was
// replaced, or on request, it is tried again at once.
func TestWrongIndexIsDownloadedOnce(t *testing.T) {
	t.Parallel()
	for _, cache := range [][]string{nil, {"--cache", t.TempDir()}} {
		s := serveSite(t)
		s.publish("a")
		p := serve(t, append([]string{"--data", s.url(), "--refresh", "100ms"}, cache...)...)
		next := newSite(t)
		next.publish("b")
		stored := filepath.Join(s.dir, next.read().Snapshots[0].Index.Key)
		good := read(t, filepath.Join(next.dir, filepath.Base(stored)))
		before := s.indexes.Load()
		replace(t, stored, string(damage(good)))
		replace(t, s.manifest(), next.renumbered(2, s.read().Directory))
		eventually(t, "rejected", func() bool { return strings.Contains(p.readiness(200).LastReload, "index.sha256") })
		requested := p.seriesValue(`pubd_source_reached_timestamp_seconds{what="data"}`)
		eventually(t, "20 more refreshes", func() bool { return p.seriesValue(`pubd_source_reached_timestamp_seconds{what="data"}`) > requested+2 })
		if got := s.indexes.Load() - before; got < 2 || got > 3 { // after 0.8 and 2.4 s
			t.Errorf("cache %q: downloaded %d times, want two or three times", cache, got)
		}
		was := s.indexes.Load()
		p.reload()
		if got := s.indexes.Load() - was; got < 1 {
			t.Errorf("cache %q: not downloaded on request", cache)
		}
		replace(t, stored, string(good))
		eventually(t, "a good one", func() bool { return generation(p, "demo") == "b" })
		p.stop()
	}
}

// An index that does not fit into memory is rejected before its first byte, by its size in the manifest, and the
// server lives.
func TestPublishedIndexLargerThanMemory(t *testing.T) {
	t.Parallel()
	s, next := serveSite(t), newSite(t)
	s.publish("a")
	next.publish("b")
	large := regexp.MustCompile(`"expanded_size": \d+`).ReplaceAllString(next.renumbered(2, s.read().Directory), `"expanded_size": 4294967296`)
	command := pubd(anywhere("--data", s.url(), "--refresh", "100ms")...)
	command.Env = append(command.Env, "GOMEMLIMIT=256MiB")
	p := start(t, command)
	p.await()
	before := s.indexes.Load()
	replace(t, s.manifest(), large)
	eventually(t, "rejected", func() bool { return strings.Contains(p.readiness(200).LastReload, "MiB are free of the memory limit") })
	if got := generation(p, "demo"); got != "a" || s.indexes.Load() != before {
		t.Errorf("got generation %s and %d downloads, want a and none", got, s.indexes.Load()-before)
	}
	first := pubd(anywhere("--data", s.url())...)
	first.Env = append(first.Env, "GOMEMLIMIT=256MiB")
	q := start(t, first)
	q.exit(testPatience, exitError)
	if got := q.stderr.String(); !strings.Contains(got, "MiB are free of the memory limit") || s.indexes.Load() != before {
		t.Errorf("at the start: got %q and %d downloads", got, s.indexes.Load()-before)
	}
}

// No command waits for the writer of a named pipe.
func TestNamedPipes(t *testing.T) {
	dir := t.TempDir()
	for _, command := range []string{"inspect pipe.idx", "check pipe.csv", "import pipe.csv out.csv", "diff pipe.csv pipe.csv", "build pipe.csv out.idx",
		"publish --to site pipe.csv"} {
		args := strings.Fields(command)
		for i, arg := range args {
			if strings.HasPrefix(arg, "pipe.") {
				args[i] = filepath.Join(dir, arg)
				if err := syscall.Mkfifo(args[i], 0o600); err != nil && !os.IsExist(err) {
					t.Fatal(err)
				}
			}
		}
		code, out, errs := runFor(t, args...)
		if code == exitOK || !strings.Contains(out+errs, "regular file") {
			t.Errorf("%s: got %d %q %q", command, code, out, errs)
		}
	}
}
