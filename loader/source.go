package loader

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"pubd/loader/sniff"
)

const (
	// maxFile is the maximum size of a file, which is held in memory: ten times the largest expected directory, five
	// million pubs of 40 bytes each when compressed.
	maxFile = 2 << 30
	// maxExpanded is the maximum size of an expanded file. Little of it is held in memory: it bounds the time that a
	// hostile file takes.
	maxExpanded = 4 << 30
	// maxRatio, for the same reason, bounds the expanded text beyond the first freeExpanded bytes, relative to the
	// size of the file. Snapshots shrink by a factor of 3 to 20.
	maxRatio     = 50
	freeExpanded = 64 << 20
	// maxRow is the maximum length of the text of a row, which is held several times.
	maxRow = 16 << 20
	// MaxCommas is the maximum number of commas in a CSV row; encoding/csv takes up to 57 bytes per field.
	MaxCommas = 1 << 20
	// maxWindow is the window that zstd's strongest levels need.
	maxWindow = 128 << 20
	// blockSize is the size of the source's buffer and of the largest read below it.
	blockSize = 64 << 10
	// clockGrain exceeds the 1 to 10 ms resolution of file modification times in kernels.
	clockGrain = 20 * time.Millisecond
	// maxAhead is how far a parser may read beyond the current row.
	maxAhead = 1 << 20
)

// MostExpanded returns up to how many bytes a compressed file of a size may expand.
func MostExpanded(size int64) int64 { return freeExpanded + maxRatio*size }

// ErrWideRow means that a row has more than MaxCommas commas.
var ErrWideRow = errors.New("a row has more than a million commas: is a quote left open? Otherwise remove what is not a column")

var (
	errLongRow  = errors.New("a row is longer than 16 MiB")
	errExpanded = errors.New("expands to more than 4 GiB, or to 50 times its size")
)

// ReadFile reads a regular file of at most 2 GiB into memory. It rejects a file that changes meanwhile. It first waits
// until 20 ms have passed since the last write, for about a second at most, and never blocks on anything that is not a
// regular file. It cannot detect a writer in place that pauses for longer than the read takes: renaming is the only
// safe way to replace a snapshot.
func ReadFile(path string) ([]byte, error) {
	return ReadFileWithin(path, maxFile)
}

// ReadFileWithin is ReadFile where free bytes of memory are free: a larger file is an error before it is read.
func ReadFileWithin(path string, free int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	if err := checkRegular(path, info); err != nil {
		return nil, err
	}
	// If a named pipe has replaced the file by now, opening it must not wait for a writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, pathError(path, err)
	}
	defer file.Close()
	before, err := settled(path, file)
	if err != nil {
		return nil, err
	}
	if err := checkRegular(path, before); err != nil {
		return nil, err
	}
	if before.Size() > free {
		return nil, roomError(path, before.Size(), free)
	}
	most := min(free, maxFile)
	content := bytes.NewBuffer(make([]byte, 0, before.Size()+bytes.MinRead))
	_, err = content.ReadFrom(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return nil, pathError(path, err)
	case int64(content.Len()) > maxFile:
		return nil, fmt.Errorf("%s: is larger than 2 GiB: compress or split it", Visible(path))
	case int64(content.Len()) > free:
		return nil, roomError(path, int64(content.Len()), free)
	}
	after, err := file.Stat()
	if err != nil {
		return nil, pathError(path, err)
	}
	if after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return nil, changedError(path)
	}
	return content.Bytes(), nil
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

func roomError(path string, size, free int64) error {
	return fmt.Errorf("%s: has %d MiB, and %d MiB of memory are free: raise the memory limit, or serve a smaller file", Visible(path), (size+1<<20-1)>>20, max(free, 0)>>20)
}

func changedError(path string) error {
	return fmt.Errorf("%s: changed while it was read: write a snapshot under another name, then rename it", Visible(path))
}

func checkRegular(path string, info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		if info.Size() > maxFile {
			return fmt.Errorf("%s: is larger than 2 GiB: compress or split it", Visible(path))
		}
		return nil
	case mode.IsDir():
		what = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "not a regular file"
	}
	return fmt.Errorf("%s: is %s: a snapshot must be a regular file", Visible(path), what)
}

// pathError names the path as the caller passed it, once, without the system call.
func pathError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", Visible(path), fs.ErrNotExist)
	}
	var detail *fs.PathError
	if errors.As(err, &detail) {
		err = detail.Err
	}
	return fmt.Errorf("%s: %w", Visible(path), err)
}

// source is the text of a snapshot, expanded while it is read, within limits.
type source struct {
	*bufio.Reader
	expanded *limited
	packing  string
	close    func()
}

func newSource(file *bytes.Reader, packing string, options Options) *source {
	s := &source{packing: packing, close: func() {}}
	s.expanded = &limited{most: maxExpanded}
	if packing != "" {
		s.expanded.most = min(maxExpanded, MostExpanded(file.Size()))
	}
	s.endRow()
	s.Reader = bufio.NewReaderSize(s.expanded, blockSize)
	var stored io.Reader = file
	if options.Progress != nil {
		stored = &watched{reader: stored, total: file.Size(), progress: options.Progress}
	}
	switch packing {
	case "gzip":
		s.expanded.open = func() (io.Reader, error) { return gzip.NewReader(stored) }
	case "zstd":
		s.expanded.open = func() (io.Reader, error) {
			decoder, err := zstd.NewReader(stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxExpanded))
			if err != nil {
				return nil, err
			}
			s.close = decoder.Close
			return decoder, nil
		}
	default:
		s.expanded.open = func() (io.Reader, error) { return stored, nil }
	}
	return s
}

// endRow resets the limits on a row.
func (s *source) endRow() {
	s.expanded.row = maxRow + maxAhead + blockSize
	s.expanded.commas = MaxCommas + blockSize
}

// start skips a byte order mark. It returns what is wrong if the first bytes cannot begin a snapshot.
func (s *source) start() string {
	head, _ := s.Peek(sniff.Enough)
	switch kind := sniff.Of(head); kind {
	case sniff.Text, sniff.JSON:
	case sniff.Gzip:
		return "is gzip data: its name must end in .gz, once for each time it is compressed, at most one"
	case sniff.Zstd:
		return "is zstd data: its name must end in .zst, once for each time it is compressed, at most one"
	default:
		if kind.Readable() {
			return fmt.Sprintf("is %v: pubd import converts it", kind)
		}
		return fmt.Sprintf("is %v: %s", kind, kind.Advice())
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		s.Discard(3)
	}
	return ""
}

// hasOldLines reports whether the text ends its lines with CR alone, as Macintosh systems did before OS X, judging by
// its beginning.
func (s *source) hasOldLines() bool {
	head, _ := s.Peek(blockSize)
	at := bytes.IndexByte(head, '\r')
	return at >= 0 && at+1 < len(head) && bytes.IndexByte(head, '\n') < 0
}

// oldLines is what to do about them.
const oldLines = "its lines end in CR alone: write them with LF, or CR LF (mac2unix does)"

// damage returns why the compressed text could not be read to its end; empty if it was.
func (s *source) damage() string {
	err := s.expanded.err
	switch {
	case err == nil || err == io.EOF || err == errLongRow || err == ErrWideRow:
		return ""
	case err == errExpanded:
		return err.Error() + ", which no snapshot needs: compress it again, or less"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return s.packing + ": ends too early: copy the whole file again"
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		if s.expanded.read > 0 {
			return fmt.Sprintf("%s: has other data after its end: compress the file again", s.packing)
		}
		return fmt.Sprintf("%s: is not %s data: compress the file, or remove the ending from its name", s.packing, s.packing)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return "zstd: needs too much memory to expand: compress it without --long or --ultra"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return s.packing + ": is damaged, the checksum differs: copy the file again"
	}
	return fmt.Sprintf("%s: is damaged: %v", s.packing, err)
}

// limited reads expanded text in blocks: at most most bytes in total and row bytes in a row and, if they are counted,
// a limited number of commas in a row. Its error is permanent.
type limited struct {
	open   func() (io.Reader, error)
	reader io.Reader
	read   int64 // bytes of text so far
	most   int64
	row    int
	commas int
	parted bool // by commas, which are counted
	err    error
}

func (l *limited) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	if l.reader == nil {
		l.reader, l.err = l.open()
		if l.err == io.EOF {
			l.err = io.ErrUnexpectedEOF
		}
		if l.err != nil {
			return 0, l.err
		}
	}
	if l.read >= l.most {
		// Reaching the limit exactly is allowed: check whether there is one more byte.
		var next [1]byte
		n, err := io.ReadFull(l.reader, next[:])
		if l.err = err; n > 0 {
			l.err = errExpanded
		}
		return 0, l.err
	}
	if l.row <= 0 {
		l.err = errLongRow
		return 0, l.err
	}
	n, err := l.reader.Read(p[:min(len(p), blockSize, int(min(l.most-l.read, blockSize)))])
	l.read += int64(n)
	l.row -= n
	l.err = err
	if l.parted {
		if l.commas -= bytes.Count(p[:n], []byte(",")); l.commas < 0 {
			n, l.err = 0, ErrWideRow
		}
	}
	return n, l.err
}

// watched counts how much of the stored bytes has been read.
type watched struct {
	reader         io.Reader
	read, reported int64
	total          int64
	progress       func(read, total int64)
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.reader.Read(p)
	w.read += int64(n)
	if w.read-w.reported >= 1<<20 || err == io.EOF && w.read != w.reported {
		w.reported = w.read
		w.progress(w.read, w.total)
	}
	return n, err
}
