package httpapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"

	"pubd/httpapi/explorer"
)

// A document is a file that the service sends to anybody, without a key. It is sent from where it is, never copied.
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

func newDocument(file explorer.File) *document {
	hash := sha256.Sum256(file.Body)
	d := &document{path: file.Path, mediaType: []byte(file.MediaType), body: file.Body, etag: []byte(`"` + hex.EncodeToString(hash[:8]) + `"`)}
	d.headers = headers{newHeader("Cache-Control", "no-cache"), {etagName, d.etag}}
	if file.Policy != "" {
		d.headers = append(d.headers, newHeader("Content-Security-Policy", file.Policy), newHeader("Referrer-Policy", "strict-origin"))
	}
	return d
}

// respond sends the document.
func (d *document) respond(x *exchange) fault {
	switch {
	case string(x.method) != "GET" && string(x.method) != "HEAD":
		return fault{row: methodNotAllowed}
	case x.hasBody:
		return fault{row: bodyTooLarge}
	}
	x.operation, x.document = opDocument, d
	if x.status = 200; matchesAny(x.noneMatch, d.etag) {
		x.status = 304
	}
	return fault{}
}
