package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
)

// A LargeFile is the content of a file that stays on disk and is sent in parts, to requests with a Range. It may be
// read concurrently; an error of reading is logged, and answered with 500.
type LargeFile struct {
	io.ReaderAt
	Size int64  // in bytes
	ETag string // strong, in quotes; another one for each version of the file
}

// maxPart is the size of a part. Of a longer range the beginning is sent, as a server may (RFC 9110, section 14.2);
// clients of map tiles ask for 16 KiB, then for directories and tiles, which are smaller.
const maxPart = 1 << 20

// A reader reads the parts of a large file.
type reader struct {
	*LargeFile
	failing atomic.Bool // the last part could not be read, which has been logged
}

// A part is a range of bytes; the zero value is none.
type part struct{ offset, length int64 }

// part returns what a GET requests of the file. What a server may ignore, so that it would send the whole file, is
// refused: another unit, several ranges, a syntax error. If the file is no longer that of If-Range, the range is not
// satisfiable, whereupon browsers and clients of map tiles forget what they have.
func (r *reader) part(request *Request) (part, fault.Fault) {
	p, ok := parseRange(request.Range, r.Size)
	switch {
	case !ok:
		return part{}, fault.Fault{Row: fault.RangeRequired}
	case p.length == 0 || len(request.IfRange) > 0 && !bytes.Equal(bytes.TrimSpace(request.IfRange), []byte(r.ETag)):
		return part{}, fault.Fault{Row: fault.RangeNotSatisfiable, Length: r.Size}
	}
	p.length = min(p.length, maxPart)
	return p, fault.Fault{}
}

// parseRange parses the value of Range for a file of a given size (RFC 9110, section 14.1.2); false if it is not one
// range of bytes. A range outside the file has no length.
func parseRange(value []byte, size int64) (p part, ok bool) {
	unit, set, ok := bytes.Cut(bytes.TrimSpace(value), []byte("="))
	if !ok || !params.EqualLower(unit, "bytes") {
		return part{}, false
	}
	first, last, ok := bytes.Cut(bytes.TrimSpace(set), []byte("-"))
	if !ok {
		return part{}, false
	}
	begin, end := int64(0), size // of what is before the hyphen, and after the end
	if len(first) == 0 {
		suffix, ok := parsePosition(last)
		return part{size - min(suffix, size), min(suffix, size)}, ok
	}
	if begin, ok = parsePosition(first); !ok {
		return part{}, false
	}
	if len(last) > 0 {
		position, ok := parsePosition(last)
		if !ok || position < begin {
			return part{}, false
		}
		end = min(end-1, position) + 1
	}
	return part{begin, max(0, end-begin)}, true
}

// parsePosition parses digits; numbers that are too high become the highest.
func parsePosition(digits []byte) (position int64, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	number, err := strconv.ParseUint(string(digits), 10, 63)
	return int64(number), err == nil || errors.Is(err, strconv.ErrRange)
}

// respondPart reads a part of a file.
func (x *Exchange) respondPart(c *call) fault.Fault {
	file, w := c.document.large, x.workspace
	w.body = slices.Grow(w.body[:0], int(c.part.length))[:c.part.length]
	n, err := file.ReadAt(w.body, c.part.offset)
	if n == len(w.body) {
		err = nil // the end of the file may be reported at once
	}
	if wasFailing := file.failing.Swap(err != nil); err != nil {
		if !wasFailing {
			x.service.failures.Error().Bytes("request_id", x.id).Str("path", c.document.path).Err(err).Msg("file cannot be read")
		}
		return fault.Fault{Row: fault.Internal}
	}
	lines := appendContentRange(x.memory[:0], c.part, file.Size)
	x.set(Response{Status: 206, document: c.document, mediaType: c.document.mediaType, body: w.body, lines: lines, memory: lines})
	return fault.Fault{}
}

// appendContentRange appends a line of a header that tells the range of a part, or for no part the size.
func appendContentRange(dst []byte, p part, size int64) []byte {
	if p.length == 0 {
		return fmt.Appendf(dst, "Content-Range: bytes */%d\r\n", size)
	}
	return fmt.Appendf(dst, "Content-Range: bytes %d-%d/%d\r\n", p.offset, p.offset+p.length-1, size)
}
