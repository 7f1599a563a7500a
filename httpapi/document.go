package httpapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/index"
)

// A WebFile is one file of the web pages. Its body is shared and must not be changed.
type WebFile struct {
	Path, MediaType string
	Policy          string // Content-Security-Policy; empty if it is not a web page
	Body            []byte
	Packed          []byte     // gzip of Body; nil if it is not smaller
	Large           *LargeFile // the content, instead of Body; nil for most
}

// WebPages are the web pages, such as those of packages explorer and pages. The functions may be nil, and are called
// concurrently.
type WebPages struct {
	Files []WebFile
	// Offering returns the file that replaces the one at its path while visitors may use this key.
	Offering func(key string) WebFile
	// Following returns the file that replaces the one at its path while a snapshot is served. Arrange calls it
	// before, for each snapshot, and never concurrently.
	Following func(s *index.Snapshot) WebFile
	// Titled returns the page "/" for a query string, with a title and a description for the preview of a shared link;
	// false if there is nothing to say of the query. find returns a pub, or nil if there is none or the visitor may not
	// see it. It counts against the rate of the visitor, so Titled calls it once at most, for a pub that the query names.
	Titled func(query []byte, find func(uid string) *index.Pub) (WebFile, bool)
	// Render renders a page of a snapshot, and appends its body to dst. It is called only while visitors may see the
	// data.
	Render func(dst []byte, r PageRequest, s *index.Snapshot, w *index.Workspace) Page
	// Failed returns the page that browsers get of an error, whose message is in English. If visitors may see the data,
	// it may lead to rendered pages. New calls it twice for each.
	Failed func(status int, message string, showsData bool) Page
}

// A document is a file that anyone may read without a key. It is sent without copying.
type document struct {
	path      string
	mediaType []byte
	headers   headers
	isPacked  bool // with gzip
	body      []byte
	etag      []byte
	packed    *document // compressed with gzip, for clients that accept it; nil if there is none
	large     *reader   // of a file that is sent in parts, instead of the body; nil for most
}

//go:embed openapi.json
var openAPI []byte

// documentsOf returns the OpenAPI document and the web pages, by path.
func documentsOf(files []WebFile) map[string]*document {
	documents := map[string]*document{}
	for _, file := range files {
		documents[file.Path] = newDocument(file)
	}
	documents["/openapi.json"] = newDocument(WebFile{Path: "/openapi.json", MediaType: "application/json; charset=utf-8", Body: openAPI})
	return documents
}

func newDocument(file WebFile) *document {
	hash := sha256.Sum256(file.Body)
	d := &document{path: file.Path, mediaType: []byte(file.MediaType), body: file.Body, etag: []byte(`"` + hex.EncodeToString(hash[:8]) + `"`)}
	if file.Large != nil {
		d.large, d.etag = &reader{LargeFile: file.Large}, []byte(file.Large.ETag)
	}
	d.headers = appendField(linesOf("Cache-Control", "no-cache"), "ETag", d.etag)
	if d.large != nil {
		d.headers = append(d.headers, linesOf("Accept-Ranges", "bytes")...)
	}
	if file.Packed != nil {
		d.headers = append(d.headers, headersOfPackable...)
		packed := file
		packed.Body, packed.Packed = file.Packed, nil
		d.packed = newDocument(packed)
		d.packed.headers, d.packed.isPacked = append(d.packed.headers, headersOfPackable...), true
	}
	if file.Policy != "" {
		d.headers = append(d.headers, headersOfPolicy(file.Policy)...)
	}
	return d
}

// parse parses a request for the document.
func (d *document) parse(r *Request) (call, fault.Fault) {
	if d.packed != nil && params.AcceptsGzip(r.Encodings) {
		d = d.packed
	}
	switch {
	case !r.isRead():
		return call{}, fault.Fault{Row: fault.MethodNotAllowed}
	case r.HasBody:
		return call{}, fault.Fault{Row: fault.BodyTooLarge}
	case r.failsPrecondition(d.etag):
		return call{operation: params.Document}, fault.Fault{Row: fault.PreconditionFailed}
	}
	c, f := call{operation: params.Document, document: d, unchanged: r.isUnchanged(d.etag)}, fault.Fault{}
	if d.large != nil && !c.unchanged && string(r.Method) == "GET" { // Range has no meaning for HEAD
		c.part, f = d.large.part(r)
	}
	return c, f
}
