package request

import (
	"bytes"
	"errors"
	"strconv"

	"pubd/httpapi/fault"
)

// A Part is a range of bytes; the zero value means no range.
type Part struct{ Offset, Length int64 }

// maxPart is the size of a part. Of a longer range the beginning is sent, as a server may (RFC 9110, section 14.2);
// clients of map tiles ask for 16 KiB, then for directories and tiles, which are smaller.
const maxPart = 1 << 20

// Part returns what a GET requests of a file of that size and entity tag. What a server may ignore, so that it would send the whole file, is
// refused: another unit, several ranges, a syntax error. If the file is no longer that of If-Range, the range is not
// satisfiable, whereupon browsers and clients of map tiles forget what they have.
func (r *Request) Part(size int64, etag string) (Part, fault.Fault) {
	p, ok := parseRange(r.Range, size)
	switch {
	case !ok:
		return Part{}, fault.Fault{Row: fault.RangeRequired}
	case p.Length == 0 || len(r.IfRange) > 0 && !bytes.Equal(bytes.TrimSpace(r.IfRange), []byte(etag)):
		return Part{}, fault.Fault{Row: fault.RangeNotSatisfiable, Length: size}
	}
	p.Length = min(p.Length, maxPart)
	return p, fault.Fault{}
}

// parseRange parses the value of Range for a file of a given size (RFC 9110, section 14.1.2); false if it is not one
// range of bytes. A range outside the file has no length.
func parseRange(value []byte, size int64) (p Part, ok bool) {
	unit, set, _ := bytes.Cut(bytes.TrimSpace(value), []byte("="))
	first, last, isRange := bytes.Cut(bytes.TrimSpace(set), []byte("-"))
	begin, hasBegin := parsePosition(first)
	end, hasEnd := parsePosition(last)
	switch {
	case !isRange || !EqualLower(unit, "bytes"):
		return Part{}, false
	case len(first) == 0:
		suffix := min(end, size)
		return Part{size - suffix, suffix}, hasEnd
	case len(last) == 0:
		end, hasEnd = size, true
	}
	return Part{begin, max(0, min(end, size-1)+1-begin)}, hasBegin && hasEnd && (begin <= end || len(last) == 0)
}

// parsePosition parses digits; numbers that are too high become the highest.
func parsePosition(digits []byte) (position int64, ok bool) {
	number, err := strconv.ParseUint(string(digits), 10, 63)
	isNumber := err == nil || errors.Is(err, strconv.ErrRange)
	return int64(number), isNumber && len(bytes.Trim(digits, "0123456789")) == 0
}
