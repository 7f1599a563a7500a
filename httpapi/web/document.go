package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"pubd/httpapi/fault"
	"pubd/httpapi/request"
	"pubd/httpapi/response"
)

// A File is one file of the web pages. Its body is shared and must not be changed.
type File struct {
	Path, MediaType string
	Policy          string // Content-Security-Policy; empty if it is not a web page
	Body            []byte
	Packed          []byte     // gzip of Body; nil if it is not smaller
	Large           *LargeFile // the content, instead of Body; nil for most
}

// A LargeFile is the content of a file that stays on disk and is sent in parts, to requests with a Range. It may be
// read concurrently; an error of reading is logged, and answered with 500.
type LargeFile struct {
	io.ReaderAt
	Size int64  // in bytes
	ETag string // strong, in quotes; another one for each version of the file
}

// A Document is a file that anyone may read without a key. It is sent without copying.
type Document struct {
	Path    string
	whole   response.Response // all of it
	etag    []byte
	packed  *Document   // compressed with gzip, for clients that accept it; nil if there is none
	large   *LargeFile  // the file that is sent in parts; nil for most
	failing atomic.Bool // the last part could not be read
}

var packable = response.Lines("Vary", "Accept-Encoding")

func newDocument(file File) *Document {
	hash := sha256.Sum256(file.Body)
	d := &Document{Path: file.Path, large: file.Large, etag: []byte(`"` + hex.EncodeToString(hash[:8]) + `"`)}
	d.whole = response.Response{Status: 200, MediaType: []byte(file.MediaType), Body: file.Body, IsShared: true}
	if d.large != nil {
		d.etag, d.whole.Length = []byte(file.Large.ETag), file.Large.Size
	}
	lines := response.AppendField(response.Lines("Cache-Control", "no-cache"), "ETag", d.etag)
	if d.large != nil {
		lines = append(lines, response.Lines("Accept-Ranges", "bytes")...)
	}
	if file.Packed != nil {
		packed := file
		packed.Body, packed.Packed = file.Packed, nil
		d.packed = newDocument(packed)
		d.packed.whole.Fixed, d.packed.whole.IsPacked = append(d.packed.whole.Fixed, packable...), true
		lines = append(lines, packable...)
	}
	if file.Policy != "" {
		lines = append(lines, response.Policy(file.Policy)...)
	}
	d.whole.Fixed = lines
	return d
}

// has reports whether the content of the document is that of a file.
func (d *Document) has(file File) bool {
	if d.large == nil || file.Large == nil {
		return d.large == nil && file.Large == nil && bytes.Equal(d.whole.Body, file.Body)
	}
	return d.large == file.Large
}

// Answer returns the response to a request for the document, or the part of a large one that Read is to read, of the
// document that it returns.
func (d *Document) Answer(r *request.Request) (chosen *Document, out *response.Response, part request.Part, f fault.Fault) {
	if d.packed != nil && r.AcceptsGzip() {
		d = d.packed
	}
	switch {
	case !r.IsRead():
		f.Row = fault.MethodNotAllowed
	case r.HasBody:
		f.Row = fault.BodyTooLarge
	case r.FailsPrecondition(d.etag):
		f.Row = fault.PreconditionFailed
	case r.IsUnchanged(d.etag):
		out = &response.Response{Status: 304, Fixed: d.whole.Fixed, IsPacked: d.whole.IsPacked}
	case d.large == nil || string(r.Method) == "HEAD": // for which Range has no meaning
		out = &d.whole
	default:
		part, f = r.Part(d.large.Size, d.large.ETag)
	}
	return d, out, part, f
}

// Read returns the response with a part of a large document, in the given memory. If that cannot be read, it reports
// whether the one before could.
func (d *Document) Read(part request.Part, body, lines []byte) (out response.Response, isNew bool, err error) {
	body = slices.Grow(body[:0], int(part.Length))[:part.Length]
	n, err := d.large.ReadAt(body, part.Offset)
	if n == len(body) {
		err = nil // the end of the file may be reported at once
	}
	isNew = !d.failing.Swap(err != nil)
	lines = fmt.Appendf(lines, "Content-Range: bytes %d-%d/%d\r\n", part.Offset, part.Offset+part.Length-1, d.large.Size)
	return response.Response{Status: 206, MediaType: d.whole.MediaType, Fixed: d.whole.Fixed, Body: body, Lines: lines, Memory: lines}, isNew, err
}
