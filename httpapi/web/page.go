package web

import (
	"bytes"
	"strings"

	"pubd/httpapi/fault"
	"pubd/httpapi/views"
	"pubd/index"
	"pubd/index/hours"
	"pubd/index/schema"
)

// Pages are the web pages. Render is called concurrently.
type Pages interface {
	// Files returns the files that are served while visitors may use a key and a snapshot is served, of which both may be
	// missing. It is called when either changes, and never concurrently. Of the file at a path, only Body and Packed
	// together, and Large, may change.
	Files(key string, served *index.Snapshot) []File
	// Render renders the page that a request names, and appends its body to dst. Pages of pubs and places come from a
	// snapshot, and are asked for only while visitors may see the data. Others need no workspace, and the snapshot may be
	// nil: / has the one that is served, errors have none.
	Render(dst []byte, r PageRequest, s *index.Snapshot, w *index.Workspace) Page
}

// A PageRequest names a page: one that is rendered from a snapshot, "/", which needs one only if Find returns a pub, or
// that of an error, which has neither path nor query.
type PageRequest struct {
	Path, Query []byte
	// Base is the scheme and host of absolute links, such as "https://pubs.example.org"; empty if the request names no
	// host that may stand in a link.
	Base string
	// At is the time of the request.
	At hours.Moment
	// Find returns the pub that the query of the page "/" names; nil if there is none, or the visitor may not see it. It
	// is nil for other pages.
	Find func(uid string) *schema.Pub
	// Error is the error that the page tells instead, whose message is in English; nil for other pages. If visitors may
	// see the data, the page may lead to others.
	Error     *fault.Row
	ShowsData bool
}

// A Page is a rendered response.
type Page struct {
	Status    int    // 200; 301, with Location; 404 if there is none; that of the error
	Location  string // a path
	MediaType string
	Policy    string // Content-Security-Policy; empty if it is not a web page
	Body      []byte
}

// pagePaths are the paths of rendered pages; something must follow one that ends in a slash.
var pagePaths = []string{"/pubs/", "/places", "/places/", "/sitemap.xml", "/sitemaps/", "/robots.txt"}

// PathOf returns the row of pagePaths that a path has; empty if it has none.
func PathOf(path []byte) string {
	for _, row := range pagePaths {
		rest, begins := bytes.CutPrefix(path, []byte(row))
		if begins && (len(rest) > 0) == strings.HasSuffix(row, "/") {
			return row
		}
	}
	return ""
}

// What rendered pages have at most, which bounds their size.
const (
	MaxNearbyPubs    = 10    // on the page of a pub
	MaxPubsPerPage   = 100   // of a place
	MaxNearbyPlaces  = 20    // on the page of a place
	MaxPlacesPerPage = 500   // of the list of places
	MaxAddresses     = 1_000 // in a part of the sitemap, so that one is as cheap as any page: some 100 KB, at most 2.1 MB
	MaxAddress       = 2_047 // bytes of an address in the sitemap (https://www.sitemaps.org/protocol.html)
)

// SizeOf returns the size of a page. A text of a pub is there up to eight times, escaped, or encoded in an address.
func SizeOf(path []byte, v *views.View) int64 {
	const frame, times, element = 64 << 10, 8, 32
	switch PathOf(path) {
	case "/sitemaps/":
		return frame + MaxAddresses*(MaxAddress+element)
	case "/sitemap.xml":
		return frame + int64(v.Snapshot.Len()+v.Snapshot.Values(schema.Location))/MaxAddresses*(MaxAddress+element)
	case "/pubs/":
		return frame + times*v.Whole.Most(1+MaxNearbyPubs)
	case "/places/":
		return frame + times*(v.Whole.Most(MaxPubsPerPage)+v.Values.Most(MaxNearbyPlaces))
	case "/places":
		return frame + times*v.Values.Most(MaxPlacesPerPage)
	default:
		return frame
	}
}
