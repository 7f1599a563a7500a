package feed

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/loader/disk"
	"pubd/loader/fetch"
	"pubd/loader/fetch/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// A site is a folder with a manifest of releases, of which the newest one is served, and with an index file of it.
type site struct {
	folder   string
	releases []release
	manifest *manifest.Manifest
}

func newSite(t *testing.T, list []release) *site {
	s := &site{folder: t.TempDir(), releases: list}
	for _, r := range list {
		s.put(t, r.Index.Key, r.stored)
	}
	return s
}

// put replaces a file.
func (s *site) put(t *testing.T, name string, content []byte) {
	place := filepath.Join(s.folder, name)
	testkit.OK(t, os.WriteFile(place+".new", content, 0o600))
	testkit.OK(t, os.Rename(place+".new", place))
}

// publish publishes a release, to be served after a while.
func (s *site) publish(t *testing.T, n int, ahead time.Duration) {
	p := s.releases[n].Snapshot
	p.PublishedAt, p.ActivateAt = time.Now(), time.Now().Add(ahead)
	s.manifest = s.manifest.Next(p, 4)
	s.put(t, manifest.Name, s.manifest.Render())
	s.put(t, "pubs.idx", s.releases[n].index)
}

// What could not be opened is tried again, each time after twice as long, and on request. It is logged that a process crashed, each time. While the source is unreachable, what it names is not asked for.
func TestPace(t *testing.T) {
	t.Parallel()
	list := releases(t, 2)
	for _, c := range []struct {
		what string
		err  error
	}{
		{"nothing answers", &storage.Unreachable{Err: errors.New("lost")}},
		{"a file is not read in time", &disk.Late{Path: "pubs.idx", Reason: errors.New("no answer")}},
		{"a wrong file", errors.New("wrong")},
		{"a crash", &worker.Crash{Stderr: "goroutine 1 [running]:"}},
	} {
		for _, name := range []string{manifest.Name, "pubs.idx"} {
			synctest.Test(t, func(t *testing.T) {
				site, log := newSite(t, list), new(bytes.Buffer)
				site.publish(t, 0, 0)
				w := &weather{options: localSource(filepath.Join(site.folder, name), "")}
				w.options.Log = zerolog.New(log)
				r := start(w, refresh, 0, nil)
				w.do(func() { w.opens, w.broken = 0, c.err })
				time.Sleep(time.Second)
				site.publish(t, 1, 0)
				time.Sleep(time.Hour)
				synctest.Wait()
				tries, asks := w.opens, w.asks
				if s, faults := r.last(); tries < 9 || tries > 11 || s.Serve.Publication.ID != list[0].ID || len(faults) > 0 {
					t.Errorf("%s, %s: %d tries in an hour, want 9 to 11, and %+v, %q", name, c.what, tries, s, faults)
				}
				r.Request(fetch.Request{})
				time.Sleep(time.Second)
				synctest.Wait()
				testkit.FailIf(t, w.opens != tries+1 || asks < 320,
					"%s, %s: %d tries on request, after %d refreshes", name, c.what, w.opens-tries, asks)
				crashes := strings.Count(log.String(), `"stack":"goroutine 1 [running]:"`)
				_, isCrash := c.err.(*worker.Crash)
				testkit.FailIf(t, isCrash != (crashes == w.opens),
					"%s, %s: %d crashes in the log", name, c.what, crashes)
				isTold := strings.Contains(log.String(), `"from":"download","load_ms":`)
				testkit.FailIf(t, isTold != (name == manifest.Name), "%s, %s: got the log %s", name, c.what, log)
				w.set(0, true)
				w.do(func() { w.opens = 0 })
				time.Sleep(time.Hour)
				synctest.Wait()
				if r.stop(); w.opens > 0 {
					t.Errorf("%s, %s: %d tries while the source was unreachable", name, c.what, w.opens)
				}
			})
		}
	}
	every := time.Second
	testkit.FailIf(t, New(Options{Refresh: &every}, nil).every(State{}) != 0, "a source that never changes is checked")
}

// A transfer that takes long ends when something else is to be opened first, which is then served; what is less urgent
// ends none, and is followed.
func TestNewerEndsTransfer(t *testing.T) {
	t.Parallel()
	list := releases(t, 4)
	for _, c := range []struct {
		what, file string
		every      time.Duration
		next       int
		ahead      time.Duration
		want       int // served
		ended      int
	}{
		{"a rollback", manifest.Name, refresh, 0, 0, 0, 1},
		{"a rollback, on request", manifest.Name, 0, 0, 0, 0, 1},
		{"a later snapshot", manifest.Name, refresh, 3, 0, 3, 1},
		{"an upcoming snapshot", manifest.Name, refresh, 3, time.Hour, 1, 0},
		{"a file", "pubs.idx", refresh, 3, 0, 3, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			site := newSite(t, list)
			for n := range 2 {
				site.publish(t, n, 0)
				time.Sleep(time.Second)
			}
			w := &weather{options: localSource(filepath.Join(site.folder, c.file), "")}
			r := start(w, c.every, 0, nil)
			defer r.stop()
			w.do(func() { w.hangs = true })
			for _, n := range []int{2, c.next} {
				site.publish(t, n, c.ahead*time.Duration(n/3))
				r.Request(fetch.Request{})
				time.Sleep(3 * refresh)
				synctest.Wait()
				w.do(func() { w.hangs = false })
			}
			s, faults := r.last()
			testkit.FailIf(t, s.Serve.Publication.ID != list[c.want].ID || w.ended != c.ended || len(faults) > 0,
				"%s: %d transfers ended, and got %+v, %q", c.what, w.ended, s, faults)
			isFollowed := s.Manifest.Sequence == site.manifest.Sequence
			testkit.FailIf(t, s.Published && !isFollowed, "%s: follows %d", c.what, s.Manifest.Sequence)
		})
	}
}

// A transfer ends others once a round: servers that have one version each do not end all.
func TestTransferEndsOnce(t *testing.T) {
	list := releases(t, 4)
	synctest.Test(t, func(t *testing.T) {
		site := newSite(t, list)
		site.publish(t, 0, 0)
		w := &weather{options: localSource(filepath.Join(site.folder, "pubs.idx"), "")}
		r := start(w, refresh, 0, nil)
		defer r.stop()
		w.do(func() { w.hangs = true })
		for n := range 12 {
			site.publish(t, 1+n%3, 0)
			time.Sleep(2 * refresh)
		}
		synctest.Wait()
		testkit.FailIf(t, w.ended != 1, "%d transfers ended", w.ended)
	})
}
