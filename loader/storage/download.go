package storage

import (
	"context"
	"errors"
	"fmt"
	"io"

	"pubd/loader/disk"
)

// downloadTries is how often an interrupted download is resumed.
const downloadTries = 4

// Download downloads a file of a size, or of at most most bytes if that is -1, to a local one. If the size is known, it
// continues with the rest of what is there, also after an interruption, as long as that gains anything: a server that
// knows no ranges sends the file at most twice. It shows how much is done before each part is read, and returns the version of the file, which is
// empty if nothing was missing.
func (c *Client) Download(ctx context.Context, l Location, to *disk.File, size, most int64,
	show func(done, total int64)) (version string, err error) {
	before, isGain := int64(0), true
	for try := 0; try < downloadTries && isGain; try++ {
		if version, err = c.downloadRest(ctx, l, to, size, most, show); size < 0 || ctx.Err() != nil || !errors.As(err, new(*Unreachable)) {
			break
		}
		has, unknown := to.Seek(0, io.SeekEnd)
		isGain, before = unknown == nil && has > before, has
	}
	return version, err
}

func (c *Client) downloadRest(ctx context.Context, l Location, to *disk.File, size, most int64,
	show func(done, total int64)) (version string, err error) {
	offset, err := to.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	if offset == size {
		return "", nil
	}
	if offset > size {
		offset = 0
	}
	show(offset, max(size, 0))
	object, err := c.openRest(ctx, l, offset, size)
	if err != nil {
		return "", err
	}
	defer object.Close()
	total := object.Size
	if size >= 0 {
		total, most = size, size
	}
	switch {
	case size >= 0 && object.Size >= 0 && object.Size != size:
		return object.Version, fmt.Errorf("%s: has %d bytes: must have %d (index.size): is it another object, or cut short?", l, object.Size, size)
	case object.Size > most:
		return object.Version, tooLarge(l, most)
	}
	if err := to.Truncate(object.Offset); err != nil {
		return object.Version, err
	}
	if _, err := to.Seek(object.Offset, io.SeekStart); err != nil {
		return object.Version, err
	}
	n, err := io.Copy(&progressWriter{to, object.Offset, total, show}, io.LimitReader(object, most-object.Offset+1))
	switch {
	case err != nil:
	case object.Offset+n < total:
		err = &Unreachable{Location: l, Err: io.ErrUnexpectedEOF}
	case object.Offset+n > most && size < 0:
		err = tooLarge(l, most)
	}
	return object.Version, err
}

// openRest opens a file of a size from an offset on, or from its beginning.
func (c *Client) openRest(ctx context.Context, l Location, offset, size int64) (*Object, error) {
	object, err := c.Open(ctx, l, Request{Offset: offset})
	if err == nil && offset > 0 && object.Size >= 0 && object.Size != size { // perhaps of a part that is not named as one
		object.Close()
		return c.Open(ctx, l, Request{})
	}
	return object, err
}

// A progressWriter shows how much was written.
type progressWriter struct {
	to          io.Writer
	done, total int64
	show        func(done, total int64)
}

// Write implements io.Writer.
func (s *progressWriter) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.done += int64(n)
	s.show(s.done, max(s.total, 0))
	return n, err
}
