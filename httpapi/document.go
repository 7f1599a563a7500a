package httpapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
)

// A document is a file that the service sends to anybody, without a key.
type document struct {
	path                  string
	mediaType, body, etag []byte
}

//go:embed openapi.json
var openAPI []byte

var documents = []*document{newDocument("/openapi.json", "application/json; charset=utf-8", openAPI)}

func newDocument(path, contentType string, body []byte) *document {
	hash := sha256.Sum256(body)
	return &document{path: path, mediaType: []byte(contentType), body: body, etag: []byte(`"` + hex.EncodeToString(hash[:8]) + `"`)}
}

// documentAt is the document of a path, or nil.
func documentAt(path []byte) *document {
	for _, d := range documents {
		if string(path) == d.path {
			return d
		}
	}
	return nil
}

// respond sends the document.
func (d *document) respond(x *exchange) fault {
	switch {
	case string(x.method) != "GET" && string(x.method) != "HEAD":
		return fault{row: methodNotAllowed}
	case x.hasBody:
		return fault{row: bodyTooLarge}
	}
	x.operation, x.document, x.etag = opDocument, d, d.etag
	if x.status = 304; !matchesAny(x.noneMatch, d.etag) {
		x.status = 200
		x.body = append(x.body, d.body...)
	}
	return fault{}
}
