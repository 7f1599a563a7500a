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
)

// A loadedIndex is an open index, and where it comes from.
type loadedIndex struct {
	*index.Snapshot
	from        string // "index file", "cache" or "build"
	read, build time.Duration
}

// pubs returns the number of pubs in the current snapshot.
func (r *reloader) pubs() int {
	if r.served == nil {
		return 0
	}
	return r.served.Len()
}

// isServed reports whether an index is the current one: built from the same bytes by the same program.
func (r *reloader) isServed(s *index.Snapshot) bool {
	return r.served != nil && s.Source() == r.served.Source() && s.Builder() == r.served.Builder() &&
		slices.Equal(s.Extra(), r.served.Extra())
}

// open opens an index file, or builds a snapshot file; nil means that it is the current one. path is empty for the embedded sample; name is
// the name in complaints.
func (r *reloader) open(path, name string, maxShrink float64) (*loadedIndex, error) {
	if path != "" {
		opened, err := r.openIndex(path)
		if opened != nil && len(r.Extra) > 0 && !slices.Equal(opened.Extra(), r.Extra) {
			r.log.Warn().Str("data", name).Strs("columns", opened.Extra()).Msg("the index file has other extra columns than --extra: build it with pubd build --extra")
		}
		if opened != nil || err != nil {
			return opened, err
		}
	}
	if r.served != nil {
		runtime.GC() // finds the snapshots that are no longer in use, so that they are unmapped
	}
	order := buildOrder{File: path, Name: name, MaxBadRows: r.MaxBadRows, Extra: r.Extra, Room: r.room(), ServedPubs: r.pubs(), MaxShrink: maxShrink,
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

// processMemory is the memory of a build process regardless of its snapshot, in bytes: 16 MB measured.
const processMemory = 16 << 20

// room returns how many bytes of memory are available to build a snapshot and to serve it.
func (r *reloader) room() int64 {
	free := freeMemory(r.limit)
	if unlimited(free) {
		return free
	}
	return max(free-processMemory, 1)
}

// openIndex opens an index file; it returns nil if the file is not one, which its builder complains about.
func (r *reloader) openIndex(path string) (*loadedIndex, error) {
	bar := r.progress("opening", path, false)
	defer bar.finish()
	opened, err := attempt(&r.files, path, func(ctx context.Context) (*index.Snapshot, error) {
		file := openIndexFile(ctx, path)
		if file == nil {
			return nil, nil
		}
		defer file.Close()
		// A copy is not affected by changes to the file, and may take half of the free memory.
		return index.Open(file, freeMemory(r.limit)/2)
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

// build lets a process execute an order, and opens the result.
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
			r.log.Warn().Str("data", order.name()).Strs("columns", report.Columns).Msg("columns of --extra not found")
		case reportSkipped:
			r.log.Warn().Str("error", report.Text).Msg("wrong row skipped")
		case reportUncached:
			r.log.Warn().Str("error", report.Text).Msg("cannot cache the index")
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
			r.log.Warn().Err(err).Msg("cached index unusable; rebuilding it")
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

// progress shows the progress of a slow part of loading, in the log if there is no terminal, in bytes or without a unit.
func (r *reloader) progress(part, name string, bytes bool) *progress {
	return startProgress(r.err, part+" "+name, bytes, func(state string) {
		r.log.Info().Str("data", name).Str("progress", state).Msg(part)
	})
}

// dropHistory drops the kept snapshots, and reports whether there were any.
func (r *reloader) dropHistory() bool {
	kept, free := r.service.Kept(), freeMemory(r.limit)
	if kept == 0 {
		return false
	}
	r.service.DropHistory()
	// The collector finds that they are no longer in use, and then they are unmapped. A kept snapshot is about as large as the current one.
	for range 20 {
		runtime.GC()
		if freeMemory(r.limit) > free+r.served.Size()/2 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.log.Warn().Int("kept", kept).Int64("memory_limit", r.limit).Msg("kept snapshots dropped to free memory")
	return true
}
