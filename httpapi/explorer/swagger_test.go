package explorer

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func swaggerByPath(t *testing.T) map[string]File {
	t.Helper()
	files, err := swaggerFiles()
	ok(t, err)
	return byPath(t, files)
}

// Only files that the page needs are served: no source maps, compressed copies or other builds.
func TestSwaggerFiles(t *testing.T) {
	const page = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	got := swaggerByPath(t)
	rows := []struct{ path, mediaType, policy, has string }{
		{"/docs", "text/html; charset=utf-8", page, "<!doctype html>"},
		{"/docs/start.js", "text/javascript; charset=utf-8", "", "persistAuthorization: false"},
		{"/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8", "", `PACKAGE_VERSION:"5.`},
		{"/docs/swagger-ui.css", "text/css; charset=utf-8", "", ".swagger-ui"},
	}
	for _, row := range rows {
		file := got[row.path]
		if file.MediaType != row.mediaType || file.Policy != row.policy || !bytes.Contains(file.Body, []byte(row.has)) {
			t.Errorf("%s: got %q, %q and %d bytes, want %q, %q and a body with %q", row.path, file.MediaType, file.Policy, len(file.Body),
				row.mediaType, row.policy, row.has)
		}
	}
	equal(t, "files", len(got), len(rows))
}

// The page has no inline script or style, and requests only existing files of this server.
func TestSwaggerPage(t *testing.T) {
	files, err := New(Settings{})
	ok(t, err)
	known := []string{"/openapi.json"}
	for _, file := range files {
		known = append(known, file.Path)
	}
	got := swaggerByPath(t)
	page, script := string(got["/docs"].Body), string(got["/docs/start.js"].Body)
	for _, tag := range regexp.MustCompile(`<script[^>]*>[^<]*`).FindAllString(page, -1) {
		if !strings.Contains(tag, " src=") || !strings.HasSuffix(tag, ">") {
			t.Errorf("%s: is an inline script", tag)
		}
	}
	for _, inline := range []string{"<style", " style=", " onload=", " onclick=", "javascript:"} {
		if strings.Contains(page, inline) {
			t.Errorf("the page has %s", inline)
		}
	}
	references := regexp.MustCompile(`(?:src="|href="|read\(')([^"']*)`).FindAllStringSubmatch(page+script, -1)
	if len(references) < 6 {
		t.Errorf("references: got %q, want at least 6", references)
	}
	for _, reference := range references {
		if !slices.Contains(known, reference[1]) {
			t.Errorf("%s: there is no such file", reference[1])
		}
	}
}
