package response

import (
	"bytes"
	"strconv"

	"pubd/httpapi/fault"
)

// A Header is lines of a header, as they are sent.
type Header []byte

// Lines returns the lines of names and values.
func Lines(pairs ...string) (lines Header) {
	for i := 0; i < len(pairs); i += 2 {
		lines = AppendField(lines, pairs[i], pairs[i+1])
	}
	return lines
}

// AppendField appends a line of a header.
func AppendField[T string | []byte](dst []byte, name string, value T) []byte {
	return AppendLine(dst, name, func(dst []byte) []byte { return append(dst, value...) })
}

// AppendLine appends a line of a header with the value that a function appends; nothing if it appends none. Line ends
// in the value become spaces: they would end the line.
func AppendLine(dst []byte, name string, appendValue func(dst []byte) []byte) []byte {
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

// AppendNumber appends a line of a header with a number.
func AppendNumber(dst []byte, name string, value int64) []byte {
	return append(strconv.AppendInt(append(append(dst, name...), ": "...), value, 10), "\r\n"...)
}

var (
	AnyOrigin = Lines(
		"X-Content-Type-Options", "nosniff",
		"Access-Control-Allow-Origin", "*",
		"Access-Control-Expose-Headers", "ETag, X-Snapshot, X-Ignored-Params, X-Total-Results, X-Request-Id, Link, Retry-After, RateLimit, RateLimit-Policy, Content-Disposition",
	)
	// OwnOrigin keeps pages of other origins from using a response.
	OwnOrigin = Lines(
		"X-Content-Type-Options", "nosniff",
		"Cross-Origin-Resource-Policy", "same-origin",
	)
	ofAnswers = Lines(
		"Cache-Control", "private, no-cache",
		"Vary", "Accept, Accept-Encoding",
	)
	OfErrors    = Lines("Cache-Control", "no-store")
	ofPreflight = Lines(
		"Access-Control-Allow-Methods", "GET, HEAD, OPTIONS",
		"Access-Control-Allow-Headers", "x-api-key, if-match, if-none-match, content-type, x-request-id",
		"Access-Control-Max-Age", "86400",
		"Allow", "GET, HEAD, OPTIONS",
	)
	ofExport    = Lines("Accept-Ranges", "none")
	ofAllow     = Lines("Allow", "GET, HEAD, OPTIONS")
	ofChallenge = Lines("WWW-Authenticate", `ApiKey realm="pubs"`, "X-Hint", fault.HowToSendKey)

	binaryType, headless = []byte("application/octet-stream"), []byte("text/csv; charset=utf-8; header=absent")
)

// Policy has the lines of a web page with a Content-Security-Policy.
func Policy(policy string) Header {
	return Lines("Content-Security-Policy", policy, "Referrer-Policy", "strict-origin")
}
