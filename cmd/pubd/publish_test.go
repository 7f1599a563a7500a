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

	"pubd/bench/testkit"
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

// publish publishes 20 pubs of a generation.
func (s *site) publish(generation string) {
	s.t.Helper()
	s.run(testkit.File(s.t, "pubs.csv", pubs(20, generation)))
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
	testkit.OK(s.t, err)
	for _, snapshot := range m.Snapshots {
		testkit.OK(s.t, snapshot.Index.Check(bytes.NewReader(testkit.Read(s.t, filepath.Join(s.dir, snapshot.Index.Key)))))
	}
	return m
}

func (s *site) content() string {
	s.t.Helper()
	return string(testkit.Read(s.t, s.manifest()))
}

// A manifest that is wrong about its index file changes nothing, and the reason names the field.
func TestPublishWrongManifest(t *testing.T) {
	t.Parallel()
	s, next := newSite(t), newSite(t)
	s.publish("a")
	next.publish("b")
	p := startServer(t, "--data", s.manifest(), "--refresh", "100ms")
	first, second := s.read().Snapshots[0], next.read().Snapshots[0]
	replace(t, filepath.Join(s.dir, second.Index.Key), string(testkit.Read(t, filepath.Join(next.dir, second.Index.Key))))
	values := strings.NewReplacer("FIRST", first.ID, "SOURCE", first.Source, "KEY1", first.Index.Key, "SECOND", second.ID, "KEY2", second.Index.Key,
		"ZEROS", strings.Repeat("0", 64))
	other := strings.Replace(next.content(), next.read().Directory, s.read().Directory, 1)
	numbered := func(sequence int) string {
		return strings.Replace(other, `"sequence": 1`, fmt.Sprintf(`"sequence": %d`, sequence), 1)
	}
	for i, c := range testkit.Cases(t, "manifest.txt") {
		good, want := numbered(i+2), values.Replace(c.Want)
		old, fresh, _ := strings.Cut(values.Replace(c.Given), " => ")
		wrong := regexp.MustCompile(old).ReplaceAllString(good, fresh)
		testkit.StopIf(t, wrong == good, "%s: is not in the manifest", old)
		replace(t, s.manifest(), wrong)
		testkit.Eventually(t, want, func() bool { return strings.Contains(p.readiness(200).LastReload, want) })
		testkit.Equal(t, want, generation(p, "demo"), "a")
	}
	replace(t, s.manifest(), numbered(100))
	testkit.Eventually(t, "the right one", func() bool { return generation(p, "demo") == "b" })
}

// The flags and files that publish rejects, without a change of the manifest.
func TestPublishRejects(t *testing.T) {
	s := newSite(t)
	s.publish("a")
	before, file, wrong := s.content(), testkit.File(t, "pubs.csv", pubs(15, "b")), testkit.File(t, "wrong.csv", "UID,name\nu1\n")
	for _, c := range testkit.Cases(t, "publish.txt") {
		args := strings.Fields(strings.NewReplacer("FILE", file, "WRONG", wrong).Replace(c.Given))
		code, out, errs := runFor(t, append([]string{"publish", "--to", s.dir}, args...)...)
		isRefused := strings.HasPrefix(c.Want, fmt.Sprint(code, " ")) && strings.Contains(errs, c.Want[2:])
		testkit.FailIf(t, !isRefused || out != "" || s.content() != before, "%q: got %d %q %q, want %s", args, code, out, errs, c.Want)
	}
	first := s.read().Snapshots[0].ID
	s.run(file, "--accept-shrink")
	testkit.Equal(t, "--accept-shrink", s.read().Snapshots[0].Pubs, 15)
	testkit.Equal(t, "--rollback", s.run("--rollback", first), first)
}

// A replica whose program reads another format of index files, or finds the published one damaged, builds the snapshot
// from its source, also with a gazetteer, extra columns and skipped rows, and says so. Its manifest is signed.
func TestBuildsFromOrigin(t *testing.T) {
	t.Parallel()
	places := testkit.File(t, "places.csv", "name,latitude,longitude\nNowhere,52,-1\n")
	text := strings.ReplaceAll(strings.Replace(pubs(20, "a"), "UID,", "beds,UID,", 1), "\nu", "\n1,u") + ",u,wrong\n"
	private, public := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "key.pub")
	must(t, "publish", "keygen", private, public)
	s := newSite(t, "--sign", private)
	id := s.run(testkit.File(t, "some pubs.csv", text), "--places", places, "--extra", "beds", "--max-bad-rows", "1")
	stored := filepath.Join(s.dir, s.read().Snapshots[0].Index.Key)
	good := testkit.Read(t, stored)
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
		command := pubd(anywhere("--data", s.manifest(), "--trust", public)...)
		command.Env = append(command.Env, fmt.Sprint(formatVariable, "=", index.FormatVersion()+c.later))
		p := start(t, command)
		p.await()
		testkit.Equal(t, c.name+": built here", slices.Contains(p.readiness(200).Fleet.Built, id), c.isBuilt)
		testkit.Contains(t, c.name, p.search("pubid=u7&include=extra", "demo").body, `"beds":"1"`)
		testkit.Contains(t, c.name, p.search("search=pubs+in+nowhere&amount=1", "demo").body, `"total_results":20`)
		p.stop()
	}
	origins, _ := filepath.Glob(filepath.Join(s.dir, "*"+manifest.OriginExtension))
	for _, file := range origins {
		testkit.OK(t, os.WriteFile(file, []byte("damaged"), 0o600))
	}
	_, _, errs := runFor(t, anywhere("--data", s.manifest(), "--trust", public)...)
	testkit.Contains(t, "both damaged", errs, "\npubd: ", "(index.s")
}
