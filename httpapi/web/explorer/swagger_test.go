package explorer

import (
	"bytes"
	"maps"
	"regexp"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/web"
)

// Only files that the page needs are served: no source maps, compressed copies or other builds.
func TestSwaggerFiles(t *testing.T) {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	got := allFiles(t, Settings{})
	maps.DeleteFunc(got, func(name string, file web.File) bool { return !ofDocs(name, file) })
	rows := []struct{ path, mediaType, policy, has string }{
		{"/docs", "text/html; charset=utf-8", policy, "<!doctype html>"},
		{"/docs/start.js", "text/javascript; charset=utf-8", "", "persistAuthorization: false"},
		{"/docs/docs.css", "text/css; charset=utf-8", "", ".swagger-ui"},
		{"/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8", "", `PACKAGE_VERSION:"5.`},
		{"/docs/swagger-ui.css", "text/css; charset=utf-8", "", ".swagger-ui"},
	}
	for _, row := range rows {
		file := got[row.path]
		testkit.FailIf(t, file.MediaType != row.mediaType || file.Policy != row.policy || !bytes.Contains(file.Body, []byte(row.has)),
			"%s: got %q, %q and %d bytes, want %q, %q and a body with %q", row.path, file.MediaType, file.Policy, len(file.Body), row.mediaType, row.policy, row.has)
	}
	testkit.Equal(t, "files", len(got), len(rows))
}

// The page has no inline script or style, and requests only existing files of this server.
func TestSwaggerDocument(t *testing.T) {
	got := allFiles(t, Settings{})
	document, script := string(got["/docs"].Body), string(got["/docs/start.js"].Body)
	testkit.Equal(t, "inline script or style", inline.FindString(document), "")
	references := regexp.MustCompile(`(?:src="|href="|read\(')([^"']*)`).FindAllStringSubmatch(document+script, -1)
	testkit.FailIf(t, len(references) < 6, "references: got %q, want at least 6", references)
	for _, reference := range references {
		_, exists := got[reference[1]]
		testkit.FailIf(t, !exists && reference[1] != "/openapi.json", "%s: there is no such file", reference[1])
	}
}
