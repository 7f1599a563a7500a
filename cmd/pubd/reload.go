package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"pubd/data"
	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/index"
	"pubd/loader"
)

// A program is a server with what it is serving. One goroutine loads data, another keys, so that a
// revocation does not wait for a build; loading never disturbs requests.
type program struct {
	*serveCommand
	terminal
	log     *logSink
	service *httpapi.Service
	source  [sha256.Size]byte // of the data that is served
	pubs    int               // in it
	reads   attempts
}

// reload loads keys or data. What fails changes nothing and says why.
func (p *program) reload(what string, load func() error) {
	if err := load(); err != nil {
		p.service.ReportReload(what, err)
		p.log.Error().Err(err).Str("what", what).Msg("reload refused; the old one stays")
	}
}

// inBackground loads while requests go first. Besides those that the requests have, the load gets a processor of Go's, and the
// collector that it keeps busy another: else requests would queue behind them for as long as 10 ms. It steps aside every
// millisecond, which takes it a third more time beside a busy server.
func (p *program) inBackground(load func() error) error {
	processors := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(processors + 2)
	defer runtime.GOMAXPROCS(processors)
	defer collectLess()()
	thread, done := make(chan *lowly), make(chan error)
	go func() {
		thread <- yieldToRequests()
		done <- p.guarded(load)
	}()
	loading := <-thread
	often := time.NewTicker(time.Millisecond)
	defer often.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-often.C:
			loading.stepAside()
		}
	}
}

// spareHeap is about how much garbage a reload may make before it is collected, in bytes. Collecting holds requests up more
// than building does.
const spareHeap = 256 << 20

// collectLess lets the heap grow by spareHeap between two collections, where it would grow by less, until undo is called. The
// memory limit holds all the same.
func collectLess() (undo func()) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	percent := int(100 * spareHeap / memory.HeapAlloc)
	before := debug.SetGCPercent(percent)
	if before < 0 || before > percent {
		debug.SetGCPercent(before)
	}
	return func() { debug.SetGCPercent(before) }
}

// guarded turns a panic into an error.
func (p *program) guarded(load func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			p.log.Error().Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("loading broke off")
			err = fmt.Errorf("loading broke off: %v", cause)
		}
	}()
	return load()
}

// A keyFile is what a key file holds, and what is doubtful about its mode.
type keyFile struct {
	set     *keys.Set
	warning error
}

// loadKeys publishes the key file, or the demo key where there is none.
func (p *program) loadKeys() error {
	p.service.ReportLoading("keys")
	set := keys.Demo()
	if p.Keys != "" {
		file, err := attempt(p, p.Keys, func(context.Context) (keyFile, error) {
			set, warning, err := keys.Load(p.Keys)
			return keyFile{set, warning}, err
		})
		if err != nil {
			return err
		}
		if file.warning != nil {
			p.log.Warn().Err(file.warning).Msg("key file is exposed")
		}
		set = file.set
	}
	p.service.PublishKeys(set)
	p.service.ReportReload("keys", nil)
	p.log.Info().Int("keys", set.Len()).Msg("keys loaded")
	return nil
}

// loadData publishes the snapshot file, or the embedded sample. Bytes that are served already are not built again.
func (p *program) loadData() error {
	p.service.ReportLoading("data")
	begun := time.Now()
	name, content := cmp.Or(p.Data, data.SampleName), data.Sample()
	reading := p.progress("reading", name, true)
	defer reading.finish()
	if p.Data != "" {
		var err error
		if content, err = attempt(p, p.Data, func(ctx context.Context) ([]byte, error) { return loader.ReadFileWithin(ctx, p.Data, freeMemory()) }); err != nil {
			return noRoom(err)
		}
	}
	source := sha256.Sum256(content)
	if source == p.source {
		p.service.ReportReload("data", nil)
		p.log.Info().Msg("data unchanged")
		return nil
	}
	defer debug.FreeOSMemory() // loading takes several times the memory that serving needs, and freeMemory goes by what is live
	options := loader.Options{MaxBadRows: p.MaxBadRows, Room: freeMemory(), Progress: reading.show}
	loaded, err := loader.Load(name, content, options)
	if room := new(loader.RoomError); errors.As(err, &room) && p.dropKept() {
		options.Room = freeMemory() + int64(len(content)) // which is live by now
		loaded, err = loader.Load(name, content, options)
	}
	reading.finish()
	if err != nil {
		return noRoom(err)
	}
	pubs := len(loaded.Directory.Pubs)
	if lost := p.pubs - pubs; float64(lost)*100 > p.MaxShrink*float64(p.pubs) {
		return fmt.Errorf("%s: has %d pubs where %d are served: must not lose more than %v %% (--max-shrink)", name, pubs, p.pubs, p.MaxShrink)
	}
	p.logLoaded(name, loaded)
	read := time.Now()
	indexing := p.progress("building", name, false)
	defer indexing.finish()
	snapshot, err := index.InMemory(loaded.Directory, index.BuildOptions{Source: source, Workers: p.workers()})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := snapshot.Verify(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.service.Publish(snapshot)
	indexing.finish()
	p.source, p.pubs = source, pubs
	p.log.Info().Str("data", name).Int("pubs", pubs).Int("rated", snapshot.Rated()).Str("snapshot", p.service.Readiness().Snapshot).
		Int64("read_ms", read.Sub(begun).Milliseconds()).Int64("build_ms", time.Since(read).Milliseconds()).
		Msg("data loaded")
	return nil
}

// progress tells of a part of loading that takes long: in the log where there is no terminal. It counts bytes, or nothing.
func (p *program) progress(part, name string, bytes bool) *progress {
	return startProgress(p.err, part+" "+name, bytes, func(state string) {
		p.log.Info().Str("data", name).Str("progress", state).Msg(part)
	})
}

// logLoaded names what of a good snapshot was passed over.
func (p *program) logLoaded(name string, loaded *loader.Result) {
	if len(loaded.Ignored) > 0 {
		p.log.Warn().Str("data", name).Strs("columns", loaded.Ignored).Msg("unknown columns ignored")
	}
	for _, complaint := range loaded.Skipped {
		p.log.Warn().Err(complaint).Msg("wrong row skipped")
	}
}

// workers is how many cores building may take: all before there are requests to serve, then one.
func (p *program) workers() int {
	if p.pubs > 0 {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}
