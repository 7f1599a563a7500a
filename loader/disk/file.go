package disk

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync/atomic"
)

// A File is an open file on a disk. After an operation that was late it must only be closed. What is written is synced
// after each part, so that no sync takes longer than one of a part, whatever the size of the file.
type File struct {
	disk     *Disk
	file     *os.File
	unsynced atomic.Int64 // bytes
}

// part is how many bytes are written or synced within a time limit: a minute for them is 1.1 MB/s.
const part = 64 << 20

// File returns an open file as one on the disk.
func (d *Disk) File(file *os.File) *File { return &File{disk: d, file: file} }

// Do does something with the file, with the time limit of the disk.
func (f *File) Do(access func(file *os.File) error) error {
	_, err := do(f, func() (struct{}, error) { return struct{}{}, access(f.file) })
	return err
}

func do[T any](f *File, access func() (T, error)) (T, error) {
	return Do(f.disk, f.file.Name(), func(context.Context) (T, error) { return access() })
}

// Name returns the name that the file was opened with.
func (f *File) Name() string { return f.file.Name() }

// Read implements io.Reader. As in ReadAt and Write, what is late does not touch the caller's buffer.
func (f *File) Read(p []byte) (int, error) { return f.into(p, f.file.Read) }

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	return f.into(p, func(buffer []byte) (int, error) { return f.file.ReadAt(buffer, offset) })
}

func (f *File) into(p []byte, read func(buffer []byte) (int, error)) (int, error) {
	got, err := do(f, func() ([]byte, error) {
		buffer := make([]byte, len(p))
		n, err := read(buffer)
		return buffer[:n], err
	})
	return copy(p, got), err
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	return f.inParts(bytes.Clone(p), func(p []byte, _ int) (int, error) { return f.file.Write(p) })
}

// inParts writes parts, with what was written before as their offset, and syncs the file when a part is unsynced.
func (f *File) inParts(p []byte, write func(p []byte, at int) (int, error)) (n int, err error) {
	for err == nil && n < len(p) {
		at, next := n, p[n:min(len(p), n+part)]
		var written int
		written, err = do(f, func() (int, error) { return write(next, at) })
		n += written
		if f.unsynced.Add(int64(written)) >= part && err == nil {
			f.unsynced.Store(0)
			err = f.Do((*os.File).Sync)
		}
	}
	return n, err
}

// WriteAt implements io.WriterAt. After a late one, the caller must not change its buffer, which may be large.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	return f.inParts(p, func(p []byte, at int) (int, error) { return f.file.WriteAt(p, offset+int64(at)) })
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	return do(f, func() (int64, error) { return f.file.Seek(offset, whence) })
}

// Truncate changes the size.
func (f *File) Truncate(size int64) error {
	return f.Do(func(file *os.File) error { return file.Truncate(size) })
}

// Close implements io.Closer.
func (f *File) Close() error { return f.Do((*os.File).Close) }

var _ io.ReadWriteSeeker = (*File)(nil)
