package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pubd/index"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/feed/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// fleetPrefix is the prefix of the index files of a manifest in the cache, before their SHA-256.
const fleetPrefix = "fleet-"

// bring prepares a snapshot of the manifest: it opens its index file from the cache, or downloads, verifies, expands and opens it, and
// checks it with sample queries.
func (r *reloader) bring(s manifest.Snapshot, a ask) (*loadedIndex, error) {
	begun := time.Now()
	l, err := r.data.location.Sibling(s.Index.Key)
	if err != nil {
		return nil, err
	}
	if s.Index.Format != index.FormatVersion {
		return nil, fmt.Errorf("%s: index.format %d: this program reads %d: publish with the version of pubd that the replicas run", l, s.Index.Format, index.FormatVersion)
	}
	if served := r.replica.pubs(); !s.AcceptShrink && !a.acceptShrink {
		if err := checkShrink(l.String(), served, s.Pubs, r.MaxShrink); err != nil {
			return nil, err
		}
	}
	if s.Index.Size > maxDownload || s.Index.ExpandedSize > maxDownload {
		return nil, fmt.Errorf("%s: has %d bytes, expanded %d, the limit is %d", l, s.Index.Size, s.Index.ExpandedSize, int64(maxDownload))
	}
	opened, err := r.fromCache(s)
	if opened == nil && err == nil {
		err = r.storageRoom().Check(l.String(), s.Index.Size+s.Index.ExpandedSize)
		if err != nil {
			return nil, err
		}
	}
	if opened == nil {
		if err != nil {
			r.log.Warn().Err(err).Msg("cached index unusable; downloading it again")
		}
		opened, err = r.fromStorage(s, l)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case fmt.Sprintf("%x", opened.Source()) != s.Source:
		return nil, fmt.Errorf("%s: is the index of the snapshot %s: must be that of %s (source_sha256)", l, opened.ID(), s.ID)
	case opened.Len() != s.Pubs:
		return nil, fmt.Errorf("%s: has %d pubs: must have %d (pubs)", l, opened.Len(), s.Pubs)
	}
	if err := opened.Verify(); err != nil {
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	opened.read = time.Since(begun)
	return opened, nil
}

// expandedName returns the name of a snapshot's index file in the cache, partName its name while it is downloaded.
func expandedName(s manifest.Snapshot) string {
	return fleetPrefix + s.Index.ExpandedSHA256 + indexExtension
}
func partName(s manifest.Snapshot) string { return fleetPrefix + s.Index.SHA256 + ".part" }

// fromCache opens the index file of a snapshot in the cache; nil if there is none.
func (r *reloader) fromCache(s manifest.Snapshot) (*loadedIndex, error) {
	if r.Cache == "" {
		return nil, nil
	}
	place := filepath.Join(r.Cache, expandedName(s))
	if !touch(place) {
		return nil, nil
	}
	opened, err := r.openIndex(place)
	if err != nil || opened == nil {
		_ = os.Remove(place)
		return nil, err
	}
	opened.from = "cache"
	return opened, nil
}

// storageRoom returns how much may be downloaded and expanded.
func (r *reloader) storageRoom() worker.Room {
	if r.Cache == "" {
		return worker.FreeMemory()
	}
	return worker.FreeDisk(r.Cache)
}

// fromStorage downloads the index file of a snapshot. A partial download is kept; in the cache, also across restarts.
func (r *reloader) fromStorage(s manifest.Snapshot, l storage.Location) (*loadedIndex, error) {
	bar := r.progress("downloading", l.String(), true)
	defer bar.finish()
	stored, err := r.partOf(s)
	if err != nil {
		return nil, fmt.Errorf("%s: no folder to download it to: %w", l, err)
	}
	defer stored.Close()
	ctx, cancel := context.WithTimeout(r.ctx, downloadTimeout)
	defer cancel()
	if err := r.fetchIndex(ctx, s, l, stored, bar.show); err != nil {
		return nil, err
	}
	opened, err := r.expand(s, stored)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	if r.Cache != "" {
		_ = os.Remove(stored.Name())
	}
	return &loadedIndex{Snapshot: opened, from: "download"}, nil
}

// partOf opens the file to download a snapshot to. Without a cache, or if another process uses the file, it has no name.
func (r *reloader) partOf(s manifest.Snapshot) (*os.File, error) {
	if r.Cache == "" {
		return worker.NewAnonymousFile()
	}
	if err := os.MkdirAll(r.Cache, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(r.Cache, partName(s)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
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

// fetchIndex downloads the missing part of a stored index file, and verifies the whole. It resumes after an interruption.
func (r *reloader) fetchIndex(ctx context.Context, s manifest.Snapshot, l storage.Location, to *os.File, show func(done, total int64)) (err error) {
	for range downloadTries {
		var done bool
		if done, err = r.fetchRest(ctx, s, l, to, show); done || ctx.Err() != nil || unreachable(err) == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	if err := s.Index.Check(io.NewSectionReader(to, 0, s.Index.Size+1)); err != nil {
		_ = to.Truncate(0) // the next try starts over
		return fmt.Errorf("%s: %w", l, err)
	}
	return nil
}

func (r *reloader) fetchRest(ctx context.Context, s manifest.Snapshot, l storage.Location, to *os.File, show func(done, total int64)) (done bool, err error) {
	offset, err := to.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	if offset == s.Index.Size {
		return true, nil
	}
	if offset > s.Index.Size {
		offset = 0
	}
	object, err := r.storage.Open(ctx, l, storage.Request{Offset: offset})
	if err != nil {
		return false, err
	}
	defer object.Close()
	if object.Size >= 0 && object.Size != s.Index.Size {
		return false, fmt.Errorf("%s: has %d bytes: must have %d (index.size): is it another object, or cut short?", l, object.Size, s.Index.Size)
	}
	if err := to.Truncate(object.Offset); err != nil {
		return false, err
	}
	if _, err := to.Seek(object.Offset, io.SeekStart); err != nil {
		return false, err
	}
	n, err := io.Copy(&showing{to, object.Offset, s.Index.Size, show}, io.LimitReader(object, s.Index.Size-object.Offset+1))
	switch {
	case err != nil:
		return false, err
	case object.Offset+n < s.Index.Size:
		return false, &storage.Unreachable{Location: l, Err: io.ErrUnexpectedEOF}
	}
	return true, nil
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

// expand expands a verified index file, into the cache or into memory, and opens it.
func (r *reloader) expand(s manifest.Snapshot, stored *os.File) (*index.Snapshot, error) {
	from := io.NewSectionReader(stored, 0, s.Index.Size)
	if r.Cache != "" {
		place := filepath.Join(r.Cache, expandedName(s))
		file, err := atomicfile.Create(place)
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
		named[expandedName(s)], named[partName(s)] = true, true
	}
	entries, _ := os.ReadDir(r.Cache)
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, fleetPrefix) && !named[name] {
			if err := os.Remove(filepath.Join(r.Cache, name)); err != nil {
				r.log.Warn().Str("error", loader.Visible(err.Error())).Msg("cannot clean up the cache")
			}
		}
	}
}
