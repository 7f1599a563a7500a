package httpapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"

	"pubd/httpapi/explorer"
)

// A document is a file that anyone may read without a key. It is sent without copying.
type document struct {
	path      string
	mediaType []byte
	headers   headers
	body      []byte
	etag      []byte
	packed    *document // compressed with gzip, for clients that accept it; nil if there is none
}

//go:embed openapi.json
var openAPI []byte

// documentsOf returns the OpenAPI document and the pages, by path.
func documentsOf(pages []explorer.File) map[string]*document {
	documents := map[string]*document{}
	for _, file := range append(pages, explorer.File{Path: "/openapi.json", MediaType: "application/json; charset=utf-8", Body: openAPI}) {
		documents[file.Path] = newDocument(file)
	}
	return documents
}

// settingsOffering returns the settings of the pages with a key; nil without a key or pages.
func settingsOffering(key string, pages []explorer.File) *document {
	for _, file := range pages {
		if key == "" || file.Path != explorer.SettingsPath {
			continue
		}
		if file, err := explorer.OfferKey(file, key); err == nil { // that package made the file
			return newDocument(file)
		}
	}
	return nil
}

// documentAt returns the document at a path, or nil.
func (s *Service) documentAt(path []byte) *document {
	d := s.documents[string(path)]
	if d != nil && d.path == explorer.SettingsPath {
		if offering := s.keys.Load().settings; offering != nil {
			return offering
		}
	}
	return d
}

func newDocument(file explorer.File) *document {
	hash := sha256.Sum256(file.Body)
	d := &document{path: file.Path, mediaType: []byte(file.MediaType), body: file.Body, etag: []byte(`"` + hex.EncodeToString(hash[:8]) + `"`)}
	d.headers = headers{newHeader("Cache-Control", "no-cache"), {etagName, d.etag}}
	if file.Packed != nil {
		d.headers = append(d.headers, varyEncoding)
		packed := file
		packed.Body, packed.Packed = file.Packed, nil
		d.packed = newDocument(packed)
		d.packed.headers = append(d.packed.headers, varyEncoding, newHeader("Content-Encoding", "gzip"))
	}
	if file.Policy != "" {
		d.headers = append(d.headers, newHeader("Content-Security-Policy", file.Policy), newHeader("Referrer-Policy", "strict-origin"))
	}
	return d
}

var varyEncoding = newHeader("Vary", "Accept-Encoding")

// parse parses a request for the document.
func (d *document) parse(r *Request) (call, fault) {
	if d.packed != nil && acceptsGzip(r.Encodings) {
		d = d.packed
	}
	switch {
	case !r.isRead():
		return call{}, fault{row: methodNotAllowed}
	case r.HasBody:
		return call{}, fault{row: bodyTooLarge}
	case r.mismatches(d.etag):
		return call{operation: opDocument}, fault{row: preconditionFailed}
	}
	return call{operation: opDocument, document: d, unchanged: r.isUnchanged(d.etag)}, fault{}
}

// acceptsGzip reports whether an Accept-Encoding list (RFC 9110, section 12.5.3) accepts gzip.
func acceptsGzip(list []byte) bool {
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte(","))
		name, parameters, _ := bytes.Cut(item, []byte(";"))
		if equalLower(bytes.TrimSpace(name), "gzip") {
			return quality(parameters) > 0
		}
	}
	return false
}
