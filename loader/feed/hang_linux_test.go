package feed

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/loader/fetch"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// newFolder returns a folder that the first process removes, when nothing is written to it any more.
func newFolder(t *testing.T) string {
	return testkit.Must(os.MkdirTemp("", "cache"))(t)
}

// areHung returns an error unless as many sources hang, each in one or two calls: a look at what there is may hang beside
// what opens it. What hangs does so until the end.
func areHung(sources int) error {
	stacks, least := make([]byte, 4<<20), math.MaxInt
	for begun := time.Now(); time.Since(begun) < time.Second; time.Sleep(time.Millisecond) { // others come and go
		least = min(least, strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "created by pubd/loader/disk.Do"))
	}
	if least < 2*sources || least > 4*sources { // each call has a goroutine, and one that waits for its end
		return fmt.Errorf("%d goroutines of calls that hang, want from %d to %d", least, 2*sources, 4*sources)
	}
	return nil
}

// patience is the time limit of each access in these tests: longer than one takes on a busy machine.
const patience = 5 * time.Second

// A cache whose disk hangs, from whichever part of the first load on, counts as absent. Meanwhile no more hangs than one
// access of each. Once the disk answers, the cache is used.
func TestCacheOnHungDisk(t *testing.T) {
	t.Parallel()
	if !testkit.InOwnMounts(t) {
		return
	}
	const start = "start"
	list := releases(t, 12)
	put := map[string]func(w *web, n int) (cached []byte){
		"pubs.csv": func(w *web, n int) []byte {
			content := fmt.Appendf(nil, "UID,name\nu1,Pub %d\n", n)
			w.put("pubs.csv", content)
			return content
		},
		"pubs.idx": func(w *web, n int) []byte {
			w.put("pubs.idx", list[n].index)
			return list[n].index
		},
		manifest.Name: func(w *web, n int) []byte {
			w.put(list[n].Index.Key, list[n].stored)
			w.put(manifest.Name, manifestOf(list[:n+1]...))
			return list[n].index
		},
	}
	cases := []struct{ name, hangs string }{
		{"pubs.csv", start}, {"pubs.csv", "downloading"}, {"pubs.csv", "opening"}, {"pubs.csv", "reading"},
		{"pubs.idx", start}, {"pubs.idx", "downloading"}, {"pubs.idx", "opening"},
		{manifest.Name, start}, {manifest.Name, "downloading"}, {manifest.Name, "opening"},
	}
	folders, webs, replicas := make([]string, len(cases)), make([]*web, len(cases)), make([]*replica, len(cases))
	ends := make(chan func(), len(cases))
	var starts sync.WaitGroup
	for i, c := range cases {
		folders[i], webs[i] = newFolder(t), newWeb(t)
		put[c.name](webs[i], 0)
		atPart := sync.OnceFunc(func() { ends <- testkit.Hang(t, folders[i]) })
		d := dataAt(t, webs[i].URL+"/"+c.name, folders[i])
		d.Patience = patience
		d.Progress = func(part, _ string, _ bool) (func(int64, int64), func()) {
			if part == c.hangs {
				atPart()
			}
			return func(int64, int64) {}, func() {}
		}
		if c.hangs == start {
			atPart()
		}
		starts.Go(func() { replicas[i] = run(t, d, often) })
	}
	starts.Wait()
	for i, c := range cases {
		err := replicas[i].first
		testkit.StopIf(t, err != nil, "%s %s: %v", c.name, c.hangs, err)
		before, _ := replicas[i].last()
		put[c.name](webs[i], 1)
		replicas[i].eventually(t, c.name+" "+c.hangs+": another is served", func(s State) bool {
			return s.Serve.Publication.Source != before.Serve.Publication.Source
		})
	}
	testkit.OK(t, areHung(len(cases)))
	for range cases {
		(<-ends)()
	}
	for i, c := range cases {
		var cached []byte
		asked, n := time.Time{}, 1 // an access may be late again: then that version is not cached
		testkit.Eventually(t, c.name+" "+c.hangs+": the next is in the cache", func() bool {
			if time.Since(asked) > 2*patience {
				n++
				asked, cached = time.Now(), put[c.name](webs[i], n)
			}
			files, _ := filepath.Glob(filepath.Join(folders[i], "*"))
			return slices.ContainsFunc(files, func(file string) bool {
				content, _ := os.ReadFile(file)
				return bytes.Equal(content, cached)
			})
		})
	}
}

// An index file of a local manifest is given up like the manifest.
func TestSourceOnHungDisk(t *testing.T) {
	t.Parallel()
	if !testkit.InOwnMounts(t) {
		return
	}
	r, folder := releases(t, 1)[0], newFolder(t)
	testkit.OK(t, os.WriteFile(filepath.Join(folder, manifest.Name), manifestOf(r), 0o600))
	testkit.OK(t, os.WriteFile(filepath.Join(folder, r.Index.Key), r.stored, 0o600))
	d := dataAt(t, filepath.Join(folder, manifest.Name), "")
	d.Patience = patience
	d.Progress = func(part, _ string, _ bool) (func(int64, int64), func()) {
		testkit.Hang(t, folder)
		return func(int64, int64) {}, func() {}
	}
	got := run(t, d, 0).first
	testkit.FailIf(t, fetch.Unreachable(got) == nil || !strings.Contains(got.Error(), r.Index.Key+": no answer"),
		"got %v", got)
}

// The error of the first try to read local keys says how long it took, as it is one access.
func TestKeysOnHungDisk(t *testing.T) {
	t.Parallel()
	if !testkit.InOwnMounts(t) {
		return
	}
	folder := newFolder(t)
	testkit.Hang(t, folder)
	p := newKeys(storage.Local(filepath.Join(folder, "keys")), "", "keys")
	p.Announce = func(string, Loads) {}
	p.guard.Patience = 100 * time.Millisecond
	_, _, err := p.poll(t.Context(), entry[string]{}, Loads{}, true)
	testkit.FailIf(t, fetch.Unreachable(err) == nil || !strings.Contains(err.Error(), "no answer within"), "got %v", err)
}
