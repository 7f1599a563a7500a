package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"pubd/index"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/feed"
	"pubd/loader/feed/worker"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

type publishCommand struct {
	Snapshot publishSnapshotCommand `cmd:"" default:"withargs" help:"Publish a snapshot (the default command)."`
	Keygen   publishKeygenCommand   `cmd:"" help:"Generate the key pair that signs and verifies manifests."`
}

type publishSnapshotCommand struct {
	In string `arg:"" optional:"" name:"pubs.csv" predictor:"file" help:"The snapshot: CSV, JSON or NDJSON, plain, .gz or .zst."`
	To string `required:"" placeholder:"DIR|s3://…" help:"Where to publish: a directory, which any web server may serve, or s3://bucket/prefix."`

	ActivateIn   *time.Duration `placeholder:"D" help:"Delay until replicas begin to serve it, all at the same moment; 1m unless it is the first."`
	ActivateAt   *time.Time     `placeholder:"TIME" help:"When replicas begin to serve it, such as 2027-01-31T12:00:00Z."`
	AcceptShrink bool           `help:"Publish it no matter how many pubs it loses."`
	MaxShrink    float64        `default:"20" placeholder:"PERCENT" help:"Reject a snapshot that loses a larger share of the pubs than this (${default}); 100 turns the check off."`
	MaxBadRows   int            `default:"0" placeholder:"N" help:"Skip up to this many wrong rows (${default})."`
	placesFlag
	extraFlag
	From string `default:"file" enum:"file,postgres" placeholder:"file|postgres" help:"Where the pubs come from: a snapshot file or a database query (${default})."`
	postgresFlags
	Watch       string        `placeholder:"CHANNEL" help:"Keep running, and publish again after each NOTIFY on this database channel."`
	AtMostEvery time.Duration `default:"1m" placeholder:"D" help:"Minimum time between two snapshots of --watch (${default})."`

	Sign string `placeholder:"FILE" predictor:"file" help:"Sign the manifest with this private key, from publish keygen or minisign; PUBD_SIGN_PASSWORD is the password of an encrypted one."`
	Keep int    `default:"10" placeholder:"N" help:"Earlier snapshots to keep in the manifest (${default}), for clients that still read their pages, and for --rollback."`

	Rollback string `placeholder:"ID" help:"Publish a snapshot of the manifest again, instead of a file."`
	Prune    bool   `help:"Remove files older than an hour that the manifest does not name; without a snapshot, do only that."`

	to storage.Location
}

// Help says how to list the flags.
func (c *publishCommand) Help() string {
	return `pubd publish --to DIR pubs.csv publishes; pubd publish snapshot --help lists its flags.

Replicas follow it: pubd serve --data DIR/manifest.json`
}

// publishLead is the default time for replicas to prepare a snapshot: twice their interval between two reads of the
// manifest.
const publishLead = 2 * feed.DefaultRefresh

func isWithin(d, limit time.Duration) bool { return 0 <= d && d <= limit }

// pruneAge is the minimum age of a file to be removed that no manifest names. A younger one may belong to an active
// publisher.
const pruneAge = time.Hour

// publishPatience is how long a server may send nothing.
const publishPatience = 30 * time.Second

// Validate implements kong's check of a command's flags.
func (c *publishSnapshotCommand) Validate() (err error) {
	if err := c.postgresFlags.validate(c.From); err != nil {
		return err
	}
	switch {
	case c.From == fromPostgres && c.In != "":
		return errors.New("--from postgres: reads a database: leave out the file")
	case !c.hasSource() && c.Rollback == "" && !c.Prune:
		return errors.New("needs a snapshot, --rollback ID or --prune")
	case c.hasSource() && c.Rollback != "":
		return errors.New("--rollback: publishes an earlier snapshot: leave out any other source")
	case c.Watch != "" && c.From != fromPostgres:
		return errors.New("--watch: is for --from postgres only")
	case c.Watch != "" && c.ActivateAt != nil:
		return errors.New("--watch and --activate-at: must not be given together")
	case c.AtMostEvery < 0:
		return fmt.Errorf("--at-most-every %v: must be 0 or more", c.AtMostEvery)
	case c.ActivateIn != nil && c.ActivateAt != nil:
		return errors.New("--activate-in and --activate-at: must not be given together")
	case c.ActivateIn != nil && !isWithin(*c.ActivateIn, manifest.MaxAhead):
		return fmt.Errorf("--activate-in %v: must be from 0 to 744h, which is 31 days", *c.ActivateIn)
	case c.ActivateAt != nil && !isWithin(time.Until(*c.ActivateAt), manifest.MaxAhead):
		return fmt.Errorf("--activate-at %s: must be from now to 31 days later", c.ActivateAt.Format(time.RFC3339))
	case !(0 <= c.MaxShrink && c.MaxShrink <= 100):
		return fmt.Errorf("--max-shrink %v: must be from 0 to 100", c.MaxShrink)
	case c.MaxBadRows < 0:
		return fmt.Errorf("--max-bad-rows %d: must be 0 or more", c.MaxBadRows)
	case c.Keep < 1 || c.Keep > manifest.MaxKept:
		return fmt.Errorf("--keep %d: must be from 1 to %d", c.Keep, manifest.MaxKept)
	}
	if c.to, err = storage.Parse(c.To); err != nil {
		return fmt.Errorf("--to %w", err)
	}
	return c.extraFlag.Validate()
}

// Run publishes. Files are written before the manifest that names them, so that replicas find either the old or the
// new manifest, with all its files.
func (c *publishSnapshotCommand) Run(ctx context.Context, t terminal) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if c.Watch != "" {
		return watch(ctx, t.err, c.DSN, c.Watch, c.AtMostEvery, func() error { return c.once(ctx, t) })
	}
	return c.once(ctx, t)
}

// hasSource reports whether there are pubs to publish.
func (c *publishSnapshotCommand) hasSource() bool { return c.In != "" || c.From == fromPostgres }

// once publishes once.
func (c *publishSnapshotCommand) once(ctx context.Context, t terminal) error {
	p, err := c.open(ctx)
	if err != nil {
		return err
	}
	if c.hasSource() || c.Rollback != "" {
		err = p.publish(ctx, t)
	}
	if err == nil && c.Prune {
		err = p.prune(ctx, t)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: interrupted: to finish, run it again", p.at)
	}
	return err
}

// A publisher is the state of publishing to a folder.
type publisher struct {
	*publishSnapshotCommand
	client  *storage.Client
	folder  storage.Folder
	at      storage.Location    // of the manifest
	current *manifest.Manifest  // nil before the first
	content []byte              // of the manifest file
	version string              // which the manifest must still have when it is replaced
	signed  bool                // whether it has a signature
	key     manifest.PrivateKey // if --sign is given
}

// open reads the manifest and the signing key.
func (c *publishSnapshotCommand) open(ctx context.Context) (p *publisher, err error) {
	p = &publisher{publishSnapshotCommand: c, client: storage.NewClient(storage.Options{Patience: publishPatience})}
	if c.Sign != "" {
		if p.key, err = manifest.ReadPrivateKey(c.Sign, os.Getenv("PUBD_SIGN_PASSWORD")); err != nil {
			return nil, fmt.Errorf("--sign: %w", err)
		}
	}
	if p.folder, err = p.client.Folder(c.to); err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	if p.at, err = c.to.In(manifest.Name); err != nil {
		return nil, err
	}
	p.content, p.version, err = p.client.ReadVersion(ctx, p.at, manifest.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !c.hasSource():
		return nil, fmt.Errorf("%s: does not exist: publish a snapshot first", p.at)
	case errors.Is(err, fs.ErrNotExist):
		p.version = ""
		return p, nil
	case err != nil:
		return nil, err
	}
	if p.current, err = manifest.Parse(p.content); err != nil {
		return nil, fmt.Errorf("%s: %w: restore an intact manifest; replicas keep theirs", p.at, err)
	}
	return p, p.checkSigned(ctx)
}

// checkSigned finds out whether the manifest is signed. If it is, the next one must be, too: replicas that trust a key
// would reject it.
func (p *publisher) checkSigned(ctx context.Context) error {
	l, err := p.to.In(manifest.SignatureName(p.content))
	if err != nil {
		return err
	}
	_, _, err = p.client.ReadAll(ctx, l, "", manifest.MaxSignature)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.signed = err == nil
	if p.signed && p.Sign == "" && (p.hasSource() || p.Rollback != "") {
		return fmt.Errorf("%s: is signed: sign the next one too, with --sign", p.at)
	}
	return nil
}

// publish writes the index file of the snapshot to the folder, then the signature, then the manifest.
func (p *publisher) publish(ctx context.Context, t terminal) error {
	begun := time.Now()
	s, err := p.next(ctx, t)
	if err != nil {
		return err
	}
	if p.isPublished(s) {
		return say(t, "%s: sequence %d publishes snapshot %s already, nothing to do\n", p.at, p.current.Sequence, s.ID)
	}
	next := p.current.Next(s, p.Keep)
	next.Directory = cmp.Or(next.Directory, manifest.NewDirectory())
	content := next.Render()
	if _, err := manifest.Parse(content); err != nil { // such as an --activate-at that has passed meanwhile, or a wrong clock
		return fmt.Errorf("%s: not replaced: %w", p.at, err)
	}
	if p.Sign != "" {
		signature := manifest.Sign(content, next.Sequence, p.key)
		if err := p.folder.Put(ctx, manifest.SignatureName(content), strings.NewReader(string(signature)), int64(len(signature))); err != nil {
			return err
		}
	}
	switch err := p.folder.Replace(ctx, manifest.Name, content, p.version); {
	case errors.Is(err, storage.ErrConflict):
		return fmt.Errorf("%s: another publisher replaced it meanwhile, so it was left alone: look at it, then run this again", p.at)
	case err != nil:
		return err
	}
	p.current, p.content = next, content
	if err := p.confirm(ctx, s); err != nil {
		return err
	}
	return say(t, "%s: sequence %d, snapshot %s, %s, %s bytes to download (%.0f %% of the index file), served from %s on; published in %v\n", p.at, next.Sequence, s.ID,
		counted(s.Pubs, "pub"), grouped(int(s.Index.Size)), 100*float64(s.Index.Size)/float64(s.Index.ExpandedSize), s.ActivateAt.Format(time.RFC3339),
		time.Since(begun).Round(10*time.Millisecond))
}

// confirm reads the manifest back, or one of another publisher that follows it, and looks for all files that it names.
// So none of its files is lost in silence to a --prune that began before. Of a storage whose conditional writes are not
// atomic, it notices another publisher that wrote before it looks.
func (p *publisher) confirm(ctx context.Context, s manifest.Snapshot) error {
	content, _, err := p.client.ReadVersion(ctx, p.at, manifest.MaxSize)
	if err != nil {
		return err
	}
	if !bytes.Equal(content, p.content) {
		isThis := func(other manifest.Snapshot) bool {
			return other.Source == s.Source && other.PublishedAt.Equal(s.PublishedAt)
		}
		if m, err := manifest.Parse(content); err == nil && slices.ContainsFunc(m.Snapshots, isThis) {
			return nil // that publisher confirms the files
		}
		return fmt.Errorf("%s: another publisher replaced it, and lost sequence %d of this one: look at it, then run this again",
			p.at, p.current.Sequence)
	}
	files, err := p.folder.List(ctx)
	if err != nil {
		return err
	}
	missing := p.current.Files()
	for _, file := range files {
		delete(missing, file.Name)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: sequence %d is published, but files that it names are not in the folder: %s: "+
			"run this again to write those of the newest snapshot; an earlier one must be published again",
			p.at, p.current.Sequence, strings.Join(slices.Sorted(maps.Keys(missing)), ", "))
	}
	return nil
}

// isPublished reports whether the manifest already publishes a snapshot as the flags say.
func (p *publisher) isPublished(s manifest.Snapshot) bool {
	if p.current == nil || p.Rollback != "" || p.ActivateIn != nil || p.ActivateAt != nil || p.Sign != "" && !p.signed {
		return false
	}
	newest := p.current.Snapshots[0]
	return newest.Index == s.Index && (newest.AcceptShrink || !p.AcceptShrink)
}

// say writes to standard output.
func say(t terminal, format string, values ...any) error {
	if _, err := fmt.Fprintf(t.out, format, values...); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// next returns the snapshot to publish, after writing its index file to the folder.
func (p *publisher) next(ctx context.Context, t terminal) (manifest.Snapshot, error) {
	if p.Rollback != "" {
		publishedAt, activateAt := p.times()
		s, err := p.current.Again(p.Rollback, publishedAt, activateAt)
		if err != nil {
			return s, fmt.Errorf("%s: --rollback: %w", p.at, err)
		}
		if s.Origin != nil {
			for _, file := range s.Origin.Files {
				if err := p.check(ctx, file.Stored); err != nil {
					return s, err
				}
			}
		}
		return s, p.check(ctx, s.Index)
	}
	folder, remove, err := atomicfile.TempFolder("", "pubd-publish-")
	if err != nil {
		return manifest.Snapshot{}, err
	}
	defer remove()
	file := filepath.Join(folder, "pubs"+feed.IndexExtension)
	in, name := p.In, p.In
	if p.From == fromPostgres {
		if in, err = p.read(ctx, t, folder); err != nil {
			return manifest.Snapshot{}, err
		}
		name = p.name()
	}
	built, err := (&buildCommand{In: in, Out: file, MaxBadRows: p.MaxBadRows, placesFlag: p.placesFlag, extraFlag: p.extraFlag, name: name}).build(ctx, t)
	if err != nil {
		return manifest.Snapshot{}, err
	}
	source := fmt.Sprintf("%x", built.source)
	s := manifest.Snapshot{ID: source[:16], Source: source, Pubs: built.pubs, AcceptShrink: p.AcceptShrink}
	if p.current != nil && !p.AcceptShrink {
		if err := feed.CheckShrink(name, p.current.Snapshots[0].Pubs, s.Pubs, p.MaxShrink); err != nil {
			return s, fmt.Errorf("%w, or publish it with --accept-shrink", err)
		}
	}
	if s.Origin, err = p.uploadOrigin(ctx, t, s, in, folder); err != nil {
		return s, err
	}
	if s.Index, err = p.upload(ctx, t, s.ID, file, manifest.Extension); err != nil {
		return s, err
	}
	s.Index.Format = index.FormatVersion()
	s.PublishedAt, s.ActivateAt = p.times() // only now, because uploading may take long
	return s, nil
}

// times returns when the snapshot is published, and when it is served.
func (p *publisher) times() (publishedAt, activateAt time.Time) {
	publishedAt = time.Now().UTC().Truncate(time.Millisecond)
	switch {
	case p.ActivateAt != nil:
		return publishedAt, p.ActivateAt.UTC()
	case p.ActivateIn != nil:
		return publishedAt, publishedAt.Add(*p.ActivateIn)
	case p.current == nil:
		return publishedAt, publishedAt
	}
	return publishedAt, publishedAt.Add(publishLead)
}

// uploadOrigin uploads the files that a snapshot was built from, unless they have changed since. folder is for
// temporary files.
func (p *publisher) uploadOrigin(ctx context.Context, t terminal, s manifest.Snapshot, in, folder string) (*manifest.Origin, error) {
	o := &manifest.Origin{MaxBadRows: p.MaxBadRows, Extra: p.Extra}
	places, err := loader.ReadPlaces(p.Places, worker.FreeMemory().Bytes)
	if err != nil {
		return nil, err
	}
	folder = filepath.Join(folder, "origin") // the snapshot itself may be in the folder
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	copies := []string{filepath.Join(folder, "pubs"+extensionsOf(in))}
	sum, err := copyFile(copies[0], in)
	if err != nil {
		return nil, err
	}
	if fmt.Sprintf("%x", places.Identity(sum)) != s.Source {
		return nil, fmt.Errorf("%s: changed while it was published: run it again", loader.Visible(in))
	}
	if p.Places != "" {
		copies = append(copies, filepath.Join(folder, "places"+extensionsOf(p.Places)))
		if err := os.WriteFile(copies[1], places.Content, 0o600); err != nil {
			return nil, err
		}
	}
	for _, place := range copies {
		stored, err := p.upload(ctx, t, s.ID, place, manifest.OriginExtension)
		if err != nil {
			return nil, err
		}
		o.Files = append(o.Files, manifest.OriginFile{Name: filepath.Base(place), Stored: stored})
	}
	return o, nil
}

// extensionsOf returns such as ".csv.gz".
func extensionsOf(path string) string {
	extension := filepath.Ext(path)
	if extension == ".gz" || extension == ".zst" {
		extension = filepath.Ext(strings.TrimSuffix(path, extension)) + extension
	}
	return extension
}

// copyFile copies a file and returns its SHA-256.
func copyFile(to, from string) (sum [sha256.Size]byte, err error) {
	file, err := loader.OpenFile(from)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	made, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return sum, err
	}
	if _, err = io.Copy(made, file); err == nil {
		sum, err = file.End()
	}
	return sum, cmp.Or(err, made.Close())
}

// upload compresses a file, writes it to the folder, reads it back and compares. Its name depends on its content, so
// that publishers of different files do not interfere. It stays as it is if the manifest names it; another one of this
// name is written again, because only its age protects it from --prune until then.
func (p *publisher) upload(ctx context.Context, t terminal, id, file, extension string) (manifest.Index, error) {
	stored, err := atomicfile.Create(file + ".zst")
	if err != nil {
		return manifest.Index{}, err
	}
	defer stored.Abort()
	expanded, err := os.Open(file)
	if err != nil {
		return manifest.Index{}, err
	}
	defer expanded.Close()
	info, err := expanded.Stat()
	if err != nil {
		return manifest.Index{}, err
	}
	compressing := newProgress(t.err, "compressing", true)
	defer compressing.finish()
	is, err := manifest.Compress(stored, &showingReader{expanded, 0, info.Size(), compressing.show})
	compressing.finish()
	if err != nil {
		return is, err
	}
	is.Key = id + "-" + is.SHA256[:16] + extension
	if p.current != nil && p.current.Files()[is.Key] && p.check(ctx, is) == nil {
		return is, nil
	}
	uploading := newProgress(t.err, "uploading "+is.Key, true)
	defer uploading.finish()
	if err := p.folder.Put(ctx, is.Key, &showingReader{io.NewSectionReader(stored, 0, is.Size), 0, is.Size, uploading.show}, is.Size); err != nil {
		return is, err
	}
	uploading.finish()
	return is, p.check(ctx, is)
}

// check reads a stored index file back and returns an error if it is not the one that was uploaded.
func (p *publisher) check(ctx context.Context, i manifest.Index) error {
	l, err := p.to.In(i.Key)
	if err != nil {
		return err
	}
	stored, err := p.client.Open(ctx, l, storage.Request{})
	if err != nil {
		return err
	}
	defer stored.Close()
	if err := i.Check(stored); err != nil {
		return fmt.Errorf("%s: %w", p.folder, err)
	}
	return nil
}

// A showingReader shows how much of a file was read.
type showingReader struct {
	io.ReadSeeker
	done, total int64
	show        func(done, total int64)
}

// Read implements io.Reader.
func (r *showingReader) Read(b []byte) (int, error) {
	n, err := r.ReadSeeker.Read(b)
	r.done += int64(n)
	r.show(r.done, r.total)
	return n, err
}

// Seek implements io.Seeker.
func (r *showingReader) Seek(offset int64, whence int) (at int64, err error) {
	at, err = r.ReadSeeker.Seek(offset, whence)
	r.done = at
	return at, err
}

// prune removes the files of earlier publications that the manifest does not name.
func (p *publisher) prune(ctx context.Context, t terminal) error {
	files, err := p.folder.List(ctx)
	if err != nil {
		return err
	}
	needed := p.current.Files()
	needed[manifest.SignatureName(p.content)] = true
	removed, size := 0, int64(0)
	for _, file := range files {
		if !manifest.IsPublished(file.Name) || needed[file.Name] || time.Since(file.Modified) < pruneAge {
			continue
		}
		switch err := p.folder.Remove(ctx, file); {
		case errors.Is(err, storage.ErrConflict), errors.Is(err, fs.ErrNotExist):
			continue // a publisher uses it again, or another one removed it
		case err != nil:
			return err
		}
		removed, size = removed+1, size+file.Size
	}
	return say(t, "%s: %s removed, %s bytes\n", p.folder, counted(removed, "file"), grouped(int(size)))
}
