package manifest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/loader"
	"pubd/loader/storage"
)

// site returns how to publish to a new folder.
func site(t *testing.T) (o Options, dir string) {
	dir = filepath.Join(t.TempDir(), "site")
	return Options{To: storage.Local(dir), Keep: 1, Activate: func(at time.Time, _ bool) time.Time { return at },
		Progress: func(string, int64) (io.Writer, func()) { return io.Discard, func() {} }}, dir
}

// publish publishes a word, as its own index file.
func publish(o Options, word string) (p *Publisher, isNew bool, err error) {
	if p, err = NewPublisher(context.Background(), o); err != nil {
		return nil, false, err
	}
	isNew, err = p.Publish(context.Background(), func(folder string) (Build, error) {
		file, places := filepath.Join(folder, "pubs.csv.gz"), loader.Gazetteer{Name: "towns.csv", Content: []byte("places")}
		return Build{File: file, Pubs: 7, Identity: places.Identity(sha256.Sum256([]byte(word))), Snapshot: file, Places: places},
			os.WriteFile(file, []byte(word), 0o600)
	})
	return p, isNew, err
}

func mustPublish(t *testing.T, o Options, words ...string) (p *Publisher) {
	t.Helper()
	for _, word := range words {
		var err error
		p, _, err = publish(o, word)
		testkit.OK(t, err)
	}
	return p
}

// age makes all files of a folder older than Prune leaves them.
func age(t *testing.T, dir string) (old time.Time) {
	t.Helper()
	old = time.Now().Add(-2 * pruneAge)
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, file := range files {
		testkit.OK(t, os.Chtimes(file, old, old))
	}
	return old
}

// What is published already is not published again, unless that is asked for or the signature or the source is new. A
// rollback is a new publication. The directory keeps its identity, once a program has given it one.
func TestPublish(t *testing.T) {
	o, dir := site(t)
	p := mustPublish(t, o, "a")
	first, a := p.Manifest.Directory, p.Manifest.Snapshots[0]
	got := a.Origin.Files
	testkit.FailIf(t, len(got) != 2 || got[0].Name != "pubs.csv.gz" || got[1].Name != "places.csv",
		"sources: got %+v", got)
	if p, isNew, err := publish(o, "a"); isNew || err != nil || p.Manifest.Sequence != 1 {
		t.Errorf("the same: got %v, %v", isNew, err)
	}
	p.Manifest.Snapshots[0].Origin = nil
	testkit.OK(t, os.WriteFile(filepath.Join(dir, Name), p.Manifest.Render(), 0o600))
	for _, want := range []bool{true, false} {
		_, isNew, err := publish(o, "a")
		testkit.FailIf(t, isNew != want || err != nil, "the same without its source: got %v, %v, want %v", isNew, err, want)
	}
	_, key, err := GenerateKey("")
	testkit.OK(t, err)
	sign, err := ReadPrivateKey(testkit.File(t, "key", key), "")
	testkit.OK(t, err)
	signed := o
	signed.Sign = &sign
	for _, want := range []bool{true, false} {
		_, isNew, err := publish(signed, "a")
		testkit.FailIf(t, isNew != want || err != nil, "the same, signed: got %v, %v, want %v", isNew, err, want)
	}
	_, _, err = publish(o, "b")
	testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), "is signed: sign the next one too"),
		"unsigned: got %v", err)
	signed.Again = true
	mustPublish(t, signed, "a", "b")
	p, err = NewPublisher(t.Context(), signed)
	testkit.OK(t, err)
	if err := p.Rollback(t.Context(), a.ID); err != nil || p.Manifest.Sequence != 6 || p.Manifest.Directory != first || !p.Manifest.Snapshots[0].AcceptShrink {
		t.Errorf("rollback: got %+v, %v", p.Manifest, err)
	}
}

// A file that is published again and that the manifest does not name is renewed: its age keeps it from being pruned.
// One that the manifest names stays. What it does not name is pruned.
func TestPrune(t *testing.T) {
	o, dir := site(t)
	p := mustPublish(t, o, "a", "b", "c")
	testkit.OK(t, os.WriteFile(filepath.Join(dir, storage.ConditionTest), nil, 0o600))
	if removed, _, err := p.Prune(t.Context()); removed != 0 || err != nil {
		t.Errorf("removed %d young files, %v", removed, err)
	}
	for word, isRenewed := range map[string]bool{"a": true, "c": false} {
		old := age(t, dir)
		p = mustPublish(t, o, word)
		info, err := os.Stat(filepath.Join(dir, p.Manifest.Snapshots[0].Index.Key))
		testkit.FailIf(t, err != nil || info.ModTime().After(old) != isRenewed,
			"%s: written at %v, %v", word, info.ModTime(), err)
	}
	removed, size, err := p.Prune(t.Context())
	testkit.FailIf(t, removed == 0 || size == 0 || err != nil, "removed %d files of %d bytes, %v", removed, size, err)
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	want := p.Manifest.Files()
	testkit.FailIf(t, len(files) != len(want)+1, "left %q, want %v and the manifest", files, want)
}

// A publication whose manifest names a file that is gone fails, as does one that another publisher has lost, as happens
// in a storage that knows no conditions. That another one has followed is no error.
func TestConfirm(t *testing.T) {
	o, dir := site(t)
	gone := mustPublish(t, o, "a").Manifest.Snapshots[0].Origin.Files[0].Stored.Key
	testkit.OK(t, os.Remove(filepath.Join(dir, gone)))
	p, _, err := publish(o, "b")
	testkit.FailIf(t, err == nil || !strings.Contains(err.Error(), gone) || p.Manifest.Sequence != 2,
		"a file is gone: got %v", err)
	mustPublish(t, o, "c")
	testkit.OK(t, p.confirm(t.Context()))
	other, _ := site(t)
	testkit.OK(t, os.WriteFile(filepath.Join(dir, Name), mustPublish(t, other, "d").content, 0o600))
	testkit.Contains(t, "lost", fmt.Sprint(p.confirm(t.Context())), "lost sequence 2")
	testkit.Contains(t, "rollback to a file that is gone",
		fmt.Sprint(p.Rollback(t.Context(), p.Manifest.Snapshots[1].ID)), gone)
}

// A published file has the ending that says how replicas read it, however its own is written.
func TestFileName(t *testing.T) {
	for path, want := range map[string]string{"a/PUBS.CSV.GZ": "pubs.csv.gz", "b.c/list.jsonl": "pubs.ndjson", "x.json.zst": "pubs.json.zst"} {
		testkit.Equal(t, path, fileName("pubs", path), want)
	}
}
