package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/cmd/pubd/cli"
	"pubd/index"
	"pubd/loader/manifest"
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
	must(s.t, append(append([]string{"publish", "--to", s.dir}, s.flags...), args...)...)
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

// replica starts a server that follows the manifest.
func (s *site) replica(flags ...string) *process {
	s.t.Helper()
	return startServer(s.t, append([]string{"--data", s.manifest(), "--refresh", "100ms"}, flags...)...)
}

// A replica serves what is published, when it is due, and of an earlier time when it is published again. It trusts
// signed manifests only.
func TestPublish(t *testing.T) {
	t.Parallel()
	private, public := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "key.pub")
	must(t, "publish", "keygen", private, public)
	s := newSite(t, "--sign", private)
	a := s.publish("a")
	p := s.replica("--trust", public)
	equal(t, "first", generation(p, "demo"), "a")
	b := s.publish("b", "--activate-in", "0s")
	eventually(t, "second", func() bool { return generation(p, "demo") == "b" })
	equal(t, "the one before", p.search("search=*&snapshot="+a, "demo").status, 200)
	s.run("--rollback", a, "--activate-at", time.Now().Add(2*time.Second).Format(time.RFC3339Nano))
	due := s.read().Snapshots[0].ActivateAt
	eventually(t, "rolled back", func() bool {
		got := generation(p, "demo")
		failIf(t, got == "a" && time.Now().Before(due), "served %v before activate_at", time.Until(due))
		return got == "a"
	})
	fleet := p.readiness(200).Fleet
	equal(t, "sequence and kept", fmt.Sprint(fleet.Sequence, fleet.Kept), fmt.Sprint(3, []string{b}))
	refuseCommand(t, cli.ExitError, "is signed: sign the next one too, with --sign", "publish", "--to", s.dir, write(t, "pubs.csv", pubs(20, "c")))
	replace(t, s.manifest(), strings.Replace(s.content(), `"sequence": 3`, `"sequence": 4`, 1))
	eventually(t, "rejection", func() bool { return strings.Contains(p.readiness(200).LastReload, "has no signature") })
}

// A manifest that is wrong about its index file changes nothing, and the reason names the field.
func TestPublishWrongManifest(t *testing.T) {
	t.Parallel()
	s, next := newSite(t), newSite(t)
	s.publish("a")
	next.publish("b")
	p := s.replica()
	first, second := s.read().Snapshots[0], next.read().Snapshots[0]
	replace(t, filepath.Join(s.dir, second.Index.Key), string(read(t, filepath.Join(next.dir, second.Index.Key))))
	values := strings.NewReplacer("FIRST", first.ID, "SOURCE", first.Source, "KEY1", first.Index.Key, "SECOND", second.ID, "KEY2", second.Index.Key,
		"ZEROS", strings.Repeat("0", 64))
	other := strings.Replace(next.content(), next.read().Directory, s.read().Directory, 1)
	numbered := func(sequence int) string {
		return strings.Replace(other, `"sequence": 1`, fmt.Sprintf(`"sequence": %d`, sequence), 1)
	}
	for i, c := range cases(t, "manifest.txt") {
		good, want := numbered(i+2), values.Replace(c.want)
		old, fresh, _ := strings.Cut(values.Replace(c.given), " => ")
		wrong := regexp.MustCompile(old).ReplaceAllString(good, fresh)
		stopIf(t, wrong == good, "%s: is not in the manifest", old)
		replace(t, s.manifest(), wrong)
		eventually(t, want, func() bool { return strings.Contains(p.readiness(200).LastReload, want) })
		equal(t, want, generation(p, "demo"), "a")
	}
	replace(t, s.manifest(), numbered(100))
	eventually(t, "the right one", func() bool { return generation(p, "demo") == "b" })
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

// A replica whose program reads another format of index files, or finds the published one damaged, builds the snapshot
// from its source, also with a gazetteer, extra columns and skipped rows, and says so.
func TestBuildsFromOrigin(t *testing.T) {
	t.Parallel()
	places := write(t, "places.csv", "name,latitude,longitude\nNowhere,52,-1\n")
	text := strings.ReplaceAll(strings.Replace(pubs(20, "a"), "UID,", "beds,UID,", 1), "\nu", "\n1,u") + ",u,wrong\n"
	s := newSite(t)
	id := s.run(write(t, "some pubs.csv", text), "--places", places, "--extra", "beds", "--max-bad-rows", "1")
	stored := filepath.Join(s.dir, s.read().Snapshots[0].Index.Key)
	good := read(t, stored)
	for _, c := range []struct {
		name    string
		later   int // releases
		index   []byte
		isBuilt bool
	}{
		{"the same release", 0, good, false},
		{"a later release", 1, good, true},
		{"a damaged index", 0, damage(good), true},
	} {
		replace(t, stored, string(c.index))
		command := pubd(anywhere("--data", s.manifest())...)
		command.Env = append(command.Env, fmt.Sprint(formatVariable, "=", index.FormatVersion()+c.later))
		p := start(t, command)
		p.await()
		equal(t, c.name+": built here", slices.Contains(p.readiness(200).Fleet.Built, id), c.isBuilt)
		contains(t, c.name, p.search("pubid=u7&include=extra", "demo").body, `"beds":"1"`)
		contains(t, c.name, p.search("search=pubs+in+nowhere&amount=1", "demo").body, `"total_results":20`)
		p.stop()
	}
	for _, file := range s.originFiles() {
		ok(t, os.WriteFile(file, []byte("damaged"), 0o600))
	}
	refuse(t, cli.ExitError, "(index.s", "--data", s.manifest())
}

// originFiles returns the sources of the published snapshots.
func (s *site) originFiles() []string {
	files, _ := filepath.Glob(filepath.Join(s.dir, "*"+manifest.OriginExtension))
	return files
}
