package disk

import (
	"io"
	"os"
	"sync/atomic"
)

// A File is an open file whose parts are signs of progress on a clock. What is written is synced after each part, so
// that no sync takes longer than one of a part, whatever the size of the file.
type File struct {
	clock    *Clock
	file     *os.File
	unsynced atomic.Int64 // bytes
}

// part is how many bytes are written or synced within the limit of a clock: a minute for them is 1.1 MB/s.
const part = 64 << 20

// File returns an open file as one on the clock.
func (c *Clock) File(file *os.File) *File { return &File{clock: c, file: file} }

// Name returns the name that the file was opened with.
func (f *File) Name() string { return f.file.Name() }

// at returns the file, to which an access begins.
func (f *File) at() *os.File {
	f.clock.At(f.Name())
	return f.file
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) { return f.at().Read(p) }

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, offset int64) (int, error) { return f.at().ReadAt(p, offset) }

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	return f.inParts(p, func(p []byte, _ int) (int, error) { return f.at().Write(p) })
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	return f.inParts(p, func(p []byte, at int) (int, error) { return f.at().WriteAt(p, offset+int64(at)) })
}

// inParts writes parts, with what was written before as their offset, and syncs the file when a part is unsynced.
func (f *File) inParts(p []byte, write func(p []byte, at int) (int, error)) (n int, err error) {
	for err == nil && n < len(p) {
		var written int
		written, err = write(p[n:min(len(p), n+part)], n)
		n += written
		if f.unsynced.Add(int64(written)) >= part && err == nil {
			f.unsynced.Store(0)
			err = f.at().Sync()
		}
	}
	return n, err
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) { return f.at().Seek(offset, whence) }

// Truncate changes the size.
func (f *File) Truncate(size int64) error { return f.at().Truncate(size) }

// Sync writes what is not on the disk yet.
func (f *File) Sync() error { return f.at().Sync() }

// Close implements io.Closer.
func (f *File) Close() error { return f.at().Close() }

var _ io.ReadWriteSeeker = (*File)(nil)
