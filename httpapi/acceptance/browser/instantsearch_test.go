package browser

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exampleSite returns a site with the example page of the TypeScript client, which searches s. The packages that it
// needs are installed with npm; if that is impossible, the test is skipped.
func exampleSite(t *testing.T, s *server) *server {
	t.Helper()
	source, folder := t.TempDir(), t.TempDir()
	ok(t, os.CopyFS(source, os.DirFS("../../client")))
	npm := func(dir string, arguments ...string) {
		command := exec.CommandContext(t.Context(), "npm", arguments...)
		command.Dir = dir
		if output, err := command.CombinedOutput(); err != nil {
			t.Skipf("npm %s: %v\n%s", strings.Join(arguments, " "), err, output)
		}
	}
	npm(source, "pack", "--pack-destination", folder)
	packages := must(filepath.Glob(filepath.Join(folder, "*.tgz")))(t)
	npm(folder, append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "instantsearch.js@4.118.1"}, packages...)...)
	page := string(must(os.ReadFile(filepath.Join(source, "example", "index.html")))(t))
	page = strings.NewReplacer("https://pubs.example.org", s.origin, "a public key", s.key).Replace(page)
	ok(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(page), 0o600))
	site := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(site.Close)
	return &server{origin: site.URL}
}

// InstantSearch shows what the API finds, with marks and facets, on a page of another origin.
func TestInstantSearch(t *testing.T) {
	t.Parallel()
	s := servePublic(t)
	e := explorer{openTab(t, exampleSite(t, s), "/")}
	e.forgive("^" + regexp.QuoteMeta("request to another origin: "+s.origin+"/api/v1/pubs/"))
	shows := func(query string) {
		t.Helper()
		want := []string{}
		for _, p := range s.search(t, query).Results {
			want = append(want, p.Name)
		}
		e.eventually("hits of "+query, func() bool {
			return strings.Join(evaluate[[]string](e.tab, `[...document.querySelectorAll('#hits li b')].map(b => b.textContent)`), "\n") == strings.Join(want, "\n")
		})
	}
	shows("search=*&sort=fair&order=desc")
	e.do("focus #search input", "type red lion")
	shows("search=red+lion&relax=true&sort=relevance")
	marks := evaluate[string](e.tab, `[...document.querySelector('#hits li b').querySelectorAll('mark')].map(mark => mark.textContent).join(' ')`)
	failIf(t, marks != "Red Lion", "marks: got %q, want Red Lion", marks)
	e.do("run [...document.querySelectorAll('#kinds label')].find(label => label.textContent.includes('Brewpub')).querySelector('input').click()")
	shows("search=red+lion&relax=true&sort=relevance&category=brewpub")
	failIf(t, !e.is(`document.querySelectorAll('#kinds li').length > 1`), "the other kinds are gone") // which a request of their own counts
	e.do("run document.querySelector('#places input').focus()", "type bat")
	e.until("a place that is searched for", `document.querySelector('#places .ais-RefinementList-list').textContent.includes('Batley')`)
}
