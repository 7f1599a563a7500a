package httpapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

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

// WebPages are the web pages, such as those of package pages. Render is called concurrently.
type WebPages interface {
	// Files returns the files that are served while visitors may use a key and a snapshot is served, of which both may be
	// missing. It is called when either changes, and never concurrently. Of the file at a path, only Body and Packed
	// together, and Large, may change.
	Files(key string, served *index.Snapshot) []WebFile
	// Render renders the page that a request names, and appends its body to dst. Pages of pubs and places come from a
	// snapshot, and are asked for only while visitors may see the data. Others need no workspace, and the snapshot may be
	// nil: / has the one that is served, errors have none.
	Render(dst []byte, r PageRequest, s *index.Snapshot, w *index.Workspace) Page
}

// A document is a file that anyone may read without a key. It is sent without copying.
type document struct {
	path      string
	mediaType []byte
	headers   headers
	isPacked  bool // with gzip
	isOwn     bool // the body is that of one response, and of no other
	body      []byte
	etag      []byte
	packed    *document // compressed with gzip, for clients that accept it; nil if there is none
	large     *reader   // of a file that is sent in parts, instead of the body; nil for most
}

//go:embed openapi.json
var openAPI []byte

// openAPIOf returns the OpenAPI document with the parameters of the extra columns of the snapshot being served, which may
// be nil: wherever area is one, and among the facets.
func openAPIOf(served *view) []byte {
	if served == nil || len(served.columns) == 0 {
		return openAPI
	}
	var references, facets, pattern, parameters strings.Builder
	add := func(name, doc, schema string) {
		fmt.Fprintf(&references, "{\"$ref\": \"#/components/parameters/%s\"},\n     ", name)
		fmt.Fprintf(&parameters, "%q: {\"name\": %q, \"in\": \"query\", \"description\": %q, %s},\n   ", name, name, doc, schema)
	}
	for _, c := range served.columns {
		if c.Name == "" {
			continue
		}
		fmt.Fprintf(&facets, "%q,\n         ", c.Name)
		pattern.WriteString(regexp.QuoteMeta(c.Name) + "|")
		add(c.Name, "Keeps pubs whose "+c.Name+" is one of these, regardless of case and accents. One in quotes may have commas. A column of this directory.",
			`"style": "form", "explode": false, "schema": {"type": "array", "items": {"type": "string"}, "minItems": 1}`)
		if c.IsNumber {
			add("min_"+c.Name, "Keeps pubs whose "+c.Name+" is at least this.", `"schema": {"type": "number"}`)
			add("max_"+c.Name, "Keeps pubs whose "+c.Name+" is at most this.", `"schema": {"type": "number"}`)
		}
	}
	const area, all, begun, enum = `{"$ref": "#/components/parameters/area"}`, "\n  \"parameters\": {\n   ", `"^(location|`, "\"enum\": [\n         "
	before, after, _ := strings.Cut(string(openAPI), `"name": "facets"`)
	after = `"name": "facets"` + strings.Replace(after, enum, enum+facets.String(), 1)
	escaped := strings.ReplaceAll(pattern.String(), `\`, `\\`)
	return []byte(strings.NewReplacer(area, references.String()+area, all, all+parameters.String(), begun, begun+escaped).Replace(before + after))
}

// documentsOf returns the OpenAPI document and the files of the web pages, by path, for a key of visitors and the
// snapshot being served. Documents that have not changed are those of before.
func (s *Service) documentsOf(before map[string]*document, key string, served *view) map[string]*document {
	files := []WebFile{{Path: "/openapi.json", MediaType: "application/json; charset=utf-8", Body: openAPIOf(served)}}
	if s.config.WebPages != nil {
		files = append(files, s.webFiles(key, served)...)
	}
	documents := map[string]*document{}
	for _, file := range files {
		if d := before[file.Path]; d != nil && d.has(file) {
			documents[file.Path] = d
		} else {
			documents[file.Path] = newDocument(file)
		}
	}
	return documents
}

// webFiles returns the files of the web pages for a key and the snapshot being served; those without a snapshot if
// there is none, or it proves unusable, as when its file is cut short while it is mapped.
func (s *Service) webFiles(key string, served *view) (files []WebFile) {
	if served == nil {
		return s.config.WebPages.Files(key, nil)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			s.logUnusable(served.snapshot, cause)
			files = s.config.WebPages.Files(key, nil)
		}
	}()
	return s.config.WebPages.Files(key, served.snapshot)
}

// has reports whether the content of the document is that of a file.
func (d *document) has(file WebFile) bool {
	if d.large == nil || file.Large == nil {
		return d.large == nil && file.Large == nil && bytes.Equal(d.body, file.Body)
	}
	return d.large.LargeFile == file.Large
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
