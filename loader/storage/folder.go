package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"pubd/loader/atomicfile"
	"pubd/loader/disk"
)

// A Folder is where a publisher keeps files. Readers see each file complete, either as it was or as it is now.
type Folder interface {
	fmt.Stringer
	// Put writes a file whose content, under that name, is always the same.
	Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error
	// Replace writes a file if it is still the version that was read (empty: it did not exist); otherwise the error is
	// ErrConflict. A server that ignores such conditions is an error, too.
	Replace(ctx context.Context, name string, content []byte, version string) error
	// List returns the files, without those in subfolders.
	List(ctx context.Context) ([]Entry, error)
	// Remove removes a file that was listed; if it was written to since, the error is ErrConflict.
	Remove(ctx context.Context, e Entry) error
}

// An Entry is a file in a folder.
type Entry struct {
	Name     string
	Size     int64
	Modified time.Time
}

// Folder returns the folder at a location: a directory, which is created, or a prefix in a bucket.
func (c *Client) Folder(l Location) (Folder, error) {
	switch {
	case l.web != nil:
		return nil, fmt.Errorf("%s: cannot be written to: must be a directory or begin with s3://", l)
	case l.bucket != "":
		s3, err := c.s3()
		if err != nil {
			return nil, err
		}
		return &bucketFolder{c, s3, l}, nil
	}
	if err := os.MkdirAll(l.file, 0o755); err != nil {
		return nil, err
	}
	return directory{l}, nil
}

func contentType(name string) string {
	if strings.HasSuffix(name, ".json") {
		return "application/json"
	}
	return "application/octet-stream"
}

// A directory is a local folder.
type directory struct{ location Location }

func (d directory) String() string { return d.location.String() }

// Put implements Folder.
func (d directory) Put(_ context.Context, name string, content io.ReadSeeker, size int64) error {
	return write(d.location.In(name), content, size)
}

// write replaces a local file by one of a size.
func write(place Location, content io.Reader, size int64) error {
	file, err := atomicfile.Create(place.file)
	if err != nil {
		return err
	}
	if n, err := io.Copy(file, content); err != nil || n != size {
		file.Abort()
		return errors.Join(err, fmt.Errorf("%s: %d of %d bytes written", place, n, size))
	}
	return file.Commit()
}

// maxReplaced is the maximum size of a file that is replaced, in bytes: much more than a manifest has.
const maxReplaced = 16 << 20

// Replace implements Folder. Concurrent writers wait for each other; the content is the version.
func (d directory) Replace(ctx context.Context, name string, content []byte, version string) error {
	place := d.location.In(name)
	unlock, err := atomicfile.Lock(d.location.file)
	if err != nil {
		return err
	}
	defer unlock()
	is := ""
	switch old, _, err := disk.ReadFile(ctx, place.file, maxReplaced); {
	case err == nil:
		is = contentVersion(old)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if is != version {
		return ErrConflict
	}
	return write(place, bytes.NewReader(content), int64(len(content)))
}

func contentVersion(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

// ReadVersion reads a file of a folder together with its version for [Folder.Replace]. If it does not exist, the error
// is [fs.ErrNotExist].
func (c *Client) ReadVersion(ctx context.Context, l Location, most int64) (content []byte, version string, err error) {
	content, version, err = c.ReadAll(ctx, l, "", most)
	if l.IsLocal() {
		version = contentVersion(content)
	}
	return content, version, err
}

// List implements Folder.
func (d directory) List(context.Context) (entries []Entry, err error) {
	files, err := os.ReadDir(d.location.file)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if info, err := file.Info(); err == nil && info.Mode().IsRegular() && CheckName(file.Name()) == nil {
			entries = append(entries, Entry{file.Name(), info.Size(), info.ModTime()})
		}
	}
	return entries, nil
}

// Remove implements Folder.
func (d directory) Remove(_ context.Context, e Entry) error {
	place := d.location.In(e.Name)
	info, err := os.Lstat(place.file)
	if err != nil {
		return err
	}
	if info.ModTime().After(e.Modified) {
		return ErrConflict
	}
	return os.Remove(place.file)
}
