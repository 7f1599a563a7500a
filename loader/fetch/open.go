package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pubd/index"
	"pubd/index/schema"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/disk"
	"pubd/loader/fetch/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// newVersion returns the version of an open index, as a publication of its own.
func newVersion(opened *index.Snapshot, from string) *Version {
	p := manifest.Snapshot{ID: opened.ID(), Source: fmt.Sprintf("%x", opened.Source()), Pubs: opened.Len()}
	return &Version{Value: opened, Publication: p, From: from}
}

// isServed reports whether an intact index of a source is served that a program built with the same extra columns, and
// which is no publication.
func (d *Source) isServed(s Current, source, builder string, extra []schema.ExtraColumn) bool {
	v := s.Serve
	return v != nil && s.Manifest == nil && v.Publication.Source == source && v.Value.BuilderVersion() == builder &&
		slices.Equal(v.Value.Extra(), extra) && d.intact(v, false) == nil
}

// openOffered opens a snapshot file or an index file, from the cache, this machine or another. One from another
// machine is put into the cache.
func (d *Source) openOffered(ctx context.Context, o Offer, s Current, r Request) (*Version, error) {
	switch {
	case o.Cached != "":
		return d.openFile(ctx, o.Cached, s, r)
	case !d.IsRemote():
		return d.openFile(ctx, d.Location.Path(), s, r)
	}
	folder, remove, err := d.cache.tempFolder(d.Location)
	if err != nil {
		return nil, err
	}
	defer remove()
	path, version, err := d.fetchSource(ctx, folder)
	if err != nil {
		return nil, err
	}
	v, err := d.openFile(ctx, path, s, r)
	switch place := d.cache.data(); {
	case errors.Is(err, storage.ErrUnchanged):
		return &Version{Fetched: version}, err
	case err != nil:
		return nil, loader.Reword(err, strings.ReplaceAll(err.Error(), path, d.Name()))
	case place != "":
		if err := os.Rename(path, d.cache.at(place)); err != nil {
			d.Log.Warn().Err(err).Msg("cannot cache the data")
		}
	}
	v.Fetched = version
	return v, nil
}

// openFile opens a snapshot file or an index file, and verifies it. If it is what is served, the error is
// storage.ErrUnchanged. path is empty for the embedded sample.
func (d *Source) openFile(ctx context.Context, path string, s Current, r Request) (*Version, error) {
	begun := time.Now()
	v, err := d.openOrBuild(ctx, path, s)
	if err != nil {
		return nil, err
	}
	switch p := v.Publication; {
	case d.isServed(s, p.Source, v.Value.BuilderVersion(), v.Value.Extra()):
		err = storage.ErrUnchanged
	default:
		if err = d.checkShrink(d.Name(), p.Pubs, s, r); err == nil {
			err = verify(d.Name(), v.Value)
		}
	}
	if err != nil {
		v.Value.Release()
		return nil, err
	}
	v.Took = time.Since(begun)
	return v, nil
}

// verify checks the answers of an index to sample queries.
func verify(name string, opened *index.Snapshot) error {
	if err := opened.Verify(); err != nil {
		return fmt.Errorf("%s: %w", loader.Visible(name), err)
	}
	return nil
}

// checkShrink is CheckShrink, given what is or was served, unless the loss is accepted.
func (d *Source) checkShrink(name string, pubs int, s Current, r Request) error {
	if r.AcceptShrink {
		return nil
	}
	return CheckShrink(name, s.Pubs, pubs, d.MaxShrink)
}

// CheckShrink returns an error if a snapshot has lost more than a percentage of the pubs that are served.
func CheckShrink(name string, served, pubs int, most float64) error {
	if lost := served - pubs; float64(lost)*100 > most*float64(served) {
		return fmt.Errorf("%s: has %d pubs, and %d are being served: must not lose more than %v %% (--max-shrink)",
			loader.Visible(name), pubs, served, most)
	}
	return nil
}

// openOrBuild opens an index file, or builds a snapshot file.
func (d *Source) openOrBuild(ctx context.Context, path string, s Current) (*Version, error) {
	_, finish := d.Progress("opening", path, false)
	d.clock.At(path)
	isIndex := isIndexFile(ctx, path)
	finish()
	switch err := ctx.Err(); {
	case err != nil:
		return nil, err
	case !isIndex:
		name := d.Name()
		if d.Location.IsLocal() {
			name = d.Location.Path()
		}
		return d.build(ctx, worker.Order{File: path, Name: name, Places: d.Places,
			MaxBadRows: d.MaxBadRows, Extra: d.Extra}, s)
	}
	opened, err := d.openIndex(path)
	switch {
	case err != nil:
		return nil, err
	case d.Places != "":
		opened.Release()
		return nil, fmt.Errorf("%s: is an index file, which has its own gazetteer: build it with pubd build --places, and leave out --places here", d.Name())
	case len(d.Extra) > 0 && !slices.Equal(opened.Extra(), d.Extra):
		d.Log.Warn().Str("data", d.Name()).Any("columns", opened.Extra()).
			Msg("the index file has other extra columns or facets than --extra and --facet: build it with them")
	}
	return newVersion(opened, "index file"), nil
}

// isIndexFile reports whether a regular file can be read and begins like an index file, or has its extension. When the
// context ends, it stops waiting for files, such as some in /proc, that block.
func isIndexFile(ctx context.Context, path string) bool {
	file, _, err := disk.Open(path)
	if err != nil {
		return false // building it says why
	}
	defer file.Close()
	defer context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) })()
	head := make([]byte, 16)
	n, _ := io.ReadFull(file, head)
	return strings.EqualFold(filepath.Ext(path), IndexExtension) || index.IsIndexFile(head[:n])
}

// openIndex opens an index file. A copy of it, which later changes of the file do not affect, may take half of the
// free memory.
func (d *Source) openIndex(path string) (*index.Snapshot, error) {
	_, finish := d.Progress("opening", path, false)
	defer finish()
	d.clock.At(path)
	file, _, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return index.Open(file, worker.FreeMemory().Bytes/2)
}

// openBuilt opens the cached index that this program built from a source with a SHA-256.
func (d *Source) openBuilt(path, source, from string) (*Version, error) {
	opened, err := d.openIndex(path)
	switch {
	case err != nil:
		return nil, err
	case fmt.Sprintf("%x", opened.Source()) != source:
		err = fmt.Errorf("%s: belongs to another snapshot", loader.Visible(path))
	case opened.BuilderVersion() != d.BuilderVersion:
		err = fmt.Errorf("%s: pubd %s built it, this one is %s", loader.Visible(path),
			opened.BuilderVersion(), d.BuilderVersion)
	}
	if err != nil {
		opened.Release()
		return nil, err
	}
	return newVersion(opened, from), nil
}

// build builds a snapshot file into the cache or, without one, into memory, unless the cache has its
// index. If that is what is served, the error is storage.ErrUnchanged.
func (d *Source) build(ctx context.Context, o worker.Order, s Current) (*Version, error) {
	o.Builder, o.Free, o.Patience, o.Background = d.BuilderVersion, worker.FreeMemory(), d.Patience, s.Serve != nil
	c, isServed := d.cache, false
	var ready *Version // from the cache
	var file *atomicfile.File
	var to *os.File
	var uncached error
	if c.folder != "" {
		if file, uncached = c.create(filepath.Join(c.folder, "index")); uncached == nil {
			to = file.File
		}
	}
	read := func(source string) (build bool) {
		if isServed = d.isServed(s, source, d.BuilderVersion, o.Extra); isServed {
			return false
		}
		place := c.built(source, o.MaxBadRows, o.Extra)
		if ready = d.lookUp(place, source); ready != nil {
			return false
		}
		if uncached != nil {
			d.Log.Warn().Err(uncached).Msg("cannot cache the index")
		}
		if file != nil {
			file.SetTarget(place)
		}
		d.clock.Pause() // the worker limits its own accesses
		return true
	}
	part := "reading"
	d.clock.At(o.File)
	show, finish := d.Progress(part, o.Name, true)
	defer func() { finish() }()
	result, err := worker.Build(ctx, o, to, worker.Hooks{Read: read,
		Progress: func(now string, done, total int64) {
			if now != part {
				finish()
				part = now
				show, finish = d.Progress(now, o.Name, false)
			}
			show(done, total)
		}})
	if file != nil {
		if err = c.end(file, result.Built, err); err == nil && result.Built {
			d.warnUnclean(c.pruneBuilds())
		}
	}
	if !d.guard.isCache(err) { // otherwise it is built again, without the cache
		for _, w := range result.Warnings {
			d.warn(o.Name, w)
		}
	}
	switch {
	case err != nil || ready != nil:
		return ready, err
	case isServed:
		return nil, storage.ErrUnchanged
	}
	v, err := d.openResult(o, result)
	if err == nil {
		v.ReadTook, v.BuildTook = result.ReadTook, result.BuildTook
	}
	return v, err
}

// lookUp returns the index of a source with a SHA-256 from its place in the cache; nil if there is none.
func (d *Source) lookUp(place, source string) *Version {
	if place == "" || !d.cache.touch(place) {
		return nil
	}
	ready, err := d.openBuilt(place, source, "cache")
	if err != nil {
		d.Log.Warn().Err(err).Msg("cached index unusable; rebuilding it")
		return nil
	}
	return ready
}

// openResult opens what was built.
func (d *Source) openResult(o worker.Order, result worker.Result) (*Version, error) {
	if result.Index == nil {
		return d.openBuilt(d.cache.built(result.Source, o.MaxBadRows, o.Extra), result.Source, "build")
	}
	defer result.Index.Close()
	opened, err := index.Open(result.Index, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", loader.Visible(o.Name), err)
	}
	return newVersion(opened, "build"), nil
}

// warn logs a warning about a snapshot file.
func (d *Source) warn(name string, w worker.Warning) {
	line := d.Log.Warn().Str("data", name)
	if w.Error != "" {
		line = line.Str("error", w.Error)
	}
	if w.Columns != nil {
		line = line.Strs("columns", w.Columns)
	}
	line.Msg(w.Message)
}
