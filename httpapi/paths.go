package httpapi

import (
	"bytes"

	"pubd/httpapi/params"
	"pubd/httpapi/request"
	"pubd/httpapi/web"
)

// at returns the resource or the document at a path, or neither. Every path is answered with and without a final slash,
// and not redirected: a redirect would cost a round trip, and clients need not follow it.
func (s *Service) at(path []byte) (*params.Resource, *web.Document) {
	path = withoutSlash(path)
	for i := range params.Resources {
		if string(path) == params.Resources[i].Path {
			return &params.Resources[i], nil
		}
	}
	return nil, s.site.At(path)
}

// withoutSlash returns a path without its final slash, if it has one and something before it.
func withoutSlash(path []byte) []byte {
	if n := len(path); n > 1 && path[n-1] == '/' && path[n-2] != '/' {
		return path[:n-1]
	}
	return path
}

// longestSegment is the longest segment of an unknown path that a hint repeats.
const longestSegment = 64

// hintAt returns a hint for an unknown path: the request that is meant.
func hintAt(path []byte) string {
	const pubs = "/api/v1/pubs/"
	path = withoutSlash(path)
	segment, below := bytes.CutPrefix(path, []byte(pubs))
	switch {
	case below && (len(segment) == 0 || len(segment) > longestSegment || bytes.IndexByte(segment, '/') >= 0):
		return "a pub is at " + pubs + "?pubid=UID"
	case below:
		return string(request.AppendEscaped([]byte("a pub is at "+pubs+"?pubid="), segment, "%"))
	case bytes.HasPrefix(path, []byte("/api/")) || bytes.HasSuffix(path, []byte("/pubs")) || bytes.HasSuffix(path, []byte("/search")):
		return "pubs are at " + pubs + "?search=WORDS; /docs has all of the API"
	}
	return ""
}
