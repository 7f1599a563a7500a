package feed

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/loader/fetch"
	"pubd/loader/fetch/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// TestMain makes the test binary act as the process that builds. In the quick lane, rapid tries half as much as by
// default.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == worker.Command {
		_ = worker.Run(os.Stdin, os.Stdout, func() {})
		return
	}
	_ = flag.Set("rapid.checks", testkit.Pick("50", "100"))
	os.Exit(m.Run())
}

// A release is a snapshot that was built, in its published form.
type release struct {
	manifest.Snapshot
	index, stored []byte
}

// releases builds snapshots of ten pubs each.
func releases(t *testing.T, count int) (list []release) {
	for n := range count {
		var d corpus.Directory
		for i := range 10 {
			d.Pubs = append(d.Pubs, schema.Pub{UID: fmt.Sprint("u", i), Name: fmt.Sprintf("Pub %d of %d", i, n), Latitude: 52, Longitude: -1})
		}
		source := sha256.Sum256([]byte{byte(n)})
		path := filepath.Join(t.TempDir(), "pubs.idx")
		file, err := os.Create(path)
		testkit.OK(t, err)
		testkit.OK(t, index.Build(d, file, index.BuildOptions{Source: source, BuilderVersion: "test"}))
		testkit.OK(t, file.Close())
		r := release{index: testkit.Read(t, path)}
		var stored bytes.Buffer
		r.Index, err = manifest.Compress(&stored, bytes.NewReader(r.index))
		testkit.OK(t, err)
		r.Source, r.Pubs, r.stored = fmt.Sprintf("%x", source), 10, stored.Bytes()
		r.ID, r.Index.Key, r.Index.Format = r.Source[:16], fmt.Sprintf("pubs-%d%s", n, manifest.Extension), index.FormatVersion()
		list = append(list, r)
	}
	return list
}

// A weather is a source on good and bad days.
type weather struct {
	options fetch.Options
	from    *fetch.Source
	mu      sync.Mutex
	slow    time.Duration
	lost    bool
	// A call of Open while hangs is set takes until it is ended, and one while broken is set returns that error.
	hangs              bool
	broken             error
	asks, opens, ended int
}

func (w *weather) set(slow time.Duration, lost bool) { w.do(func() { w.slow, w.lost = slow, lost }) }

func (w *weather) wait(ctx context.Context) error {
	w.mu.Lock()
	slow, lost := w.slow, w.lost
	w.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return ctx.Err()
	}
	if lost {
		return &storage.Unreachable{Err: errors.New("no route to host")}
	}
	return nil
}

func (w *weather) Next(ctx context.Context, c fetch.Current, requested bool) (fetch.Offer, error) {
	if err := w.wait(ctx); err != nil {
		return fetch.Offer{}, err
	}
	w.do(func() { w.asks++ })
	return w.from.Next(ctx, c, requested)
}

func (w *weather) Open(ctx context.Context, what fetch.Item, c fetch.Current, r fetch.Request) (*fetch.Version, error) {
	var hangs bool
	var broken error
	w.do(func() {
		w.opens++
		hangs, broken = w.hangs, w.broken
	})
	if err := w.wait(ctx); err != nil && what.File.Cached == "" {
		return nil, err
	}
	switch {
	case hangs:
		<-ctx.Done()
		w.do(func() { w.ended++ })
		return nil, ctx.Err()
	case broken != nil:
		return nil, broken
	}
	return w.from.Open(ctx, what, c, r)
}

// do reads or changes what mu guards.
func (w *weather) do(access func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	access()
}

// A replica is a feed that runs, and what it announced.
type replica struct {
	*Feed
	stop  func()
	first error

	mu     sync.Mutex
	state  State
	clock  time.Duration // what it is ahead of the time
	seen   map[*fetch.Version]bool
	signed *sync.Map // the manifests; nil if any may be followed
	faults []string
	// inPlace is set if files are changed in place: what is announced before that is noticed may be damaged.
	inPlace bool
}

func (r *replica) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Round(0).Add(r.clock) // a clock that can be set
}

func (r *replica) announced(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.older[publicationOf(s.serves)] || r.state.Published && s.Manifest.Sequence < r.state.Manifest.Sequence {
		r.faults = append(r.faults, "went back in time")
	}
	if s.Published && r.signed != nil && !isIn(r.signed, string(s.content)) {
		r.faults = append(r.faults, "follows a manifest that nobody signed")
	}
	r.state = s
	for v := range s.live() {
		if !v.Value.Acquire() {
			r.faults = append(r.faults, v.Publication.ID+" was released and is in a state")
			continue
		}
		if v.Value.Intact() != nil && !r.inPlace || v.Value.ID() != v.Publication.ID {
			r.faults = append(r.faults, v.Publication.ID+" is not what it should be")
		}
		v.Value.Release()
		r.seen[v] = true
	}
}

func (r *replica) mayChangeInPlace() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inPlace = true
}

func isIn(set *sync.Map, key string) bool {
	_, is := set.Load(key)
	return is
}

// last returns the last state, and what is wrong: all versions that are not in it must have been released, which they
// are soon after it was announced.
func (r *replica) last() (State, []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	live, faults := r.state.live(), slices.Clone(r.faults)
	for v := range r.seen {
		if !live[v] && v.Value.Acquire() {
			v.Value.Release()
			faults = append(faults, v.Publication.ID+" was not released")
		}
	}
	return r.state, faults
}

const refresh = 10 * time.Second

// start runs a feed in this bubble and waits for its first result.
func start(w *weather, every, clock time.Duration, signed *sync.Map) *replica {
	r := &replica{clock: clock, seen: map[*fetch.Version]bool{}, signed: signed}
	r.Feed = New(Options{Options: w.options, Refresh: &every, KeepFor: 2 * refresh, Keep: 1, Now: r.now}, r.announced)
	w.from, r.source = r.from, w
	ctx, cancel := context.WithCancel(context.Background())
	first, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		r.Run(ctx, first)
	}()
	r.stop = func() {
		cancel()
		<-over
	}
	r.first = <-first
	return r
}

// localSource returns the options of the source at a place; every index file may be copied to memory.
func localSource(place, cache string, trust ...manifest.PublicKey) fetch.Options {
	return fetch.Options{Location: storage.Local(place), Cache: cache, MaxShrink: 100, BuilderVersion: "test", Trust: trust, Patience: time.Minute, Log: zerolog.Nop(),
		Progress: func(string, string, bool) (func(int64, int64), func()) { return func(int64, int64) {}, func() {} }}
}

func keyPair(t *testing.T) (manifest.PublicKey, manifest.PrivateKey) {
	public, private, err := manifest.GenerateKey("")
	testkit.OK(t, err)
	place := filepath.Join(t.TempDir(), "key")
	testkit.OK(t, os.WriteFile(place, private, 0o600))
	key := testkit.Must(manifest.ReadPrivateKey(place, ""))(t)
	trusted := testkit.Must(manifest.ParsePublicKey(strings.TrimSpace(string(public))))(t)
	return trusted, key
}

// A model says what a replica serves once all is quiet, given what it serves: the newest publication that is whole and
// whose time has come, if it is none from before that one, and none that a later rollback withdrew.
type model struct {
	manifest *manifest.Manifest
	damaged  map[string]bool // by ID
}

func (m *model) want(serves string, older map[publicationID]bool, now time.Time) string {
	var due []string
	for _, p := range m.manifest.Snapshots {
		if !p.ActivateAt.After(now) {
			due = append(due, p.ID)
			first := slices.Index(due, p.ID)
			isWithdrawn := slices.ContainsFunc(due[:first], func(newer string) bool { return m.wasBefore(newer, p, now) })
			if !older[publicationOf(p)] && !isWithdrawn && !m.damaged[p.ID] {
				return p.ID
			}
		}
	}
	return serves
}

// wasBefore reports whether a snapshot was published before the newest publication of another one.
func (m *model) wasBefore(id string, other manifest.Snapshot, now time.Time) bool {
	passed := false
	for _, p := range m.manifest.Snapshots {
		if !p.ActivateAt.After(now) {
			if passed && p.ID == id {
				return true
			}
			passed = passed || p.ID == other.ID
		}
	}
	return false
}

// A move is something that happens to a replica or its source.
type move struct {
	what     string
	n        int
	duration time.Duration
}

func (m move) String() string { return fmt.Sprintf("%s %d %v", m.what, m.n, m.duration) }

var moves = rapid.Custom(func(t *rapid.T) move {
	return move{rapid.SampledFrom([]string{"publish", "publish", "publish", "damaged", "rollback", "replay", "unsigned", "cut short", "lost", "slow", "fine", "request", "clock", "wait",
		"restart", "restart without cache"}).Draw(t, "what"), rapid.IntRange(0, 7).Draw(t, "n"), time.Duration(rapid.IntRange(-30, 30).Draw(t, "seconds")) * time.Second}
})

// Whatever happens, in whichever order, a replica that follows a signed manifest serves what the model says.
func TestReplica(t *testing.T) {
	t.Parallel()
	list := releases(t, 8)
	trusted, key := keyPair(t)
	for _, moves := range [][]move{
		{{"publish", 1, 0}, {"replay", 2, 0}, {"wait", 0, time.Minute}, {"request", 1, 0}},
		{{"publish", 1, 0}, {"unsigned", 0, 0}, {"wait", 0, time.Minute}, {"request", 1, 0}},
	} {
		synctest.Test(t, func(t *testing.T) {
			fault := play(t, moves, list, t.TempDir(), trusted, key)
			testkit.FailIf(t, fault != "", "%v", fault)
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		moves := rapid.SliceOfN(moves, 1, testkit.Pick(12, 40)).Draw(rt, "moves")
		var fault string
		dir := t.TempDir()
		defer os.RemoveAll(dir)
		synctest.Test(t, func(t *testing.T) { fault = play(t, moves, list, dir, trusted, key) })
		testkit.StopIf(rt, fault != "", "%v", fault)
	})
}

func play(t *testing.T, moves []move, list []release, dir string, trusted manifest.PublicKey, key manifest.PrivateKey) string {
	site, cache := filepath.Join(dir, "site"), filepath.Join(dir, "cache")
	testkit.OK(t, os.MkdirAll(site, 0o700))
	put := func(name string, content []byte) {
		testkit.OK(t, os.WriteFile(filepath.Join(site, name+".new"), content, 0o600))
		testkit.OK(t, os.Rename(filepath.Join(site, name+".new"), filepath.Join(site, name)))
	}
	m := model{damaged: map[string]bool{}}
	var contents [][]byte
	var signed sync.Map
	publish := func(s manifest.Snapshot, ahead time.Duration) {
		now := time.Now().UTC()
		s.PublishedAt, s.ActivateAt, s.AcceptShrink = now, now.Add(ahead), true
		m.manifest = m.manifest.Next(s, 3)
		content := m.manifest.Render()
		signed.Store(string(content), true)
		put(manifest.SignatureName(content), manifest.Sign(content, m.manifest.Sequence, key))
		put(manifest.Name, content)
		contents = append(contents, content)
	}
	publishRelease := func(n int, ahead time.Duration) {
		put(list[n].Index.Key, list[n].stored)
		delete(m.damaged, list[n].ID)
		publish(list[n].Snapshot, ahead)
	}
	publishRelease(0, 0)
	begin := func(clock time.Duration) (*weather, *replica) {
		w := &weather{options: localSource(filepath.Join(site, manifest.Name), cache, trusted)}
		return w, start(w, refresh, clock, &signed)
	}
	w, r := begin(0)
	defer func() { r.stop() }()
	lost := false
	for i, move := range moves {
		ahead := max(0, move.duration)
		switch move.what {
		case "publish":
			publishRelease(move.n, ahead)
		case "damaged": // one that was not published yet: what is open stays good
			if n := move.n; !m.names(list[n].ID) {
				put(list[n].Index.Key, list[n].stored[:len(list[n].stored)/2])
				m.damaged[list[n].ID] = true
				publish(list[n].Snapshot, ahead)
			}
		case "rollback":
			if s := m.manifest.Snapshots[min(move.n, len(m.manifest.Snapshots)-1)]; !m.damaged[s.ID] {
				publish(s, ahead)
			}
		case "replay": // the next publication finds the newest one again
			put(manifest.Name, contents[max(0, len(contents)-1-move.n)])
		case "unsigned":
			last := contents[len(contents)-1]
			unsigned := bytes.ReplaceAll(last, []byte(" "), []byte("  "))
			put(manifest.SignatureName(unsigned), manifest.Sign(last, m.manifest.Sequence, key))
			put(manifest.Name, unsigned)
		case "cut short":
			put(manifest.Name, contents[len(contents)-1][:len(contents[len(contents)-1])-1-move.n])
		case "lost":
			lost = true
			w.set(0, true)
		case "slow":
			lost = false
			w.set(ahead/2, false)
		case "fine":
			lost = false
			w.set(0, false)
			put(manifest.Name, contents[len(contents)-1])
		case "request":
			r.Request(fetch.Request{})
		case "clock":
			r.mu.Lock()
			r.clock += 20 * move.duration // far beyond the time in which all becomes quiet
			r.mu.Unlock()
		case "wait":
			time.Sleep(ahead)
		case "restart", "restart without cache":
			r.stop()
			synctest.Wait()
			if move.what != "restart" {
				testkit.OK(t, os.RemoveAll(cache))
			}
			put(manifest.Name, contents[len(contents)-1])
			lost = false
			w, r = begin(r.clock)
		}
		if move.what == "lost" || move.what == "slow" || move.n%2 == 0 && move.what != "fine" {
			continue // the next one comes in the middle of it
		}
		put(manifest.Name, contents[len(contents)-1])
		if lost {
			lost = false
			w.set(0, false)
		}
		time.Sleep(3 * time.Minute) // some refreshes, each of which may open all
		synctest.Wait()
		if r.first != nil { // it ended; here is the next start
			r.stop()
			w, r = begin(r.clock)
		}
		s, faults := r.last()
		got := ""
		if s.Serve != nil {
			got = s.Serve.Publication.ID
		}
		want := m.want(got, s.older, r.now())
		if len(faults) > 0 || got != want {
			return fmt.Sprintf("after %v, at %v: serves %s, want %s; %v; error %v; %+v", moves[:i+1], r.now(), cmp.Or(got, "nothing"), cmp.Or(want, "nothing"), faults, s.Error, m.manifest.Snapshots)
		}
	}
	return ""
}

func (m *model) names(id string) bool {
	return slices.ContainsFunc(m.manifest.Snapshots, func(p manifest.Snapshot) bool { return p.ID == id })
}

// A replica serves the newest version of a plain file that is valid, whatever happens to it, and keeps the one before
// for some time. The others are released.
func TestPlainFile(t *testing.T) {
	t.Parallel()
	list := releases(t, 4)
	rapid.Check(t, func(rt *rapid.T) {
		moves := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 2, 3, damagedFile, emptyFile, noFile, aFolder, again}), 1, 12).Draw(rt, "moves")
		requested := rapid.Bool().Draw(rt, "requested")
		var fault string
		dir := t.TempDir()
		defer os.RemoveAll(dir)
		synctest.Test(t, func(t *testing.T) { fault = replace(t, moves, list, dir, requested) })
		testkit.StopIf(rt, fault != "", "%v", fault)
	})
}

// What a file becomes, besides a release.
const (
	damagedFile = -1 - iota
	emptyFile
	noFile
	aFolder
	again // the same bytes
)

func replace(t *testing.T, moves []int, list []release, dir string, requested bool) string {
	place := filepath.Join(dir, "pubs.idx")
	testkit.OK(t, os.WriteFile(place, list[0].index, 0o600))
	w := &weather{options: localSource(place, "")}
	r := start(w, refresh, 0, nil)
	defer func() { r.stop() }()
	served, before := 0, ""
	for i, move := range moves {
		last, _ := r.last()
		if move == again {
			move = served
		}
		isNew := move >= 0 && move != served
		content := list[max(move, 0)].index
		switch move {
		case damagedFile:
			content = append(bytes.Clone(content[:len(content)/2]), make([]byte, (len(content)+1)/2)...)
		case emptyFile:
			content = nil
		}
		testkit.OK(t, os.RemoveAll(place))
		switch move {
		case noFile:
		case aFolder:
			testkit.OK(t, os.Mkdir(place, 0o700))
		default:
			testkit.OK(t, os.WriteFile(place+".new", content, 0o600))
			testkit.OK(t, os.Rename(place+".new", place))
		}
		if isNew {
			served, before = move, list[served].ID
		}
		if requested {
			r.Request(fetch.Request{})
			time.Sleep(refresh / 100)
		} else {
			time.Sleep(refresh * 5 / 4)
		}
		synctest.Wait()
		s, faults := r.last()
		kept := ""
		if len(s.Kept) > 0 {
			kept = s.Kept[0].Publication.ID
		}
		isGood := s.Error == nil && s.Unreachable == nil
		if isNew == (s.Serve == last.Serve) || w.opens > 2*(i+2) { // what is wrong is tried again after a refresh
			return fmt.Sprintf("after %v: %d versions were opened, and got %+v after %+v", moves[:i+1], w.opens, s.Serve, last.Serve)
		}
		if s.Serve == nil || s.Serve.Publication.ID != list[served].ID || isNew && kept != before || isGood != (move >= 0) || len(s.opened) > 2 || len(faults) > 0 {
			return fmt.Sprintf("after %v: got %+v, %q, want %s and %s kept", moves[:i+1], s, faults, list[served].ID, before)
		}
	}
	return ""
}

// indexFile returns the options of a feed of an index file.
func indexFile(t *testing.T) fetch.Options {
	place := filepath.Join(t.TempDir(), "pubs.idx")
	testkit.OK(t, os.WriteFile(place, releases(t, 1)[0].index, 0o600))
	return dataAt(t, place, "")
}

// A callback that panics, as on a damaged snapshot, is logged, and the feed goes on.
func TestCallbackPanics(t *testing.T) {
	var log bytes.Buffer
	o := indexFile(t)
	o.Log = zerolog.New(&log)
	first, served := make(chan error), make(chan string, 100)
	panics := true
	f := New(Options{Options: o}, func(s State) {
		switch {
		case s.Serve == nil:
		case panics:
			panics = false
			panic("on purpose")
		default:
			served <- s.Serve.From
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		f.Run(ctx, first)
	}()
	testkit.OK(t, <-first)
	f.Request(fetch.Request{})
	got := <-served
	testkit.FailIf(t, got != "index file" || !strings.Contains(log.String(), `"panic":"on purpose"`),
		"got %q and the log %s", got, log.String())
	cancel()
	<-over
}

// A load counts if it was requested, or if it did something or ended in another way than the last one. That the source
// is unreachable is no end of one that nobody requested.
func TestLoadsEnded(t *testing.T) {
	wrong, other, lost := errors.New("wrong"), errors.New("other"), &storage.Unreachable{Err: errors.New("lost")}
	for _, c := range []struct {
		before         error
		requested, did bool
		err            error
		counted        bool
		after          error
	}{
		{nil, true, false, nil, true, nil},
		{nil, true, false, lost, true, lost},
		{nil, true, true, wrong, true, wrong},
		{wrong, true, false, wrong, true, wrong},
		{nil, false, false, nil, false, nil},
		{nil, false, true, nil, true, nil},
		{nil, false, false, wrong, true, wrong},
		{wrong, false, false, wrong, false, wrong},
		{wrong, false, true, wrong, true, wrong},
		{wrong, false, false, other, true, other},
		{wrong, false, false, nil, true, nil},
		{wrong, false, true, lost, false, wrong},
		{lost, false, false, nil, true, nil},
	} {
		now := time.Unix(1, 0)
		after, counted := Loads{Since: now, Error: c.before, Succeeded: 3, Failed: 4}.ended(now, c.requested, c.did, c.err)
		want := Loads{Error: c.after, Succeeded: 3, Failed: 4}
		switch {
		case c.counted && c.err == nil:
			want.Succeeded, want.LastSuccess = 4, now
		case c.counted:
			want.Failed, want.LastFailure = 5, now
		}
		testkit.FailIf(t, counted != c.counted || after != want, "%+v: got %+v, %v, want %+v", c, after, counted, want)
	}
}

// A snapshot is served when its time comes, even if that is because the clock was set, and nobody checks the source.
func TestClockIsSet(t *testing.T) {
	list := releases(t, 2)
	site := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var m *manifest.Manifest
		for i, r := range list {
			testkit.OK(t, os.WriteFile(filepath.Join(site, r.Index.Key), r.stored, 0o600))
			r.PublishedAt, r.ActivateAt = time.Now(), time.Now().Add(time.Duration(i)*24*time.Hour)
			m = m.Next(r.Snapshot, 1)
		}
		testkit.OK(t, os.WriteFile(filepath.Join(site, manifest.Name), m.Render(), 0o600))
		r := start(&weather{options: localSource(filepath.Join(site, manifest.Name), "")}, 0, 0, nil)
		defer func() { r.stop() }()
		for _, c := range []struct {
			clock time.Duration
			want  int
		}{{0, 0}, {25 * time.Hour, 1}, {-25 * time.Hour, 1}} {
			r.mu.Lock()
			r.clock = c.clock
			r.mu.Unlock()
			if c.clock < 0 {
				r.Request(fetch.Request{})
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if s, faults := r.last(); s.Serve == nil || s.Serve.Publication.ID != list[c.want].ID || len(faults) > 0 {
				t.Errorf("clock %v: got %+v, %q, want %s", c.clock, s, faults, list[c.want].ID)
			}
		}
	})
}

// What is served if the publication whose time it is is missing: the newest one that is not older than the one served,
// and was not withdrawn.
func TestServable(t *testing.T) {
	noon := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		manifest string // sources, newest first, one a minute before noon
		served   string // before
		opened   string
		want     string
	}{
		{"012345", "", "01", "0"}, {"012345", "", "12", "1"}, {"012345", "", "34", "3"}, {"012345", "", "45", "none"},
		{"012345", "2", "12", "1"}, {"012345", "2", "23", "2"}, {"012345", "2", "3", "2"}, {"012345", "9", "3", "3"},
		{"aba0", "", "b0", "0"}, {"0aba1", "", "b1", "1"}, {"0aba1", "", "ab", "a"}, {"aba", "b", "b", "b"}, {"aba", "b", "ab", "a"},
		{"cabab", "", "b", "none"}, {"babc", "", "ac", "c"}, {"ab0ba", "", "0b", "none"},
	} {
		var m manifest.Manifest
		versions := map[string]*fetch.Version{}
		for i, source := range c.manifest {
			at := noon.Add(-time.Duration(i) * time.Minute)
			p := manifest.Snapshot{ID: string(source), Source: string(source), PublishedAt: at, ActivateAt: at}
			m.Snapshots = append(m.Snapshots, p)
			versions[string(source)] = &fetch.Version{Publication: p}
		}
		s := State{Manifest: &m}
		if c.served != "" {
			s = State{Manifest: &manifest.Manifest{Snapshots: m.Snapshots[max(0, strings.Index(c.manifest, c.served)):]}}
			if v := versions[c.served]; v != nil {
				s = s.with(v).at(noon, time.Minute, 1)
			}
			s.Manifest = &m
		}
		for _, id := range c.opened {
			s = s.with(versions[string(id)])
		}
		got := "none"
		if s = s.at(noon, time.Minute, 1); s.Serve != nil {
			got = s.Serve.Publication.ID
		}
		testkit.FailIf(t, got != c.want, "%+v: got %s", c, got)
		testkit.FailIf(t, slices.Contains(append(s.Kept, s.Prepared...), s.Serve) && s.Serve != nil,
			"%+v: %s is served and kept", c, got)
	}
}

// A rollback withdraws what was published since, also from a manifest that keeps few: a start without the index of the
// snapshot that was rolled back to does not serve the withdrawn one.
func TestRollbackWithdraws(t *testing.T) {
	noon := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	var m *manifest.Manifest
	for i, source := range []string{"a", "b"} {
		at := noon.Add(time.Duration(i-2) * time.Minute)
		m = m.Next(manifest.Snapshot{ID: source, Source: source, PublishedAt: at, ActivateAt: at}, 1)
	}
	again := testkit.Must(m.Again("a", noon, noon))(t)
	m = m.Next(again, 1)
	s := (State{Manifest: m}).with(&fetch.Version{Publication: m.Snapshots[1]}).at(noon, time.Minute, 1)
	testkit.FailIf(t, s.Serve != nil, "serves the withdrawn one, given %+v", m.Snapshots)
}

// A plain file that changes after the clock was set back is served at once, and what the clock passed over is not
// pending.
func TestClockIsSetBack(t *testing.T) {
	noon := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	back := noon.Add(-time.Hour)
	var plain State
	for _, v := range []struct {
		source string
		at     time.Time
	}{{"a", noon}, {"b", back}} {
		plain = plain.accepting(&fetch.Version{Publication: manifest.Snapshot{Source: v.source}}, v.at, 1).at(v.at, time.Minute, 1)
	}
	testkit.FailIf(t, plain.Serve.Publication.Source != "b" || len(plain.Kept) != 1 || len(plain.Prepared) != 0,
		"got %+v", plain)
	var m *manifest.Manifest
	s := State{Published: true}
	for i, source := range []string{"a", "b"} {
		at := noon.Add(time.Duration(24*i) * time.Hour)
		m = m.Next(manifest.Snapshot{ID: source, Source: source, PublishedAt: noon, ActivateAt: at}, 1)
		s = s.with(&fetch.Version{Publication: m.Snapshots[0]})
	}
	s.Manifest = m
	for _, hours := range []time.Duration{0, 48, 1} {
		s = s.at(noon.Add(hours*time.Hour), time.Minute, 1)
	}
	testkit.FailIf(t, s.Serve.Publication.Source != "b" || len(s.Pending) > 0, "got %+v", s)
}

// What an earlier process took is not forgotten, whatever becomes of the cache: a start takes no older manifest, and none
// of another directory. Without its source, it serves only a manifest that is signed. The process before took number 2
// of the directory "a", and now the source has another one.
func TestManifestsAreRemembered(t *testing.T) {
	t.Parallel()
	r := releases(t, 1)[0]
	r.PublishedAt, r.ActivateAt = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	trusted, key := keyPair(t)
	otherTrusted, otherKey := keyPair(t)
	numbered := func(sequence uint64, directory string) []byte {
		return (&manifest.Manifest{Sequence: sequence, Directory: strings.Repeat(directory, 32), Snapshots: []manifest.Snapshot{r.Snapshot}}).Render()
	}
	second := numbered(2, "a")
	overwrite := func(content []byte) func(string) {
		return func(place string) { testkit.OK(t, os.WriteFile(place, content, 0o600)) }
	}
	none := func(string) {}
	for _, c := range []struct {
		what      string
		manifest  func(place string) // a change of the cached manifest
		signature func(place string) // and of its signature
		source    []byte             // nil if it is away
		serves    uint64             // with --trust; 0 for nothing
		want      string             // in the error
		untrusted uint64             // what is served without --trust
	}{
		{"the next one", none, none, numbered(3, "a"), 3, "", 3},
		{"the same", none, none, second, 2, "", 2},
		{"an older one", none, none, numbered(1, "a"), 2, "sequence 1: 2 was seen before", 2},
		{"another one of that number", none, none, bytes.ReplaceAll(second, []byte(" "), []byte("  ")), 2, "must not go back", 2},
		{"of another directory", none, none, numbered(3, "b"), 2, `directory "bbbb`, 2},
		{"no cache", func(place string) { testkit.OK(t, os.Remove(place)) }, none, numbered(1, "b"), 1, "", 1},
		{"a mismatched pair", none, overwrite(manifest.Sign(numbered(1, "a"), 1, key)), numbered(1, "a"), 0, "sequence 1: 2 was seen before", 2},
		{"a mismatched pair and the next one", none, overwrite(nil), numbered(3, "a"), 3, "", 3},
		{"a cached signature that is gone", none, func(place string) { testkit.OK(t, os.Remove(place)) }, numbered(1, "a"), 0, "sequence 1: 2 was seen before", 2},
		{"a damaged cache", overwrite(second[:50]), none, numbered(1, "a"), 0, "restore it, or remove it", 1},
		{"an empty cache", overwrite(nil), none, numbered(3, "a"), 0, "restore it, or remove it", 3},
		{"an unreadable cache", func(place string) {
			testkit.OK(t, os.Remove(place))
			testkit.OK(t, os.Mkdir(place, 0o700))
		}, none, numbered(1, "a"), 0, "restore it, or remove it", 1},
		{"a cache that is no folder", func(place string) {
			testkit.OK(t, os.RemoveAll(filepath.Dir(place)))
			testkit.OK(t, os.WriteFile(filepath.Dir(place), nil, 0o600))
		}, none, numbered(1, "a"), 0, ".json: not a directory: restore it", 1},
		{"no source", none, none, nil, 2, "", 2},
		{"no source and a changed cache", overwrite(bytes.ReplaceAll(second, []byte(" "), []byte("  "))), none, nil, 0, "is not accepted", 2},
		{"no source and the signature of a manifest that a killed process did not keep", none, func(place string) {
			third := numbered(3, "a")
			overwrite(manifest.Sign(third, 3, key))(strings.Replace(place, manifest.SignatureName(second), manifest.SignatureName(third), 1))
		}, nil, 2, "", 2},
	} {
		for _, trust := range [][]manifest.PublicKey{{otherTrusted, trusted}, nil} {
			site, folder := t.TempDir(), t.TempDir()
			place := filepath.Join(site, manifest.Name)
			publish := func(content []byte, key manifest.PrivateKey) {
				testkit.OK(t, os.WriteFile(filepath.Join(site, manifest.SignatureName(content)), manifest.Sign(content, 1, key), 0o600))
				testkit.OK(t, os.WriteFile(place, content, 0o600))
			}
			testkit.OK(t, os.WriteFile(filepath.Join(site, r.Index.Key), r.stored, 0o600))
			serves := func(trust ...manifest.PublicKey) (sequence uint64, err error) {
				synctest.Test(t, func(t *testing.T) {
					r := start(&weather{options: localSource(place, folder, trust...)}, 0, 0, nil)
					r.stop()
					s, _ := r.last()
					if s.Serve != nil {
						sequence = s.Manifest.Sequence
					}
					err = cmp.Or(r.first, s.Error)
				})
				return sequence, err
			}
			publish(second, key)
			if got, err := serves(trusted); got != 2 || err != nil {
				t.Fatalf("the process before: got %d, %v", got, err)
			}
			cache := fetch.NewCache(folder, storage.Local(place))
			c.signature(cache.Signature(second))
			c.manifest(cache.Manifest())
			if publish(c.source, key); c.source == nil {
				testkit.OK(t, os.Remove(place))
			}
			want := c.serves
			if trust == nil {
				want = c.untrusted
			}
			got, err := serves(trust...)
			testkit.FailIf(t,
				got != want || trust != nil && ((c.want == "") != (err == nil) || !strings.Contains(fmt.Sprint(err), c.want)),
				"%s, --trust %v: got %d, %v, want %d, %q", c.what, trust != nil, got, err, want, c.want)
			if trust != nil && c.what == "the next one" { // and then with a new key
				publish(second, otherKey)
				if got, err := serves(otherTrusted); got != 0 || !strings.Contains(fmt.Sprint(err), "sequence 2: 3 was seen before") {
					t.Errorf("an older one by a new key: got %d, %v", got, err)
				}
			}
		}
	}
}

// A manifest that could not be cached is cached once that is possible.
func TestManifestIsCachedLater(t *testing.T) {
	list := releases(t, 1)
	w := newWeb(t)
	w.put(list[0].Index.Key, list[0].stored)
	w.put(manifest.Name, manifestOf(list...))
	source := dataAt(t, w.URL+"/"+manifest.Name, t.TempDir())
	place := fetch.NewCache(source.Cache, source.Location).Manifest()
	testkit.OK(t, os.MkdirAll(filepath.Join(place, "full"), 0o700)) // which no file replaces
	r := run(t, source, often)
	r.eventually(t, "served", func(s State) bool { return s.Serve != nil })
	testkit.OK(t, os.RemoveAll(place))
	r.eventually(t, "cached", func(s State) bool {
		content, err := os.ReadFile(place)
		return err == nil && bytes.Equal(content, s.content)
	})
}
