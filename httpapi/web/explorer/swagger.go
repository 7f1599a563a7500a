package explorer

import (
	"embed"

	"github.com/swaggest/swgui/v5/static"

	"pubd/httpapi/web"
)

//go:embed docs
var docs embed.FS

// docsPolicy is what the Swagger UI page may load. The one exception is data: images, which its style sheet uses for
// arrows and ticks.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// swaggerFiles returns "/docs", which documents the API and lets visitors try it, and what it loads from "/docs/": our
// page with its script and style, and two files of Swagger UI (Apache License 2.0). They are compressed in the program, and take 1.7 MB of
// memory unpacked.
func swaggerFiles() []web.File {
	files := []web.File{
		{Path: "/docs", MediaType: mediaTypes[".html"], Policy: docsPolicy, Body: embedded(docs, "docs/index.html")},
		{Path: "/docs/start.js", MediaType: mediaTypes[".js"], Body: embedded(docs, "docs/start.js")},
		{Path: "/docs/docs.css", MediaType: mediaTypes[".css"], Body: embedded(docs, "docs/docs.css")},
	}
	for _, name := range []string{"swagger-ui-bundle.js", "swagger-ui.css"} {
		files = append(files, unpacked("/docs/"+name, embedded(static.FS, name+".gz")))
	}
	return files
}
