package feed

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"pubd/index"
	"pubd/loader/manifest"
)

// A trickle is a server of files by name. Of some, what follows the head is sent at a byte a second until the client
// goes away: that is no pause for which a client gives up, and takes longer than a test waits.
type trickle struct {
	*web
	slow       map[string]bool // by name, guarded by mu
	begun, cut atomic.Int64
}

func newTrickle(t *testing.T) *trickle {
	s := &trickle{web: newWeb(t), slow: map[string]bool{}}
	fast := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		name := filepath.Base(r.URL.Path)
		s.mu.Lock()
		content, slow := s.files[name], s.slow[name]
		s.mu.Unlock()
		if !slow || r.Method != http.MethodGet {
			fast.ServeHTTP(out, r)
			return
		}
		out.Header().Set("Content-Length", fmt.Sprint(len(content)))
		out.Header().Set("ETag", fmt.Sprintf(`"%x"`, len(content)))
		s.begun.Add(1)
		head := min(manifest.HeadSize, len(content)-1)
		_, _ = out.Write(content[:head])
		for i := range content[head:] {
			_, _ = out.Write(content[head+i:][:1])
			out.(http.Flusher).Flush()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
				s.cut.Add(1)
				return
			}
		}
	})
	return s
}

// set puts a file, and says whether its transfers are slow: at once, since feeds ask all the time.
func (s *trickle) set(name string, content []byte, slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[name], s.slow[name] = content, slow
}

// A transfer that trickles ends when something else is to be opened first, and a snapshot that is open is served at
// once.
func TestNewerEndsTransfer(t *testing.T) {
	t.Parallel()
	list := releases(t, 4)
	for i := range list {
		list[i].PublishedAt = time.Now().UTC().Add(time.Duration(i-len(list)) * time.Minute)
		list[i].ActivateAt = list[i].PublishedAt
	}
	var m *manifest.Manifest
	for _, r := range list[:2] {
		m = m.Next(r.Snapshot, 4)
	}
	newer := m.Next(list[2].Snapshot, 4)
	again, err := newer.Again(list[0].ID, time.Now().UTC(), time.Now().UTC())
	ok(t, err)
	old := list[2]
	old.Index.Format, old.Origin = index.FormatVersion()-1, originOf(list[2])
	source := old.Origin.Files[0].Stored.Key
	for _, c := range []struct {
		what, file, slow string
		every            time.Duration
		began, next      []byte // at file
		want             int
	}{
		{"a rollback", manifest.Name, list[2].Index.Key, often, newer.Render(), newer.Next(again, 4).Render(), 0},
		{"a rollback, on request", manifest.Name, list[2].Index.Key, 0, newer.Render(), newer.Next(again, 4).Render(), 0},
		{"a later snapshot", manifest.Name, list[2].Index.Key, often, newer.Render(), newer.Next(list[3].Snapshot, 4).Render(), 3},
		{"a rollback from a source", manifest.Name, source, often, m.Next(old.Snapshot, 4).Render(), m.Next(old.Snapshot, 4).Next(again, 4).Render(), 0},
		{"a file", "pubs.idx", "pubs.idx", often, nil, list[3].index, 3},
	} {
		w := newTrickle(t)
		for _, r := range list {
			w.put(r.Index.Key, r.stored)
		}
		w.put(source, list[2].stored)
		w.put(manifest.Name, m.Render())
		w.put("pubs.idx", list[1].index)
		r := run(t, newDirectory(dataAt(t, w.URL+"/"+c.file, t.TempDir())), c.every)
		if c.began != nil {
			w.set(c.slow, list[2].stored, true)
			w.put(c.file, c.began)
		} else {
			w.set(c.slow, list[2].index[:len(list[2].index)-1], true) // another size is another version
		}
		r.Request(Request{})
		r.eventually(t, c.what+": begun", func(State) bool { return w.begun.Load() > 1 || c.began != nil && w.begun.Load() > 0 })
		w.set(c.file, c.next, false)
		r.Request(Request{})
		r.eventually(t, c.what, func(s State) bool {
			return s.Serve.Publication.ID == list[c.want].ID && w.cut.Load() > 0
		})
	}
}

// originOf returns what a release would be built from; its content does not matter.
func originOf(r release) *manifest.Origin {
	stored := manifest.Index{Key: "pubs" + manifest.OriginExtension, Size: r.Index.Size, SHA256: r.Index.SHA256, ExpandedSize: r.Index.ExpandedSize, ExpandedSHA256: r.Index.ExpandedSHA256}
	return &manifest.Origin{Files: []manifest.OriginFile{{Name: "pubs.csv", Stored: stored}}}
}

// While what a newer manifest adds is less urgent, a transfer goes on.
func TestLessUrgentEndsNoTransfer(t *testing.T) {
	list := releases(t, 3)
	w := newTrickle(t)
	for _, r := range list {
		w.put(r.Index.Key, r.stored)
	}
	m, err := manifest.Parse(manifestOf(list[:2]...))
	ok(t, err)
	w.put(manifest.Name, manifestOf(list[0]))
	source := &counted{tested: newDirectory(dataAt(t, w.URL+"/"+manifest.Name, ""))}
	r := run(t, source, often)
	w.set(list[1].Index.Key, list[1].stored, true)
	w.put(manifest.Name, m.Render())
	upcoming := list[2].Snapshot
	upcoming.PublishedAt, upcoming.ActivateAt = time.Now(), time.Now().Add(time.Hour)
	next := m.Next(upcoming, 3)
	r.eventually(t, "begun", func(State) bool { return w.begun.Load() > 0 })
	w.put(manifest.Name, next.Render())
	r.eventually(t, "followed", func(s State) bool { return s.Manifest.Sequence == next.Sequence })
	before := source.nexts.Load()
	r.eventually(t, "more refreshes", func(State) bool { return source.nexts.Load() > before+3 })
	if w.cut.Load() > 0 {
		t.Error("the transfer ended")
	}
}

// A file that always breaks off is transferred a few times, then seldom, whatever it is.
func TestTransfersThatBreakOffAreSeldom(t *testing.T) {
	t.Parallel()
	list := releases(t, 2)
	stored := list[1].Index
	origin := list[1]
	origin.Index.Format, origin.Origin = index.FormatVersion()-1, originOf(list[1])
	for _, c := range []struct {
		what, file, breaks string
		manifest           []byte
		cache              string
		version            bool
	}{
		{"an index file", manifest.Name, stored.Key, manifestOf(list...), "", true},
		{"an index file, with a cache", manifest.Name, stored.Key, manifestOf(list...), t.TempDir(), true},
		{"a source file", manifest.Name, origin.Origin.Files[0].Stored.Key, manifestOf(list[0], origin), "", true},
		{"a file", "pubs.idx", "pubs.idx", nil, "", true},
		{"a file without a version", "pubs.idx", "pubs.idx", nil, t.TempDir(), false},
	} {
		var transfers atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			switch name := filepath.Base(r.URL.Path); {
			case name == manifest.Name:
				_, _ = out.Write(c.manifest)
				return
			case name == list[0].Index.Key:
				_, _ = out.Write(list[0].stored)
				return
			case name != c.breaks:
				http.NotFound(out, r)
				return
			}
			transfers.Add(1)
			if c.version {
				out.Header().Set("ETag", `"v1"`)
			}
			out.Header().Set("Content-Length", fmt.Sprint(len(list[1].stored)))
			if n, _ := out.Write(list[1].stored[:len(list[1].stored)-1]); n > 0 && r.Context().Err() == nil {
				out.(http.Flusher).Flush()
			}
			panic(http.ErrAbortHandler)
		}))
		defer server.Close()
		tries := &counted{tested: newDirectory(dataAt(t, server.URL+"/"+c.file, c.cache))}
		r := run(t, tries, often)
		r.eventually(t, c.what, func(State) bool { return tries.nexts.Load() > 100 })
		if got := tries.opens.Load(); got < 2 || got > 20 {
			t.Errorf("%s: tried %d times in %d refreshes", c.what, got, tries.nexts.Load())
		}
		if got := transfers.Load(); c.manifest != nil && got > 2*tries.opens.Load() {
			t.Errorf("%s: %d transfers in %d tries", c.what, got, tries.opens.Load())
		}
	}
}

// A snapshot whose file is changed in place, so that it is another one, is not used until it was opened again.
func TestChangedInPlace(t *testing.T) {
	before := debug.SetMemoryLimit(1) // no room for a copy
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	list := releases(t, 3)
	write := func(place string, content []byte) {
		file, err := os.OpenFile(place, os.O_WRONLY, 0)
		ok(t, err)
		_, err = file.WriteAt(content, 0)
		ok(t, errors.Join(err, file.Close()))
	}
	served, kept, prepared := list[1], list[0], list[2]
	wrong := bytes.Clone(list[1].index)
	for i := 4096; i < len(wrong); i++ {
		wrong[i] ^= 0xff
	}
	for _, c := range []struct {
		what   string
		of     release
		change func(t *testing.T, place string)
		opens  int // again
	}{
		{"served, written over", served, func(t *testing.T, place string) { write(place, wrong) }, 1},
		{"served, written over and its time restored", served, func(t *testing.T, place string) {
			info, err := os.Stat(place)
			ok(t, err)
			write(place, wrong)
			ok(t, os.Chtimes(place, info.ModTime(), info.ModTime()))
		}, 1},
		{"served, cut short", served, func(t *testing.T, place string) { ok(t, os.Truncate(place, 4096)) }, 1},
		{"kept, written over", kept, func(t *testing.T, place string) { write(place, wrong) }, 1},
		{"prepared, written over", prepared, func(t *testing.T, place string) { write(place, wrong) }, 1},
		{"served, touched", served, func(t *testing.T, place string) { ok(t, os.Chtimes(place, time.Now(), time.Now())) }, 0},
		{"served, written over with the same", served, func(t *testing.T, place string) { write(place, served.index) }, 0},
		{"served, replaced by another file", served, func(t *testing.T, place string) {
			ok(t, os.WriteFile(place+".new", wrong, 0o600))
			ok(t, os.Rename(place+".new", place))
		}, 0},
		{"served, removed", served, func(t *testing.T, place string) { ok(t, os.Remove(place)) }, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			w, folder := newWeb(t), t.TempDir()
			for _, r := range list {
				w.put(r.Index.Key, r.stored)
			}
			var m *manifest.Manifest
			for i, activate := range []time.Duration{-time.Minute, 0, time.Hour} {
				p := list[i].Snapshot
				p.PublishedAt, p.ActivateAt = time.Now().Add(-time.Minute), time.Now().Add(activate)
				m = m.Next(p, 3)
			}
			w.put(manifest.Name, m.Render())
			d := dataAt(t, w.URL+"/"+manifest.Name, folder)
			r := run(t, newDirectory(d), 0)
			all := func(s State) bool {
				return s.Serve != nil && s.Serve.Publication.ID == served.ID && len(s.Kept) == 1 && len(s.Prepared) == 1
			}
			r.eventually(t, "opened", all)
			before, _ := r.last()
			r.mayChangeInPlace()
			c.change(t, d.cacheOf(c.of))
			if c.opens > 0 {
				id := identityOf(c.of.Snapshot)
				r.eventually(t, "opened again", func(s State) bool { return all(s) && s.opened[id] != before.opened[id] })
			}
			time.Sleep(2 * clockStep)
			after, _ := r.last()
			opens := 0
			for id, v := range after.opened {
				if before.opened[id] != v {
					opens++
				}
			}
			if opens != c.opens || !all(after) || after.Serve.Value.Intact() != nil {
				t.Errorf("opened %d again, got %+v", opens, after)
			}
		})
	}
}

// cacheOf returns where a release is in the cache.
func (d Options) cacheOf(r release) string {
	return cache{folder: d.Cache, source: d.Location}.index(r.Snapshot)
}

// A file that is no manifest, whose index is changed in place, is not served until it is whole; then it is, without a
// request.
func TestFileIsWrittenInPlace(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1))
	list := releases(t, 2)
	place := filepath.Join(t.TempDir(), "pubs.idx")
	ok(t, os.WriteFile(place, list[0].index, 0o600))
	r := run(t, newDirectory(dataAt(t, place, "")), often)
	r.mayChangeInPlace()
	half := bytes.Clone(list[1].index[:len(list[1].index)/2])
	ok(t, os.WriteFile(place, half, 0o600))
	r.eventually(t, "half of it", func(s State) bool { return s.Serve == nil && s.Error != nil })
	ok(t, os.WriteFile(place, list[1].index, 0o600))
	r.eventually(t, "all of it", func(s State) bool {
		return s.Serve != nil && s.Serve.Publication.ID == list[1].ID && s.Error == nil
	})
}
