package httpapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"

	"pubd/httpapi/explorer"
)

// A document is a file that the service sends to anyone, without a key. It is sent from where it is, never copied.
type document struct {
	path      string
	mediaType []byte
	headers   headers
	body      []byte
	etag      []byte
}

//go:embed openapi.json
var openAPI []byte

// documentsOf is the description of the service and some pages for people, by path.
func documentsOf(pages []explorer.File) map[string]*document {
	documents := map[string]*document{}
	for _, file := range append(pages, explorer.File{Path: "/openapi.json", MediaType: "application/json; charset=utf-8", Body: openAPI}) {
		documents[file.Path] = newDocument(file)
	}
	return documents
}

// settingsOffering returns the settings of some pages with a key; nil without a key or pages.
func settingsOffering(key string, pages []explorer.File) *document {
	for _, file := range pages {
		if key == "" || file.Path != explorer.SettingsPath {
			continue
		}
		if file, err := explorer.OfferKey(file, key); err == nil { // which was made by that package
			return newDocument(file)
		}
	}
	return nil
}

// documentAt returns the document of a path, or nil.
func (s *Service) documentAt(path []byte) *document {
	d := s.documents[string(path)]
	if d != nil && d.path == explorer.SettingsPath {
		if offering := s.settings.Load(); offering != nil {
			return offering
		}
	}
	return d
}

func newDocument(file explorer.File) *document {
	hash := sha256.Sum256(file.Body)
	d := &document{path: file.Path, mediaType: []byte(file.MediaType), body: file.Body, etag: []byte(`"` + hex.EncodeToString(hash[:8]) + `"`)}
	d.headers = headers{newHeader("Cache-Control", "no-cache"), {etagName, d.etag}}
	if file.Policy != "" {
		d.headers = append(d.headers, newHeader("Content-Security-Policy", file.Policy), newHeader("Referrer-Policy", "strict-origin"))
	}
	return d
}

// parse parses a request for the document.
func (d *document) parse(r *request) (call, fault) {
	switch {
	case !r.isRead():
		return call{}, fault{row: methodNotAllowed}
	case r.hasBody:
		return call{}, fault{row: bodyTooLarge}
	}
	return call{operation: opDocument, document: d, unchanged: matchesAny(r.noneMatch, d.etag)}, fault{}
}
