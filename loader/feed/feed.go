// Package feed keeps what a server serves up to date with its source: data by a [Feed], and keys by a [Poller], which
// reads a small file again when it changes.
//
// A [Feed] is one goroutine that owns one immutable [State] and announces each new one to one callback. On request,
// and at each refresh, it checks its source in a round of three steps, each of which returns a value:
//
//	source.Next   what there is: a manifest, or one file
//	source.Open   one version of it: cache, fetch, expand or build, open, verify
//	State.at      what is served, kept and prepared at a time
//
// While it opens something, the source is asked again at each refresh and request: a newer manifest is followed at
// once, and a transfer ends when something else is to be opened first.
//
// A plain file is a manifest with one snapshot: each of its versions is one more publication, active from the moment
// it is opened. So one rule, [manifest.Manifest.Plan], says what is served and kept. A round runs in a goroutine of
// its own, because it may take long: meanwhile the feed serves each prepared version when its time comes.
//
// A failure changes nothing and is in the State. A version is dropped when no State needs it; it is released with its
// last reader.
package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"pubd/loader/fetch"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// DefaultRefresh is how often remote sources and manifests are checked.
const DefaultRefresh = 30 * time.Second

// A source says what there is, and opens it: a [fetch.Source], or a test's. Next may be called during Open.
type source interface {
	Next(ctx context.Context, c fetch.Current, requested bool) (fetch.Offer, error)
	Open(ctx context.Context, what fetch.Item, c fetch.Current, r fetch.Request) (*fetch.Version, error)
}

// Options configure a feed of a directory.
type Options struct {
	fetch.Options
	// Refresh is how often to check the source; nil means 30 s for remote sources and manifests, otherwise never, as
	// 0. While nothing is served because of damage, never is 30 s.
	Refresh *time.Duration
	// KeepFor is how long a replaced version is kept, and Keep how many of them.
	KeepFor time.Duration
	Keep    int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A Feed keeps a State up to date with the source of a directory.
type Feed struct {
	Options
	from     *fetch.Source
	source   source // from
	announce func(State)
	requests chan fetch.Request
}

// New returns a feed that announces each State to a callback, which must be done with a State before it returns.
func New(o Options, announce func(State)) *Feed {
	if o.Now == nil {
		o.Now = time.Now
	}
	from := fetch.New(o.Options)
	return &Feed{o, from, from, announce, make(chan fetch.Request, 1)}
}

// Request has everything read again. It does not wait. Requests that arrive while one is pending count as one.
func (f *Feed) Request(r fetch.Request) {
	for {
		select {
		case f.requests <- r:
			return
		case pending := <-f.requests:
			r.AcceptShrink = r.AcceptShrink || pending.AcceptShrink
		}
	}
}

// A change returns a new State for an old one.
type change func(State) State

// clockStep is how long a change that is due may go unnoticed after the clock was set, and that of a file in place.
const clockStep = time.Second

// Run loads for the first time and sends the result to first: an error if there is nothing to serve. Then it follows
// the source until the context ends.
func (f *Feed) Run(ctx context.Context, first chan<- error) {
	var s State
	changes, states, ended := make(chan change), make(chan State), make(chan error, 1)
	round := func(s State, r fetch.Request, requested bool) {
		ended <- f.round(ctx, s, r, requested, func(c change) State {
			select {
			case changes <- c:
				return <-states
			case <-ctx.Done():
				return State{}
			}
		})
	}
	go round(s, fetch.Request{}, true)
	var requests chan fetch.Request // nil during a round
	var refresh <-chan time.Time    // nil during a round, and without a refresh
	look, damaged := time.NewTimer(clockStep), make(chan map[*fetch.Version]error, 1)
	for {
		var due <-chan time.Time
		if !s.Change.IsZero() {
			due = time.After(min(max(0, s.Change.Sub(f.Now())), clockStep))
		}
		select {
		case <-ctx.Done():
			return
		case c := <-changes:
			s = f.replace(s, c(s))
			states <- s
		case <-due:
			s = f.replace(s, s)
		case <-look.C: // in a goroutine, because the file system may hang
			go func(s State) {
				var found map[*fetch.Version]error
				fetch.LogCrash(f.Log, fetch.Recovered(func() error {
					found = f.from.Damaged(s.current(), true)
					return nil
				}))
				damaged <- found
			}(s)
		case found := <-damaged:
			look.Reset(clockStep)
			if len(found) > 0 {
				s = f.replace(s, s.without(found))
				f.Request(fetch.Request{})
			}
		case err := <-ended:
			if first != nil {
				select {
				case first <- err:
				case <-ctx.Done():
				}
				first = nil
			}
			requests = f.requests
			if every := f.every(s); every > 0 {
				refresh = time.After(varied(every))
			}
		case r := <-requests:
			requests, refresh = nil, nil
			go round(s, r, true)
		case <-refresh:
			requests, refresh = nil, nil
			go round(s, fetch.Request{}, false)
		}
	}
}

// every returns how often to check the source; 0 means never.
func (f *Feed) every(s State) time.Duration {
	switch {
	case f.from.IsFixed():
	case f.Refresh != nil && (*f.Refresh > 0 || !s.isLost()):
		return *f.Refresh
	case f.from.IsRemote() || s.Published || s.isLost():
		return DefaultRefresh
	}
	return 0
}

// replace announces a new State in place of an old one, and drops what only the old one had.
func (f *Feed) replace(before, s State) State {
	used := s.live()
	maps.Copy(used, before.live())
	s = s.at(f.Now(), f.KeepFor, f.Keep)
	fetch.LogCrash(f.Log, fetch.Recovered(func() error {
		f.announce(s)
		if s.Serve != before.Serve && s.Serve != nil {
			line := f.Log.Info()
			if s.Published {
				line = line.Uint64("sequence", s.Manifest.Sequence)
			}
			v := s.Serve.Value
			line.Str("data", f.from.Name()).Int("pubs", v.Len()).Int("rated", v.Rated()).Str("snapshot", v.ID()).
				Str("from", s.Serve.From).Int64("bytes", v.Size()).Int64("read_ms", s.Serve.ReadTook.Milliseconds()).
				Int64("build_ms", s.Serve.BuildTook.Milliseconds()).Int64("load_ms", s.Serve.Took.Milliseconds()).Msg("data loaded")
		}
		return nil
	}))
	live := s.live()
	for v := range used {
		if !live[v] {
			v.Value.Release()
		}
	}
	return s
}

// round checks the source once, given the State at its start, and opens what is missing. It returns an error if there
// is nothing to serve.
func (f *Feed) round(ctx context.Context, s State, request fetch.Request, requested bool, update func(change) State) error {
	r := round{Feed: f, request: request, requested: requested, update: update}
	if requested {
		s = update(func(s State) State {
			s.Since, s.fates = f.Now(), nil
			return s
		})
	}
	isFirst := s.Succeeded+s.Failed == 0
	err := fetch.Recovered(func() error { return r.once(ctx, s) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var before State
	var counted bool
	after := update(func(s State) State {
		before = s
		s.Loads, counted = s.Loads.ended(f.Now(), requested, r.did, err)
		if f.from.IsRemote() || f.every(s) > 0 {
			s.Loads = s.Loads.reached(f.Now(), r.unreachable)
		}
		return s
	})
	isEmpty := isFirst && after.Serve == nil
	after.log(f.Log, "data", before.Loads, err, counted, isEmpty)
	switch {
	case err != nil && isEmpty:
		return err
	case isEmpty:
		f.Log.Info().Time("activate_at", after.Change).Msg("nothing to serve before activate_at")
	}
	return nil
}

// log says what a load of data or keys changed: its error, if it counted and does not end the program, and whether the
// source is reachable.
func (l Loads) log(log fetch.Log, what string, before Loads, err error, counted, isLast bool) {
	switch {
	case l.Unreachable != nil && fmt.Sprint(before.Unreachable) != fmt.Sprint(l.Unreachable):
		log.Warn().Err(l.Unreachable).Str("what", what).Msg("source unreachable; keeping the old one")
	case l.Unreachable == nil && before.Unreachable != nil:
		log.Info().Str("what", what).Msg("source reachable again")
	}
	if counted {
		fetch.LogCrash(log, err)
	}
	if err != nil && counted && !isLast {
		log.Error().Err(err).Str("what", what).Msg("reload rejected; keeping the old one")
	}
}

// ended returns the loads after one that ended with an error or nil. One that nobody requested counts if it did
// something, or if its result is another one than before; that the source is unreachable is no result of it.
func (l Loads) ended(now time.Time, requested, did bool, err error) (after Loads, counted bool) {
	l.Since = time.Time{}
	isNew := did || fmt.Sprint(err) != fmt.Sprint(l.Error)
	switch {
	case !requested && (!isNew || fetch.Unreachable(err) != nil):
		return l, false
	case err != nil:
		l.Failed, l.LastFailure = l.Failed+1, now
	default:
		l.Succeeded, l.LastSuccess = l.Succeeded+1, now
	}
	l.Error = err
	return l, true
}

// reached returns the loads after the source was checked, and reached unless there is an error.
func (l Loads) reached(now time.Time, unreachable error) Loads {
	l.CheckedAt, l.Unreachable = now, unreachable
	if unreachable == nil {
		l.ReachedAt = now
	}
	return l
}

// A round is one check of the source.
type round struct {
	*Feed
	request     fetch.Request
	requested   bool
	update      func(change) State
	did         bool  // whether anything was new
	superseded  bool  // whether a transfer ended because something else is to be opened first
	unreachable error // why the source is; nil if it was reached
}

// once takes the offer of the source or, at a start without a usable one, that of the cache. Then it opens what is
// missing.
func (r *round) once(ctx context.Context, s State) error {
	s, err := r.check(ctx, s)
	r.unreachable = fetch.Unreachable(err)
	switch {
	case err != nil && s.Manifest == nil:
		s, err = r.start(ctx, s, err)
	case r.unreachable != nil && !r.requested:
		return err
	}
	if !s.Published {
		return err
	}
	return join(err, r.openMissing(ctx, s))
}

// check asks the source what there is, and takes it if it is new, or if it is time to try it again.
func (r *round) check(ctx context.Context, s State) (State, error) {
	offer, err := r.source.Next(ctx, s.current(), r.requested)
	isKnown := errors.Is(err, storage.ErrUnchanged) || err == nil && !r.requested && offer.Manifest == nil && offer.Version == s.version
	switch fate := s.fates[fileOf(s.version)]; {
	case isKnown && (fate.Cause == nil || r.Now().Before(fate.Again)):
		return r.update(func(s State) State {
			s.version = offer.Version
			return s
		}), fate.Cause
	case err != nil && !isKnown:
		return s, err
	}
	r.begin()
	return r.take(ctx, offer, s)
}

// join joins errors. Those of an unreachable source, which the State has besides, must not hide others.
func join(errs ...error) error {
	others := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return fetch.Unreachable(err) != nil })
	return cmp.Or(errors.Join(others...), errors.Join(errs...))
}

// start takes what the cache has, because of an error. That the source is unreachable is then no error of loading.
func (r *round) start(ctx context.Context, s State, because error) (State, error) {
	if errors.As(because, new(*fetch.ConfigError)) {
		return s, because
	}
	old, none := r.from.Cached()
	switch {
	case none == fetch.ErrNotCached:
		return s, because
	case none == nil:
		s, none = r.take(ctx, old, s)
	}
	if none != nil {
		return s, fmt.Errorf("%w; %w", because, none)
	}
	return s, startsFromCache(r.Log, "data", because)
}

// begin records that there is something to do.
func (r *round) begin() {
	r.did = true
	r.update(func(s State) State {
		if s.Since.IsZero() {
			s.Since = r.Now()
		}
		return s
	})
}

// take follows the manifest of an offer, or opens its file.
func (r *round) take(ctx context.Context, o fetch.Offer, s State) (State, error) {
	if o.Manifest != nil {
		return r.follow(o), nil
	}
	known := s
	known.version = o.Version
	v, err := r.open(ctx, fetch.Item{File: o}, s, func(ctx context.Context) bool {
		next, err := r.source.Next(ctx, known.current(), false)
		return o.Version != "" && err == nil && next.Version != o.Version
	})
	isNew := err == nil
	switch {
	case err == errSuperseded:
		return r.check(ctx, s)
	case errors.Is(err, storage.ErrUnchanged):
		r.Log.Info().Msg("data unchanged")
		err = nil
	}
	if v != nil {
		o.Version = cmp.Or(v.Fetched, o.Version)
	}
	return r.update(func(s State) State {
		if o.Cached == "" {
			file := fileOf(o.Version)
			s.version, s.fates = o.Version, fates{file: s.fates[file]}.with(file, err, r.Now(), r.every(s))
		}
		if isNew {
			return s.accepting(v, r.Now(), r.Keep)
		}
		return s
	}), err
}

// follow follows the manifest of an offer.
func (r *round) follow(o fetch.Offer) State {
	newest := o.Manifest.Snapshots[0]
	r.Log.Info().Uint64("sequence", o.Manifest.Sequence).Str("snapshot", newest.ID).
		Time("activate_at", newest.ActivateAt).Msg("manifest read")
	return r.update(func(s State) State {
		s.version, s.Manifest, s.content, s.Published, s.fates = o.Version, o.Manifest, o.Content, true, s.fates.of(o.Manifest)
		return s
	})
}

// errSuperseded means that something else is to be opened first.
var errSuperseded = errors.New("something else is to be opened first")

// open opens an item. At each refresh and request meanwhile, it asks whether something else is to be opened first; then
// it ends with errSuperseded. It does so once a round: servers that have one version each, or publications that follow
// each other faster than a transfer takes, would end all transfers.
func (r *round) open(ctx context.Context, what fetch.Item, s State, isSuperseded func(context.Context) bool) (*fetch.Version, error) {
	opening, cancel := context.WithCancelCause(ctx)
	mayEnd := !r.superseded
	var watch sync.WaitGroup
	watch.Go(func() {
		var refresh <-chan time.Time
		if every := r.every(s); every > 0 {
			ticker := time.NewTicker(every)
			defer ticker.Stop()
			refresh = ticker.C
		}
		for {
			select {
			case <-opening.Done():
				return
			case request := <-r.requests:
				defer r.Request(request) // for the next round
			case <-refresh:
			}
			fetch.LogCrash(r.Log, fetch.Recovered(func() error {
				if isSuperseded(opening) && mayEnd && opening.Err() == nil {
					cancel(errSuperseded)
				}
				return nil
			}))
		}
	})
	defer watch.Wait()
	defer cancel(nil)
	v, err := r.source.Open(opening, what, s.current(), r.request)
	if err != nil && context.Cause(opening) == errSuperseded {
		r.superseded, err = true, errSuperseded
	}
	return v, err
}

// openMissing opens the publications that are needed and missing; one that fails, at most once. It is an error if one
// that is or will be served cannot be opened; the others stay.
func (r *round) openMissing(ctx context.Context, s State) error {
	if r.requested {
		damaged := r.from.Damaged(s.current(), false)
		s = r.update(func(s State) State { return s.without(damaged) })
	}
	var failures []error
	tried := map[string]bool{}
	for ctx.Err() == nil {
		p, isUrgent := s.nextMissing(r.plan(s), tried)
		if p == nil {
			break
		}
		file := fileOfPublication(*p)
		err := s.fates[file].Cause
		if !r.Now().Before(s.fates[file].Again) {
			s, err = r.prepare(ctx, *p, s, tried)
		}
		if err == nil || err == errSuperseded {
			continue
		}
		tried[file] = true
		if r.unreachable = cmp.Or(r.unreachable, fetch.Unreachable(err)); isUrgent || fetch.Unreachable(err) == nil {
			failures = append(failures, err)
		}
	}
	if r.did && ctx.Err() == nil {
		r.from.Prune(s.Manifest)
	}
	return join(failures...)
}

func (r *round) plan(s State) manifest.Plan { return s.Manifest.Plan(r.Now(), r.KeepFor, r.Keep) }

// prepare opens a publication, unless something else is to be opened first, given what was tried in vain.
func (r *round) prepare(ctx context.Context, p manifest.Snapshot, s State, tried map[string]bool) (State, error) {
	r.begin()
	begun := r.Now()
	v, err := r.open(ctx, fetch.Item{Publication: &p}, s, func(ctx context.Context) bool {
		if offer, err := r.source.Next(ctx, s.current(), false); err == nil {
			s = r.follow(offer)
		}
		now := r.update(func(s State) State { return s })
		if now.Manifest == nil { // the end of the feed
			return false
		}
		next, _ := now.nextMissing(r.plan(now), tried)
		return next == nil || contentOf(*next) != contentOf(p) || next.Index != p.Index
	})
	line := r.Log.Info().Str("snapshot", p.ID)
	switch {
	case err == errSuperseded:
		line.Msg("snapshot not prepared; another one is more urgent")
		return r.update(func(s State) State { return s }), err
	case err == nil:
		v.Took = r.Now().Sub(begun)
		line.Str("from", v.From).Int64("load_ms", v.Took.Milliseconds()).Time("activate_at", p.ActivateAt).Msg("snapshot prepared")
	}
	return r.update(func(s State) State {
		s.fates = s.fates.with(fileOfPublication(p), err, r.Now(), r.every(s))
		if err != nil {
			return s
		}
		return s.with(v)
	}), err
}
