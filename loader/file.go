package loader

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"pubd/loader/disk"
)

// A File is a regular file that is read once, from its beginning, by one goroutine. Its End says whether what was read
// is one version of it.
type File struct {
	path  string
	file  *os.File
	begun fs.FileInfo
	sum   hash.Hash
}

// OpenFile opens a regular file. It first waits until 20 ms have passed since the last write, for about a second at
// most, and never blocks on anything that is not a regular file.
func OpenFile(path string) (*File, error) {
	file, _, err := disk.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	begun, err := settled(path, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &File{path, file, begun, sha256.New()}, nil
}

// Size returns the size that the file had when it was opened.
func (f *File) Size() int64 { return f.begun.Size() }

// Read implements [io.Reader].
func (f *File) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	f.sum.Write(p[:n])
	if err != nil && err != io.EOF {
		err = pathError(f.path, err)
	}
	return n, err
}

// End reads what is left and returns the SHA-256 of the file, or an error if the file has changed since it was opened.
// It cannot detect a writer in place that paused meanwhile: renaming is the only safe way to replace a snapshot.
func (f *File) End() (sum [sha256.Size]byte, err error) {
	if _, err := io.Copy(io.Discard, f); err != nil {
		return sum, err
	}
	after, err := f.file.Stat()
	switch {
	case err != nil:
		return sum, pathError(f.path, err)
	case after.Size() != f.begun.Size() || !after.ModTime().Equal(f.begun.ModTime()):
		return sum, changedError(f.path)
	}
	return [sha256.Size]byte(f.sum.Sum(nil)), nil
}

// Close closes the file.
func (f *File) Close() { f.file.Close() }

// ReadFile reads a file of at most 2 GiB into memory, as [OpenFile] and [File.End] do.
func ReadFile(path string) ([]byte, error) {
	content, _, err := readFile(path, maxInMemory, func(int64) error {
		return fmt.Errorf("%s: is larger than 2 GiB: compress or split it", Visible(path))
	})
	return content, err
}

// ReadFileWithin is ReadFile where free bytes of memory are free, without another limit: a larger file is an error
// before it is read. It also returns the SHA-256 of the file.
func ReadFileWithin(path string, free int64) (content []byte, sum [sha256.Size]byte, err error) {
	return readFile(path, free, func(size int64) error {
		return fmt.Errorf("%s: has %d MiB, and %d MiB of memory are free: raise the memory limit, or serve a smaller file",
			Visible(path), (size+1<<20-1)>>20, max(free, 0)>>20)
	})
}

// readFile reads a file of at most some bytes.
func readFile(path string, most int64, tooLarge func(size int64) error) (content []byte, sum [sha256.Size]byte, err error) {
	file, err := OpenFile(path)
	if err != nil {
		return nil, sum, err
	}
	defer file.Close()
	if file.Size() > most {
		return nil, sum, tooLarge(file.Size())
	}
	buffer := bytes.NewBuffer(make([]byte, 0, file.Size()+bytes.MinRead))
	if _, err = buffer.ReadFrom(io.LimitReader(file, min(most, math.MaxInt64-1)+1)); err != nil {
		return nil, sum, err
	}
	if size := int64(buffer.Len()); size > most {
		return nil, sum, tooLarge(size)
	}
	sum, err = file.End()
	return buffer.Bytes(), sum, err
}

// settled returns the info of a file that has not been modified within the clock's resolution, so that any later write
// changes its modification time. It waits at most a second for that.
func settled(path string, file *os.File) (fs.FileInfo, error) {
	for range int(time.Second / clockGrain) {
		info, err := file.Stat()
		if err != nil {
			return nil, pathError(path, err)
		}
		age := time.Since(info.ModTime())
		if age < 0 || age >= clockGrain {
			return info, nil
		}
		time.Sleep(clockGrain - age)
	}
	return nil, changedError(path)
}

func changedError(path string) error {
	return fmt.Errorf("%s: changed while it was read: write a snapshot under another name, then rename it", Visible(path))
}

// pathError names the path as the caller passed it, once, without the system call.
func pathError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = fs.ErrNotExist
	}
	return fmt.Errorf("%s: %w", Visible(path), Bare(err))
}

// Bare returns the cause of an error of a file, without the path that it names.
func Bare(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}
