package feed

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"pubd/data"
	"pubd/index"
	"pubd/loader"
	"pubd/loader/disk"
	"pubd/loader/feed/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// Options configure a feed of a directory: the embedded sample, a snapshot file, an index file or a manifest, on this
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
	Extra      []index.ExtraColumn
	// MaxShrink is the largest share of the pubs, in percent, that the next snapshot may lose.
	MaxShrink float64
	// Trust is the keys of which one must have signed the manifest; without any, all files are accepted.
	Trust []manifest.PublicKey
	// BuilderVersion is the version of this program: only what it built is taken from the cache.
	BuilderVersion string
	// Patience is how long reading a file may take.
	Patience time.Duration
	// Refresh is how often to check the source; nil means 30 s for remote sources and manifests, otherwise never, as
	// 0. While nothing is served because of damage, never is 30 s.
	Refresh *time.Duration
	// KeepFor is how long a replaced version is kept, and Keep how many of them.
	KeepFor time.Duration
	Keep    int
	Log     Log
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Progress shows a part of the work such as "building", in bytes or without a unit, until finish is called.
	Progress func(part, name string, bytes bool) (show func(done, total int64), finish func())
}

func newDirectory(o Options) *directory {
	if o.Now == nil {
		o.Now = time.Now
	}
	files := &disk.Disk{Limit: o.Patience}
	kept := cache{o.Cache, o.Location, &disk.Disk{Limit: o.Patience}}
	return &directory{Options: o, cache: kept, temporary: cache{disk: &disk.Disk{Limit: o.Patience}}, files: files,
		worker: worker.Builder{Patience: o.Patience}, storage: newStorage(o.Patience, files),
		wasManifest: sync.OnceValue(func() bool {
			_, err := kept.size(kept.manifest())
			return err == nil || manifest.IsManifest(o.Location.Base(), nil)
		})}
}

// newStorage returns a client that gives up on a server that sends nothing for a while, or for as long as patience.
func newStorage(patience time.Duration, files *disk.Disk) *storage.Client {
	const idle = 15 * time.Second
	return storage.NewClient(storage.Options{Patience: min(patience, idle), Disk: files})
}

// A directory is a source of snapshots.
type directory struct {
	Options
	cache     cache
	temporary cache      // has no folder
	files     *disk.Disk // of a local source
	worker    worker.Builder
	storage   *storage.Client
	unkept    *signedManifest // the one that is followed and could not be cached; for Next
	// wasManifest reports whether the source is a manifest by its name, or was one for an earlier process.
	wasManifest func() bool
}

// isRemote reports whether the source is on another machine.
func (d *directory) isRemote() bool { return !d.Location.IsLocal() }

// isFixed reports whether the source never changes.
func (d *directory) isFixed() bool { return d.Location == storage.Location{} }

// name returns the name of the source in errors and in the log.
func (d *directory) name() string {
	if d.isFixed() {
		return data.SampleName
	}
	return d.Location.String()
}

// Next implements source. Whether the source is a manifest is known by its name, by what it was before, or by its
// first bytes.
func (d *directory) Next(ctx context.Context, s State, requested bool) (Offer, error) {
	known := s.version
	if requested {
		known = ""
	}
	switch {
	case d.isFixed():
		return Offer{}, nil
	case s.Published || d.wasManifest():
		return d.nextManifest(ctx, s)
	}
	var places []string
	if d.Places != "" {
		places = append(places, d.Places)
	}
	o, err := probe(ctx, d.storage, d.files, d.Location, known, places...)
	switch {
	case d.Location.IsLocal() && requested && err != nil: // opening it says more
	case err != nil:
		return o, err
	case manifest.IsManifest(d.Location.Base(), o.Content):
		return d.nextManifest(ctx, s)
	}
	return Offer{Version: o.Version}, d.checkTrust()
}

// checkTrust rejects a file that is no manifest if a signature is required.
func (d *directory) checkTrust() error {
	if len(d.Trust) > 0 {
		return &configError{fmt.Errorf("%s: must be a manifest, because --trust is set: a file alone has no signature", d.name())}
	}
	return nil
}

// nextManifest reads the manifest and its signature.
func (d *directory) nextManifest(ctx context.Context, s State) (Offer, error) {
	if d.Places != "" {
		return Offer{}, &configError{fmt.Errorf("%s: is a manifest, whose snapshots have their own gazetteer: publish them with pubd publish --places, and leave out --places here", d.name())}
	}
	ctx, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	content, version, err := d.storage.ReadAll(ctx, d.Location, s.version, manifest.MaxSize)
	switch {
	case errors.Is(err, storage.ErrUnchanged):
		_ = d.keepManifest()
		return Offer{Version: s.version}, err
	case err != nil:
		return Offer{}, err
	case s.Published && bytes.Equal(content, s.content):
		_ = d.keepManifest()
		return Offer{Version: version}, storage.ErrUnchanged
	}
	signature, err := d.signature(ctx, content)
	if err != nil {
		return Offer{}, fmt.Errorf("%s: %w", d.name(), err)
	}
	m, err := d.accept(content, signature)
	if err != nil {
		return Offer{}, fmt.Errorf("%s: %w", d.name(), err)
	}
	o := Offer{Version: version, Manifest: m, Content: content}
	if err := d.checkFollows(o, s); err != nil {
		return Offer{}, err
	}
	if d.Cache != "" {
		d.unkept = &signedManifest{m, content, signature}
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
func (d *directory) keepManifest() error {
	if d.unkept == nil {
		return nil
	}
	if !d.isBehindCache(d.unkept.Manifest) {
		if err := d.cache.keepManifest(d.unkept.content, d.unkept.signature); err != nil {
			return err
		}
	}
	d.unkept = nil
	return nil
}

// isBehindCache reports whether the cache has a newer manifest of a directory: one that another server put there, or
// one that could not be read in time.
func (d *directory) isBehindCache(m *manifest.Manifest) bool {
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
func (d *directory) checkFollows(o Offer, s State) error {
	last := Offer{Manifest: s.Manifest, Content: s.content}
	if !s.Published {
		var err error
		switch last, err = d.cachedManifest(); {
		case err == nil || errors.Is(err, fs.ErrNotExist):
		case len(d.Trust) > 0 && !disk.IsLate(err):
			return &configError{fmt.Errorf("%s: sequence %d: must not be older than the last one, which is unusable: %w: "+
				"restore it, or remove it to begin a new series", d.name(), o.Manifest.Sequence, err)}
		default:
			d.Log.Warn().Err(err).Msg("cached manifest unusable; taking that of the source")
		}
	}
	if last.Manifest == nil {
		return nil
	}
	forget := "restart"
	if d.Cache != "" {
		forget = fmt.Sprintf("remove %s and restart", loader.Visible(d.cache.manifest()))
	}
	switch m, last, isSame := o.Manifest, last.Manifest, bytes.Equal(o.Content, last.Content); {
	case m.Directory != last.Directory:
		return fmt.Errorf("%s: directory %q: must be %q, as it was before: is it the manifest of another directory? "+
			"To follow it, %s", d.name(), m.Directory, last.Directory, forget)
	case m.Sequence < last.Sequence || m.Sequence == last.Sequence && !isSame:
		return fmt.Errorf("%s: sequence %d: %d was seen before, a manifest must not go back: is it an old copy? "+
			"To begin a new series, %s", d.name(), m.Sequence, last.Sequence, forget)
	}
	return nil
}

// signature reads the signature of a manifest; nil if none is required.
func (d *directory) signature(ctx context.Context, content []byte) ([]byte, error) {
	if len(d.Trust) == 0 {
		return nil, nil
	}
	l := d.Location.Sibling(manifest.SignatureName(content))
	signature, _, err := d.storage.ReadAll(ctx, l, "", manifest.MaxSignature)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("has no signature, which --trust requires: publish with --sign")
	}
	return signature, err
}

// accept verifies a manifest: its signature, if one is required, and every value.
func (d *directory) accept(content, signature []byte) (*manifest.Manifest, error) {
	if len(d.Trust) > 0 {
		if err := manifest.Verify(content, signature, d.Trust); err != nil {
			return nil, err
		}
	}
	return manifest.Parse(content)
}

// errNoCache means that nothing of a source is ever in a cache.
var errNoCache = errors.New("is not cached")

// cached returns what an earlier process was offered, for a start without a usable source.
func (d *directory) cached() (Offer, error) {
	if d.wasManifest() {
		return d.servableManifest()
	}
	if d.Location.IsLocal() {
		return Offer{}, errNoCache
	}
	o, err := d.cache.offer(d.cache.data())
	return o, cmp.Or(err, d.checkTrust())
}

// cachedManifest returns the last manifest that an earlier process took, whoever signed it. If there is none, the error
// is fs.ErrNotExist.
func (d *directory) cachedManifest() (Offer, error) {
	o, err := d.cache.offer(d.cache.manifest())
	if err != nil {
		return o, err
	}
	if o.Content, err = d.cache.read(o.Cached, manifest.MaxSize); err != nil {
		return o, err
	}
	if o.Manifest, err = manifest.Parse(o.Content); err != nil {
		return o, fmt.Errorf("%s: %w", loader.Visible(o.Cached), err)
	}
	return o, nil
}

// servableManifest returns the manifest in the cache if it is signed as that of the source must be.
func (d *directory) servableManifest() (Offer, error) {
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
		if !disk.IsLate(err) {
			err = fmt.Errorf("%w: remove it", err)
		}
		err = fmt.Errorf("and that of --cache is not accepted: %w", err)
	}
	return o, err
}

// Open implements source.
func (d *directory) Open(ctx context.Context, what Item, s State, r Request) (*Version, error) {
	if p := what.Publication; p != nil {
		return d.openPublication(ctx, *p, s, r)
	}
	return d.openOffered(ctx, what.File, s, r)
}

// damaged returns which opened versions have become unusable, and why; if changed is set, it looks only at those whose
// file was changed since the last such call. It reads the opened indexes, at some 10 GB/s, and may be called during
// other methods.
func (d *directory) damaged(s State, changed bool) map[*Version]error {
	damaged := map[*Version]error{}
	for v := range s.live() {
		if err := d.intact(v, changed); err != nil {
			damaged[v] = err
		}
	}
	return damaged
}

// intact returns an error, and logs it, if an opened index is damaged; if changed is set, only one whose file was
// changed is looked at.
func (d *directory) intact(v *Version, changed bool) error {
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
			d.name(), v.Value.ID(), err)
		d.Log.Warn().Err(err).Str("snapshot", v.Value.ID()).Msg("an open index is damaged; replacing it")
	}
	return err
}

// warnUnclean logs an error of removing from the cache what is not needed; nil is none. It affects nothing else.
func (d *directory) warnUnclean(err error) {
	if err != nil {
		d.Log.Warn().Str("error", loader.Visible(err.Error())).Msg("cannot clean up the cache")
	}
}
