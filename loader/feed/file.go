package feed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"pubd/loader/disk"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// errNoCache means that nothing of a source is ever in a cache.
var errNoCache = errors.New("is not cached")

// absent is the text of an error that is fs.ErrNotExist.
type absent string

func (a absent) Error() string      { return string(a) }
func (absent) Is(target error) bool { return target == fs.ErrNotExist }

// offer returns the offer of a file in the cache; place is empty without a cache. If there is none, the error is
// fs.ErrNotExist.
func (c cache) offer(place string) (Offer, error) {
	if place == "" {
		return Offer{}, absent("and there is no --cache to start from")
	}
	switch _, err := c.size(place); {
	case errors.Is(err, fs.ErrNotExist):
		return Offer{}, absent("and there is none in --cache")
	case err != nil:
		return Offer{}, fmt.Errorf("and --cache cannot be read: %w", err)
	}
	return Offer{Cached: place}, nil
}

// File is the source of a small file, such as keys.
type File[T any] struct {
	// What is what it has, such as "keys", in the names of files and in the log.
	What string
	// Location is where it is; the zero Location stands for Default.
	Location storage.Location
	Default  T
	// Cache is a folder for what was fetched; empty if there is none.
	Cache string
	// Load loads a local file, and Parse parses one of at most MaxSize bytes from elsewhere, whose name is for errors.
	Load    func(ctx context.Context, path string) (T, error)
	Parse   func(name string, content []byte) (T, error)
	MaxSize int64
	// Message describes a value in a line of the log.
	Message func(line *Line, value T) string
	// Patience is how long reading it may take.
	Patience time.Duration
	Log      Log
}

// NewFile returns a source.
func NewFile[T any](f File[T]) Source[T] {
	files, kept := &disk.Disk{Limit: f.Patience}, cache{f.Cache, f.Location, &disk.Disk{Limit: f.Patience}}
	return &file[T]{File: f, cache: kept, place: kept.file(f.What, ""), files: files, storage: newStorage(f.Patience, files)}
}

type file[T any] struct {
	File[T]
	cache   cache
	place   string     // in the cache
	files   *disk.Disk // of a local source
	storage *storage.Client
}

// IsRemote implements Source.
func (f *file[T]) IsRemote() bool { return !f.Location.IsLocal() }

// IsFixed implements Source.
func (f *file[T]) IsFixed() bool { return f.Location == storage.Location{} }

// Next implements Source.
func (f *file[T]) Next(ctx context.Context, s State[T], requested bool) (Offer, error) {
	if f.IsFixed() {
		return Offer{}, nil
	}
	known := s.version
	if requested {
		known = ""
	}
	o, err := probe(ctx, f.storage, f.files, f.Location, known)
	if f.Location.IsLocal() && requested {
		err = nil // opening it says more
	}
	return o, err
}

// Cached implements Source.
func (f *file[T]) Cached() (Offer, error) {
	if f.Location.IsLocal() {
		return Offer{}, errNoCache
	}
	return f.cache.offer(f.place)
}

// Open implements Source.
func (f *file[T]) Open(ctx context.Context, what Item, _ State[T], _ Request) (*Version[T], error) {
	value, from, fetched, err := f.Default, "default", "", error(nil)
	switch {
	case f.IsFixed():
	case what.File.Cached != "":
		var content []byte
		if content, err = f.cache.read(what.File.Cached, f.MaxSize); err == nil {
			value, err = f.Parse(f.Location.String(), content)
		}
		from = "cache"
	case f.Location.IsLocal():
		value, err = attempt(f.files, f.Location.Path(), func(ctx context.Context) (T, error) { return f.Load(ctx, f.Location.Path()) })
		err = ofSource(err)
		from = "file"
	default:
		value, fetched, err = f.fetch(ctx)
		from = "download"
	}
	if err != nil {
		return nil, err
	}
	return &Version[T]{Value: value, From: from, fetched: fetched}, nil
}

// fetch reads the file from another machine, and puts it into the cache.
func (f *file[T]) fetch(ctx context.Context) (value T, version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.Patience)
	defer cancel()
	content, version, err := f.storage.ReadAll(ctx, f.Location, "", f.MaxSize)
	if err != nil {
		return value, "", err
	}
	if value, err = f.Parse(f.Location.String(), content); err != nil {
		return value, "", &contentError{version, err}
	}
	if f.place != "" {
		if err := f.cache.keep(f.place, content, 0o600); err != nil {
			f.Log.Warn().Err(err).Msg("cannot cache the " + f.What)
		}
	}
	return value, version, nil
}

// Describe implements Source.
func (f *file[T]) Describe(line *Line, v *Version[T]) string {
	return f.Message(line, v.Value)
}

// The other methods of Source are for manifests, and for values that must be released.

func (f *file[T]) Damaged(State[T], bool) map[*Version[T]]error           { return nil }
func (f *file[T]) IsStill(context.Context, manifest.Snapshot, error) bool { return true }
func (f *file[T]) Clean(*manifest.Manifest)                               {}
func (f *file[T]) Drop(*Version[T])                                       {}
