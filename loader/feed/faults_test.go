package feed

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/loader/fetch"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// dataAt returns the configuration of a source of index files.
func dataAt(t *testing.T, location, cache string) fetch.Options {
	l := testkit.Must(storage.Parse(location))(t)
	return fetch.Options{Location: l, Cache: cache, MaxShrink: 100, BuilderVersion: "test", Patience: time.Minute, Log: zerolog.Nop(),
		Progress: func(string, string, bool) (func(int64, int64), func()) { return func(int64, int64) {}, func() {} }}
}

// A web is a server of files by name. Those that are nil it does not answer well.
type web struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte
}

func newWeb(t *testing.T) *web {
	w := &web{files: map[string][]byte{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		name := filepath.Base(r.URL.Path)
		w.mu.Lock()
		content := w.files[name]
		w.mu.Unlock()
		if content == nil {
			http.Error(out, "away", http.StatusServiceUnavailable)
			return
		}
		out.Header().Set("ETag", fmt.Sprintf(`"%.8x"`, sha256.Sum256(content)))
		http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(content))
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *web) put(name string, content []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[name] = content
}

// manifestOf returns a manifest of releases, the last one newest.
func manifestOf(list ...release) []byte {
	m := &manifest.Manifest{Directory: strings.Repeat("0f", 16)}
	for i, r := range list {
		r.PublishedAt = time.Now().Add(time.Duration(i-len(list)) * time.Minute)
		r.ActivateAt = r.PublishedAt
		m = m.Next(r.Snapshot, len(list))
	}
	return m.Render()
}

// run starts a feed in real time, which the end of the test stops.
func run(t *testing.T, source fetch.Options, every time.Duration) *replica {
	r := start(&weather{options: source}, every, 0, nil)
	t.Cleanup(r.stop)
	return r
}

// eventually waits until a state is as it should be.
func (r *replica) eventually(t *testing.T, what string, holds func(State) bool) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		s, faults := r.last()
		if holds(s) && len(faults) == 0 {
			return
		}
		testkit.StopIf(t, time.Since(begun) > time.Minute, "%s: got %+v, %q", what, s, faults)
	}
}

const often = 20 * time.Millisecond

// What contradicts the configuration is an error at a start, and nothing in the cache is served in its place.
func TestConfigurationErrors(t *testing.T) {
	list := releases(t, 1)
	trusted, _ := keyPair(t)
	w := newWeb(t)
	w.put("pubs.idx", list[0].index)
	w.put(manifest.Name, manifestOf(list...))
	w.put(list[0].Index.Key, list[0].stored)
	for _, c := range []struct {
		file   string
		change func(*fetch.Options)
		want   string
	}{
		{"pubs.idx", func(d *fetch.Options) { d.Trust = []manifest.PublicKey{trusted} }, "--trust"},
		{"pubs.idx", func(d *fetch.Options) { d.Places = "places.csv" }, "--places"},
		{manifest.Name, func(d *fetch.Options) { d.Trust = []manifest.PublicKey{trusted} }, "signature"},
		{manifest.Name, func(d *fetch.Options) { d.Places = "places.csv" }, "--places"},
	} {
		d := dataAt(t, w.URL+"/"+c.file, t.TempDir())
		if r := run(t, d, 0); r.first != nil {
			t.Fatal(r.first)
		}
		c.change(&d)
		good := w.files[c.file]
		for _, content := range [][]byte{good, nil} {
			w.put(c.file, content)
			r := run(t, d, 0)
			if s, _ := r.last(); r.first == nil || s.Serve != nil || content != nil && !strings.Contains(r.first.Error(), c.want) {
				t.Errorf("%s, %s, reachable %v: got %v and %+v", c.file, c.want, content != nil, r.first, s.Serve)
			}
		}
		w.put(c.file, good)
	}
}

// A start without a file says so, and nothing else.
func TestNoFile(t *testing.T) {
	r := run(t, dataAt(t, filepath.Join(t.TempDir(), "pubs.idx"), ""), 0)
	testkit.FailIf(t, r.first == nil || strings.Contains(r.first.Error(), "cache"), "got %v", r.first)
}

// Only what was downloaded counts as known, not what a look at it said: two servers behind one name may differ for a
// while.
func TestVersionOfDownload(t *testing.T) {
	list := releases(t, 2)
	for what, old := range map[string][]int64{ // the requests that the server with the old file answers
		"the first download":                        {2},
		"the first look, and each of two downloads": {1, 2, 4},
	} {
		var requests atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			version := 1
			if slices.Contains(old, requests.Add(1)) {
				version = 0
			}
			out.Header().Set("ETag", fmt.Sprintf(`"v%d"`, version))
			http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(list[version].index))
		}))
		t.Cleanup(server.Close)
		r := run(t, dataAt(t, server.URL+"/pubs.idx", ""), often)
		r.eventually(t, "the newest, after "+what, func(s State) bool { return s.Serve.Publication.ID == list[1].ID })
	}
}

// What went wrong on this machine is tried again, although the source is unchanged.
func TestLocalTrouble(t *testing.T) {
	list := releases(t, 2)
	w := newWeb(t)
	w.put("pubs.idx", list[0].index)
	temporary := filepath.Join(t.TempDir(), "tmp")
	testkit.OK(t, os.Mkdir(temporary, 0o700))
	t.Setenv("TMPDIR", temporary)
	r := run(t, dataAt(t, w.URL+"/pubs.idx", ""), often)
	testkit.OK(t, os.Rename(temporary, temporary+".away"))
	w.put("pubs.idx", list[1].index)
	r.eventually(t, "failed", func(s State) bool { return s.Error != nil })
	testkit.OK(t, os.Rename(temporary+".away", temporary))
	r.eventually(t, "the new one", func(s State) bool {
		return s.Serve.Publication.ID == list[1].ID && s.Error == nil
	})
}

// That a snapshot is damaged is told, although another one is unreachable; also at a start, which serves the one
// before.
func TestDamageIsTold(t *testing.T) {
	list := releases(t, 3)
	w := newWeb(t)
	w.put(manifest.Name, manifestOf(list[0]))
	w.put(list[0].Index.Key, list[0].stored)
	w.put(list[1].Index.Key, list[1].stored[:50])
	d := dataAt(t, w.URL+"/"+manifest.Name, "")
	running := run(t, d, often)
	m := testkit.Must(manifest.Parse(manifestOf(list[:2]...)))(t)
	upcoming := list[2].Snapshot
	upcoming.PublishedAt, upcoming.ActivateAt = time.Now(), time.Now().Add(time.Hour)
	w.put(manifest.Name, m.Next(upcoming, 3).Render())
	isTold := func(s State) bool {
		return s.Serve.Publication.ID == list[0].ID && s.Error != nil && s.Unreachable != nil && strings.Contains(s.Error.Error(), list[1].Index.Key)
	}
	running.eventually(t, "running", isTold)
	run(t, d, often).eventually(t, "a start", isTold)
}

// The good file of a publication is used, although another one of the same snapshot is damaged.
func TestOtherFileOfSnapshot(t *testing.T) {
	list := releases(t, 2)
	w := newWeb(t)
	damaged := list[1]
	damaged.Index.Key = "damaged" + manifest.Extension
	w.put(manifest.Name, manifestOf(list[0], list[1], damaged))
	w.put(list[0].Index.Key, list[0].stored)
	w.put(list[1].Index.Key, list[1].stored)
	w.put(damaged.Index.Key, list[1].stored[:50])
	run(t, dataAt(t, w.URL+"/"+manifest.Name, ""), often).eventually(t, "the good file", func(s State) bool {
		return s.Serve.Publication.ID == list[1].ID
	})
}

// The error of a file from another machine names it, not where it was downloaded to.
func TestErrorOfRemoteFile(t *testing.T) {
	w := newWeb(t)
	w.put("pubs.idx", releases(t, 1)[0].index[:5000])
	r := run(t, dataAt(t, w.URL+"/pubs.idx", ""), 0)
	testkit.FailIf(t,
		r.first == nil || strings.Contains(r.first.Error(), os.TempDir()) || !strings.Contains(r.first.Error(), w.URL),
		"got %v", r.first)
}

// A partial download stays as long as the rest is missing.
func TestPartialDownload(t *testing.T) {
	list := releases(t, 1)
	w := newWeb(t)
	w.put(list[0].Index.Key, list[0].stored)
	o := dataAt(t, w.URL+"/"+manifest.Name, t.TempDir())
	d, m := fetch.New(o), testkit.Must(manifest.Parse(manifestOf(list...)))(t)
	whole := fetch.NewCache(o.Cache, o.Location).Index(list[0].Snapshot)
	part := strings.Replace(whole, list[0].Index.ExpandedSHA256+fetch.IndexExtension, list[0].Index.SHA256+".part", 1)
	isThere := func() bool { _, err := os.Stat(part); return err == nil }
	testkit.OK(t, os.WriteFile(part, list[0].stored[:50], 0o600))
	if d.Prune(m); !isThere() {
		t.Error("a partial download was removed")
	}
	v := testkit.Must(d.Open(t.Context(), fetch.Item{Publication: &list[0].Snapshot}, fetch.Current{}, fetch.Request{}))(t)
	v.Value.Release()
	testkit.OK(t, os.WriteFile(part, list[0].stored, 0o600)) // as if the process had ended before it removed it
	if d.Prune(m); isThere() {
		t.Error("a partial download was kept beside the whole index")
	}
}
