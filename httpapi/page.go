package httpapi

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index/hours"
	"pubd/index/schema"
)

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

// pagePath returns the row of pagePaths that a path has; empty if it has none.
func pagePath(path []byte) string {
	for _, row := range pagePaths {
		rest, begins := bytes.CutPrefix(path, []byte(row))
		if begins && (len(rest) > 0) == strings.HasSuffix(row, "/") {
			return row
		}
	}
	return ""
}

// showsData reports whether there are pages on which visitors may see the data.
func (s *Service) showsData(r *Request) bool {
	return s.config.WebPages != nil && (s.config.Demo || s.config.PublicPages || s.publicKey(r.Received) != nil)
}

// parsePage parses a request for a rendered page, which counts against the rate of a visitor with the public key.
func (s *Service) parsePage(a *arrangement, r *Request, path []byte) (call, fault.Fault) {
	c := call{operation: params.Page, view: a.served, page: path}
	if string(r.Method) == "OPTIONS" {
		return call{preflight: true}, fault.Fault{}
	}
	if f := r.checkRead(); f.IsSet() {
		return c, f
	}
	if c.key = s.publicKey(r.Received); c.key != nil {
		if ok, wait := c.key.Allow(r.Received, r.client); !ok {
			return c, fault.Fault{Row: fault.RateLimited, RetryAfter: uint32(wait / time.Second)}
		}
	}
	if a.served == nil {
		return c, fault.Fault{Row: fault.NotReady}
	}
	return c, fault.Fault{}
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

// pageSize returns the size of a page. A text of a pub is there up to eight times, escaped, or encoded in an address.
func (c *call) pageSize() int64 {
	const frame, times, element = 64 << 10, 8, 32
	switch v := c.view; pagePath(c.page) {
	case "/sitemaps/":
		return frame + MaxAddresses*(MaxAddress+element)
	case "/sitemap.xml":
		return frame + int64(v.snapshot.Len()+v.snapshot.Values(schema.Location))/MaxAddresses*(MaxAddress+element)
	case "/pubs/":
		return frame + times*v.whole.most(1+MaxNearbyPubs)
	case "/places/":
		return frame + times*(v.whole.most(MaxPubsPerPage)+v.values.most(MaxNearbyPlaces))
	case "/places":
		return frame + times*v.values.most(MaxPlacesPerPage)
	default:
		return frame
	}
}

// respondPage renders a page. Its entity tag comes from its bytes, so the preconditions come last. A page counts as one
// request, whatever its size.
func (x *Exchange) respondPage(c *call) fault.Fault {
	s, r, w := x.service, &x.Request, x.workspace
	request := PageRequest{Path: c.page, Query: r.Query, Base: s.baseOf(r), At: s.momentOf(r)}
	page := s.config.WebPages.Render(w.body[:0], request, c.view.snapshot, &w.search)
	if page.Status == 404 {
		return fault.Fault{Row: fault.NotFound}
	}
	w.body = page.Body
	out, lines := Response{Status: page.Status, body: page.Body}, append(x.memory[:0], headersOfAnswers...)
	if page.MediaType != "" {
		out.mediaType = []byte(page.MediaType)
	}
	variant := uint64(0)
	if len(page.Body) <= maxPacked && strings.HasPrefix(page.MediaType, "text/") && params.AcceptsGzip(r.Encodings) {
		out.packed, variant = true, 1
	}
	if page.Status == 200 {
		tag := c.view.etag(page.Body, variant)
		lines = appendField(lines, "ETag", tag[:])
		if r.failsPrecondition(tag[:]) {
			return fault.Fault{Row: fault.PreconditionFailed}
		}
		if r.isUnchanged(tag[:]) { // its policy may have changed, and replaces the one that the client has
			out.Status, out.body, out.mediaType, out.packed = 304, nil, nil, false
		}
	}
	lines = appendField(appendField(lines, "X-Snapshot", c.view.id), "Location", page.Location)
	if page.Policy != "" {
		lines = append(lines, headersOfPolicy(page.Policy)...)
	}
	out.lines, out.memory = lines, lines
	if out.packed {
		out.body = s.pack(page.Body)
		w.body = out.body
	}
	x.set(out)
	return fault.Fault{}
}

// An errorKey tells pages of errors apart: by the row of the error, and by whether visitors may see the data.
type errorKey struct {
	row       *fault.Row
	showsData bool
}

// errorPages returns the pages of errors; none without web pages.
func errorPages(webPages WebPages) map[errorKey]*document {
	if webPages == nil {
		return nil
	}
	pages := map[errorKey]*document{}
	for _, row := range append([]*fault.Row{fault.RangeRequired, fault.RangeNotSatisfiable}, fault.Table...) {
		for _, showsData := range []bool{false, true} {
			page := webPages.Render(nil, PageRequest{Error: row, ShowsData: showsData}, nil, nil)
			headers := slices.Concat(headersOfErrors, headersOfPolicy(page.Policy))
			pages[errorKey{row, showsData}] = &document{mediaType: []byte(page.MediaType), body: page.Body, headers: headers}
		}
	}
	return pages
}

// errorPage returns the page of an error; nil if the client gets JSON, as it does below /api/, and at paths without
// rendered pages unless it prefers text/html.
func (x *Exchange) errorPage(row *fault.Row) *document {
	r := &x.Request
	if x.summary.operation == params.Page || params.PrefersPage(r.Accept) && !bytes.HasPrefix(r.Path, []byte("/api/")) {
		return x.service.errors[errorKey{row, x.service.showsData(r)}]
	}
	return nil
}

// baseOf returns the scheme and host of absolute links in the response to a request; empty if it names no plain host.
func (s *Service) baseOf(r *Request) string {
	if s.config.PublicURL != "" {
		return s.config.PublicURL
	}
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"
	host, _, _ := bytes.Cut(r.Host, []byte(":"))
	if len(host) == 0 || len(host) > 253 || len(bytes.Trim(host, plain)) > 0 || !isPort(r.Host[len(host):]) {
		return ""
	}
	if params.EqualLower(bytes.TrimSpace(r.Scheme), "https") {
		return "https://" + string(r.Host)
	}
	return "http://" + string(r.Host)
}

// maxPacked is the length up to which a page is compressed: more would take more than a few milliseconds.
const maxPacked = 256 << 10

// pack compresses a body with gzip.
func (s *Service) pack(body []byte) []byte {
	packer := s.packers.Get().(*gzip.Writer)
	defer s.packers.Put(packer)
	var out bytes.Buffer
	packer.Reset(&out)
	_, _ = packer.Write(body) // to memory, which never fails
	_ = packer.Close()
	return out.Bytes()
}
