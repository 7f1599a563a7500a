package httpapi

import (
	"bytes"
	"strconv"
	"time"

	"pubd/httpapi/keys"
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

// appendField appends a line of a header.
func appendField[T string | []byte](dst []byte, name string, value T) []byte {
	return appendHeader(dst, name, func(dst []byte) []byte { return append(dst, value...) })
}

// appendHeader appends a line of a header with the value that a function appends; nothing if it appends none. Line ends
// in the value become spaces: they would end the line.
func appendHeader(dst []byte, name string, appendValue func(dst []byte) []byte) []byte {
	begun := append(append(dst, name...), ": "...)
	whole := appendValue(begun)
	value := whole[len(begun):]
	if len(value) == 0 {
		return whole[:len(dst)] // which may have grown
	}
	if bytes.IndexByte(value, '\n') >= 0 || bytes.IndexByte(value, '\r') >= 0 {
		for i, c := range value {
			if c == '\n' || c == '\r' {
				value[i] = ' '
			}
		}
	}
	return append(whole, "\r\n"...)
}

// appendNumber appends a line of a header with a number.
func appendNumber(dst []byte, name string, value int64) []byte {
	return append(strconv.AppendInt(append(append(dst, name...), ": "...), value, 10), "\r\n"...)
}

var (
	headersOfAnyOrigin = linesOf(
		"X-Content-Type-Options", "nosniff",
		"Access-Control-Allow-Origin", "*",
		"Access-Control-Expose-Headers", "ETag, X-Snapshot, X-Ignored-Params, X-Total-Results, X-Request-Id, Link, Retry-After, RateLimit, RateLimit-Policy, Content-Disposition",
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
	headersOfChallenge = linesOf("WWW-Authenticate", `ApiKey realm="pubs"`, "X-Hint", howToSendKey)

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
	dst = appendField(dst, "Content-Type", r.mediaType)
	if r.packed || r.document != nil && r.document.isPacked {
		dst = appendField(dst, "Content-Encoding", "gzip")
	}
	if length >= 0 {
		dst = appendNumber(dst, "Content-Length", length)
	}
	if len(x.Request.IDs) > 0 || r.Status >= 500 {
		dst = appendField(dst, "X-Request-Id", x.id)
	}
	if x.service.config.Demo {
		dst = append(dst, headersOfOwnOrigin...)
	} else {
		dst = append(dst, headersOfAnyOrigin...)
	}
	if r.document != nil {
		dst = append(dst, r.document.headers...)
	}
	if key := x.summary.key; key != nil {
		if q, ok := key.Quota(x.Request.Received, x.Request.client); ok {
			dst = appendQuota(dst, q)
		}
	}
	return append(dst, r.lines...)
}

// appendQuota appends what a rate allows and what is left of it (draft-ietf-httpapi-ratelimit-headers-10).
func appendQuota(dst []byte, q keys.Quota) []byte {
	item := func(name, of string, requests int, in string, d time.Duration) {
		dst = append(append(append(append(dst, name...), ": \""...), q.Name...), '"')
		dst = strconv.AppendInt(append(dst, of...), int64(requests), 10)
		dst = append(strconv.AppendInt(append(dst, in...), int64(d/time.Second), 10), "\r\n"...)
	}
	item("RateLimit-Policy", ";q=", q.Requests, ";w=", q.Window)
	item("RateLimit", ";r=", q.Left, ";t=", q.Renewed)
	return dst
}
