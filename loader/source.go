package loader

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/klauspost/compress/zstd"

	"pubd/loader/sniff"
)

const (
	// maxInMemory is the maximum size of a file that is held in memory, if less is not free.
	maxInMemory = 2 << 30
	// maxRatio bounds the expanded text beyond the first freeExpanded bytes, relative to the size of the file, and so
	// the time that a hostile file takes. Snapshots shrink by a factor of 3 to 20.
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
	errExpanded = errors.New("expands to more than 50 times its size")
)

// source is the text of a snapshot, expanded while it is read, within limits.
type source struct {
	*bufio.Reader
	expanded *limited
	packing  string
	close    func()
}

// newSource returns the text of a file with size bytes.
func newSource(file io.Reader, size int64, packing string, options Options) *source {
	s := &source{packing: packing, close: func() {}}
	s.expanded = &limited{most: math.MaxInt64}
	if packing != "" {
		s.expanded.most = MostExpanded(size)
	}
	s.endRow()
	s.Reader = bufio.NewReaderSize(s.expanded, blockSize)
	stored := file
	if options.Progress != nil {
		stored = &watched{reader: stored, total: size, progress: options.Progress}
	}
	s.expanded.open = func() (io.Reader, error) {
		expanded, err := Expand(packing, stored)
		if err == nil {
			s.close = func() { expanded.Close() }
		}
		return expanded, err
	}
	return s
}

// Expand returns the content of a stream that is packed with "gzip", "zstd" or, if empty, not at all.
func Expand(packing string, stored io.Reader) (io.ReadCloser, error) {
	switch packing {
	case "gzip":
		return gzip.NewReader(stored)
	case "zstd":
		decoder, err := zstd.NewReader(stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return decoder.IOReadCloser(), nil
	}
	return io.NopCloser(stored), nil
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
