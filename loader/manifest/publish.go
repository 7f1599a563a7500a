package manifest

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"pubd/index"
	"pubd/index/schema"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/storage"
)

// pruneAge is the minimum age of a file to be removed that no manifest names. A younger one may belong to an active
// publisher.
const pruneAge = time.Hour

// publishPatience is how long a server may send nothing.
const publishPatience = 30 * time.Second

// Options are how to publish.
type Options struct {
	To   storage.Location // a directory, or a prefix in a bucket
	Sign *PrivateKey      // nil for no signature
	Keep int              // earlier snapshots to keep in the manifest
	// Activate returns when replicas begin to serve a snapshot that is published at a time, in UTC.
	Activate func(publishedAt time.Time, isFirst bool) time.Time
	// Again has a snapshot published even if it is the newest one already.
	Again bool
	// Progress is told of long work on a number of bytes. It returns a writer of the bytes that are done, and a function
	// that ends it and may be called repeatedly.
	Progress func(label string, size int64) (done io.Writer, finish func())
}

// A Publisher follows the manifest of a folder by another one, once. It writes files before the manifest that names
// them, so that replicas find either the old or the new manifest, with all its files.
type Publisher struct {
	Options
	Manifest *Manifest        // the current one; nil before the first
	Location storage.Location // of the manifest
	folder   storage.Folder
	client   *storage.Client
	content  []byte // of the manifest file
	version  string // which the manifest must still have when it is replaced
	isSigned bool   // the manifest
}

// NewPublisher reads the manifest of a folder, unless there is none.
func NewPublisher(ctx context.Context, o Options) (p *Publisher, err error) {
	p = &Publisher{Options: o, client: storage.NewClient(storage.Options{Patience: publishPatience})}
	if p.folder, err = p.client.Folder(o.To); err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	p.Location = o.To.In(Name)
	p.content, p.version, err = p.client.ReadVersion(ctx, p.Location, MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.version = ""
		return p, nil
	case err != nil:
		return nil, err
	}
	if p.Manifest, err = Parse(p.content); err != nil {
		return nil, fmt.Errorf("%s: %w: restore an intact manifest; replicas keep theirs", p.Location, err)
	}
	_, _, err = p.client.ReadAll(ctx, o.To.In(SignatureName(p.content)), "", MaxSignature)
	p.isSigned = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return p, err
}

// A Build is an index file, and what it was built from.
type Build struct {
	File     string // the index file
	Pubs     int
	Identity [32]byte // of the snapshot with its gazetteer
	Snapshot string   // its file
	Places   loader.Gazetteer
	// MaxBadRows and Extra are how the snapshot was read.
	MaxBadRows   int
	Extra        []schema.ExtraColumn
	AcceptShrink bool
}

// Publish publishes the index file that build builds in a temporary folder, with its source. The result is false if
// the manifest has it published already.
func (p *Publisher) Publish(ctx context.Context, build func(folder string) (Build, error)) (bool, error) {
	if err := p.checkSigned(); err != nil {
		return false, err
	}
	folder, remove, err := atomicfile.TempFolder("", "pubd-publish-")
	if err != nil {
		return false, err
	}
	defer remove()
	b, err := build(folder)
	if err != nil {
		return false, err
	}
	source := hex.EncodeToString(b.Identity[:])
	s := Snapshot{ID: source[:16], Source: source, Pubs: b.Pubs, AcceptShrink: b.AcceptShrink}
	if s.Origin, err = p.uploadOrigin(ctx, s.ID, folder, b); err != nil {
		return false, err
	}
	file, err := loader.OpenFile(b.File)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if s.Index, err = p.upload(ctx, s.ID, folder, file, file.Size(), Extension); err != nil {
		return false, err
	}
	s.Index.Format = index.FormatVersion()
	if m := p.Manifest; m != nil && !p.Again && (p.Sign == nil || p.isSigned) &&
		m.Snapshots[0].Index == s.Index && s.Origin.isSame(m.Snapshots[0].Origin) &&
		(m.Snapshots[0].AcceptShrink || !s.AcceptShrink) {
		return false, nil
	}
	s.PublishedAt, s.ActivateAt = p.times() // only now, because uploading may take long
	return true, p.replace(ctx, s)
}

// Rollback publishes a snapshot of the manifest again.
func (p *Publisher) Rollback(ctx context.Context, id string) error {
	if err := p.checkSigned(); err != nil {
		return err
	}
	publishedAt, activateAt := p.times()
	s, err := p.Manifest.Again(id, publishedAt, activateAt)
	if err != nil {
		return fmt.Errorf("%s: --rollback: %w", p.Location, err)
	}
	for _, file := range s.files() {
		if err := p.check(ctx, file); err != nil {
			return err
		}
	}
	return p.replace(ctx, s)
}

// checkSigned returns an error if a signed manifest would be followed by one that is not: replicas that trust a key
// would reject it.
func (p *Publisher) checkSigned() error {
	if p.isSigned && p.Sign == nil {
		return fmt.Errorf("%s: is signed: sign the next one too, with --sign", p.Location)
	}
	return nil
}

// times returns when a snapshot is published, and when it is served.
func (p *Publisher) times() (publishedAt, activateAt time.Time) {
	publishedAt = time.Now().UTC().Truncate(time.Millisecond)
	return publishedAt, p.Activate(publishedAt, p.Manifest == nil)
}

// replace writes the manifest that publishes a snapshot, after its signature.
func (p *Publisher) replace(ctx context.Context, s Snapshot) error {
	next := p.Manifest.Next(s, p.Keep)
	content := next.Render()
	if _, err := Parse(content); err != nil { // such as a time of activation that has passed meanwhile, or a wrong clock
		return fmt.Errorf("%s: not replaced: %w", p.Location, err)
	}
	if p.Sign != nil {
		signature := Sign(content, next.Sequence, *p.Sign)
		if err := p.folder.Put(ctx, SignatureName(content), bytes.NewReader(signature), int64(len(signature))); err != nil {
			return err
		}
	}
	switch err := p.folder.Replace(ctx, Name, content, p.version); {
	case errors.Is(err, storage.ErrConflict):
		return fmt.Errorf("%s: another publisher replaced it meanwhile, so it was left alone: look at it, then run this again", p.Location)
	case err != nil:
		return err
	}
	p.Manifest, p.content = next, content
	return p.confirm(ctx)
}

// confirm reads the manifest back, or one of another publisher that follows it, and looks for all files that it names.
// So none of its files is lost in silence to a prune that began before. Of a storage whose conditional writes are not
// atomic, it notices another publisher that wrote before it looks.
func (p *Publisher) confirm(ctx context.Context) error {
	content, _, err := p.client.ReadVersion(ctx, p.Location, MaxSize)
	if err != nil {
		return err
	}
	if !bytes.Equal(content, p.content) {
		isThis := func(other Snapshot) bool {
			s := p.Manifest.Snapshots[0]
			return other.Source == s.Source && other.PublishedAt.Equal(s.PublishedAt)
		}
		if m, err := Parse(content); err == nil && slices.ContainsFunc(m.Snapshots, isThis) {
			return nil // that publisher confirms the files
		}
		return fmt.Errorf("%s: another publisher replaced it, and lost sequence %d of this one: look at it, then run this again",
			p.Location, p.Manifest.Sequence)
	}
	files, err := p.folder.List(ctx)
	if err != nil {
		return err
	}
	missing := p.Manifest.Files()
	for _, file := range files {
		delete(missing, file.Name)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: sequence %d is published, but files that it names are not in the folder: %s: "+
			"run this again to write those of the newest snapshot; an earlier one must be published again",
			p.Location, p.Manifest.Sequence, strings.Join(slices.Sorted(maps.Keys(missing)), ", "))
	}
	return nil
}

// uploadOrigin uploads the files that an index was built from, unless the snapshot has changed since.
func (p *Publisher) uploadOrigin(ctx context.Context, id, folder string, b Build) (*Origin, error) {
	file, err := loader.OpenFile(b.Snapshot)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	snapshot, err := p.upload(ctx, id, folder, file, file.Size(), OriginExtension)
	if err != nil {
		return nil, err
	}
	sum, err := file.End()
	if err != nil {
		return nil, err
	}
	if b.Places.Identity(sum) != b.Identity {
		return nil, fmt.Errorf("%s: changed while it was published: run it again", loader.Visible(b.Snapshot))
	}
	o := &Origin{MaxBadRows: b.MaxBadRows, Extra: b.Extra, Files: []OriginFile{{fileName("pubs", b.Snapshot), snapshot}}}
	if b.Places.Content != nil {
		places, err := p.upload(ctx, id, folder, bytes.NewReader(b.Places.Content), int64(len(b.Places.Content)), OriginExtension)
		if err != nil {
			return nil, err
		}
		o.Files = append(o.Files, OriginFile{fileName("places", b.Places.Name), places})
	}
	return o, nil
}

// fileName returns the name under which a snapshot or a gazetteer is published, such as pubs.csv.gz.
func fileName(of, path string) string {
	format, packing, _ := loader.Shape(path) // it was read
	return of + "." + format + map[string]string{"gzip": ".gz", "zstd": ".zst"}[packing]
}

// upload compresses a file, writes it to the folder, reads it back and compares. Its name depends on its content, so
// that publishers of different files do not interfere. It stays as it is if the manifest names it; another one of this
// name is written again, because only its age protects it from Prune until then.
func (p *Publisher) upload(ctx context.Context, id, folder string, file io.Reader, size int64, extension string) (Index, error) {
	stored, err := os.CreateTemp(folder, "*.zst")
	if err != nil {
		return Index{}, err
	}
	defer stored.Close()
	done, finish := p.Progress("compressing", size)
	is, err := Compress(stored, io.TeeReader(file, done))
	finish()
	if err != nil {
		return is, err
	}
	is.Key = id + "-" + is.SHA256[:16] + extension
	if p.Manifest != nil && p.Manifest.Files()[is.Key] && p.check(ctx, is) == nil {
		return is, nil
	}
	done, finish = p.Progress("uploading "+is.Key, is.Size)
	content := io.NewSectionReader(stored, 0, is.Size)
	err = p.folder.Put(ctx, is.Key, struct { // bytes that are sent again count again
		io.Reader
		io.Seeker
	}{io.TeeReader(content, done), content}, is.Size)
	finish()
	if err != nil {
		return is, err
	}
	return is, p.check(ctx, is)
}

// check reads a stored file back and returns an error if it is not the one that was uploaded.
func (p *Publisher) check(ctx context.Context, i Index) error {
	stored, err := p.client.Open(ctx, p.To.In(i.Key), storage.Request{})
	if err != nil {
		return err
	}
	defer stored.Close()
	if err := i.Check(stored); err != nil {
		return fmt.Errorf("%s: %w", p.folder, err)
	}
	return nil
}

// Prune removes the files of publishers that the manifest does not name, if they are older than an hour. It returns how
// many and their size in bytes.
func (p *Publisher) Prune(ctx context.Context) (removed int, size int64, err error) {
	files, err := p.folder.List(ctx)
	if err != nil {
		return 0, 0, err
	}
	needed := p.Manifest.Files()
	needed[SignatureName(p.content)] = true
	for _, file := range files {
		isOurs := strings.HasSuffix(file.Name, Extension) || strings.HasSuffix(file.Name, OriginExtension) ||
			file.Name == storage.ConditionTest ||
			strings.HasPrefix(file.Name, signaturePrefix) && strings.HasSuffix(file.Name, signatureExtension)
		if !isOurs || needed[file.Name] || time.Since(file.Modified) < pruneAge {
			continue
		}
		switch err := p.folder.Remove(ctx, file); {
		case errors.Is(err, storage.ErrConflict), errors.Is(err, fs.ErrNotExist):
			continue // a publisher uses it again, or another one removed it
		case err != nil:
			return removed, size, err
		}
		removed, size = removed+1, size+file.Size
	}
	return removed, size, nil
}
