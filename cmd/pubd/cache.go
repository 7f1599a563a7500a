package main

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
	"pubd/loader/atomicfile"
)

// maxCached is the maximum number of indexes in a cache: the current one, the previous one, and some to roll back to.
const maxCached = 4

// cachedName matches the file names that [cacheName] returns.
var cachedName = regexp.MustCompile(`^[0-9a-f]{64}-[0-9]+(-bad[0-9]+)?(-extra[0-9a-f]{16})?\.idx$`)

// cacheName returns the path in a cache of the index of the snapshot file with this SHA-256. It depends on the number of wrong rows that
// are allowed, if the file has any, and on the extra columns.
func cacheName(folder, source string, maxBadRows int, extra []string) string {
	name := fmt.Sprintf("%s-%d", source, index.FormatVersion())
	if maxBadRows > 0 {
		name += fmt.Sprintf("-bad%d", maxBadRows)
	}
	if len(extra) > 0 {
		name += fmt.Sprintf("-extra%.8x", sha256.Sum256([]byte(strings.Join(extra, "\n"))))
	}
	return filepath.Join(folder, name+".idx")
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

// createInCache creates a file for a place in a cache. What is there and is no file, such as a symbolic link, gives way.
func createInCache(place string) (*atomicfile.File, error) {
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

// prune removes all but the newest files of a cache.
func prune(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	type cached struct {
		name string
		used time.Time
	}
	var files []cached
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && cachedName.MatchString(entry.Name()) {
			files = append(files, cached{entry.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b cached) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.name, b.name)) })
	for _, old := range files[min(len(files), maxCached):] {
		err = errors.Join(err, os.Remove(filepath.Join(folder, old.name)))
	}
	return err
}
