package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"pubd/index"
	"pubd/loader/disk"
	"pubd/loader/fetch/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

const (
	// maxDownload is the maximum size of a snapshot or index file from another machine: an index of 20 million pubs.
	maxDownload = 16 << 30
	// downloadTimeout is the time limit of a download, which resumes at the next refresh.
	downloadTimeout = 10 * time.Minute
)

// openPublication opens the index of a publication: the published one or, if that cannot be used, one built from its
// source.
func (d *Source) openPublication(ctx context.Context, p manifest.Snapshot, s Current, r Request) (*Version, error) {
	l := d.Location.Sibling(p.Index.Key)
	r.AcceptShrink = r.AcceptShrink || p.AcceptShrink
	if err := d.checkShrink(l.String(), p.Pubs, s, r); err != nil {
		return nil, err
	}
	v, err := d.openPublished(ctx, p, l)
	if p.Origin != nil && isOfContent(err) && ctx.Err() == nil {
		d.Log.Warn().Err(err).Str("snapshot", p.ID).Msg("published index unusable; building it from its source")
		built, unbuilt := d.buildOrigin(ctx, p, s)
		if unbuilt != nil { // which is no more than a note on the error
			return nil, fmt.Errorf("%w; not built from its source either: %v", err, unbuilt)
		}
		v, err = built, nil
	}
	if err != nil {
		return nil, err
	}
	switch opened := v.Value; {
	case fmt.Sprintf("%x", opened.Source()) != p.Source:
		err = fmt.Errorf("%s: is the index of the snapshot %s: must be that of %s (source_sha256)", l, opened.ID(), p.ID)
	case opened.Len() != p.Pubs:
		err = fmt.Errorf("%s: has %d pubs: must have %d (pubs)", l, opened.Len(), p.Pubs)
	default:
		err = verify(l.String(), opened)
	}
	if err != nil {
		v.Value.Release()
		return nil, err
	}
	v.Publication = p
	return v, nil
}

// openPublished opens the published index of a publication, from the cache or the storage.
func (d *Source) openPublished(ctx context.Context, p manifest.Snapshot, l storage.Location) (*Version, error) {
	if p.Index.Format != index.FormatVersion() {
		return nil, fmt.Errorf("%s: index.format %d: this program reads %d: publish with the version of pubd that the replicas run", l, p.Index.Format, index.FormatVersion())
	}
	if place := d.cache.Index(p); place != "" && d.cache.touch(place) {
		opened, err := d.openIndex(place)
		if err == nil {
			return newVersion(opened, "cache"), nil
		}
		d.Log.Warn().Err(err).Msg("cached index unusable; downloading it again")
		_ = os.Remove(d.cache.at(place))
	}
	return d.download(ctx, p)
}

// isOfContent reports whether an error is that of a file's content, and not of storage or of this machine.
func isOfContent(err error) bool {
	return err != nil && Unreachable(err) == nil && !errors.As(err, new(*fs.PathError)) &&
		!errors.Is(err, worker.ErrUnwritable) && !errors.Is(err, worker.ErrNoRoom)
}

// download downloads the index file of a publication, to the cache or into memory, and opens it. A partial download is
// kept in the cache, also across restarts.
func (d *Source) download(ctx context.Context, p manifest.Snapshot) (*Version, error) {
	var opened *index.Snapshot
	var err error
	if place := d.cache.Index(p); place == "" {
		opened, err = d.downloadToMemory(ctx, p.Index)
	} else if err = d.store(ctx, p.Index, d.cache.part(p), place); err == nil {
		if opened, err = d.openIndex(place); err != nil {
			_ = os.Remove(place)
		}
	}
	if err != nil {
		return nil, err
	}
	return newVersion(opened, "download"), nil
}

func (d *Source) downloadToMemory(ctx context.Context, i manifest.Index) (*index.Snapshot, error) {
	stored, err := worker.NewAnonymousFile()
	if err != nil {
		return nil, err
	}
	defer stored.Close()
	if err := d.fetch(ctx, i, d.clock.File(stored), worker.FreeMemory()); err != nil {
		return nil, err
	}
	file, err := worker.NewAnonymousFile()
	if err != nil {
		return nil, err
	}
	if err := i.Expand(file, io.NewSectionReader(stored, 0, i.Size)); err != nil {
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

// store downloads, verifies and expands a stored file to a place. Until then it is at another one, where some of it may
// be already.
func (d *Source) store(ctx context.Context, i manifest.Index, part, place string) error {
	folder := filepath.Dir(place)
	if err := os.MkdirAll(d.cache.at(folder), 0o755); err != nil {
		return err
	}
	opened, err := openPart(d.cache.at(part))
	if err != nil {
		return err
	}
	stored := d.clock.File(opened)
	defer stored.Close()
	if err := d.fetch(ctx, i, stored, worker.FreeDisk(folder)); err != nil {
		return err
	}
	file, err := d.cache.create(place)
	if err != nil {
		return err
	}
	err = d.cache.end(file, true, i.Expand(d.clock.File(file.File), io.NewSectionReader(stored, 0, i.Size)))
	if err == nil && stored.Name() == part {
		_ = os.Remove(d.cache.at(part))
	}
	return err
}

// openPart opens the file to download something to. If another process uses the place, it is a file without a name in
// the same folder, which is checked for room.
func openPart(place string) (*os.File, error) {
	file, err := os.OpenFile(place, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	switch info, err := file.Stat(); {
	case err != nil || !info.Mode().IsRegular():
		file.Close()
		return nil, &fs.PathError{Op: "open", Path: place, Err: errors.New("must be a regular file")}
	case syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil:
		file.Close()
		if file, err = os.CreateTemp(filepath.Dir(place), filepath.Base(place)); err == nil {
			_ = os.Remove(file.Name()) // otherwise prunePublished does
		}
		return file, err
	}
	return file, nil
}

// fetch downloads the missing part of a stored file, and verifies the whole. What it takes in a room is checked before
// the first byte.
func (d *Source) fetch(ctx context.Context, i manifest.Index, to *disk.File, room worker.Room) error {
	l := d.Location.Sibling(i.Key)
	has, err := to.Seek(0, io.SeekEnd)
	switch {
	case err != nil:
		return err
	case i.Size > maxDownload || i.ExpandedSize > maxDownload:
		return fmt.Errorf("%s: has %d bytes, expanded %d, the limit is %d", l, i.Size, i.ExpandedSize, int64(maxDownload))
	}
	if err := room.Check(l.String(), i.Size-min(has, i.Size)+i.ExpandedSize); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	show, finish := d.Progress("downloading", l.String(), true)
	defer finish()
	if _, err := d.storage.Download(ctx, l, to, i.Size, i.Size, d.showing(l, show)); err != nil {
		return err
	}
	if err = i.Check(io.NewSectionReader(to, 0, i.Size+1)); isOfContent(err) {
		_ = to.Truncate(0) // the next try starts over
		err = fmt.Errorf("%s: %w", l, err)
	}
	return err
}

// from says that a location is read from: the client limits by itself how long a server may send nothing.
func (d *Source) from(l storage.Location) {
	if d.clock.Pause(); l.IsLocal() {
		d.clock.At(l.Path())
	}
}

// showing returns a function that shows progress, after which the next part of a file is read.
func (d *Source) showing(l storage.Location, show func(done, total int64)) func(done, total int64) {
	return func(done, total int64) {
		d.from(l)
		show(done, total)
	}
}

// buildOrigin builds the index of a publication from the files that were published with it, unless the cache has it.
func (d *Source) buildOrigin(ctx context.Context, p manifest.Snapshot, s Current) (*Version, error) {
	o := p.Origin
	if place := d.cache.built(p.Source, o.MaxBadRows, o.Extra); place != "" && d.cache.touch(place) {
		if v, err := d.openBuilt(place, p.Source, "build"); err == nil {
			return v, nil
		}
	}
	folder, remove, err := d.cache.tempFolder(d.Location)
	if err != nil {
		return nil, err
	}
	defer remove()
	name := d.Location.Sibling(o.Files[0].Name).String() // its extension is the format
	order, places := worker.Order{Name: name, MaxBadRows: o.MaxBadRows, Extra: o.Extra}, [2]string{}
	for i, file := range o.Files {
		places[i] = filepath.Join(folder, file.Name)
		if err := d.store(ctx, file.Stored, places[i]+".part", places[i]); err != nil {
			return nil, err
		}
	}
	order.File, order.Places = places[0], places[1]
	return d.build(ctx, order, s)
}

// fetchSource downloads the source as a whole into a folder, and returns its version.
func (d *Source) fetchSource(ctx context.Context, folder string) (path, version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	path = filepath.Join(folder, filepath.Base(d.Location.Base()))
	created, err := os.Create(d.cache.at(path))
	if err != nil {
		return "", "", err
	}
	file, room := d.clock.File(created), worker.FreeDisk(folder)
	defer file.Close()
	show, finish := d.Progress("downloading", d.Name(), true)
	defer finish()
	version, err = d.storage.Download(ctx, d.Location, file, -1, min(maxDownload, room.Bytes/8*7), d.showing(d.Location, show))
	if errors.Is(err, storage.ErrTooLarge) && room.Bytes/8*7 < maxDownload {
		err = room.Exceeded(err)
	}
	if err == nil {
		err = errors.Join(created.Chmod(0o644), file.Sync())
	}
	return path, version, err
}
