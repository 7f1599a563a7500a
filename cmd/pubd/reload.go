package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"pubd/data"
	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/index"
	"pubd/loader"
)

// A reloader owns what a server serves: it loads keys and data at the start and at each SIGHUP, counts and reports how that ended, and
// publishes what is good. What fails changes nothing and says why; loading never disturbs requests. One goroutine loads keys and
// another data, so that a revocation does not wait for a build.
type reloader struct {
	*serveCommand
	terminal
	log     *logSink
	service *httpapi.Service
	files   attempts
	builder builder
	limit   int64           // of memory, in bytes
	ctx     context.Context // ends building processes
	served  *index.Snapshot // nil before the first
}

func newReloader(ctx context.Context, c *serveCommand, t terminal, log *logSink, service *httpapi.Service, memoryLimit int64) *reloader {
	return &reloader{serveCommand: c, terminal: t, log: log, service: service, limit: memoryLimit, ctx: ctx,
		files: attempts{limit: c.FileTimeout}, builder: builder{fileTimeout: c.FileTimeout, limit: memoryLimit}}
}

// run loads data for the first time and says on first how that ended. Then it loads keys and data for each signal, those that arrive
// while one waits being one, until there are no more signals.
func (r *reloader) run(hangups <-chan os.Signal, stop <-chan struct{}, first chan<- error) {
	data := make(chan struct{}, 1)
	go func() {
		first <- r.load("data", r.loadData)
		for range data {
			r.reload("data", r.loadData)
		}
	}()
	defer close(data)
	for {
		select {
		case <-stop:
			return
		case <-hangups:
		}
		r.reload("keys", r.loadKeys)
		select {
		case data <- struct{}{}:
		default:
		}
	}
}

// load loads keys or data and reports how that ended.
func (r *reloader) load(what string, load func() error) error {
	r.service.ReportLoading(what)
	err := recovered(load)
	if broken := new(panicError); errors.As(err, &broken) {
		r.log.Error().Str("panic", fmt.Sprint(broken.cause)).Bytes("stack", broken.stack).Msg("loading broke off")
	}
	if failure := new(buildFailure); errors.As(err, &failure) && failure.stderr != "" {
		r.log.Error().Str("stack", failure.stderr).Msg("loading broke off")
	}
	r.service.ReportReload(what, err)
	return err
}

// reload is load where there is an old one to stay with.
func (r *reloader) reload(what string, load func() error) {
	if err := r.load(what, load); err != nil {
		r.log.Error().Err(err).Str("what", what).Msg("reload refused; the old one stays")
	}
}

// A keyFile is what a key file holds, and what is doubtful about its mode.
type keyFile struct {
	set     *keys.Set
	warning error
}

// loadKeys publishes the key file, or the demo key without one.
func (r *reloader) loadKeys() error {
	set := keys.Demo()
	if r.Keys != "" {
		file, err := attempt(&r.files, r.Keys, func(context.Context) (keyFile, error) {
			set, warning, err := keys.Load(r.Keys)
			return keyFile{set, warning}, err
		})
		if err != nil {
			return err
		}
		if file.warning != nil {
			r.log.Warn().Err(file.warning).Msg("key file is exposed")
		}
		set = file.set
	}
	r.service.PublishKeys(set)
	r.log.Info().Int("keys", set.Len()).Msg("keys loaded")
	return nil
}

// A loadedIndex is an index that was opened, and how it came to be.
type loadedIndex struct {
	*index.Snapshot
	from        string // "index file", "cache" or "build"
	read, build time.Duration
}

// loadData publishes the index of the snapshot that --data names, or that of the embedded sample. One that is served already is not
// published again.
func (r *reloader) loadData() error {
	begun := time.Now()
	name := r.dataName()
	loaded, err := r.open()
	if err != nil {
		return err
	}
	if loaded == nil || r.isServed(loaded.Snapshot) {
		r.log.Info().Msg("data unchanged")
		return nil
	}
	if err := checkShrink(name, r.pubs(), loaded.Len(), r.MaxShrink); err != nil {
		return err
	}
	if err := loaded.Verify(); err != nil {
		return fmt.Errorf("%s: %w", loader.Visible(name), err)
	}
	r.served = loaded.Snapshot
	r.service.Publish(loaded.Snapshot)
	r.log.Info().Str("data", name).Int("pubs", loaded.Len()).Int("rated", loaded.Rated()).Str("snapshot", loaded.ID()).
		Str("from", loaded.from).Int64("bytes", loaded.Size()).Int64("read_ms", loaded.read.Milliseconds()).
		Int64("build_ms", loaded.build.Milliseconds()).Int64("load_ms", time.Since(begun).Milliseconds()).Msg("data loaded")
	return nil
}

// dataName is what log and complaints call the data.
func (r *reloader) dataName() string {
	if r.Data == "" {
		return data.SampleName
	}
	return r.Data
}

// pubs is how many pubs are served.
func (r *reloader) pubs() int {
	if r.served == nil {
		return 0
	}
	return r.served.Len()
}

// isServed reports whether an index is the one that is served: the same program built it from the same bytes.
func (r *reloader) isServed(s *index.Snapshot) bool {
	return r.served != nil && s.Source() == r.served.Source() && s.Builder() == r.served.Builder() &&
		slices.Equal(s.Extra(), r.served.Extra())
}

// open opens the index file that --data names, or has the snapshot file built; nil means that this one is served.
func (r *reloader) open() (*loadedIndex, error) {
	if r.Data != "" {
		opened, err := r.openIndex(r.Data)
		if opened != nil && len(r.Extra) > 0 && !slices.Equal(opened.Extra(), r.Extra) {
			r.log.Warn().Str("data", r.Data).Strs("columns", opened.Extra()).Msg("the index file has other further columns than --extra: build it with pubd build --extra")
		}
		if opened != nil || err != nil {
			return opened, err
		}
	}
	if r.served != nil {
		runtime.GC() // which finds the snapshots that nobody reads any more; then they are unmapped
	}
	order := buildOrder{File: r.Data, MaxBadRows: r.MaxBadRows, Extra: r.Extra, Room: r.room(), ServedPubs: r.pubs(), MaxShrink: r.MaxShrink,
		Cache: r.Cache, Background: r.served != nil}
	if r.served != nil && r.served.Builder() == builderVersion() && slices.Equal(r.served.Extra(), r.Extra) {
		order.Served = fmt.Sprintf("%x", r.served.Source())
	}
	opened, err := r.build(order)
	if room := new(loader.RoomError); errors.As(err, &room) && r.dropHistory() {
		order.Room = r.room()
		opened, err = r.build(order)
	}
	return opened, err
}

// processMemory is what a building process takes however small its snapshot is, in bytes: 16 MB measured.
const processMemory = 16 << 20

// room returns how many bytes of memory are there to build a snapshot and to serve it.
func (r *reloader) room() int64 {
	free := freeMemory(r.limit)
	if unlimited(free) {
		return free
	}
	return max(free-processMemory, 1)
}

// openIndex opens an index file; it returns nil for a file that is none, which its builder complains about.
func (r *reloader) openIndex(path string) (*loadedIndex, error) {
	bar := r.progress("opening", path, false)
	defer bar.finish()
	opened, err := attempt(&r.files, path, func(ctx context.Context) (*index.Snapshot, error) {
		file := openIndexFile(ctx, path)
		if file == nil {
			return nil, nil
		}
		defer file.Close()
		// A copy does not notice what happens to the file, and may take half of the memory there is.
		return index.Open(file, freeMemory(r.limit)/2)
	})
	if opened == nil || err != nil {
		return nil, err
	}
	return &loadedIndex{Snapshot: opened, from: "index file"}, nil
}

// openCached opens an index of the cache that this program built of the snapshot with a SHA-256.
func (r *reloader) openCached(path, source string) (*loadedIndex, error) {
	opened, err := r.openIndex(path)
	switch {
	case err != nil:
		return nil, err
	case opened == nil:
		return nil, fmt.Errorf("%s: is no index file", loader.Visible(path))
	case fmt.Sprintf("%x", opened.Source()) != source:
		return nil, fmt.Errorf("%s: is that of another snapshot", loader.Visible(path))
	case opened.Builder() != builderVersion():
		return nil, fmt.Errorf("%s: pubd %s built it, this one is %s", loader.Visible(path), opened.Builder(), builderVersion())
	}
	opened.from = "cache"
	return opened, nil
}

// build has a process carry out an order, and opens the result.
func (r *reloader) build(order buildOrder) (*loadedIndex, error) {
	part, bar := "reading", r.progress("reading", order.name(), true)
	defer func() { bar.finish() }()
	file, err := newAnonymousFile()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", loader.Visible(order.name()), err)
	}
	defer file.Close()
	end, err := r.builder.run(r.ctx, order, file, func(report buildReport) {
		switch report.Kind {
		case reportProgress:
			if report.Part != part {
				bar.finish()
				part, bar = report.Part, r.progress(report.Part, order.name(), false)
			}
			bar.show(report.Done, report.Total)
		case reportHint:
			r.log.Warn().Str("error", report.Text).Msg("likely mistake")
		case reportIgnored:
			r.log.Warn().Str("data", order.name()).Strs("columns", report.Columns).Msg("unknown columns ignored")
		case reportAbsent:
			r.log.Warn().Str("data", order.name()).Strs("columns", report.Columns).Msg("columns of --extra are not there")
		case reportSkipped:
			r.log.Warn().Str("error", report.Text).Msg("wrong row skipped")
		case reportUncached:
			r.log.Warn().Str("error", report.Text).Msg("index not cached")
		}
	})
	if err != nil {
		return nil, err
	}
	switch end.Kind {
	case reportUnchanged:
		return nil, nil
	case reportCached:
		opened, err := r.openCached(end.Path, end.Source)
		if err != nil {
			r.log.Warn().Err(err).Msg("cached index not used; it is built again")
			order.Rebuild = true
			return r.build(order)
		}
		return opened, nil
	}
	readOnly, err := sealed(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", loader.Visible(order.name()), err)
	}
	defer readOnly.Close()
	opened, err := index.Open(readOnly, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", loader.Visible(order.name()), err)
	}
	return &loadedIndex{opened, "build", end.Read, end.Build}, nil
}

// progress reports a part of loading that takes long: in the log where there is no terminal. It counts bytes, or nothing.
func (r *reloader) progress(part, name string, bytes bool) *progress {
	return startProgress(r.err, part+" "+name, bytes, func(state string) {
		r.log.Info().Str("data", name).Str("progress", state).Msg(part)
	})
}

// dropHistory lets the kept snapshots go, and reports whether there were any.
func (r *reloader) dropHistory() bool {
	kept, free := r.service.Kept(), freeMemory(r.limit)
	if kept == 0 {
		return false
	}
	r.service.DropHistory()
	// The collector finds that nobody holds them, and then they are unmapped. A kept snapshot is about as large as the one served.
	for range 20 {
		runtime.GC()
		if freeMemory(r.limit) > free+r.served.Size()/2 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.log.Warn().Int("kept", kept).Int64("memory_limit", r.limit).Msg("kept snapshots let go for memory")
	return true
}
