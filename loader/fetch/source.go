// Package fetch turns a source of snapshots into opened versions: the sample, a snapshot file, an index file or a
// manifest, on this machine, on an HTTPS server or in a bucket.
//
//	Source.Next   what there is: a manifest, whose signature and place in its series are checked, or one file
//	Source.Open   one version of it: from the cache, or fetched, expanded or built; opened and verified
//
// A [Cache] has what a next start needs if the source is away, and spares downloads and builds. A disk that hangs stops
// neither: what does not answer in time is an error or, of a cache, as good as absent. An error is for people; its kind
// says only whether the source was reached ([Unreachable]) and whether the cache could be written to.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"pubd/data"
	"pubd/index/schema"
	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// Options are where the snapshots of a directory come from: the embedded sample, a snapshot file, an index file or a manifest, on this
// machine or another.
type Options struct {
	// Location is where it is; the zero Location is the embedded sample.
	Location storage.Location
	// Cache is a folder for what was built and fetched; empty if there is none.
	Cache string
	// Places is the file of a gazetteer; empty if there is none. MaxBadRows is how many wrong rows of a snapshot file
	// are skipped, and Extra its extra columns to keep.
	Places     string
	MaxBadRows int
	Extra      []schema.ExtraColumn
	// MaxShrink is the largest share of the pubs, in percent, that the next snapshot may lose.
	MaxShrink float64
	// Trust is the keys of which one must have signed the manifest; without any, all files are accepted.
	Trust []manifest.PublicKey
	// BuilderVersion is the version of this program: only what it built is taken from the cache.
	BuilderVersion string
	// Patience is how long reading a file may take.
	Patience time.Duration
	Log      Log
	// Progress shows a part of the work such as "building", in bytes or without a unit, until finish is called.
	Progress func(part, name string, bytes bool) (show func(done, total int64), finish func())
}

// New returns a source.
func New(o Options) *Source {
	return &Source{Options: o, guard: &Guard{Patience: o.Patience, Cache: o.Cache, Log: o.Log}, cache: NewCache(o.Cache, o.Location),
		storage: NewStorage(o.Patience), unkept: new(atomic.Pointer[signedManifest])}
}

// NewStorage returns a client that gives up on a server that sends nothing for a while, or for as long as patience.
func NewStorage(patience time.Duration) *storage.Client {
	const idle = 15 * time.Second
	return storage.NewClient(storage.Options{Patience: min(patience, idle)})
}

// A Source has the snapshots of a directory. Next may be called during Open; otherwise one goroutine uses it.
type Source struct {
	Options
	guard   *Guard
	clock   *disk.Clock // of what is done at present; see within
	cache   Cache
	storage *storage.Client
	unkept  *atomic.Pointer[signedManifest] // the one that is followed and could not be cached
}

// within does something with a copy of the source that has a clock, and no cache if that cannot be used.
func within[T any](ctx context.Context, d *Source, do func(ctx context.Context, d *Source) (T, error)) (T, error) {
	return Within(ctx, d.guard, d.Name(), func(ctx context.Context, clock *disk.Clock, cached bool) (T, error) {
		on := *d
		on.clock, on.cache = clock, d.cache.On(clock)
		if !cached {
			on.cache.folder = ""
		}
		return do(ctx, &on)
	})
}

// IsRemote reports whether the source is on another machine.
func (d *Source) IsRemote() bool { return !d.Location.IsLocal() }

// IsFixed reports whether the source never changes.
func (d *Source) IsFixed() bool { return d.Location == storage.Location{} }

// Name returns the name of the source in errors and in the log.
func (d *Source) Name() string {
	if d.IsFixed() {
		return data.SampleName
	}
	return d.Location.String()
}

// Current is what a feed has.
type Current struct {
	Version string // of the source, as it was last loaded or rejected
	// Manifest and Content are that of the source; nil if there is none.
	Manifest *manifest.Manifest
	Content  []byte
	Serve    *Version
	Pubs     int        // of what is served, or was last
	Opened   []*Version // Serve included
}

// Next returns what there is. If that is still the known version, the error is storage.ErrUnchanged; on request, a file
// is offered nevertheless. Whether the source is a manifest is known by its name, by what it was before, or by its
// first bytes.
func (d *Source) Next(ctx context.Context, s Current, requested bool) (Offer, error) {
	return within(ctx, d, func(ctx context.Context, d *Source) (Offer, error) { return d.next(ctx, s, requested) })
}

func (d *Source) next(ctx context.Context, s Current, requested bool) (Offer, error) {
	known := s.Version
	if requested {
		known = ""
	}
	switch {
	case d.IsFixed():
		return Offer{}, nil
	case s.Manifest != nil || d.wasManifest():
		return d.nextManifest(ctx, s)
	}
	var places []string
	if d.Places != "" {
		places = append(places, d.Places)
	}
	o, err := d.probe(ctx, known, places...)
	switch {
	case d.Location.IsLocal() && requested && err != nil: // opening it says more
	case err != nil:
		return o, err
	case manifest.IsManifest(d.Location.Base(), o.Content):
		return d.nextManifest(ctx, s)
	}
	return Offer{Version: o.Version}, d.checkTrust()
}

// wasManifest reports whether the source is a manifest by its name, or was one for an earlier process.
func (d *Source) wasManifest() bool {
	if d.cache.folder == "" || manifest.IsManifest(d.Location.Base(), nil) {
		return manifest.IsManifest(d.Location.Base(), nil)
	}
	_, err := os.Stat(d.cache.at(d.cache.Manifest()))
	return err == nil
}

// checkTrust rejects a file that is no manifest if a signature is required.
func (d *Source) checkTrust() error {
	if len(d.Trust) > 0 {
		return &ConfigError{fmt.Errorf("%s: must be a manifest, because --trust is set: a file alone has no signature", d.Name())}
	}
	return nil
}

// nextManifest reads the manifest and its signature.
func (d *Source) nextManifest(ctx context.Context, s Current) (Offer, error) {
	if d.Places != "" {
		return Offer{}, &ConfigError{fmt.Errorf("%s: is a manifest, whose snapshots have their own gazetteer: publish them with pubd publish --places, and leave out --places here", d.Name())}
	}
	d.from(d.Location)
	ctx, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	content, version, err := d.storage.ReadAll(ctx, d.Location, s.Version, manifest.MaxSize)
	switch {
	case errors.Is(err, storage.ErrUnchanged):
		_ = d.keepManifest()
		return Offer{Version: s.Version}, err
	case err != nil:
		return Offer{}, err
	case s.Manifest != nil && bytes.Equal(content, s.Content):
		_ = d.keepManifest()
		return Offer{Version: version}, storage.ErrUnchanged
	}
	signature, err := d.signature(ctx, content)
	if err != nil {
		return Offer{}, fmt.Errorf("%s: %w", d.Name(), err)
	}
	m, err := d.accept(content, signature)
	if err != nil {
		return Offer{}, fmt.Errorf("%s: %w", d.Name(), err)
	}
	o := Offer{Version: version, Manifest: m, Content: content}
	if err := d.checkFollows(o, s); err != nil {
		return Offer{}, err
	}
	if d.cache.folder != "" {
		d.unkept.Store(&signedManifest{m, content, signature})
		if err := d.keepManifest(); err != nil {
			d.Log.Warn().Err(err).Msg("cannot cache the manifest")
		}
	}
	return o, nil
}

// A signedManifest is a manifest with its file and its signature, which is nil if none is required.
type signedManifest struct {
	*manifest.Manifest
	content, signature []byte
}

// keepManifest caches the manifest that the cache still lacks, if any, unless it has a newer one. After an error, it
// is to be called again.
func (d *Source) keepManifest() error {
	m := d.unkept.Load()
	if m == nil || d.cache.folder == "" {
		return nil
	}
	if !d.isBehindCache(m.Manifest) {
		if err := d.cache.keepManifest(m.content, m.signature); err != nil {
			return err
		}
	}
	d.unkept.Store(nil)
	return nil
}

// isBehindCache reports whether the cache has a newer manifest of a directory: one that another server put there, or
// one that could not be read in time.
func (d *Source) isBehindCache(m *manifest.Manifest) bool {
	kept, err := d.cachedManifest()
	return err == nil && kept.Manifest.Directory == m.Directory && kept.Manifest.Sequence > m.Sequence
}

// checkFollows rejects the manifest of another directory than that of the last one that was taken, and an older one.
// The last one is what this process follows or, at a start, what an earlier one put into the cache, whoever signed it:
// a new key must not make the server forget.
//
// With --trust, only a cache without a manifest, or one that does not answer, means that none was taken: one that
// cannot be read is an error, since what the source has may be a replay. Without, whoever can replay can as well
// publish: damage of the cache, which is there to help a start, must not prevent one.
func (d *Source) checkFollows(o Offer, s Current) error {
	last := Offer{Manifest: s.Manifest, Content: s.Content}
	if s.Manifest == nil {
		var err error
		switch last, err = d.cachedManifest(); {
		case err == nil || errors.Is(err, fs.ErrNotExist):
		case len(d.Trust) > 0:
			return &ConfigError{fmt.Errorf("%s: sequence %d: must not be older than the last one, which is unusable: %w: "+
				"restore it, or remove it to begin a new series", d.Name(), o.Manifest.Sequence, err)}
		default:
			d.Log.Warn().Err(err).Msg("cached manifest unusable; taking that of the source")
		}
	}
	if last.Manifest == nil {
		return nil
	}
	forget := "restart"
	if d.Cache != "" {
		forget = fmt.Sprintf("remove %s and restart", loader.Visible(d.cache.Manifest()))
	}
	switch m, last, isSame := o.Manifest, last.Manifest, bytes.Equal(o.Content, last.Content); {
	case m.Directory != last.Directory:
		return fmt.Errorf("%s: directory %q: must be %q, as it was before: is it the manifest of another directory? "+
			"To follow it, %s", d.Name(), m.Directory, last.Directory, forget)
	case m.Sequence < last.Sequence || m.Sequence == last.Sequence && !isSame:
		return fmt.Errorf("%s: sequence %d: %d was seen before, a manifest must not go back: is it an old copy? "+
			"To begin a new series, %s", d.Name(), m.Sequence, last.Sequence, forget)
	}
	return nil
}

// signature reads the signature of a manifest; nil if none is required.
func (d *Source) signature(ctx context.Context, content []byte) ([]byte, error) {
	if len(d.Trust) == 0 {
		return nil, nil
	}
	l := d.Location.Sibling(manifest.SignatureName(content))
	d.from(l)
	signature, _, err := d.storage.ReadAll(ctx, l, "", manifest.MaxSignature)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("has no signature, which --trust requires: publish with --sign")
	}
	return signature, err
}

// accept verifies a manifest: its signature, if one is required, and every value.
func (d *Source) accept(content, signature []byte) (*manifest.Manifest, error) {
	if len(d.Trust) > 0 {
		if err := manifest.Verify(content, signature, d.Trust); err != nil {
			return nil, err
		}
	}
	return manifest.Parse(content)
}

// ErrNotCached means that nothing of a source is ever in a cache.
var ErrNotCached = errors.New("is not cached")

// Cached returns what an earlier process was offered, for a start without a usable source.
func (d *Source) Cached() (Offer, error) {
	return within(context.Background(), d, func(_ context.Context, d *Source) (Offer, error) { return d.cached() })
}

func (d *Source) cached() (Offer, error) {
	if d.wasManifest() {
		return d.servableManifest()
	}
	if d.Location.IsLocal() {
		return Offer{}, ErrNotCached
	}
	o, err := d.cache.Offer(d.cache.data())
	return o, cmp.Or(err, d.checkTrust())
}

// cachedManifest returns the last manifest that an earlier process took, whoever signed it. If there is none, the error
// is fs.ErrNotExist.
func (d *Source) cachedManifest() (Offer, error) {
	o, err := d.cache.Offer(d.cache.Manifest())
	if err != nil {
		return o, err
	}
	if o.Content, err = d.cache.Read(o.Cached, manifest.MaxSize); err != nil {
		return o, err
	}
	if o.Manifest, err = manifest.Parse(o.Content); err != nil {
		return o, fmt.Errorf("%s: %w", loader.Visible(o.Cached), err)
	}
	return o, nil
}

// servableManifest returns the manifest in the cache if it is signed as that of the source must be.
func (d *Source) servableManifest() (Offer, error) {
	o, err := d.cachedManifest()
	if err == nil && len(d.Trust) > 0 {
		var signature []byte
		if signature, err = d.cache.readSignature(o.Content); err == nil {
			err = manifest.Verify(o.Content, signature, d.Trust)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", loader.Visible(o.Cached), err)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("and that of --cache is not accepted: %w: remove it", err)
	}
	return o, err
}

// Open opens a file or a publication. If it is what is served, the error is storage.ErrUnchanged, and the version says at
// most what was downloaded.
func (d *Source) Open(ctx context.Context, what Item, s Current, r Request) (*Version, error) {
	return within(ctx, d, func(ctx context.Context, d *Source) (*Version, error) {
		if p := what.Publication; p != nil {
			return d.openPublication(ctx, *p, s, r)
		}
		return d.openOffered(ctx, what.File, s, r)
	})
}

// Damaged returns which opened versions have become unusable, and why; if changed is set, it looks only at those whose
// file was changed since the last such call. It reads the opened indexes, at some 10 GB/s, and may be called during
// other methods.
func (d *Source) Damaged(s Current, changed bool) map[*Version]error {
	damaged := map[*Version]error{}
	for _, v := range s.Opened {
		if err := d.intact(v, changed); err != nil {
			damaged[v] = err
		}
	}
	return damaged
}

// intact returns an error, and logs it, if an opened index is damaged; if changed is set, only one whose file was
// changed is looked at.
func (d *Source) intact(v *Version, changed bool) error {
	if !v.Value.Acquire() { // its time is over
		return nil
	}
	defer v.Value.Release()
	if changed && !v.Value.WasChanged() {
		return nil
	}
	err := v.Value.Intact()
	if err != nil {
		err = fmt.Errorf("%s: the index of snapshot %s was changed in place, replace files by renaming: %w",
			d.Name(), v.Value.ID(), err)
		d.Log.Warn().Err(err).Str("snapshot", v.Value.ID()).Msg("an open index is damaged; replacing it")
	}
	return err
}

// Prune removes from the cache what a manifest does not need.
func (d *Source) Prune(m *manifest.Manifest) {
	_, err := within(context.Background(), d, func(_ context.Context, d *Source) (struct{}, error) {
		return struct{}{}, d.cache.prunePublished(m)
	})
	d.warnUnclean(err)
}

// warnUnclean logs an error of removing from the cache what is not needed; nil is none. It affects nothing else.
func (d *Source) warnUnclean(err error) {
	if err != nil {
		d.Log.Warn().Str("error", loader.Visible(err.Error())).Msg("cannot clean up the cache")
	}
}
