package httpapi

import "strconv"

// A header is a name and a value as they are sent.
type header struct{ name, value []byte }

func newHeader(name, value string) header { return header{[]byte(name), []byte(value)} }

// headers are constant headers.
type headers []header

func (hs headers) addTo(h Headers) {
	for _, header := range hs {
		h.SetCanonical(header.name, header.value)
	}
}

var (
	headersOfAnyOrigin = headers{
		newHeader("X-Content-Type-Options", "nosniff"),
		newHeader("Access-Control-Allow-Origin", "*"),
		newHeader("Access-Control-Expose-Headers", "ETag, X-Snapshot, X-Ignored-Params, X-Total-Results, X-Request-Id, Link, Retry-After, Content-Disposition"),
	}
	// headersOfOwnOrigin keep pages of other origins from using a response.
	headersOfOwnOrigin = headers{
		newHeader("X-Content-Type-Options", "nosniff"),
		newHeader("Cross-Origin-Resource-Policy", "same-origin"),
	}
	headersOfAnswers = headers{
		newHeader("Cache-Control", "private, no-cache"),
		newHeader("Vary", "Accept, Accept-Encoding"),
	}
	headersOfErrors    = headers{newHeader("Cache-Control", "no-store")}
	headersOfPreflight = headers{
		newHeader("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
		newHeader("Access-Control-Allow-Headers", "x-api-key, if-match, if-none-match, content-type, x-request-id"),
		newHeader("Access-Control-Max-Age", "86400"),
		newHeader("Allow", "GET, HEAD, OPTIONS"),
	}
	headersOfExport    = headers{newHeader("Accept-Ranges", "none")}
	headersOfAllow     = headers{newHeader("Allow", "GET, HEAD, OPTIONS")}
	headersOfChallenge = headers{newHeader("WWW-Authenticate", `ApiKey realm="pubs"`)}

	etagName, snapshotName = []byte("ETag"), []byte("X-Snapshot")
	ignoredName, retryName = []byte("X-Ignored-Params"), []byte("Retry-After")
	linkName, totalName    = []byte("Link"), []byte("X-Total-Results")
	binaryType, headless   = []byte("application/octet-stream"), []byte("text/csv; charset=utf-8; header=absent")
	requestIDName          = []byte("X-Request-Id")
	hintName               = []byte("X-Hint")
	dispositionName        = []byte("Content-Disposition")
	locationName           = []byte("Location")
	contentRangeName       = []byte("Content-Range")
	policyName             = []byte("Content-Security-Policy")
	referrerName           = []byte("Referrer-Policy")
	strictOrigin           = []byte("strict-origin")
	encodingName, gzipName = []byte("Content-Encoding"), []byte("gzip")
)

// Headers are those of a response. Names are in canonical form; the values are copied.
type Headers interface {
	SetCanonical(name, value []byte)
	SetContentTypeBytes(mediaType []byte)
}

// SetHeaders sets the headers of the response, except for those of the connection, the date and the length.
func (x *Exchange) SetHeaders(h Headers) {
	r := &x.Response
	if len(x.Request.IDs) > 0 || r.Status >= 500 {
		h.SetCanonical(requestIDName, x.id)
	}
	if x.service.config.Demo {
		headersOfOwnOrigin.addTo(h)
	} else {
		headersOfAnyOrigin.addTo(h)
	}
	switch {
	case r.preflight:
		headersOfPreflight.addTo(h)
	case r.document != nil:
		r.document.headers.addTo(h)
	case r.Status < 400:
		headersOfAnswers.addTo(h)
		if r.etag != (etag{}) {
			h.SetCanonical(etagName, r.etag[:])
		}
		h.SetCanonical(snapshotName, r.snapshot)
		if len(r.ignored) > 0 {
			h.SetCanonical(ignoredName, r.ignored)
		}
		if len(r.links) > 0 {
			h.SetCanonical(linkName, r.links)
		}
		if len(r.total) > 0 {
			h.SetCanonical(totalName, r.total)
		}
	default:
		headersOfErrors.addTo(h)
	}
	if len(r.hint) > 0 {
		h.SetCanonical(hintName, r.hint)
	}
	if r.contentRange != nil {
		h.SetCanonical(contentRangeName, r.contentRange)
	}
	if r.location != nil {
		h.SetCanonical(locationName, r.location)
	}
	if r.policy != nil {
		h.SetCanonical(policyName, r.policy)
		h.SetCanonical(referrerName, strictOrigin)
	}
	if r.packed {
		h.SetCanonical(encodingName, gzipName)
	}
	if r.Export != nil {
		h.SetCanonical(dispositionName, r.disposition)
		headersOfExport.addTo(h)
	}
	if r.mediaType != nil {
		h.SetContentTypeBytes(r.mediaType)
	}
	if r.allow {
		headersOfAllow.addTo(h)
	}
	if r.challenge {
		headersOfChallenge.addTo(h)
	}
	if r.retryAfter > 0 {
		h.SetCanonical(retryName, strconv.AppendInt(nil, int64(r.retryAfter), 10))
	}
}
