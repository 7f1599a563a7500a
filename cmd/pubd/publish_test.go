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
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/data/lane"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// A site is a directory to which snapshots are published.
type site struct {
	t     *testing.T
	dir   string
	flags []string
}

func newSite(t *testing.T, flags ...string) *site {
	return &site{t, filepath.Join(t.TempDir(), "site"), flags}
}

func (s *site) manifest() string { return filepath.Join(s.dir, manifest.Name) }

// publish publishes 20 pubs of a generation and returns the id of their snapshot.
func (s *site) publish(generation string, flags ...string) (id string) {
	s.t.Helper()
	return s.run(append([]string{write(s.t, "pubs.csv", pubs(20, generation))}, flags...)...)
}

// run runs publish with arguments and returns the id of the newest snapshot.
func (s *site) run(args ...string) (id string) {
	s.t.Helper()
	code, out, errs := runFor(s.t, append(append([]string{"publish", "--to", s.dir}, s.flags...), args...)...)
	stopIf(s.t, code != exitOK, "publish %q: got %d %q %q, want 0", args, code, out, errs)
	return s.read().Snapshots[0].ID
}

// read reads the manifest. It and the index files that it names must be intact.
func (s *site) read() *manifest.Manifest {
	s.t.Helper()
	m, err := manifest.Parse([]byte(s.content()))
	ok(s.t, err)
	for _, snapshot := range m.Snapshots {
		ok(s.t, snapshot.Index.Check(bytes.NewReader(read(s.t, filepath.Join(s.dir, snapshot.Index.Key)))))
	}
	return m
}

func (s *site) content() string {
	s.t.Helper()
	return string(read(s.t, s.manifest()))
}

// renumbered returns the first manifest with another number and directory.
func (s *site) renumbered(sequence int, directory string) string {
	s.t.Helper()
	return strings.NewReplacer(`"sequence": 1`, fmt.Sprintf(`"sequence": %d`, sequence), s.read().Directory, directory).Replace(s.content())
}

// replica starts a server that follows the manifest.
func (s *site) replica(flags ...string) *process {
	s.t.Helper()
	return serve(s.t, append([]string{"--data", s.manifest(), "--refresh", "100ms"}, flags...)...)
}

func (p *process) snapshot(id string) reply {
	p.t.Helper()
	return p.search("search=*&snapshot="+id, "demo")
}

func TestPublish(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.publish("a")
	p := s.replica()
	equal(t, "first", generation(p, "demo"), "a")
	b := s.publish("b", "--activate-in", "0s")
	eventually(t, "second", func() bool { return generation(p, "demo") == "b" })
	for id, want := range map[string]int{a: 200, b: 200, "0123456789abcdef": 410} {
		equal(t, "snapshot="+id, p.snapshot(id).status, want)
	}
	s.run("--rollback", a, "--activate-in", "0s")
	eventually(t, "rollback", func() bool { return generation(p, "demo") == "a" })
	m := s.read()
	failIf(t, m.Sequence != 3 || !m.Snapshots[0].AcceptShrink, "after the rollback: got %+v, want sequence 3 and accept_shrink", m)
	p.stop()
	p = s.replica()
	eventually(t, "kept snapshot after a restart", func() bool { return p.snapshot(b).status == 200 })
	equal(t, "after a restart", generation(p, "demo"), "a")
}

// All replicas prepare the snapshot, and serve it from its activation time on.
func TestPublishActivateAt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.publish("a")
	replicas := []*process{s.replica(), s.replica()}
	b := s.publish("b", "--activate-in", "3s")
	at := s.read().Snapshots[0].ActivateAt
	for _, p := range replicas {
		eventually(t, "prepared", func() bool { return p.snapshot(b).status == 200 })
		eventually(t, "served", func() bool {
			got := generation(p, "demo")
			failIf(t, got == "b" && time.Now().Before(at), "served %v before activate_at", time.Until(at))
			return got == "b"
		})
	}
}

// A snapshot that the manifest names and that is not yet loaded is pending. Any other is gone.
func TestPublishPending(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.publish("a")
	p := s.replica()
	elsewhere := &site{t, s.dir + "2", nil}
	ok(t, os.CopyFS(elsewhere.dir, os.DirFS(s.dir)))
	b := elsewhere.publish("b", "--activate-in", "1h")
	replace(t, s.manifest(), elsewhere.content())
	eventually(t, "pending", func() bool { return p.snapshot(b).status == 503 && p.readiness(200).Sources["data"].Error != "" })
	contains(t, "pending", p.snapshot(b).body, "snapshot_pending")
	equal(t, "Retry-After", p.snapshot(b).header.Get("Retry-After"), "1")
	for range 5 { // refreshes that each reach the manifest
		contains(t, "reason, the index file that is not there", p.readiness(200).Sources["data"].Error, manifest.Extension)
		time.Sleep(70 * time.Millisecond)
	}
	said := p.stderr.String()
	failIf(t, strings.Contains(said, "reachable again"), "said %q, want nothing of a source that is reachable again", said)
	equal(t, "unknown", p.snapshot("0123456789abcdef").status, 410)
	key := elsewhere.read().Snapshots[0].Index.Key
	replace(t, filepath.Join(s.dir, key), string(read(t, filepath.Join(elsewhere.dir, key))))
	eventually(t, "prepared", func() bool { return p.snapshot(b).status == 200 })
	equal(t, "before activate_at", generation(p, "demo"), "a")
}

// A replica starts from its cache when the source is gone, and from nothing else.
func TestPublishSourceGone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.publish("a")
	web := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
	defer web.Close()
	flags := []string{"--data", web.URL + "/" + manifest.Name, "--refresh", "100ms", "--cache", filepath.Join(t.TempDir(), "cache")}
	p := serve(t, flags...)
	s.publish("b", "--activate-in", "0s")
	eventually(t, "second over HTTP", func() bool { return generation(p, "demo") == "b" })
	web.Close()
	eventually(t, "alarm", func() bool { return strings.Contains(p.operate("/readyz").body, web.Listener.Addr().String()) })
	p.readiness(200)
	p.stop()
	equal(t, "from the cache", generation(serve(t, flags...), "demo"), "b")
	refuse(t, exitError, "there is no --cache to start from", flags[:len(flags)-2]...)
}

// A manifest that is old, or not signed by the trusted key, changes nothing and is reported with the reason.
func TestPublishTrust(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := func(name string) (private, public string) {
		private, public = filepath.Join(dir, name+".key"), filepath.Join(dir, name+".pub")
		must(t, "publish", "keygen", private, public)
		return private, public
	}
	private, public := keys("own")
	other, _ := keys("other")
	s := newSite(t, "--sign", private)
	s.publish("a")
	first := s.content()
	p := s.replica("--trust", public)
	s.publish("b", "--activate-in", "0s")
	eventually(t, "second", func() bool { return generation(p, "demo") == "b" })
	good := s.content()
	refuseCommand(t, exitError, "--sign", "publish", "--to", s.dir, write(t, "pubs.csv", pubs(21, "c")))
	for _, c := range []struct{ name, content, want string }{
		{"unsigned", strings.Replace(good, `"sequence": 2`, `"sequence": 3`, 1), "has no signature"},
		{"of another key", strings.Replace(good, `"sequence": 2`, `"sequence": 4`, 1), "signature: is by the key"},
		{"replayed", first, "sequence 1: 2 was seen before"},
	} {
		if c.name == "of another key" {
			key, err := manifest.ReadPrivateKey(other, "")
			ok(t, err)
			replace(t, filepath.Join(s.dir, manifest.SignatureName([]byte(c.content))), string(manifest.Sign([]byte(c.content), 4, key)))
		}
		replace(t, s.manifest(), c.content)
		eventually(t, c.name, func() bool { return strings.Contains(p.readiness(200).LastReload, c.want) })
		equal(t, c.name, generation(p, "demo"), "b")
	}
	replace(t, s.manifest(), good)
	s.publish("d", "--activate-in", "0s")
	eventually(t, "recovery", func() bool { return generation(p, "demo") == "d" })
}

// A manifest with a wrong value changes nothing, and the reason names the field.
func TestPublishWrongManifest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.publish("a")
	p, next := s.replica(), newSite(t)
	next.publish("b")
	first, second := s.read().Snapshots[0], next.read().Snapshots[0]
	replace(t, filepath.Join(s.dir, second.Index.Key), string(read(t, filepath.Join(next.dir, second.Index.Key))))
	values := strings.NewReplacer("FIRST", first.ID, "SOURCE", first.Source, "KEY1", first.Index.Key, "SECOND", second.ID, "KEY2", second.Index.Key,
		"ZEROS", strings.Repeat("0", 64), "SPACES", strings.Repeat(" ", manifest.MaxSize))
	directory := s.read().Directory
	numbered := func(sequence int) string { return next.renumbered(sequence, directory) }
	said := func() string {
		r := p.readiness(200)
		return r.LastReload + r.Sources["data"].Error
	}
	for i, c := range cases(t, "manifest.txt") {
		good, want := numbered(i+2), values.Replace(c.want)
		old, fresh, _ := strings.Cut(values.Replace(c.given), " => ")
		wrong := regexp.MustCompile(old).ReplaceAllString(good, fresh)
		stopIf(t, wrong == good, "%s: is not in the manifest", old)
		replace(t, s.manifest(), wrong)
		eventually(t, want, func() bool { return strings.Contains(said(), want) })
		for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); time.Sleep(30 * time.Millisecond) { // some refreshes
			contains(t, "at the next refresh", said(), want)
		}
		equal(t, want, generation(p, "demo"), "a")
	}
	replace(t, s.manifest(), numbered(100))
	eventually(t, "reloaded", func() bool {
		return strings.HasPrefix(p.readiness(200).LastReload, "ok") && generation(p, "demo") == "b"
	})
	// A loaded index is compared with each new manifest again.
	replace(t, s.manifest(), strings.Replace(numbered(101), `"pubs": 20`, `"pubs": 21`, 1))
	eventually(t, "held index is compared", func() bool { return strings.Contains(p.readiness(200).LastReload, "must have 21 (pubs)") })
}

// The flags and files that publish rejects, without a change of the manifest.
func TestPublishRejects(t *testing.T) {
	s := newSite(t)
	s.publish("a")
	before, file, wrong := s.content(), write(t, "pubs.csv", pubs(15, "b")), write(t, "wrong.csv", "UID,name\nu1\n")
	for _, c := range cases(t, "publish.txt") {
		args := strings.Fields(strings.NewReplacer("FILE", file, "WRONG", wrong).Replace(c.given))
		code, out, errs := runFor(t, append([]string{"publish", "--to", s.dir}, args...)...)
		isRefused := strings.HasPrefix(c.want, fmt.Sprint(code, " ")) && strings.Contains(errs, c.want[2:])
		failIf(t, !isRefused || out != "" || s.content() != before, "%q: got %d %q %q, want %s", args, code, out, errs, c.want)
	}
	s.run(file, "--accept-shrink")
	equal(t, "--accept-shrink", s.read().Snapshots[0].Pubs, 15)
}

func TestPublishPrune(t *testing.T) {
	s := newSite(t, "--keep", "1")
	for _, generation := range []string{"a", "b", "c"} {
		s.publish(generation, "--activate-in", "0s")
	}
	files := func() int {
		names, _ := filepath.Glob(filepath.Join(s.dir, "*"+manifest.Extension))
		old := time.Now().Add(-2 * pruneAge)
		for _, name := range names {
			ok(t, os.Chtimes(name, old, old))
		}
		return len(names)
	}
	equal(t, "index files before", files(), 3)
	s.run("--prune")
	equal(t, "index files after", files(), 2)
}

// A directory keeps its identity, from the first publication on or from the first one by a program that gives it one.
func TestPublishDirectory(t *testing.T) {
	s, other := newSite(t), newSite(t)
	id, _ := s.publish("a"), other.publish("a")
	first := s.read().Directory
	failIf(t, first == other.read().Directory, "two directories have the identity %s", first)
	s.publish("b")
	s.run("--rollback", id)
	equal(t, "after three publications", s.read().Directory, first)
	old := strings.NewReplacer("manifest-2", "manifest-1", `"directory": "`+first+`",`, "").Replace(s.content())
	replace(t, s.manifest(), old)
	s.publish("c")
	failIf(t, len(s.read().Directory) != len(first) || s.read().Directory == first, "after a manifest without one: got %q", s.read().Directory)
}

// A file that is published again and that the manifest does not name is renewed: its age keeps it from being pruned.
// One that the manifest names stays.
func TestPublishAgainRenews(t *testing.T) {
	s := newSite(t, "--keep", "1", "--activate-in", "0s")
	for _, generation := range []string{"a", "b", "c"} {
		s.publish(generation)
	}
	for _, c := range []struct {
		generation string
		isRenewed  bool
	}{{"b", false}, {"a", true}} {
		old := time.Now().Add(-2 * pruneAge)
		for _, name := range cached(t, s.dir) {
			ok(t, os.Chtimes(filepath.Join(s.dir, name), old, old))
		}
		id := s.publish(c.generation)
		for name := range s.read().Files() {
			info, err := os.Stat(filepath.Join(s.dir, name))
			ok(t, err)
			isRenewed := info.ModTime().After(old)
			failIf(t, isRenewed != (c.isRenewed && strings.HasPrefix(name, id)), "%s after %s was published again: written at %v", name, c.generation, info.ModTime())
		}
	}
}

// A publication whose manifest names a file that is gone fails, and the next run writes what it can.
func TestPublishLooksAtFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.publish("a")
	file := write(t, "pubs.csv", pubs(20, "b"))
	gone := s.read().Snapshots[0].Origin.Files[0].Stored.Key
	ok(t, os.Remove(filepath.Join(s.dir, gone)))
	refuseCommand(t, exitError, gone, "publish", "--to", s.dir, file)
	equal(t, "sequence", s.read().Sequence, 2)
	newest := s.read().Snapshots[0].Origin.Files[0].Stored.Key
	ok(t, os.Remove(filepath.Join(s.dir, newest)))
	s.run(file)
	equal(t, "sequence", s.read().Sequence, 2)
	read(t, filepath.Join(s.dir, newest))
}

// A publisher reads its manifest back. It accepts that another publication has followed, but not that its own is lost,
// as a storage does it that knows no conditions.
func TestPublishReadsBack(t *testing.T) {
	s := newSite(t)
	s.publish("a")
	to, err := storage.Parse(s.dir)
	ok(t, err)
	p, err := (&publishSnapshotCommand{to: to, In: "pubs.csv"}).open(t.Context())
	ok(t, err)
	published := p.current.Snapshots[0]
	ok(t, p.confirm(t.Context(), published))
	s.publish("b")
	ok(t, p.confirm(t.Context(), published))
	other := newSite(t)
	other.publish("c")
	replace(t, s.manifest(), other.content())
	if err := p.confirm(t.Context(), published); err == nil || !strings.Contains(err.Error(), "lost sequence 1") {
		t.Errorf("got %v", err)
	}
}

// Each of several concurrent publishers succeeds or gets an error. The manifest is intact, and its number counts the
// successes.
func TestPublishTogether(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.publish("a")
	var group sync.WaitGroup
	var won atomic.Uint64
	for i := range 6 {
		file := write(t, "pubs.csv", pubs(20+i, fmt.Sprint("g", i)))
		group.Go(func() {
			code, _, errs := runFor(t, "publish", "--to", s.dir, file)
			if code == exitOK {
				won.Add(1)
			} else {
				contains(t, "conflict", errs, "another publisher replaced it")
			}
		})
	}
	group.Wait()
	failIf(t, won.Load() == 0, "none succeeded")
	equal(t, "sequence", s.read().Sequence, 1+won.Load())
}

// If publish is killed at any moment, the manifest is the old or the new one, and the next run finishes.
func TestPublishKilled(t *testing.T) {
	lane.Long(t, "publishes forty times")
	t.Parallel()
	s := newSite(t)
	s.publish("a")
	for i := range 20 {
		before, file := s.read().Sequence, write(t, "pubs.csv", generated(t, 2000+i, uint64(i)))
		command := pubd("publish", "--to", s.dir, file)
		ok(t, command.Start())
		time.AfterFunc(rand.N(400*time.Millisecond), func() { _ = command.Process.Kill() })
		_ = command.Wait()
		got := s.read()
		stopIf(t, got.Sequence != before && got.Sequence != before+1, "round %d: got sequence %d after %d", i, got.Sequence, before)
		s.run(file)
		got = s.read()
		stopIf(t, got.Sequence != before+1 || got.Snapshots[0].Pubs != 2000+i, "round %d: got %+v, want sequence %d", i, got, before+1)
	}
}

// A revocation elsewhere takes effect at the next refresh.
func TestPublishedKeysRevoked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keyFile := filepath.Join(dir, "keys")
	secret := addKey(t, keyFile, "app")
	web := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer web.Close()
	p := serve(t, "--keys", web.URL+"/keys", "--refresh", "100ms")
	equal(t, "before", p.search("search=*&amount=1", secret).status, 200)
	must(t, "keys", "revoke", "--file", keyFile, "--name", "app")
	eventually(t, "revoked", func() bool { return p.search("search=*&amount=1", secret).status != 200 })
}

func TestReloadByRequest(t *testing.T) {
	t.Parallel()
	file := write(t, "pubs.csv", pubs(20, "a"))
	p := serve(t, "--data", file)
	replace(t, file, pubs(2, "b"))
	post := func(query string) {
		answer, err := p.client.Post("http://"+p.admin+"/-/reload"+query, "", nil)
		ok(t, err)
		answer.Body.Close()
		stopIf(t, answer.StatusCode/100 != 2, "POST /-/reload%s: got %d, want 2xx", query, answer.StatusCode)
	}
	post("")
	eventually(t, "refusal", func() bool { return p.reloads("data", "failed") == 1 })
	equal(t, "after losing 18 of 20", generation(p, "demo"), "a")
	post("?accept-shrink=true")
	eventually(t, "accepted", func() bool { return generation(p, "demo") == "b" })
}
