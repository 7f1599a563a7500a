package wire

import (
	"bufio"
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"pubd/httpapi"
	"pubd/httpapi/fault"
)

// What the library does: it parses requests, and knows the names of statuses and the form of dates.

// An input is a request as the library has parsed it. Inputs are reused.
type input struct {
	header  fasthttp.RequestHeader
	uri     fasthttp.URI // only to reject what is none
	hasBody bool
}

// read reads and checks the header of a request.
func (in *input) read(r *bufio.Reader) error {
	if err := in.header.Read(r); err != nil {
		return err
	}
	in.inspect()
	return in.uri.Parse(in.header.Host(), in.header.RequestURI())
}

// faultOf returns the error for what read failed to read. hasPreface is set if it begins as HTTP/2.
func faultOf(err error, hasPreface bool) *fault.Row {
	if _, isLarge := errors.AsType[*fasthttp.ErrSmallBuffer](err); isLarge {
		return fault.HeaderTooLarge
	} else if hasPreface {
		return fault.UnsupportedVersion
	}
	return fault.MalformedRequest
}

// statusText returns the name of a status.
func statusText(status int) string { return fasthttp.StatusMessage(status) }

// appendDate appends a date as in headers.
func appendDate(dst []byte, date time.Time) []byte { return fasthttp.AppendHTTPDate(dst, date) }

// inspect finds whether there is a body, or any Transfer-Encoding, of which the library accepts identity. A body is
// never parsed: the request is rejected, and the connection ends before what follows could be taken for another
// request.
func (in *input) inspect() {
	h := &in.header
	in.hasBody = h.ContentLength() > 0 || h.ContentLength() == -1
	for rest := h.RawHeaders(); len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, newline)
		if hasName(line, transferEncoding) {
			in.hasBody = true
		}
	}
}

var (
	newline          = []byte("\n")
	transferEncoding = []byte("transfer-encoding")
)

// hasName reports whether a header line has a name.
func hasName(line, name []byte) bool {
	return len(line) > len(name) && line[len(name)] == ':' && bytes.EqualFold(line[:len(name)], name)
}

// fill passes on what was read. It goes through the header once, not once for each name.
func (in *input) fill(r *httpapi.Request, c *connection) {
	h := &in.header
	path, query := splitTarget(h.RequestURI())
	*r = httpapi.Request{Method: h.Method(), Path: path, Query: query, Host: h.Host(), HasBody: in.hasBody,
		Keys: r.Keys[:0], IfMatch: r.IfMatch[:0], IfNoneMatch: r.IfNoneMatch[:0], IDs: r.IDs[:0], Forwarded: r.Forwarded[:0],
		Peer: c.peer, UnsupportedVersion: !h.IsHTTP11() && string(h.Protocol()) != "HTTP/1.0", Received: c.received}
	for name, value := range h.All() {
		switch string(name) {
		case "X-Api-Key":
			r.Keys = append(r.Keys, value)
		case "Authorization":
			r.Authorizes = true
		case "If-Match":
			r.IfMatch = append(r.IfMatch, value)
		case "If-None-Match":
			r.IfNoneMatch = append(r.IfNoneMatch, value)
		case "X-Request-Id":
			r.IDs = append(r.IDs, value)
		case "X-Forwarded-For":
			if c.isProxy {
				r.Forwarded = append(r.Forwarded, value)
			}
		case "X-Forwarded-Proto":
			if c.isProxy {
				first(&r.Scheme, value)
			}
		case "Range":
			first(&r.Range, value)
		case "If-Range":
			first(&r.IfRange, value)
		case "Accept":
			join(&r.Accept, value)
		case "Accept-Encoding":
			join(&r.Encodings, value)
		}
	}
}

// first keeps the first of several values, even if it is empty, for which the library may have nil.
func first(kept *[]byte, value []byte) {
	if *kept != nil {
		return
	}
	if *kept = value; value == nil {
		*kept = []byte{}
	}
}

// join adds a value to a list, of which several lines are one (RFC 9110, section 5.3).
func join(list *[]byte, value []byte) {
	if *list == nil {
		*list = slices.Clip(value) // whose memory is the library's: appending copies it
		return
	}
	*list = append(append(*list, ','), value...)
}

// splitTarget splits a request target into path and query, without scheme and host.
func splitTarget(target []byte) (path, query []byte) {
	path = target
	if len(path) > 0 && path[0] != '/' {
		if scheme, rest, isAbsolute := bytes.Cut(path, []byte("://")); isAbsolute && !bytes.ContainsAny(scheme, "/?") {
			path = rest[len(rest):]
			if host := bytes.IndexAny(rest, "/?"); host >= 0 {
				path = rest[host:]
			}
		}
	}
	if end := bytes.IndexAny(path, "?#"); end >= 0 {
		if path[end] == '?' {
			query = path[end+1:]
		}
		path = path[:end]
	}
	return path, query
}
