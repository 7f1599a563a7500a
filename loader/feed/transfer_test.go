package feed

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/loader/fetch"
	"pubd/loader/manifest"
)

// A snapshot whose file is changed in place, so that it is another one, is not used until it was opened again.
func TestChangedInPlace(t *testing.T) {
	before := debug.SetMemoryLimit(1) // no room for a copy
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	list := releases(t, 3)
	write := func(place string, content []byte) {
		file, err := os.OpenFile(place, os.O_WRONLY, 0)
		testkit.OK(t, err)
		_, err = file.WriteAt(content, 0)
		testkit.OK(t, errors.Join(err, file.Close()))
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
			info := testkit.Must(os.Stat(place))(t)
			write(place, wrong)
			testkit.OK(t, os.Chtimes(place, info.ModTime(), info.ModTime()))
		}, 1},
		{"served, cut short", served, func(t *testing.T, place string) { testkit.OK(t, os.Truncate(place, 4096)) }, 1},
		{"kept, written over", kept, func(t *testing.T, place string) { write(place, wrong) }, 1},
		{"prepared, written over", prepared, func(t *testing.T, place string) { write(place, wrong) }, 1},
		{"served, touched", served, func(t *testing.T, place string) { testkit.OK(t, os.Chtimes(place, time.Now(), time.Now())) }, 0},
		{"served, written over with the same", served, func(t *testing.T, place string) { write(place, served.index) }, 0},
		{"served, replaced by another file", served, func(t *testing.T, place string) {
			testkit.OK(t, os.WriteFile(place+".new", wrong, 0o600))
			testkit.OK(t, os.Rename(place+".new", place))
		}, 0},
		{"served, removed", served, func(t *testing.T, place string) { testkit.OK(t, os.Remove(place)) }, 0},
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
			r := run(t, d, 0)
			all := func(s State) bool {
				return s.Serve != nil && s.Serve.Publication.ID == served.ID && len(s.Kept) == 1 && len(s.Prepared) == 1
			}
			r.eventually(t, "opened", all)
			before, _ := r.last()
			r.mayChangeInPlace()
			c.change(t, fetch.NewCache(d.Cache, d.Location).Index(c.of.Snapshot))
			if c.opens > 0 {
				id := contentOf(c.of.Snapshot)
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
			testkit.FailIf(t, opens != c.opens || !all(after) || after.Serve.Value.Intact() != nil,
				"opened %d again, got %+v", opens, after)
		})
	}
}

// A file that is no manifest, whose index is changed in place, is not served until it is whole; then it is, without a
// request.
func TestFileIsWrittenInPlace(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1))
	list := releases(t, 2)
	place := filepath.Join(t.TempDir(), "pubs.idx")
	testkit.OK(t, os.WriteFile(place, list[0].index, 0o600))
	r := run(t, dataAt(t, place, ""), often)
	r.mayChangeInPlace()
	half := bytes.Clone(list[1].index[:len(list[1].index)/2])
	testkit.OK(t, os.WriteFile(place, half, 0o600))
	r.eventually(t, "half of it", func(s State) bool { return s.Serve == nil && s.Error != nil })
	testkit.OK(t, os.WriteFile(place, list[1].index, 0o600))
	r.eventually(t, "all of it", func(s State) bool {
		return s.Serve != nil && s.Serve.Publication.ID == list[1].ID && s.Error == nil
	})
}
