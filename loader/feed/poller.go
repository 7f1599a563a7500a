package feed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"

	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/fetch"
	"pubd/loader/storage"
)

// PollerOptions configure a poller.
type PollerOptions[T any] struct {
	// What is what the file has, such as "keys", in the names of files and in the log.
	What string
	// Location is where it is; the zero Location stands for Default, which never changes.
	Location storage.Location
	Default  T
	// Cache is a folder for what was fetched; empty if there is none.
	Cache string
	// Load loads a local file, and Parse parses one of at most MaxSize bytes from elsewhere, whose name is for errors.
	Load    func(ctx context.Context, path string) (T, error)
	Parse   func(name string, content []byte) (T, error)
	MaxSize int64
	// Loaded receives each value that was loaded, after Announce, which receives the one in use at each change.
	Announce func(value T, l Loads)
	Loaded   func(value T)
	// Refresh is how often to check the source; nil means 30 s if it is remote, otherwise never, as 0.
	Refresh *time.Duration
	// Patience is how long reading it may take.
	Patience time.Duration
	Log      fetch.Log
}

// A Poller keeps the value of a small file, such as one of keys, up to date. What cannot be loaded is tried again at
// each refresh, and changes nothing but the Loads.
type Poller[T any] struct {
	PollerOptions[T]
	cache    fetch.Cache
	guard    *fetch.Guard
	storage  *storage.Client
	requests chan struct{}
}

// An entry is a value, and the version of the file that it is from; empty if that is unknown.
type entry[T any] struct {
	value   T
	version string
}

// NewPoller returns a poller.
func NewPoller[T any](o PollerOptions[T]) *Poller[T] {
	return &Poller[T]{o, fetch.NewCache(o.Cache, o.Location), &fetch.Guard{Patience: o.Patience, Cache: o.Cache, Log: o.Log}, fetch.NewStorage(o.Patience),
		make(chan struct{}, 1)}
}

// Request has the file read again. It does not wait. Requests that arrive while one is pending count as one.
func (p *Poller[T]) Request() {
	select {
	case p.requests <- struct{}{}:
	default:
	}
}

// Run loads for the first time and sends the result to first: an error if there is no value. Then it follows the source
// until the context ends.
func (p *Poller[T]) Run(ctx context.Context, first chan<- error) {
	e, l, err := p.poll(ctx, entry[T]{}, Loads{}, true)
	select {
	case first <- err:
	case <-ctx.Done():
		return
	}
	for {
		var refresh <-chan time.Time
		if every := p.every(); every > 0 {
			refresh = time.After(varied(every))
		}
		select {
		case <-ctx.Done():
			return
		case <-p.requests:
			e, l, _ = p.poll(ctx, e, l, true)
		case <-refresh:
			e, l, _ = p.poll(ctx, e, l, false)
		}
	}
}

// varied returns a duration give or take a tenth, so that replicas do not ask all at once.
func varied(every time.Duration) time.Duration { return every*9/10 + rand.N(every/5+1) }

// every returns how often to check the source; 0 means never.
func (p *Poller[T]) every() time.Duration {
	switch {
	case p.Location == storage.Location{}:
	case p.Refresh != nil:
		return *p.Refresh
	case !p.Location.IsLocal():
		return DefaultRefresh
	}
	return 0
}

// poll loads the file if it changed or that was requested, given what there is and how it was loaded. It returns an
// error if there is no value.
func (p *Poller[T]) poll(ctx context.Context, e entry[T], l Loads, requested bool) (entry[T], Loads, error) {
	known, isFirst, before := e.version, l.Succeeded+l.Failed == 0, l
	if requested {
		known, l.Since = "", time.Now()
		p.Announce(e.value, l)
	}
	next, err := p.within(ctx, func(ctx context.Context, c fetch.Cache) (entry[T], error) { return p.load(ctx, known, c) })
	away := fetch.Unreachable(err)
	// That the file is wrong or absent remains an error: the same edit may have revoked a key.
	if because := err; isFirst && away != nil && !p.Location.IsLocal() && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
		next, err = p.within(ctx, func(_ context.Context, c fetch.Cache) (entry[T], error) { return p.fromCache(because, c) })
		if err == nil {
			_ = startsFromCache(p.Log, p.What, because)
		}
	}
	if ctx.Err() != nil {
		return e, l, context.Cause(ctx)
	}
	isLoaded := err == nil
	if isLoaded {
		e = next
	}
	if errors.Is(err, storage.ErrUnchanged) {
		err = nil
	}
	l, counted := l.ended(time.Now(), requested, isLoaded, err)
	if !p.Location.IsLocal() || p.every() > 0 {
		l = l.reached(time.Now(), away)
	}
	p.Announce(e.value, l)
	if isLoaded {
		p.Loaded(e.value)
	}
	isEmpty := isFirst && !isLoaded
	l.log(p.Log, p.What, before, err, counted, isEmpty)
	if isEmpty {
		return e, l, err
	}
	return e, l, nil
}

// within does something with the cache, which is none if its disk hangs.
func (p *Poller[T]) within(ctx context.Context, do func(ctx context.Context, c fetch.Cache) (entry[T], error)) (entry[T], error) {
	return fetch.Within(ctx, p.guard, p.Location.String(), func(ctx context.Context, clock *disk.Clock, cached bool) (entry[T], error) {
		if !cached {
			return do(ctx, fetch.NewCache("", p.Location))
		}
		return do(ctx, p.cache.On(clock))
	})
}

// load loads the file. If it is still the known version, the error is storage.ErrUnchanged.
func (p *Poller[T]) load(ctx context.Context, known string, c fetch.Cache) (e entry[T], err error) {
	path := p.Location.Path()
	switch {
	case p.Location == storage.Location{}:
		return entry[T]{value: p.Default}, nil
	case p.Location.IsLocal():
		e.version, err = storage.FileVersion(path)
		switch {
		case err != nil && known != "": // otherwise loading it says more
			return e, &storage.Unreachable{Location: p.Location, Err: loader.Bare(err)}
		case err == nil && e.version == known:
			return e, storage.ErrUnchanged
		}
		e.value, err = p.Load(ctx, path)
		return e, err
	}
	content, version, err := p.storage.ReadAll(ctx, p.Location, known, p.MaxSize)
	switch {
	case err != nil:
		return e, err
	case version != "" && version == known:
		return e, storage.ErrUnchanged
	}
	if e.value, err = p.Parse(p.Location.String(), content); err != nil {
		return e, err
	}
	e.version = version
	if place := c.File(p.What, ""); place != "" {
		if err := c.Keep(place, content, 0o600); err != nil {
			p.Log.Warn().Err(err).Msg("cannot cache the " + p.What)
		}
	}
	return e, nil
}

// fromCache loads the value that an earlier process fetched, because the source is unreachable.
func (p *Poller[T]) fromCache(because error, c fetch.Cache) (e entry[T], err error) {
	o, err := c.Offer(c.File(p.What, ""))
	if err == nil {
		var content []byte
		if content, err = c.Read(o.Cached, p.MaxSize); err == nil {
			e.value, err = p.Parse(p.Location.String(), content)
		}
	}
	if err != nil {
		return e, fmt.Errorf("%w; %w", because, err)
	}
	return e, nil
}

// startsFromCache logs that something of the cache is served because of an error, and returns the error of loading.
func startsFromCache(log fetch.Log, what string, because error) error {
	log.Warn().Err(because).Str("what", what).Msg("serving " + what + " from the cache")
	if fetch.Unreachable(because) != nil {
		return nil
	}
	return because
}
