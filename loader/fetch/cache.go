package fetch

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pubd/index"
	"pubd/index/schema"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/disk"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// A Cache is a folder of files by which the next start needs neither a source nor a build. Servers may share it: files
// of a source have its digest in their names, each is replaced at once, and a partial one is locked by the process
// that writes it. A cache that does not answer in time is as good as absent.
type Cache struct {
	folder string // empty if there is no cache
	source storage.Location
	clock  *disk.Clock // of what is done with it; nil limits nothing
}

// NewCache returns the cache of a source in a folder, none if that is empty.
func NewCache(folder string, source storage.Location) Cache {
	return Cache{folder: folder, source: source}
}

// On returns the cache with a clock.
func (c Cache) On(clock *disk.Clock) Cache {
	c.clock = clock
	return c
}

// IndexExtension is the file name extension of index files.
const IndexExtension = ".idx"

// File returns where something of the source is kept; empty without a cache.
func (c Cache) File(what, extension string) string {
	if c.folder == "" {
		return ""
	}
	return filepath.Join(c.folder, fmt.Sprintf("%s-%.8x%s", what, sha256.Sum256([]byte(c.source.String())), extension))
}

// data returns where the file of the source is, Manifest where its manifest is, Signature that of a manifest, and Index a
// published index file, which is at part while it is downloaded.
func (c Cache) data() string     { return c.File("data", "-"+filepath.Base(c.source.Base())) }
func (c Cache) Manifest() string { return c.File("manifest", ".json") }
func (c Cache) Signature(manifestFile []byte) string {
	return c.File("signature", "-"+manifest.SignatureName(manifestFile))
}
func (c Cache) Index(p manifest.Snapshot) string {
	return c.File("fleet", "-"+p.Index.ExpandedSHA256+IndexExtension)
}
func (c Cache) part(p manifest.Snapshot) string { return c.File("fleet", "-"+p.Index.SHA256+".part") }

// keepManifest keeps a manifest and, unless that is nil, its signature. Each signature has a file of its own, and the
// manifest is written last: a process that ends between the two leaves the manifest before with its signature.
func (c Cache) keepManifest(content, signature []byte) error {
	if signature != nil {
		if err := c.Keep(c.Signature(content), signature, 0o644); err != nil {
			return err
		}
	}
	return c.Keep(c.Manifest(), content, 0o644)
}

// readSignature reads the signature of a manifest.
func (c Cache) readSignature(content []byte) (signature []byte, err error) {
	if signature, err = c.Read(c.Signature(content), manifest.MaxSignature); errors.Is(err, fs.ErrNotExist) {
		err = errors.New("has no signature in --cache")
	}
	return signature, err
}

// maxBuilds is the maximum number of built indexes in a cache: the current one, the previous one, and some to roll
// back to.
const maxBuilds = 4

// builtName matches the file names that [Cache.built] returns.
var builtName = regexp.MustCompile(`^[0-9a-f]{64}-[0-9]+(-bad[0-9]+)?(-extra[0-9a-f]{16})?\.idx$`)

// built returns where the index that was built from a source with a SHA-256 is kept, however many wrong rows were
// allowed, if any, and whichever extra columns.
func (c Cache) built(source string, maxBadRows int, extra []schema.ExtraColumn) string {
	if c.folder == "" {
		return ""
	}
	name := fmt.Sprintf("%s-%d", source, index.FormatVersion())
	if maxBadRows > 0 {
		name += fmt.Sprintf("-bad%d", maxBadRows)
	}
	if len(extra) > 0 {
		name += fmt.Sprintf("-extra%.8x", sha256.Sum256(fmt.Appendf(nil, "%q", extra)))
	}
	return filepath.Join(c.folder, name+IndexExtension)
}

// at returns a place, to which an access begins.
func (c Cache) at(place string) string {
	c.clock.At(place)
	return place
}

// touch marks a file as recently used, and reports whether it exists.
func (c Cache) touch(place string) bool {
	now := time.Now()
	if os.Chtimes(c.at(place), now, now) == nil {
		return true
	}
	_, err := os.Stat(c.at(place)) // a read-only cache is valid, too
	return err == nil
}

// Read reads a file of at most most bytes.
func (c Cache) Read(place string, most int64) ([]byte, error) {
	content, _, err := loader.ReadFileWithin(c.at(place), most)
	return content, err
}

// Keep writes content to a place, which from its first moment on has a mode.
func (c Cache) Keep(place string, content []byte, mode os.FileMode) error {
	file, err := c.create(place)
	if err != nil {
		return err
	}
	file.SetMode(mode)
	_, err = c.clock.File(file.File).Write(content)
	return c.end(file, true, err)
}

// create creates a file for a place, which end ends. What is there and is no file, such as a symbolic link, gives way.
func (c Cache) create(place string) (*atomicfile.File, error) {
	if err := os.MkdirAll(filepath.Dir(c.at(place)), 0o755); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(place); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(c.at(place)); err != nil {
			return nil, err
		}
	}
	return atomicfile.Create(c.at(place))
}

// end puts a created file into its place if it is complete, otherwise removes it, and returns the first error.
func (c Cache) end(file *atomicfile.File, complete bool, err error) error {
	c.at(file.Name())
	if err != nil || !complete {
		file.Abort()
		return err
	}
	return file.Commit()
}

// pruneBuilds removes all but the newest built indexes.
func (c Cache) pruneBuilds() error {
	entries, err := os.ReadDir(c.at(c.folder))
	if err != nil {
		return err
	}
	type built struct {
		name string
		used time.Time
	}
	var files []built
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && builtName.MatchString(entry.Name()) {
			files = append(files, built{entry.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b built) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.name, b.name)) })
	for _, old := range files[min(len(files), maxBuilds):] {
		err = errors.Join(err, os.Remove(filepath.Join(c.folder, old.name)))
	}
	return err
}

// signatureAge is how long a signature stays: much longer than it takes a server to write the manifest that follows it.
const signatureAge = time.Hour

// prunePublished removes the published index files of this source that a manifest does not name, partial ones whose
// whole is there, as a process leaves them that ends between the two, and all old signatures but that of the manifest
// that is kept.
func (c Cache) prunePublished(m *manifest.Manifest) (err error) {
	if c.folder == "" {
		return nil
	}
	c.at(c.folder)
	named := map[string]bool{}
	for _, p := range m.Snapshots {
		_, err := os.Lstat(c.Index(p))
		named[c.Index(p)], named[c.part(p)] = true, err != nil
	}
	// Another server may have written it.
	kept, _, unread := loader.ReadFileWithin(c.Manifest(), manifest.MaxSize)
	named[c.Signature(kept)] = unread == nil
	isOld := func(entry fs.DirEntry) bool {
		info, err := entry.Info()
		return err == nil && time.Since(info.ModTime()) > signatureAge
	}
	entries, _ := os.ReadDir(c.folder)
	for _, entry := range entries {
		place := filepath.Join(c.folder, entry.Name())
		isUnused := strings.HasPrefix(place, c.File("fleet", "-")) ||
			strings.HasPrefix(place, c.File("signature", "-")) && unread == nil && isOld(entry)
		if isUnused && !named[place] {
			err = errors.Join(err, os.Remove(place))
		}
	}
	return err
}

// tempFolder creates a folder for temporary files in the cache or, without one, the system's.
func (c Cache) tempFolder(location storage.Location) (folder string, remove func(), err error) {
	c.at(cmp.Or(c.folder, os.TempDir()))
	if c.folder != "" {
		if err := os.MkdirAll(c.folder, 0o755); err != nil {
			return "", nil, err
		}
	}
	if folder, remove, err = atomicfile.TempFolder(c.folder, "pubd-data-"); err != nil {
		err = fmt.Errorf("%s: no folder to download it to, set --cache: %w", loader.Visible(location.String()), err)
	}
	return folder, remove, err
}

// Offer returns the offer of a file in the cache; place is empty without a cache. If there is none, the error is
// fs.ErrNotExist.
func (c Cache) Offer(place string) (Offer, error) {
	if place == "" {
		return Offer{}, loader.Reword(fs.ErrNotExist, "and there is no --cache to start from")
	}
	switch _, err := os.Stat(c.at(place)); {
	case errors.Is(err, fs.ErrNotExist):
		return Offer{}, loader.Reword(fs.ErrNotExist, "and there is none in --cache")
	case err != nil:
		return Offer{}, fmt.Errorf("and --cache cannot be read: %w", err)
	}
	return Offer{Cached: place}, nil
}
