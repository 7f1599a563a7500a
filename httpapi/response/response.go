// Package response makes responses: of what the index returns for a request, of the pubs of an export, of errors.
//
// [Encode] copies what is prepared into a body, member by member where a request chooses them, in the format that it
// names, with an envelope and a hint. It searches nothing. What is not of the index, such as web pages, fills in a
// [Response] itself.
package response

import (
	"fmt"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
)

// A Response is what a server sends: the status, the lines of the header, and a body or the rows of an export.
type Response struct {
	Status   int
	Close    bool   // the connection must be closed afterwards
	Rows     *Rows  // of an export, instead of a body; nil for other responses
	Length   int64  // of the body that a response to HEAD stands for, if there is no body
	Body     []byte // valid until its memory is reused, unless it is shared
	IsShared bool   // the body is that of several responses
	IsPacked bool   // the body is compressed with gzip

	MediaType []byte // nil for none
	Fixed     Header // lines that belong to the body
	Lines     Header // of this response, after those
	Memory    []byte // of Lines, and of the body of an error; nil if there is none
}

// Preflight is the response to OPTIONS.
var Preflight = Response{Status: 204, Lines: ofPreflight}

// Begin appends the lines of all responses that come from a snapshot; the entity tag may be empty.
func Begin(memory, tag []byte, snapshot string) Header {
	return AppendField(AppendField(append(memory, ofAnswers...), "ETag", tag), "X-Snapshot", snapshot)
}

// OfFault returns the response to an error: its page or, if that is nil, JSON in the given memory.
func OfFault(f fault.Fault, page *Response, memory []byte) Response {
	var r Response
	lines := memory
	if page != nil {
		r = *page
	} else {
		lines = f.Append(memory)
		r.Body, r.MediaType = lines, formats[params.JSON].mediaType
		lines = append(lines, OfErrors...)
	}
	r.Status, r.Close = f.Row.Status, f.Row.Close
	switch f.Row {
	case fault.RangeNotSatisfiable:
		lines = fmt.Appendf(lines, "Content-Range: bytes */%d\r\n", f.Length)
	case fault.MethodNotAllowed:
		lines = append(lines, ofAllow...)
	case fault.KeyRequired:
		lines = append(lines, ofChallenge...)
	}
	if seconds := f.Retry(); seconds > 0 {
		lines = AppendNumber(lines, "Retry-After", int64(seconds))
	}
	if page == nil {
		r.Lines = lines[len(r.Body):]
	} else {
		r.Lines = lines
	}
	r.Memory = lines
	return r
}
