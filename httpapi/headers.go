package httpapi

import (
	"bytes"
	"strconv"
)

// headers are lines of a header, as they are sent.
type headers []byte

// linesOf returns the lines of names and values.
func linesOf(pairs ...string) (lines headers) {
	for i := 0; i < len(pairs); i += 2 {
		lines = appendField(lines, pairs[i], pairs[i+1])
	}
	return lines
}

// appendField appends a line of a header. Line ends in the value become spaces: they would end the line.
func appendField[T string | []byte](dst []byte, name string, value T) []byte {
	dst = append(append(append(dst, name...), ": "...), value...)
	if written := dst[len(dst)-len(value):]; bytes.IndexByte(written, '\n') >= 0 || bytes.IndexByte(written, '\r') >= 0 {
		for i, c := range written {
			if c == '\n' || c == '\r' {
				written[i] = ' '
			}
		}
	}
	return append(dst, "\r\n"...)
}

var (
	headersOfAnyOrigin = linesOf(
		"X-Content-Type-Options", "nosniff",
		"Access-Control-Allow-Origin", "*",
		"Access-Control-Expose-Headers", "ETag, X-Snapshot, X-Ignored-Params, X-Total-Results, X-Request-Id, Link, Retry-After, Content-Disposition",
	)
	// headersOfOwnOrigin keep pages of other origins from using a response.
	headersOfOwnOrigin = linesOf(
		"X-Content-Type-Options", "nosniff",
		"Cross-Origin-Resource-Policy", "same-origin",
	)
	headersOfAnswers = linesOf(
		"Cache-Control", "private, no-cache",
		"Vary", "Accept, Accept-Encoding",
	)
	headersOfErrors    = linesOf("Cache-Control", "no-store")
	headersOfPreflight = linesOf(
		"Access-Control-Allow-Methods", "GET, HEAD, OPTIONS",
		"Access-Control-Allow-Headers", "x-api-key, if-match, if-none-match, content-type, x-request-id",
		"Access-Control-Max-Age", "86400",
		"Allow", "GET, HEAD, OPTIONS",
	)
	headersOfPackable  = linesOf("Vary", "Accept-Encoding")
	headersOfExport    = linesOf("Accept-Ranges", "none")
	headersOfAllow     = linesOf("Allow", "GET, HEAD, OPTIONS")
	headersOfChallenge = linesOf("WWW-Authenticate", `ApiKey realm="pubs"`)

	binaryType, headless = []byte("application/octet-stream"), []byte("text/csv; charset=utf-8; header=absent")
)

// headersOfPolicy are those of a web page with a Content-Security-Policy.
func headersOfPolicy(policy string) headers {
	return linesOf("Content-Security-Policy", policy, "Referrer-Policy", "strict-origin")
}

// AppendFields appends the lines of the header, except for those of the connection and the date. It states the length
// of the body unless that is negative.
func (x *Exchange) AppendFields(dst []byte, length int64) []byte {
	r := &x.Response
	if r.mediaType != nil {
		dst = appendField(dst, "Content-Type", r.mediaType)
	}
	if r.packed || r.document != nil && r.document.isPacked {
		dst = appendField(dst, "Content-Encoding", "gzip")
	}
	if length >= 0 {
		dst = append(strconv.AppendInt(append(dst, "Content-Length: "...), length, 10), "\r\n"...)
	}
	if len(x.Request.IDs) > 0 || r.Status >= 500 {
		dst = appendField(dst, "X-Request-Id", x.id)
	}
	if x.service.config.Demo {
		dst = append(dst, headersOfOwnOrigin...)
	} else {
		dst = append(dst, headersOfAnyOrigin...)
	}
	switch {
	case r.preflight:
		dst = append(dst, headersOfPreflight...)
	case r.document != nil:
		dst = append(dst, r.document.headers...)
	case r.Status < 400:
		dst = append(dst, headersOfAnswers...)
		if r.etag != (etag{}) {
			dst = appendField(dst, "ETag", r.etag[:])
		}
		dst = appendField(dst, "X-Snapshot", r.snapshot)
		if len(r.ignored) > 0 {
			dst = appendField(dst, "X-Ignored-Params", r.ignored)
		}
		if len(r.links) > 0 {
			dst = appendField(dst, "Link", r.links)
		}
		if len(r.total) > 0 {
			dst = appendField(dst, "X-Total-Results", r.total)
		}
	default:
		dst = append(dst, headersOfErrors...)
	}
	if len(r.hint) > 0 {
		dst = appendField(dst, "X-Hint", r.hint)
	}
	if r.contentRange != nil {
		dst = appendField(dst, "Content-Range", r.contentRange)
	}
	if r.location != nil {
		dst = appendField(dst, "Location", r.location)
	}
	if r.policy != nil {
		dst = appendField(dst, "Content-Security-Policy", r.policy)
		dst = appendField(dst, "Referrer-Policy", "strict-origin")
	}
	if r.Export != nil {
		dst = appendField(dst, "Content-Disposition", r.disposition)
		dst = append(dst, headersOfExport...)
	}
	if r.allow {
		dst = append(dst, headersOfAllow...)
	}
	if r.challenge {
		dst = append(dst, headersOfChallenge...)
	}
	if r.retryAfter > 0 {
		dst = append(strconv.AppendInt(append(dst, "Retry-After: "...), int64(r.retryAfter), 10), "\r\n"...)
	}
	return dst
}
