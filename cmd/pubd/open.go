package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"pubd/index"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/feed/worker"
)

// A loadedIndex is an open index, and where it comes from.
type loadedIndex struct {
	*index.Snapshot
	from        string // "index file", "cache" or "build"
	read, build time.Duration
	version     string // of the published file that was downloaded
}

// pubs returns the number of pubs in the current snapshot.
func (r *reloader) pubs() int {
	if r.served == nil {
		return 0
	}
	return r.served.Len()
}

// isServing reports whether any snapshot is served.
func (r *reloader) isServing() bool {
	return r.served != nil || r.replica != nil && r.replica.pubs() > 0
}

// isServed reports whether an index is the current one, built from the same bytes by the same program, and the current one is intact.
func (r *reloader) isServed(s *index.Snapshot) bool {
	return r.isServedAs(fmt.Sprintf("%x", s.Source()), s.Builder(), s.Extra())
}

// isServedAs is isServed for the index of a file with a SHA-256.
func (r *reloader) isServedAs(source, builder string, extra []string) bool {
	return r.served != nil && fmt.Sprintf("%x", r.served.Source()) == source && r.served.Builder() == builder &&
		slices.Equal(r.served.Extra(), extra) && isIntact(r.log, r.served)
}

// isIntact reports whether a served index is intact, and otherwise logs the damage.
func isIntact(log *logSink, s *index.Snapshot) bool {
	err := s.Intact()
	if err != nil {
		log.Warn().Err(err).Str("snapshot", s.ID()).Msg("the index being served is damaged; replacing it")
	}
	return err == nil
}

// open opens an index file, or builds a snapshot file; nil means that it is the current one. path is empty for the embedded sample; name is
// the name in complaints.
func (r *reloader) open(path, name string) (*loadedIndex, error) {
	if path != "" {
		opened, err := r.openIndex(path)
		if opened != nil && len(r.Extra) > 0 && !slices.Equal(opened.Extra(), r.Extra) {
			r.log.Warn().Str("data", name).Strs("columns", opened.Extra()).Msg("the index file has other extra columns than --extra: build it with pubd build --extra")
		}
		if opened != nil && r.Places != "" {
			return nil, fmt.Errorf("%s: is an index file, which has its own gazetteer: build it with pubd build --places, and leave out --places here", loader.Visible(name))
		}
		if opened != nil || err != nil {
			return opened, err
		}
	}
	if r.served != nil {
		runtime.GC() // finds the snapshots that are no longer in use, so that they are unmapped
	}
	return r.build(worker.Order{File: path, Name: name, Places: r.Places, MaxBadRows: r.MaxBadRows, Extra: r.Extra})
}

// build builds a snapshot file into the cache or, if that is not possible, into memory.
func (r *reloader) build(o worker.Order) (*loadedIndex, error) {
	built, err := r.buildInto(r.Cache, o)
	if r.Cache != "" && errors.Is(err, worker.ErrUnwritable) {
		r.log.Warn().Err(err).Msg("cannot cache the index")
		return r.buildInto("", o)
	}
	return built, err
}

// openIndex opens an index file; it returns nil if the file is not one, which its builder complains about.
func (r *reloader) openIndex(path string) (*loadedIndex, error) {
	bar := r.progress("opening", path, false)
	defer bar.finish()
	opened, err := attempt(&r.data.reads, path, func(ctx context.Context) (*index.Snapshot, error) {
		file := openIndexFile(ctx, path)
		if file == nil {
			return nil, nil
		}
		defer file.Close()
		// A copy is not affected by changes to the file, and may take half of the free memory.
		return index.Open(file, worker.FreeMemory().Bytes/2)
	})
	if opened == nil || err != nil {
		return nil, err
	}
	return &loadedIndex{Snapshot: opened, from: "index file"}, nil
}

// openCached opens the cached index that this program built from the snapshot with a SHA-256.
func (r *reloader) openCached(path, source string) (*loadedIndex, error) {
	opened, err := r.openIndex(path)
	switch {
	case err != nil:
		return nil, err
	case opened == nil:
		return nil, fmt.Errorf("%s: is not an index file", loader.Visible(path))
	case fmt.Sprintf("%x", opened.Source()) != source:
		return nil, fmt.Errorf("%s: belongs to another snapshot", loader.Visible(path))
	case opened.Builder() != builderVersion():
		return nil, fmt.Errorf("%s: pubd %s built it, this one is %s", loader.Visible(path), opened.Builder(), builderVersion())
	}
	opened.from = "cache"
	return opened, nil
}

// buildInto lets a worker build a snapshot file, into a cache or, if that is empty, into memory, and opens the result, or the index of it that the
// cache has.
func (r *reloader) buildInto(cache string, o worker.Order) (*loadedIndex, error) {
	name := o.Name
	part, bar := "reading", r.progress("reading", name, true)
	defer func() { bar.finish() }()
	var cached *loadedIndex
	var file *atomicfile.File
	var place string
	isServed := false
	hooks := worker.Hooks{
		Read: func(source string) (into string, build bool) {
			if isServed = r.isServedAs(source, builderVersion(), o.Extra); isServed {
				return "", false
			}
			if cache == "" {
				return "", true
			}
			place = cacheName(cache, source, o.MaxBadRows, o.Extra)
			if touch(place) {
				var err error
				if cached, err = r.openCached(place, source); err == nil {
					return "", false
				}
				r.log.Warn().Err(err).Msg("cached index unusable; rebuilding it")
			}
			var err error
			if file, err = createInCache(place); err != nil {
				r.log.Warn().Err(err).Msg("cannot cache the index")
				return "", true
			}
			return file.Name(), true
		},
		Progress: func(now string, done, total int64) {
			if now != part {
				bar.finish()
				part, bar = now, r.progress(now, name, false)
			}
			bar.show(done, total)
		},
		Warn: func(w worker.Warning) {
			line := r.log.Warn().Str("data", name)
			if w.Error != "" {
				line = line.Str("error", w.Error)
			}
			if w.Columns != nil {
				line = line.Strs("columns", w.Columns)
			}
			line.Msg(w.Message)
		},
	}
	o.Builder, o.Free, o.Background = builderVersion(), worker.FreeMemory(), r.isServing()
	result, err := r.builder.Build(r.ctx, o, hooks)
	if file != nil {
		if err == nil {
			err = errors.Join(file.Commit(), prune(cache))
		} else {
			file.Abort()
		}
	}
	switch {
	case err != nil:
		return nil, err
	case isServed:
		return nil, nil
	case cached != nil:
		return cached, nil
	case file != nil:
		opened, err := r.openCached(place, result.Source)
		if err != nil {
			return nil, err
		}
		return &loadedIndex{Snapshot: opened.Snapshot, from: "build", read: result.Read, build: result.Build}, nil
	}
	defer result.Index.Close()
	opened, err := index.Open(result.Index, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", loader.Visible(name), err)
	}
	return &loadedIndex{Snapshot: opened, from: "build", read: result.Read, build: result.Build}, nil
}

// progress shows the progress of a slow part of loading, in the log if there is no terminal, in bytes or without a unit.
func (r *reloader) progress(part, name string, bytes bool) *progress {
	return startProgress(r.err, part+" "+name, bytes, func(state string) {
		r.log.Info().Str("data", name).Str("progress", state).Msg(part)
	})
}

// checkShrink returns an error if a snapshot has lost more than a percentage of the current pubs.
func checkShrink(name string, served, pubs int, most float64) error {
	if lost := served - pubs; float64(lost)*100 > most*float64(served) {
		return fmt.Errorf("%s: has %d pubs, and %d are being served: must not lose more than %v %% (--max-shrink)", loader.Visible(name), pubs, served, most)
	}
	return nil
}
