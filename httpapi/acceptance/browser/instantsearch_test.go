package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// bundled returns a folder with the page of testdata/instantsearch, as a site would have it. If its packages cannot be
// installed, it skips the test.
func bundled(t *testing.T) string {
	t.Helper()
	library, err := installed("react-instantsearch", "7.50.1", "react@19.3.1", "react-dom@19.3.1", "esbuild@0.28.2")
	if err != nil {
		t.Skip(err)
	}
	folder, modules := t.TempDir(), filepath.Dir(library)
	testkit.OK(t, os.CopyFS(folder, os.DirFS("testdata/instantsearch")))
	client := testkit.Must(filepath.Abs("../../client/instantsearch.ts"))(t)
	bundle := exec.Command(filepath.Join(modules, ".bin", "esbuild"), "page.tsx", "--bundle", "--jsx=automatic", "--outfile=page.js",
		"--define:process.env.NODE_ENV=\"production\"", "--alias:pubd-client/instantsearch="+client)
	bundle.Dir, bundle.Env = folder, append(os.Environ(), "NODE_PATH="+modules)
	out, err := bundle.CombinedOutput()
	testkit.FailIf(t, err != nil, "%v: %v\n%s", bundle.Args, err, out)
	return folder
}

// React InstantSearch finds what the API does: words, refinements by built-in columns and by those that the operator names,
// ranges, a circle, an order and pages.
func TestInstantSearch(t *testing.T) {
	needChromium(t)
	folder := bundled(t)
	rows := "UID,name,location,latitude,longitude,common_category,total,review_count,area,postcode,style,price\n"
	for i := range 300 {
		rows += fmt.Sprintf("u%d,%s Lion %d,Soho,%.4f,-0.1,%s,%.1f,%d,%s,SW%d 1AA,%s,%.2f\n", i, []string{"Red", "Black"}[i%2], i, 51.4+float64(i)/2000,
			[]string{"Gastropub", "Brewpub"}[i%2], float64(i%91)/10+1, i%7+1, []string{"Kent", "Bath", "Ely"}[i%3], i%4, []string{"craft", "keg"}[i/7%2], 3+float64(i%9)/2)
	}
	file := testkit.File(t, "pubs.csv", rows)
	s := servePublic(t, file, "--facet", "style,price")
	site := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(site.Close)
	e := open(t, &server{origin: site.URL}, "/?"+url.Values{"server": {s.origin}, "key": {s.key}}.Encode())
	e.forgive("^" + regexp.QuoteMeta("request to another origin: "+s.origin+"/"))

	finds := func(query string) {
		t.Helper()
		a, uids := s.search(t, query+"&amount=5&relax=true"), []string{}
		for _, p := range a.Results {
			uids = append(uids, p.UID)
		}
		testkit.FailIf(t, a.Total == 0, "%s: nothing is found", query)
		e.until(query, fmt.Sprintf(`document.querySelector('#found')?.textContent === '%d' && [...document.querySelectorAll('[data-uid]')].map(p => p.dataset.uid).join() === %q`,
			a.Total, strings.Join(uids, ",")))
	}
	const words, byRelevance = "search=lion", "&sort=relevance"
	e.do("see [data-uid]", "focus .ais-SearchBox-input", "type lion")
	finds(words + byRelevance)
	e.eventually("the match is highlighted", func() bool { return e.text("[data-uid] mark") == "Lion" })
	for column, parameter := range map[string]string{"style": "style", "common_category": "category", "area": "area", "postcode": "postcode"} {
		first := "#" + column + " .ais-RefinementList-item:first-child .ais-RefinementList-"
		value := e.text(first + "labelText")
		e.do("click " + first + "checkbox")
		finds(words + "&" + parameter + "=" + value + byRelevance)
		e.do("click " + first + "checkbox")
		finds(words + byRelevance)
	}
	testkit.FailIf(t, !e.is(`document.querySelector('.ais-RangeInput-input--max').max === '7'`), "range: does not end with the dearest, 7")
	e.do("focus #total", "press →", "press →", "until document.querySelector('#total').value === '2'")
	finds(words + "&min_total=2" + byRelevance)
	e.do("focus .ais-RangeInput-input--max", "type 5", "click .ais-RangeInput-submit")
	const ranged = words + "&min_total=2&max_price=5"
	finds(ranged + byRelevance)
	e.do("click #near")
	const circle = "&lat=51.5&lng=-0.1&distance=3"
	finds(ranged + byRelevance + circle)
	evaluate[bool](e, `(list => { list.value = 'pubs:total:desc'; return list.dispatchEvent(new Event('change', { bubbles: true })) })(document.querySelector('.ais-SortBy-select'))`)
	finds(ranged + circle + "&sort=total&order=desc")
	e.do("click .ais-Pagination-item--nextPage a")
	finds(ranged + circle + "&sort=total&order=desc&page=2")
}
