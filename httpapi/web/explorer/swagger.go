package explorer

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"path"

	"github.com/swaggest/swgui/v5/static"

	"pubd/httpapi"
)

//go:embed docs
var docs embed.FS

// docsPolicy is what the Swagger UI page may load. The one exception is data: images, which its style sheet uses for
// arrows and ticks.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// swaggerFiles returns "/docs", which documents the API and lets visitors try it, and what it loads from "/docs/": our
// page, and two files of Swagger UI (Apache License 2.0). They are compressed in the program, and take 1.7 MB of
// memory unpacked.
func swaggerFiles() ([]httpapi.WebFile, error) {
	var files []httpapi.WebFile
	for _, name := range []string{"index.html", "start.js"} {
		body, err := docs.ReadFile("docs/" + name)
		if err != nil {
			return nil, err
		}
		files = append(files, httpapi.WebFile{Path: "/docs/" + name, MediaType: mediaTypes[path.Ext(name)], Body: body})
	}
	files[0].Path, files[0].Policy = "/docs", docsPolicy
	for _, name := range []string{"swagger-ui-bundle.js", "swagger-ui.css"} {
		body, packed, err := read(name + ".gz")
		if err != nil {
			return nil, fmt.Errorf("unpack %s of Swagger UI: %w", name, err)
		}
		files = append(files, httpapi.WebFile{Path: "/docs/" + name, MediaType: mediaTypes[path.Ext(name)], Body: body, Packed: packed})
	}
	return files, nil
}

// read returns a file of Swagger UI, plain and compressed.
func read(name string) (body, packed []byte, err error) {
	file, err := static.FS.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if packed, err = io.ReadAll(file); err != nil {
		return nil, nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, nil, err
	}
	body, err = io.ReadAll(reader)
	return body, packed, err
}
