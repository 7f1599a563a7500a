package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"pubd/data"
	"pubd/httpapi/keys"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/feed/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// A keyFile is the content of a key file, and a warning about its mode.
type keyFile struct {
	set     *keys.Set
	warning error
}

// loadKeys publishes the key file, or the demo key without one.
func (r *reloader) loadKeys() error {
	set := keys.Demo()
	switch l := r.keys.location; {
	case r.Keys == "":
	case !l.IsLocal():
		fetched, err := r.fetchKeys(l)
		if err != nil {
			return err
		}
		set = fetched
	default:
		r.keys.version, _ = r.fileVersion(&r.keys)
		file, err := attempt(&r.keys.reads, l.Path(), func(ctx context.Context) (keyFile, error) {
			set, warning, err := keys.Load(ctx, l.Path())
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

// fetchKeys fetches the key file from a remote source. At the start, it falls back to the cached one if the source is unreachable or wrong.
func (r *reloader) fetchKeys(l storage.Location) (*keys.Set, error) {
	ctx, cancel := context.WithTimeout(r.ctx, readLimit())
	defer cancel()
	isStart := r.keys.version == ""
	content, version, err := r.storage.ReadAll(ctx, l, "", keys.MaxFileSize)
	place := r.cached("keys", l, "")
	var set *keys.Set
	if err != nil {
		r.lost(&r.keys, err)
	} else {
		r.found(&r.keys)
		r.keys.version = version
		set, err = keys.Parse(l.String(), content)
	}
	switch {
	case err == nil && place != "":
		if unkept := keep(place, content, 0o600); unkept != nil {
			r.log.Warn().Err(unkept).Msg("cannot cache the keys")
		}
	case err != nil && isStart && place != "":
		old, unread := loader.ReadFileWithin(place, keys.MaxFileSize)
		if unread != nil {
			return nil, fmt.Errorf("%w; and there are none in --cache", err)
		}
		r.log.Warn().Err(err).Msg("using keys from the cache")
		return keys.Parse(l.String(), old)
	}
	return set, err
}

// cached returns where the cache stores what comes from a location; empty without a cache.
func (r *reloader) cached(what string, l storage.Location, extension string) string {
	if r.Cache == "" {
		return ""
	}
	return filepath.Join(r.Cache, fmt.Sprintf("%s-%.8x%s", what, sha256.Sum256([]byte(l.String())), extension))
}

// keep writes content to the cache.
func keep(place string, content []byte, mode os.FileMode) error {
	file, err := createInCache(place)
	if err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		file.Abort()
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	return os.Chmod(place, mode)
}

// loadData publishes the data of --data, or the embedded sample. Data that is already served is not published again.
func (r *reloader) loadData(a ask) error {
	switch l := r.data.location; {
	case r.Data == "":
		return r.publish(a, "", data.SampleName)
	case r.replica != nil:
		return r.loadReplica(a)
	case l.IsLocal():
		if is, err := r.isManifest(l); err != nil {
			return err
		} else if is {
			return r.loadReplica(a)
		}
		if err := r.isTrusted(l); err != nil {
			return err
		}
		r.data.version, _ = r.fileVersion(&r.data)
		return r.publish(a, l.Path(), r.Data)
	default:
		is, err := r.isManifest(l)
		if is {
			return r.loadReplica(a)
		}
		if err := r.isTrusted(l); err != nil {
			return err
		}
		return r.fetchData(a, l, err)
	}
}

// isTrusted rejects a source without a signature if one is required.
func (r *reloader) isTrusted(l storage.Location) error {
	if r.Trust != "" {
		return fmt.Errorf("%s: must be a manifest, because --trust is set: a file alone has no signature", l)
	}
	return nil
}

// isManifest reports whether --data is a manifest, by its name or its first bytes.
func (r *reloader) isManifest(l storage.Location) (bool, error) {
	if manifest.IsManifest(l.Base(), nil) {
		return true, nil
	}
	if place := r.cached("manifest", l, ".json"); place != "" {
		if _, err := os.Stat(place); err == nil { // it was one before, whatever it is now
			return true, nil
		}
	}
	const enough = 512
	if l.IsLocal() {
		if filepath.Ext(l.Path()) != ".json" {
			return false, nil
		}
		head, _ := attempt(&r.data.reads, l.Path(), func(ctx context.Context) ([]byte, error) { // the read of the file reports the error
			object, err := r.storage.Open(ctx, l, storage.Request{})
			if err != nil {
				return nil, nil
			}
			defer object.Close()
			return io.ReadAll(io.LimitReader(object, enough))
		})
		return manifest.IsManifest(l.Base(), head), nil
	}
	ctx, cancel := context.WithTimeout(r.ctx, readLimit())
	defer cancel()
	object, err := r.storage.Open(ctx, l, storage.Request{})
	if err != nil {
		return false, err
	}
	defer object.Close()
	head, err := io.ReadAll(io.LimitReader(object, enough))
	return manifest.IsManifest(l.Base(), head), err
}

// fetchData fetches a snapshot or an index file and publishes it. At the start, it falls back to the cached one if the source is unreachable or
// wrong.
func (r *reloader) fetchData(a ask, l storage.Location, unreachable error) error {
	place, err := r.cached("data", l, "-"+filepath.Base(l.Base())), unreachable
	if err == nil {
		err = r.fetchNew(a, l, place)
	} else {
		r.lost(&r.data, err)
	}
	if err == nil || r.served != nil || place == "" {
		return err
	}
	if _, absent := os.Stat(place); absent != nil {
		return fmt.Errorf("%w; and there is none in --cache", err)
	}
	r.log.Warn().Err(err).Msg("serving data from the cache")
	return r.publish(a, place, l.String())
}

// fetchNew fetches a file to a place in the cache, if there is one, and publishes it.
func (r *reloader) fetchNew(a ask, l storage.Location, place string) error {
	fresh, version, remove, err := r.downloadTo(r.Cache, l)
	if err != nil && r.Cache != "" && unreachable(err) == nil {
		r.log.Warn().Err(err).Msg("cannot cache the data")
		fresh, version, remove, err = r.downloadTo("", l)
	}
	if err != nil {
		r.lost(&r.data, err)
		return err
	}
	defer remove()
	r.found(&r.data)
	r.data.version = version
	if err := r.publish(a, fresh, l.String()); err != nil || place == "" {
		return err
	}
	if err := os.Rename(fresh, place); err != nil {
		r.log.Warn().Err(err).Msg("cannot cache the data")
	}
	return nil
}

// downloadFolder creates a folder to download to in another folder or, if that is empty, the system's for temporary files.
func downloadFolder(in string, l storage.Location) (folder string, remove func(), err error) {
	if in != "" {
		if err := os.MkdirAll(in, 0o755); err != nil {
			return "", nil, err
		}
	}
	if folder, remove, err = atomicfile.TempFolder(in, "pubd-data-"); err != nil {
		err = fmt.Errorf("%s: no folder to download it to, set --cache: %w", l, err)
	}
	return folder, remove, err
}

// downloadTo downloads a whole file to a downloadFolder.
func (r *reloader) downloadTo(in string, l storage.Location) (file, version string, remove func(), err error) {
	folder, remove, err := downloadFolder(in, l)
	if err != nil {
		return "", "", nil, err
	}
	file = filepath.Join(folder, filepath.Base(l.Base()))
	if version, err = r.download(l, file); err != nil {
		remove()
	}
	return file, version, remove, err
}

// download downloads a whole file.
func (r *reloader) download(l storage.Location, place string) (version string, err error) {
	ctx, cancel := context.WithTimeout(r.ctx, downloadTimeout)
	defer cancel()
	object, err := r.storage.Open(ctx, l, storage.Request{})
	if err != nil {
		return "", err
	}
	defer object.Close()
	const most = maxDownload
	if object.Size > most {
		return "", fmt.Errorf("%s: has %d bytes, the limit is %d", l, object.Size, most)
	}
	free := worker.FreeDisk(filepath.Dir(place))
	if err := free.Check(l.String(), object.Size); err != nil {
		return "", err
	}
	file, err := atomicfile.Create(place)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(file, io.LimitReader(object, most+1))
	switch {
	case err != nil:
	case n > most:
		err = fmt.Errorf("%s: is larger than %d bytes, which is the limit", l, most)
	case object.Size >= 0 && n != object.Size:
		err = &storage.Unreachable{Location: l, Err: io.ErrUnexpectedEOF}
	}
	if err != nil {
		file.Abort()
		return "", err
	}
	return object.Version, file.Commit()
}

// publish publishes the snapshot in a local file; path is empty for the embedded sample.
func (r *reloader) publish(a ask, path, name string) error {
	begun, maxShrink := time.Now(), r.MaxShrink
	if a.acceptShrink {
		maxShrink = 100
	}
	loaded, err := r.open(path, name)
	if err != nil {
		return err
	}
	if loaded == nil || r.isServed(loaded.Snapshot) {
		r.log.Info().Msg("data unchanged")
		return nil
	}
	if err := checkShrink(name, r.pubs(), loaded.Len(), maxShrink); err != nil {
		return err
	}
	if err := loaded.Verify(); err != nil {
		return fmt.Errorf("%s: %w", loader.Visible(name), err)
	}
	r.service.Publish(loaded.Snapshot)
	r.served = loaded.Snapshot
	r.logLoaded(loaded, name, begun)
	return nil
}

// logLoaded logs that an index is served.
func (r *reloader) logLoaded(loaded *loadedIndex, name string, begun time.Time) {
	r.log.Info().Str("data", name).Int("pubs", loaded.Len()).Int("rated", loaded.Rated()).Str("snapshot", loaded.ID()).
		Str("from", loaded.from).Int64("bytes", loaded.Size()).Int64("read_ms", loaded.read.Milliseconds()).
		Int64("build_ms", loaded.build.Milliseconds()).Int64("load_ms", time.Since(begun).Milliseconds()).Msg("data loaded")
}

// unreachable returns the error of an unreachable source within an error, or nil.
func unreachable(err error) error {
	if lost := new(storage.Unreachable); errors.As(err, &lost) {
		return lost
	}
	return nil
}
