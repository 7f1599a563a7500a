package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"pubd/httpapi"
	"pubd/index"
	"pubd/loader"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// A replica holds the snapshots of a manifest that it needs: those that it serves, will serve, or recently served. It serves each from its
// time on, by its own clock.
type replica struct {
	service *httpapi.Service
	log     *logSink
	name    string // of the manifest
	keepFor time.Duration
	keep    int

	mu sync.Mutex // guards what follows, and arranging
	// manifest is the current manifest, and content its file; nil before the first.
	manifest *manifest.Manifest
	content  []byte
	// rejected is why the last manifest that was read was rejected; nil if it was accepted. Only the goroutine that loads data uses it.
	rejected error
	wrong    []byte                    // the file that was rejected
	damaged  map[stored]damagedFile    // index files that were wrong. Only the goroutine that loads data uses it
	held     map[identity]*loadedIndex // by [heldAs]
	served   *index.Snapshot
	timer    *time.Timer
}

// An identity is all of a manifest that an index was compared with. Another publication that names the same index is compared again.
type identity struct {
	source, index string // SHA-256
	pubs          int
}

func heldAs(s manifest.Snapshot) identity { return identity{s.Source, s.Index.ExpandedSHA256, s.Pubs} }

// A damagedFile is a published index file that was wrong, and until when it is not downloaded again unless it was replaced.
type damagedFile struct {
	error *contentError
	wait  time.Duration
	until time.Time
}

// A wrong file is tried again after firstWait refreshes, then each time after twice as long, up to maxWait: it may have been damaged on its way.
const (
	firstWait = 8
	maxWait   = 15 * time.Minute
)

// A stored is a published index file as a manifest describes it.
type stored struct {
	identity
	manifest.Index
}

func newReplica(r *reloader) *replica {
	return &replica{service: r.service, log: r.log, name: r.data.location.String(), keepFor: r.KeepFor, keep: keepSnapshots - 1,
		held: map[identity]*loadedIndex{}, damaged: map[stored]damagedFile{}}
}

// follow switches to a manifest.
func (p *replica) follow(m *manifest.Manifest, content []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.manifest, p.content = m, content
}

// missing returns the snapshots that are needed but not held, the most urgent first.
func (p *replica) missing() (some []manifest.Snapshot, urgent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	plan := p.manifest.Plan(time.Now(), p.keepFor, p.keep)
	need := func(list ...manifest.Snapshot) {
		for _, s := range list {
			known := slices.ContainsFunc(some, func(other manifest.Snapshot) bool { return heldAs(other) == heldAs(s) })
			if p.held[heldAs(s)] == nil && !known {
				some = append(some, s)
			}
		}
	}
	if plan.Serve != nil {
		need(*plan.Serve)
	}
	slices.Reverse(plan.Upcoming)
	need(plan.Upcoming...)
	urgent = len(some)
	need(plan.Kept...)
	return some, urgent
}

// hold adds a snapshot that was opened and checked with sample queries.
func (p *replica) hold(s manifest.Snapshot, opened *loadedIndex) {
	p.mu.Lock()
	p.held[heldAs(s)] = opened
	p.mu.Unlock()
	p.settle()
}

// dropDamaged forgets the held snapshots whose memory is no longer intact, so that they are opened again. What is served stays until then.
func (p *replica) dropDamaged() {
	p.mu.Lock()
	held := maps.Clone(p.held)
	p.mu.Unlock()
	maps.DeleteFunc(held, func(_ identity, opened *loadedIndex) bool { return isIntact(p.log, opened.Snapshot) })
	p.mu.Lock()
	defer p.mu.Unlock()
	for damaged := range held {
		delete(p.held, damaged)
	}
}

// settle arranges the held snapshots by the current plan, drops those no longer needed, and runs again when the plan changes.
func (p *replica) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	plan := p.manifest.Plan(now, p.keepFor, p.keep)
	fleet := httpapi.Fleet{Sequence: p.manifest.Sequence, PublishedAt: p.manifest.Snapshots[0].PublishedAt, Kept: []string{}, Prepared: []string{}, Pending: []string{}, Built: []string{}}
	needed := map[identity]bool{}
	var a httpapi.Arrangement
	place := func(s *manifest.Snapshot, list *[]string) {
		needed[heldAs(*s)] = true
		opened := p.held[heldAs(*s)]
		if opened == nil {
			fleet.Pending = append(fleet.Pending, s.ID)
			a.Pending = append(a.Pending, s.ID)
			return
		}
		if list != nil {
			*list = append(*list, s.ID)
		}
		if opened.from == "build" {
			fleet.Built = append(fleet.Built, s.ID)
		}
		if !slices.Contains(a.Others, opened.Snapshot) {
			a.Others = append(a.Others, opened.Snapshot)
		}
	}
	if plan.Serve != nil {
		place(plan.Serve, nil)
		if opened := p.held[heldAs(*plan.Serve)]; opened != nil {
			a.Served = opened.Snapshot
		}
	}
	for i := range plan.Upcoming {
		place(&plan.Upcoming[i], &fleet.Prepared)
	}
	for i := range plan.Kept {
		place(&plan.Kept[i], &fleet.Kept)
	}
	// If the one to serve is not available, an older one stays.
	if a.Served == nil && plan.Serve != nil {
		if a.Served = p.served; a.Served == nil && len(plan.Kept) > 0 {
			if opened := p.held[heldAs(plan.Kept[0])]; opened != nil {
				a.Served = opened.Snapshot
			}
		}
	}
	maps.DeleteFunc(p.held, func(held identity, opened *loadedIndex) bool { return !needed[held] && opened.Snapshot != a.Served })
	if a.Served == nil {
		a.Served = p.served
	}
	p.service.Arrange(a)
	if p.timer != nil {
		p.timer.Stop()
	}
	if !plan.Change.IsZero() {
		next := plan.Change.UTC()
		fleet.NextAt = &next
		p.timer = time.AfterFunc(max(0, time.Until(plan.Change)), p.settleInTime)
	}
	p.service.ReportFleet(fleet)
	if a.Served != nil && a.Served != p.served {
		for _, opened := range p.held {
			if opened.Snapshot == a.Served {
				p.log.Info().Str("data", p.name).Uint64("sequence", p.manifest.Sequence).Int("pubs", opened.Len()).Int("rated", opened.Rated()).
					Str("snapshot", opened.ID()).Str("from", opened.from).Int64("bytes", opened.Size()).Int64("read_ms", opened.read.Milliseconds()).Msg("data loaded")
			}
		}
	}
	p.served = a.Served
}

// settleInTime is settle for a timer, which calls it in a goroutine of its own: a panic there would end the process.
func (p *replica) settleInTime() {
	logCrash(p.log, recovered(func() error {
		p.settle()
		return nil
	}))
}

// pubs returns the number of pubs in the current snapshot.
func (p *replica) pubs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.served == nil {
		return 0
	}
	return p.served.Len()
}

// loadReplica follows the manifest of --data and fetches what it names. It is an error if a snapshot that is or will be served is not
// available; the others stay.
func (r *reloader) loadReplica(a ask) error {
	if r.replica != nil {
		clear(r.replica.damaged) // on request, everything is tried again
		r.replica.dropDamaged()
	}
	_, err := r.catchUp(a)
	if err == nil && r.replica.pubs() == 0 {
		plan := r.replica.manifest.Plan(time.Now(), 0, 0)
		r.log.Info().Time("activate_at", plan.Change).Msg("nothing to serve before activate_at")
	}
	return err
}

// refreshReplica is loadReplica at a refresh: it is reported if there was something to do, or if the error is new.
func (r *reloader) refreshReplica() {
	lostBefore := r.data.trouble != ""
	var did bool
	err := recovered(func() (err error) {
		did, err = r.catchUp(ask{})
		return err
	})
	switch lost := unreachable(err); {
	case lost != nil: // already reported
	case err != nil:
		if did || r.refused != err.Error() {
			logCrash(r.log, err)
			r.service.ReportReload("data", err)
			r.log.Error().Err(err).Str("what", "data").Msg("reload rejected; keeping the old one")
		}
		r.refused = err.Error()
	case did || lostBefore || r.refused != "":
		r.refused = ""
		r.service.ReportReload("data", nil)
	}
}

// catchUp reads the manifest if it has changed, and fetches what is needed. It reports whether it did anything.
func (r *reloader) catchUp(a ask) (did bool, err error) {
	if r.Places != "" {
		return false, fmt.Errorf("%s: is a manifest, whose snapshots have their own gazetteer: publish them with pubd publish --places, and leave out --places here", r.data.location)
	}
	if r.replica == nil {
		r.replica = newReplica(r)
	}
	p := r.replica
	content, err := r.fetchManifest()
	reached := err == nil || errors.Is(err, storage.ErrUnchanged)
	switch {
	case errors.Is(err, storage.ErrUnchanged):
		if p.manifest == nil {
			r.found(&r.data)
			return false, p.rejected
		}
	case err == nil && p.manifest != nil && bytes.Equal(content, p.content):
		p.rejected, p.wrong = nil, nil
	case err == nil:
		did = !bytes.Equal(content, p.wrong)
		m, err := r.accept(content, r.fetchSignature)
		if err != nil {
			if unreachable(err) != nil { // its signature
				r.lost(&r.data, err)
			} else {
				r.found(&r.data)
			}
			p.wrong = content
			r.data.version = "" // read it again the next time: it may have been damaged on its way, or its signature be late
			p.rejected = fmt.Errorf("%s: %w", r.data.location, err)
			if p.manifest != nil || r.followCached(p.rejected) != nil {
				return did, p.rejected
			}
			break
		}
		did, p.rejected, p.wrong = true, nil, nil
		p.follow(m, content)
		r.log.Info().Str("data", p.name).Uint64("sequence", m.Sequence).Str("snapshot", m.Snapshots[0].ID).Time("activate_at", m.Snapshots[0].ActivateAt).Msg("manifest read")
	case p.manifest == nil: // the start
		if none := r.followCached(err); none != nil {
			return did, fmt.Errorf("%w; %w", err, none)
		}
	default:
		return did, err
	}
	p.settle()
	some, urgent := p.missing()
	var failures []error
	for i, s := range some {
		file := stored{heldAs(s), s.Index}
		was := p.damaged[file]
		if time.Now().Before(was.until) && r.isStill(s, was.error) {
			failures = append(failures, was.error)
			continue
		}
		did = true
		runtime.GC() // finds the snapshots that are no longer in use, so that they are unmapped
		opened, err := r.bring(s, a)
		delete(p.damaged, file)
		if wrong := new(contentError); errors.As(err, &wrong) {
			wait := min(max(2*was.wait, firstWait*r.refreshEvery(r.data.location)), maxWait)
			p.damaged[file] = damagedFile{wrong, wait, time.Now().Add(wait)}
		}
		if err == nil {
			p.hold(s, opened)
			r.log.Info().Str("snapshot", s.ID).Str("from", opened.from).Int64("read_ms", opened.read.Milliseconds()).Time("activate_at", s.ActivateAt).Msg("snapshot prepared")
			continue
		}
		if lost := unreachable(err); lost != nil {
			r.lost(&r.data, err)
			reached = false
		}
		if i < urgent || unreachable(err) == nil {
			failures = append(failures, err)
		}
	}
	if reached {
		r.found(&r.data)
	}
	if len(some) > 0 {
		r.pruneFleet()
	}
	// A start from the cache succeeds, even if newer snapshots are unreachable.
	if err := errors.Join(failures...); err != nil && (r.started || p.pubs() == 0) {
		return did, errors.Join(p.rejected, err)
	}
	r.started = true
	return did, p.rejected
}

// followCached follows the manifest that an earlier process accepted, because of an error with that of the source.
func (r *reloader) followCached(because error) error {
	m, content, err := r.cachedManifest()
	if err == nil {
		r.log.Warn().Err(because).Uint64("sequence", m.Sequence).Msg("serving data from the cache")
		r.replica.follow(m, content)
	}
	return err
}

// fetchManifest reads the manifest file if it has changed since the last read.
func (r *reloader) fetchManifest() ([]byte, error) {
	ctx, cancel := context.WithTimeout(r.ctx, readLimit())
	defer cancel()
	content, version, err := r.readSmall(ctx, r.data.location, r.data.version, manifest.MaxSize)
	switch {
	case err == nil:
		r.data.version = version
	case unreachable(err) != nil:
		r.lost(&r.data, err)
	}
	return content, err
}

// readSmall reads a small file, with the time limit of local files if it is local.
func (r *reloader) readSmall(ctx context.Context, l storage.Location, known string, most int64) (content []byte, version string, err error) {
	if !l.IsLocal() {
		return r.storage.ReadAll(ctx, l, known, most)
	}
	type file struct {
		content []byte
		version string
	}
	got, err := attempt(&r.data.reads, l.Path(), func(ctx context.Context) (file, error) {
		content, version, err := r.storage.ReadAll(ctx, l, known, most)
		return file{content, version}, err
	})
	return got.content, got.version, err
}

// fetchSignature reads the signature of a manifest.
func (r *reloader) fetchSignature(content []byte) ([]byte, error) {
	l, err := r.data.location.Sibling(manifest.SignatureName(content))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, readLimit())
	defer cancel()
	signature, _, err := r.readSmall(ctx, l, "", manifest.MaxSignature)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("has no signature, which --trust requires: publish with --sign")
	}
	if err != nil {
		r.data.version = "" // read both again
	}
	return signature, err
}

// accept verifies a manifest: its signature, every value, and that it is not older than the last one.
func (r *reloader) accept(content []byte, signatureOf func([]byte) ([]byte, error)) (*manifest.Manifest, error) {
	var signature []byte
	if r.Trust != "" {
		var err error
		if signature, err = signatureOf(content); err != nil {
			return nil, err
		}
		if err := manifest.Verify(content, signature, r.trusted); err != nil {
			return nil, err
		}
	}
	m, err := manifest.Parse(content)
	if err != nil {
		return nil, err
	}
	seen, known := r.replica.manifest, r.replica.content
	if seen == nil {
		if old, content, err := r.cachedManifest(); err == nil {
			seen, known = old, content
		}
	}
	if seen != nil && (m.Sequence < seen.Sequence || m.Sequence == seen.Sequence && !bytes.Equal(content, known)) {
		return nil, fmt.Errorf("sequence %d: %d was seen before, a manifest must not go back: is it an old copy? To begin a new series, remove %s from --cache and restart",
			m.Sequence, seen.Sequence, cmp.Or(r.cached("manifest", r.data.location, ".json"), "the manifest"))
	}
	if place := r.cached("manifest", r.data.location, ""); place != "" {
		err := keep(place+".minisig", signature, 0o644)
		if err = errors.Join(err, keep(place+".json", content, 0o644)); err != nil {
			r.log.Warn().Err(err).Msg("cannot cache the manifest")
		}
	}
	return m, nil
}

// cachedManifest returns the last manifest that an earlier process accepted.
func (r *reloader) cachedManifest() (*manifest.Manifest, []byte, error) {
	place := r.cached("manifest", r.data.location, "")
	if place == "" {
		return nil, nil, errors.New("and there is no --cache to start from")
	}
	content, err := loader.ReadFileWithin(place+".json", manifest.MaxSize)
	if err != nil {
		return nil, nil, fmt.Errorf("and there is none in --cache: %w", err)
	}
	if r.Trust != "" {
		signature, _ := loader.ReadFileWithin(place+".minisig", manifest.MaxSignature)
		if err := manifest.Verify(content, signature, r.trusted); err != nil {
			return nil, nil, fmt.Errorf("and that of --cache is not trusted: %w", err)
		}
	}
	m, err := manifest.Parse(content)
	if err != nil {
		return nil, nil, fmt.Errorf("and that of --cache is wrong: %s: %w", loader.Visible(place), err)
	}
	return m, content, nil
}
