package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"pubd/httpapi"
	"pubd/index"
	"pubd/loader/feed/worker"
	"pubd/loader/storage"
)

// A reloader decides what a server serves: it loads keys and data at the start, on request, and when it finds that they have changed; it
// counts and reports the results, and publishes valid ones. A failure changes nothing and says why; loading never affects requests. One
// goroutine loads keys and another data, so that a revocation does not wait for a build.
type reloader struct {
	*serveCommand
	terminal
	log     *logSink
	service *httpapi.Service
	builder worker.Builder
	ctx     context.Context // ends build processes and downloads
	storage *storage.Client

	keys, data feed
	keysAsked  chan struct{}
	dataAsked  chan ask
	// Used only by the goroutine that loads data.
	served  *index.Snapshot // nil before the first; replicas have their own
	replica *replica        // nil unless --data is a manifest
	started bool            // whether the replica has ever served
	refused string          // why the last refresh of the replica changed nothing; empty if it succeeded
}

// A feed is the source of keys or data.
type feed struct {
	what     string // "keys" or "data"
	location storage.Location
	version  string // of what was last loaded or rejected
	trouble  string // why the last refresh failed; empty if it did not
	reads    attempts
}

// An ask is a request for a reload.
type ask struct {
	acceptShrink bool
}

func newReloader(ctx context.Context, c *serveCommand, t terminal, log *logSink, service *httpapi.Service) *reloader {
	return &reloader{serveCommand: c, terminal: t, log: log, service: service, ctx: ctx,
		builder:   worker.Builder{Patience: readLimit()},
		storage:   storage.NewClient(storage.Options{Patience: min(readLimit(), downloadPatience)}),
		keys:      feed{what: "keys", location: c.keysAt, reads: attempts{limit: readLimit()}},
		data:      feed{what: "data", location: c.dataAt, reads: attempts{limit: readLimit()}},
		keysAsked: make(chan struct{}, 1), dataAsked: make(chan ask, 1)}
}

// downloadPatience is how long a server may send nothing.
const downloadPatience = 15 * time.Second

// ask requests a reload of keys and then of data, as SIGHUP does. It does not wait. Requests that arrive while one is pending count as one.
func (r *reloader) ask(a ask) {
	for {
		select {
		case r.dataAsked <- a:
		case waiting := <-r.dataAsked:
			a.acceptShrink = a.acceptShrink || waiting.acceptShrink
			continue
		}
		return
	}
}

// askAll requests a reload of keys and of data.
func (r *reloader) askAll(acceptShrink bool) {
	select {
	case r.keysAsked <- struct{}{}:
	default:
	}
	r.ask(ask{acceptShrink})
}

// run loads data for the first time and sends the result to first. Then it loads keys and data for each signal, and what has changed at
// each refresh, until stop is closed.
func (r *reloader) run(hangups <-chan os.Signal, stop <-chan struct{}, first chan<- error) {
	go r.keepData(stop, first)
	refresh := r.ticker(r.keys.location)
	defer refresh.Stop()
	for {
		select {
		case <-stop:
			return
		case <-hangups:
			r.reload("keys", r.loadKeys)
			r.ask(ask{})
		case <-r.keysAsked:
			r.reload("keys", r.loadKeys)
		case <-refresh.C:
			r.refresh(&r.keys, r.loadKeys)
			refresh.again()
		}
	}
}

// keepData loads data.
func (r *reloader) keepData(stop <-chan struct{}, first chan<- error) {
	err := r.load("data", func() error { return r.loadData(ask{}) })
	if err != nil && r.isServing() { // from the cache
		r.refused, err = err.Error(), nil
	}
	first <- err
	refresh := r.ticker(r.data.location)
	defer refresh.Stop()
	for {
		select {
		case <-stop:
			return
		case a := <-r.dataAsked:
			r.reload("data", func() error { return r.loadData(a) })
		case <-refresh.C:
			if r.replica != nil {
				r.refreshReplica()
			} else {
				r.refresh(&r.data, func() error { return r.loadData(ask{}) })
			}
			refresh.again()
		}
	}
}

// A ticker says when to check for changes: at an interval, give or take a tenth, so that replicas do not send requests all at once.
type ticker struct {
	*time.Timer
	every time.Duration
}

// ticker returns the ticker of a source; if the source is not watched, it never ticks.
func (r *reloader) ticker(l storage.Location) *ticker {
	every := r.refreshEvery(l)
	t := &ticker{time.NewTimer(time.Hour), every}
	t.again()
	return t
}

func (t *ticker) again() {
	if t.every <= 0 {
		t.Stop()
		return
	}
	t.Reset(t.every*9/10 + rand.N(t.every/5+1))
}

// refreshEvery returns how often to check a source. Without --refresh, only remote sources and manifests are checked.
func (r *reloader) refreshEvery(l storage.Location) time.Duration {
	switch {
	case l == storage.Location{}:
		return 0
	case r.Refresh != nil:
		return *r.Refresh
	case !l.IsLocal() || l == r.data.location && r.replica != nil:
		return defaultRefresh
	}
	return 0
}

const defaultRefresh = 30 * time.Second

// load loads keys or data and reports the result.
func (r *reloader) load(what string, load func() error) error {
	r.service.ReportLoading(what)
	err := recovered(load)
	logCrash(r.log, err)
	if crash := new(worker.Crash); errors.As(err, &crash) && crash.Stderr != "" {
		r.log.Error().Str("stack", crash.Stderr).Msg("loading crashed")
	}
	r.service.ReportReload(what, err)
	return err
}

// logCrash logs an error that is a recovered panic.
func logCrash(log *logSink, err error) {
	if broken := new(panicError); errors.As(err, &broken) {
		log.Error().Str("panic", fmt.Sprint(broken.cause)).Bytes("stack", broken.stack).Msg("loading crashed")
	}
}

// reload is load if there is an old version to keep.
func (r *reloader) reload(what string, load func() error) {
	if err := r.load(what, load); err != nil {
		r.log.Error().Err(err).Str("what", what).Msg("reload rejected; keeping the old one")
	}
}

// refresh loads keys or data if their source has changed. A rejected version is not tried again until it changes.
func (r *reloader) refresh(f *feed, load func() error) {
	switch changed, err := r.hasChanged(f); {
	case err != nil:
		r.lost(f, err)
	case changed:
		r.found(f)
		r.reload(f.what, load)
	default:
		r.found(f)
	}
}

// hasChanged reports whether a source has another version than the last one that was loaded or rejected.
func (r *reloader) hasChanged(f *feed) (bool, error) {
	if f.location.IsLocal() {
		version, err := r.fileVersion(f)
		return version != f.version, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, readLimit())
	defer cancel()
	object, err := r.storage.Open(ctx, f.location, storage.Request{Known: f.version})
	if errors.Is(err, storage.ErrUnchanged) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer object.Close()
	return object.Version == "" || object.Version != f.version, nil
}

// fileVersion returns the version of the local file of a feed; that of data includes the gazetteer.
func (r *reloader) fileVersion(f *feed) (string, error) {
	path := f.location.Path()
	return attempt(&f.reads, path, func(context.Context) (string, error) {
		version, err := storage.FileVersion(path)
		if err == nil && f == &r.data && r.Places != "" {
			var places string
			places, err = storage.FileVersion(r.Places)
			version += " " + places
		}
		return version, err
	})
}

// lost reports that a source is unreachable, and logs it if that is new.
func (r *reloader) lost(f *feed, err error) {
	r.service.ReportSource(f.what, err)
	if f.trouble != err.Error() {
		r.log.Warn().Err(err).Str("what", f.what).Msg("source unreachable; keeping the old one")
		f.trouble = err.Error()
	}
}

// found reports that a source was reached.
func (r *reloader) found(f *feed) {
	r.service.ReportSource(f.what, nil)
	if f.trouble != "" {
		r.log.Info().Str("what", f.what).Msg("source reachable again")
		f.trouble = ""
	}
}
