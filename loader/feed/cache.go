package feed

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pubd/index"
	"pubd/loader"
	"pubd/loader/atomicfile"
	"pubd/loader/manifest"
	"pubd/loader/storage"
)

// A cache is a folder of files by which the next start needs neither a source nor a build. Servers may share it: files
// of a source have its digest in their names, each is replaced at once, and a partial one is locked by the process
// that writes it.
type cache struct {
	folder string // empty if there is no cache
	source storage.Location
}

// IndexExtension is the file name extension of index files.
const IndexExtension = ".idx"

// file returns where something of the source is kept; empty without a cache.
func (c cache) file(what, extension string) string {
	if c.folder == "" {
		return ""
	}
	return filepath.Join(c.folder, fmt.Sprintf("%s-%.8x%s", what, sha256.Sum256([]byte(c.source.String())), extension))
}

// data returns where the file of the source is kept, manifest its manifest, and signature that of the manifest; index
// returns where a published index file is kept, and part where it is while it is downloaded.
func (c cache) data() string      { return c.file("data", "-"+filepath.Base(c.source.Base())) }
func (c cache) manifest() string  { return c.file("manifest", ".json") }
func (c cache) signature() string { return c.file("manifest", ".minisig") }
func (c cache) index(p manifest.Snapshot) string {
	return c.file("fleet", "-"+p.Index.ExpandedSHA256+IndexExtension)
}
func (c cache) part(p manifest.Snapshot) string { return c.file("fleet", "-"+p.Index.SHA256+".part") }

// maxBuilds is the maximum number of built indexes in a cache: the current one, the previous one, and some to roll
// back to.
const maxBuilds = 4

// builtName matches the file names that [cache.built] returns.
var builtName = regexp.MustCompile(`^[0-9a-f]{64}-[0-9]+(-bad[0-9]+)?(-extra[0-9a-f]{16})?\.idx$`)

// built returns where the index that was built from a source with a SHA-256 is kept, however many wrong rows were
// allowed, if any, and whichever extra columns.
func (c cache) built(source string, maxBadRows int, extra []string) string {
	if c.folder == "" {
		return ""
	}
	name := fmt.Sprintf("%s-%d", source, index.FormatVersion())
	if maxBadRows > 0 {
		name += fmt.Sprintf("-bad%d", maxBadRows)
	}
	if len(extra) > 0 {
		name += fmt.Sprintf("-extra%.8x", sha256.Sum256([]byte(strings.Join(extra, "\n"))))
	}
	return filepath.Join(c.folder, name+IndexExtension)
}

// touch marks a file as recently used, and reports whether it exists.
func touch(path string) bool {
	now := time.Now()
	if os.Chtimes(path, now, now) == nil {
		return true
	}
	_, err := os.Stat(path) // a read-only cache is valid, too
	return err == nil
}

// create creates a file for a place. What is there and is no file, such as a symbolic link, gives way.
func create(place string) (*atomicfile.File, error) {
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(place); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(place); err != nil {
			return nil, err
		}
	}
	return atomicfile.Create(place)
}

// keep writes content to a place.
func keep(place string, content []byte, mode os.FileMode) error {
	file, err := create(place)
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

// pruneBuilds removes all but the newest built indexes.
func (c cache) pruneBuilds() error {
	entries, err := os.ReadDir(c.folder)
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

// prunePublished removes the published index files of this source that a manifest does not name, and partial ones
// whose whole is there, as a process leaves them that ends between the two.
func (c cache) prunePublished(m *manifest.Manifest) (err error) {
	if c.folder == "" {
		return nil
	}
	named := map[string]bool{}
	for _, p := range m.Snapshots {
		_, err := os.Lstat(c.index(p))
		named[c.index(p)], named[c.part(p)] = true, err != nil
	}
	entries, _ := os.ReadDir(c.folder)
	for _, entry := range entries {
		if place := filepath.Join(c.folder, entry.Name()); strings.HasPrefix(place, c.file("fleet", "-")) && !named[place] {
			err = errors.Join(err, os.Remove(place))
		}
	}
	return err
}

// tempFolder creates a folder for temporary files in another folder or, if that is empty, the system's.
func tempFolder(in string, location storage.Location) (folder string, remove func(), err error) {
	if in != "" {
		if err := os.MkdirAll(in, 0o755); err != nil {
			return "", nil, err
		}
	}
	if folder, remove, err = atomicfile.TempFolder(in, "pubd-data-"); err != nil {
		err = fmt.Errorf("%s: no folder to download it to, set --cache: %w", loader.Visible(location.String()), err)
	}
	return folder, remove, err
}
