package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pubd/index"
	"pubd/loader"
	"pubd/loader/feed/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// bring prepares a snapshot of the manifest: it opens its index file from the cache, or downloads, verifies, expands and opens it, and
// checks it with sample queries.
func (r *reloader) bring(s manifest.Snapshot, a ask) (*loadedIndex, error) {
	begun := time.Now()
	l, err := r.data.location.Sibling(s.Index.Key)
	if err != nil {
		return nil, err
	}
	if served := r.replica.pubs(); !s.AcceptShrink && !a.acceptShrink {
		if err := checkShrink(l.String(), served, s.Pubs, r.MaxShrink); err != nil {
			return nil, err
		}
	}
	opened, err := r.published(s, l)
	if s.Origin != nil && (s.Index.Format != index.FormatVersion() || errors.As(err, new(*contentError))) {
		r.log.Warn().Err(err).Str("snapshot", s.ID).Msg("published index unusable; building it from its source")
		var unbuilt error
		switch opened, unbuilt = r.fromOrigin(s); {
		case unbuilt == nil:
			err = nil
		case unreachable(unbuilt) != nil:
			r.log.Warn().Err(unbuilt).Str("snapshot", s.ID).Msg("not built")
		default:
			err = &contentError{unbuildable, fmt.Errorf("%w; not built from its source either: %w", err, unbuilt)}
		}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case fmt.Sprintf("%x", opened.Source()) != s.Source:
		err = fmt.Errorf("%s: is the index of the snapshot %s: must be that of %s (source_sha256)", l, opened.ID(), s.ID)
	case opened.Len() != s.Pubs:
		err = fmt.Errorf("%s: has %d pubs: must have %d (pubs)", l, opened.Len(), s.Pubs)
	default:
		if err = opened.Verify(); err != nil {
			err = fmt.Errorf("%s: %w", l, err)
		}
	}
	if err != nil {
		return nil, &contentError{opened.version, err}
	}
	opened.read = time.Since(begun)
	return opened, nil
}

// fleetFile returns where the cache stores what comes from the manifest; servers of other manifests may share the cache. expanded returns the place of a
// snapshot's index file, and part its place while it is downloaded.
func (r *reloader) fleetFile(name string) string { return r.cached("fleet", r.data.location, "-"+name) }
func (r *reloader) expanded(s manifest.Snapshot) string {
	return r.fleetFile(s.Index.ExpandedSHA256 + indexExtension)
}
func (r *reloader) part(s manifest.Snapshot) string { return r.fleetFile(s.Index.SHA256 + ".part") }

// fromCache opens the index file of a snapshot in the cache; nil if there is none.
func (r *reloader) fromCache(s manifest.Snapshot) (*loadedIndex, error) {
	if r.Cache == "" {
		return nil, nil
	}
	place := r.expanded(s)
	if !touch(place) {
		return nil, nil
	}
	if info, err := os.Stat(place); err != nil || info.Size() != s.Index.ExpandedSize {
		_ = os.Remove(place)
		return nil, fmt.Errorf("%s: has not the %d bytes of index.expanded_size", loader.Visible(place), s.Index.ExpandedSize)
	}
	opened, err := r.openIndex(place)
	if err != nil || opened == nil {
		_ = os.Remove(place)
		return nil, err
	}
	opened.from = "cache"
	return opened, nil
}

// errCache means that the cache cannot be written to.
var errCache = errors.New("cannot use the cache")

// inCache marks an error of a file of the cache as errCache.
func inCache(cache string, err error) error {
	if cache != "" && errors.As(err, new(*fs.PathError)) {
		return fmt.Errorf("%w: %w", errCache, err)
	}
	return err
}

// published opens the published index of a snapshot, from the cache or the storage.
func (r *reloader) published(s manifest.Snapshot, l storage.Location) (*loadedIndex, error) {
	if s.Index.Format != index.FormatVersion() {
		return nil, fmt.Errorf("%s: index.format %d: this program reads %d: publish with the version of pubd that the replicas run", l, s.Index.Format, index.FormatVersion())
	}
	opened, err := r.fromCache(s)
	if err != nil {
		r.log.Warn().Err(err).Msg("cached index unusable; downloading it again")
	}
	if opened == nil {
		opened, err = r.fromStorage(r.Cache, s, l)
	}
	if errors.Is(err, errCache) {
		r.log.Warn().Err(err).Msg("cannot cache the index")
		opened, err = r.fromStorage("", s, l)
	}
	return opened, err
}

// fromOrigin builds the index of a snapshot from the files that were published with it, unless the cache has it.
func (r *reloader) fromOrigin(s manifest.Snapshot) (*loadedIndex, error) {
	o := s.Origin
	if r.Cache != "" {
		if place := cacheName(r.Cache, s.Source, o.MaxBadRows, o.Extra); touch(place) {
			if opened, err := r.openCached(place, s.Source); err == nil {
				opened.from = "build"
				return opened, nil
			}
		}
	}
	folder, remove, err := downloadFolder(r.Cache, r.data.location)
	if err != nil && r.Cache != "" {
		folder, remove, err = downloadFolder("", r.data.location)
	}
	if err != nil {
		return nil, err
	}
	defer remove()
	ctx, cancel := context.WithTimeout(r.ctx, downloadTimeout)
	defer cancel()
	named, err := r.data.location.Sibling(o.Files[0].Name) // its extension is the format
	if err != nil {
		return nil, err
	}
	order := worker.Order{Name: named.String(), MaxBadRows: o.MaxBadRows, Extra: o.Extra}
	for i, file := range o.Files {
		l, err := r.data.location.Sibling(file.Stored.Key)
		if err != nil {
			return nil, err
		}
		place := filepath.Join(folder, file.Name)
		if err := r.fetchFile(ctx, file.Stored, l, place); err != nil {
			return nil, err
		}
		if i == 0 {
			order.File = place
		} else {
			order.Places = place
		}
	}
	return r.build(order)
}

// fetchFile downloads, verifies and expands a stored file.
func (r *reloader) fetchFile(ctx context.Context, i manifest.Index, l storage.Location, place string) error {
	bar := r.progress("downloading", l.String(), true)
	defer bar.finish()
	if err := checkSize(i, l); err != nil {
		return err
	}
	if err := worker.FreeDisk(filepath.Dir(place)).Check(l.String(), i.Size+i.ExpandedSize); err != nil {
		return err
	}
	stored, err := os.Create(place + ".part")
	if err != nil {
		return err
	}
	defer stored.Close()
	if _, err := r.fetchStored(ctx, i, l, stored, bar.show); err != nil {
		return err
	}
	expanded, err := os.Create(place)
	if err != nil {
		return err
	}
	if err := errors.Join(i.Expand(expanded, io.NewSectionReader(stored, 0, i.Size)), expanded.Close()); err != nil {
		return fmt.Errorf("%s: %w", l, err)
	}
	return nil
}

// checkSize rejects a stored file that is too large, or expands to too much.
func checkSize(i manifest.Index, l storage.Location) error {
	if i.Size > maxDownload || i.ExpandedSize > maxDownload {
		return fmt.Errorf("%s: has %d bytes, expanded %d, the limit is %d", l, i.Size, i.ExpandedSize, int64(maxDownload))
	}
	return nil
}

// A contentError means that a version of a published file is not what its manifest says, or, with the version unbuildable, that neither the published
// index nor what it was built from can be used.
type contentError struct {
	version string
	error
}

func (e *contentError) Unwrap() error { return e.error }

const unbuildable = "unbuildable"

// fromStorage downloads the index file of a snapshot, to a cache or, if that is empty, into memory. A partial download is kept in the cache, also
// across restarts. What it takes is checked before the first byte.
func (r *reloader) fromStorage(cache string, s manifest.Snapshot, l storage.Location) (*loadedIndex, error) {
	if err := checkSize(s.Index, l); err != nil {
		return nil, err
	}
	bar := r.progress("downloading", l.String(), true)
	defer bar.finish()
	room := worker.FreeMemory()
	if cache != "" {
		if err := os.MkdirAll(cache, 0o755); err != nil {
			return nil, inCache(cache, err)
		}
		room = worker.FreeDisk(cache)
	}
	err := room.Check(l.String(), s.Index.Size+s.Index.ExpandedSize)
	switch {
	case err != nil && cache != "":
		return nil, fmt.Errorf("%w: %w", errCache, err)
	case err != nil:
		return nil, err
	}
	stored, err := r.partOf(cache, s)
	if err != nil {
		return nil, fmt.Errorf("%s: no file to download it to: %w", l, inCache(cache, err))
	}
	defer stored.Close()
	ctx, cancel := context.WithTimeout(r.ctx, downloadTimeout)
	defer cancel()
	version, err := r.fetchStored(ctx, s.Index, l, stored, bar.show)
	if err != nil {
		return nil, inCache(cache, err)
	}
	opened, err := r.expand(cache, s, stored)
	switch {
	case errors.As(err, new(*fs.PathError)):
		return nil, inCache(cache, fmt.Errorf("%s: %w", l, err))
	case err != nil:
		return nil, &contentError{version, fmt.Errorf("%s: %w", l, err)}
	}
	if cache != "" {
		_ = os.Remove(stored.Name())
	}
	return &loadedIndex{Snapshot: opened, from: "download", version: version}, nil
}

// partOf opens the file to download a snapshot to. Without a cache, or if another process uses the file, it has no name.
func (r *reloader) partOf(cache string, s manifest.Snapshot) (*os.File, error) {
	if cache == "" {
		return worker.NewAnonymousFile()
	}
	file, err := os.OpenFile(r.part(s), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file.Name(), Err: errors.New("must be a regular file")}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		file.Close()
		return worker.NewAnonymousFile()
	}
	return file, nil
}

// downloadTries is how often an interrupted download is resumed before the next refresh.
const downloadTries = 4

// fetchStored downloads the missing part of a stored file, and verifies the whole. It resumes after an interruption. It returns the version of
// the published file, if anything was missing.
func (r *reloader) fetchStored(ctx context.Context, i manifest.Index, l storage.Location, to *os.File, show func(done, total int64)) (version string, err error) {
	for range downloadTries {
		var done bool
		if done, version, err = r.fetchRest(ctx, i.Size, l, to, show); done || ctx.Err() != nil || unreachable(err) == nil {
			break
		}
	}
	if err != nil {
		return version, err
	}
	if err := i.Check(io.NewSectionReader(to, 0, i.Size+1)); err != nil {
		_ = to.Truncate(0) // the next try starts over
		return version, &contentError{version, fmt.Errorf("%s: %w", l, err)}
	}
	return version, nil
}

func (r *reloader) fetchRest(ctx context.Context, size int64, l storage.Location, to *os.File, show func(done, total int64)) (done bool, version string, err error) {
	offset, err := to.Seek(0, io.SeekEnd)
	if err != nil {
		return false, "", err
	}
	if offset == size {
		return true, "", nil
	}
	if offset > size {
		offset = 0
	}
	object, err := r.storage.Open(ctx, l, storage.Request{Offset: offset})
	if err != nil {
		return false, "", err
	}
	defer object.Close()
	version = object.Version
	if object.Size >= 0 && object.Size != size {
		err := fmt.Errorf("%s: has %d bytes: must have %d (index.size): is it another object, or cut short?", l, object.Size, size)
		return false, version, &contentError{version, err}
	}
	if err := to.Truncate(object.Offset); err != nil {
		return false, version, err
	}
	if _, err := to.Seek(object.Offset, io.SeekStart); err != nil {
		return false, version, err
	}
	n, err := io.Copy(&showing{to, object.Offset, size, show}, io.LimitReader(object, size-object.Offset+1))
	switch {
	case err != nil:
		return false, version, err
	case object.Offset+n < size:
		return false, version, &storage.Unreachable{Location: l, Err: io.ErrUnexpectedEOF}
	}
	return true, version, nil
}

// isStill reports whether a published file is still the version that was wrong, as far as is known.
func (r *reloader) isStill(s manifest.Snapshot, wrong *contentError) bool {
	l, err := r.data.location.Sibling(s.Index.Key)
	if err != nil || wrong.version == "" || wrong.version == unbuildable {
		return true
	}
	ctx, cancel := context.WithTimeout(r.ctx, readLimit())
	defer cancel()
	object, err := r.storage.Open(ctx, l, storage.Request{Known: wrong.version})
	if err == nil {
		defer object.Close()
		return object.Version == wrong.version
	}
	return errors.Is(err, storage.ErrUnchanged)
}

// showing is a writer that shows how much was written.
type showing struct {
	to          io.Writer
	done, total int64
	show        func(done, total int64)
}

// Write implements io.Writer.
func (s *showing) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.done += int64(n)
	s.show(s.done, s.total)
	return n, err
}

// expand expands a verified index file, into a cache or, if that is empty, into memory, and opens it.
func (r *reloader) expand(cache string, s manifest.Snapshot, stored *os.File) (*index.Snapshot, error) {
	from := io.NewSectionReader(stored, 0, s.Index.Size)
	if cache != "" {
		place := r.expanded(s)
		file, err := createInCache(place)
		if err != nil {
			return nil, err
		}
		if err := s.Index.Expand(file, from); err != nil {
			file.Abort()
			return nil, err
		}
		if err := file.Commit(); err != nil {
			return nil, err
		}
		opened, err := r.openIndex(place)
		if err == nil && opened == nil {
			err = errors.New("is not an index file")
		}
		if err != nil {
			_ = os.Remove(place)
			return nil, err
		}
		return opened.Snapshot, nil
	}
	file, err := worker.NewAnonymousFile()
	if err != nil {
		return nil, err
	}
	if err := s.Index.Expand(file, from); err != nil {
		file.Close()
		return nil, err
	}
	readOnly, err := worker.Sealed(file)
	if err != nil {
		return nil, err
	}
	defer readOnly.Close()
	return index.Open(readOnly, 0)
}

// pruneFleet removes the index files from the cache that the manifest does not name.
func (r *reloader) pruneFleet() {
	if r.Cache == "" {
		return
	}
	named := map[string]bool{}
	for _, s := range r.replica.manifest.Snapshots {
		named[r.expanded(s)], named[r.part(s)] = true, true
	}
	entries, _ := os.ReadDir(r.Cache)
	for _, entry := range entries {
		if place := filepath.Join(r.Cache, entry.Name()); strings.HasPrefix(place, r.fleetFile("")) && !named[place] {
			if err := os.Remove(place); err != nil {
				r.log.Warn().Str("error", loader.Visible(err.Error())).Msg("cannot clean up the cache")
			}
		}
	}
}
