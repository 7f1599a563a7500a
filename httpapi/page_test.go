package httpapi

import (
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/request"
	"pubd/index/schema"
)

const pagePrivate = "User-agent: *\nDisallow: /\n"

// Pages are rendered only while visitors may see the data; otherwise their paths are unknown.
func TestPagesNeedPermission(t *testing.T) {
	const path = "/pubs/u01/the-red-lion-soho"
	s := withWebPages(t, 0)
	addr := listen(t, s)
	private := send(t, addr, request11("GET", path))
	testkit.Equal(t, "without a public key", fmt.Sprint(private.status, " ", private.header.Get("Content-Type")), "404 application/json; charset=utf-8")
	testkit.Equal(t, "robots.txt without a public key", send(t, addr, request11("GET", "/robots.txt")).body, pagePrivate)
	installPublicKey(t, s, 1000)
	testkit.Equal(t, "with one", send(t, addr, request11("GET", path)).status, 200)
	for label, config := range map[string]Config{"with --public-pages": {WebPages: s.config.WebPages, PublicPages: true}, "with the demo key": {WebPages: s.config.WebPages, Demo: true}} {
		s := New(config)
		addr := listen(t, s)
		sent := strings.Replace(request11("GET", path), "pubs.test", "localhost:8080", 1)
		testkit.Equal(t, label+", without data", send(t, addr, sent).status, 503)
		s.Arrange(Arrangement{Served: build(t, tenPubs())})
		testkit.Equal(t, label, send(t, addr, sent).status, 200)
	}
}

// The responses of pages have the headers of answers, and those of web pages.
func TestPages(t *testing.T) {
	s := withWebPages(t, 1000)
	addr := listen(t, s)
	ask := func(method, target string, headers ...string) answer {
		t.Helper()
		return answers(t, converse(t, addr, request11(method, target, headers...), true), method)[0]
	}
	const path = "/pubs/u01/the-red-lion-soho"
	page := ask("GET", path)
	for name, want := range map[string]string{"Content-Type": "text/html; charset=utf-8", "Cache-Control": "private, no-cache", "X-Snapshot": served(s).ID,
		"Referrer-Policy": "strict-origin", "X-Content-Type-Options": "nosniff", "Content-Encoding": ""} {
		testkit.Equal(t, name, page.header.Get(name), want)
	}
	testkit.FailIf(t, !strings.HasPrefix(page.header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'"), "policy: got %v", page.header)
	testkit.FailIf(t, !strings.Contains(page.body, `<link rel="canonical" href="http://pubs.test`+path+`">`), "canonical: got %s", page.body)

	etag := page.header.Get("ETag")
	again := ask("GET", path, "If-None-Match: "+etag)
	testkit.Equal(t, "again", fmt.Sprint(again.status, again.header.Get("Content-Security-Policy")), fmt.Sprint(304, page.header.Get("Content-Security-Policy")))
	testkit.Equal(t, "another pub", ask("GET", "/pubs/u02", "If-None-Match: *").status, 301)
	testkit.Equal(t, "if changed", ask("GET", path, `If-Match: "x"`).status, 412)
	testkit.Equal(t, "an unknown pub", ask("GET", "/pubs/u99", "If-None-Match: *").status, 404)
	head := ask("HEAD", path)
	testkit.Equal(t, "HEAD", fmt.Sprintf("%d %s%s", head.status, head.header.Get("Content-Length"), head.body), fmt.Sprint(200, " ", len(page.body)))
	testkit.Equal(t, "POST", ask("POST", path).status, 405)
	testkit.Equal(t, "a long query", ask("GET", path+"?"+strings.Repeat("x", request.MaxQuery+1)).status, 414)

	packed := ask("GET", path, "Accept-Encoding: gzip")
	unpacked := testkit.Must(io.ReadAll(testkit.Must(gzip.NewReader(strings.NewReader(packed.body)))(t)))(t)
	testkit.Equal(t, "unpacked", string(unpacked), page.body)
	testkit.FailIf(t, packed.header.Get("ETag") == etag || packed.header.Get("Content-Encoding") != "gzip", "packed: got %v", packed.header)
	testkit.Equal(t, "packed, again", ask("GET", path, "Accept-Encoding: gzip", "If-None-Match: "+packed.header.Get("ETag")).status, 304)

	moved := ask("GET", "/pubs/u01/old-name?x=1")
	testkit.Equal(t, "moved", fmt.Sprint(moved.status, moved.header.Get("Location"), moved.header.Get("ETag"), moved.body), "301"+path)
	missing := ask("GET", "/pubs/u99")
	testkit.Equal(t, "missing", fmt.Sprint(missing.status, missing.header.Get("Content-Type"), missing.header.Get("ETag")), "404text/html; charset=utf-8")
	testkit.FailIf(t, !strings.HasSuffix(ask("GET", "/robots.txt").body, "Sitemap: http://pubs.test/sitemap.xml\n"), "robots.txt: got %s", ask("GET", "/robots.txt").body)

	for _, r := range s.Report().Requests {
		if r.Operation == "page" {
			testkit.Equal(t, "redirects", r.Statuses[301], 2)
			testkit.Equal(t, "missing", r.Statuses[404], 2)
		}
	}
}

// After another language, no response is taken for the one before: every entity tag follows the bytes of its response.
func TestTagsFollowBytes(t *testing.T) {
	services := map[string]string{}
	for _, language := range []string{"en", "de"} {
		s := New(Config{WebPages: testkit.Must(newWebPages("", language))(t), TrustedProxies: networks("127.0.0.0/8")})
		s.Arrange(Arrangement{Served: build(t, tenPubs())})
		installPublicKey(t, s, 1000)
		services[language] = listen(t, s)
	}
	paths := []string{"/places", "/places?page=1", "/places/soho", "/pubs/u01/the-red-lion-soho", "/pubs/u01/map.png", "/robots.txt", "/sitemap.xml", "/sitemaps/pubs-1.xml",
		"/sitemaps/places-1.xml", "/?search=lion", "/?pub=u01", "/openapi.json"}
	for _, file := range testkit.Must(newWebPages("", "de"))(t).Files("", nil) {
		paths = append(paths, file.Path)
	}
	changed := 0
	for _, path := range paths {
		for _, encoding := range []string{"identity", "gzip"} {
			before := send(t, services["en"], request11("GET", path, "Accept-Encoding: "+encoding))
			now := send(t, services["de"], request11("GET", path, "Accept-Encoding: "+encoding))
			want := 304
			if now.body != before.body {
				want, changed = 200, changed+1
			}
			got := send(t, services["de"], request11("GET", path, "Accept-Encoding: "+encoding, "If-None-Match: "+before.header.Get("ETag")))
			testkit.Equal(t, fmt.Sprint(path, ", ", encoding, ", of ", len(before.body), " and ", len(now.body), " bytes"), got.status, want)
		}
	}
	testkit.FailIf(t, changed < 16, "only %d responses changed", changed)
}

// Browsers get errors as pages, everyone gets those of rendered pages so; below /api/ there are none. They lead to the
// list of places only where visitors may see it.
func TestErrorsOfPages(t *testing.T) {
	const browser, program = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Accept: application/json, text/html;q=0.9"
	const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; " +
		"connect-src 'self' https://tile.example.org; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	german := testkit.Must(newWebPages("", "de"))(t)
	made := func(rate float64) string {
		s := New(Config{WebPages: german})
		s.Arrange(Arrangement{Served: build(t, tenPubs())})
		installPublicKey(t, s, rate)
		return listen(t, s)
	}
	served, limited, private, empty := made(1000), made(0.001), made(0), listen(t, New(Config{WebPages: german, PublicPages: true}))
	answers(t, converse(t, limited, request11("GET", "/places"), true)) // its one request
	for _, c := range []struct{ addr, method, target, accept, want string }{
		{served, "GET", "/pubs/u99", "", "404 page"},
		{served, "GET", "/places/nowhere", program, "404 page"},
		{served, "GET", "/sitemaps/pubs-2.xml", "", "404 page"},
		{served, "HEAD", "/pubs/u99", "", "404 page"},
		{served, "POST", "/places", "", "405 page"},
		{served, "GET", "/places?" + strings.Repeat("x", request.MaxQuery+1), "", "414 page"},
		{limited, "GET", "/places", "", "429 page, later"},
		{limited, "GET", "/robots.txt", "", "429 page, later"},
		{limited, "GET", "/pubs/u01/map.png", "Accept: image/png", "429 page, later"},
		{empty, "GET", "/places", "", "503 page, later"},
		{served, "GET", "/nothing", browser, "404 page"},
		{served, "GET", "/pubs/", browser, "404 page"},
		{private, "GET", "/places", browser, "404 page"},
		{served, "DELETE", "/", browser, "405 page"},
		{served, "GET", "/nothing", "", "404 JSON"},
		{served, "GET", "/nothing", "Accept: */*", "404 JSON"},
		{served, "GET", "/nothing", program, "404 JSON"},
		{served, "GET", "/nothing", "Accept: text/html;q=0", "404 JSON"},
		{served, "GET", "/api/v1/nothing", browser, "404 JSON"},
		{served, "GET", "/api/v1/pubs/?search=lion", browser, "401 JSON"},
	} {
		got := answers(t, converse(t, c.addr, request11(c.method, c.target, c.accept), true), c.method)[0]
		form := map[string]string{"text/html; charset=utf-8": "page", "application/json; charset=utf-8": "JSON"}[got.header.Get("Content-Type")]
		if got.header.Get("Retry-After") != "" {
			form += ", later"
		}
		label := fmt.Sprintf("%s %.40s, %s", c.method, c.target, c.accept)
		testkit.Equal(t, label, fmt.Sprint(got.status, " ", form), c.want)
		if strings.HasPrefix(form, "page") {
			testkit.Equal(t, label+": headers", fmt.Sprint(got.header["Cache-Control"], got.header["Etag"], got.header["Content-Security-Policy"]), "[no-store] [] ["+policy+"]")
			testkit.FailIf(t, c.method != "HEAD" && !strings.Contains(got.body, `<html lang="de"`) || len(got.body) > 3000, "%s: got %s", label, got.body)
			testkit.Equal(t, label+": leads to the list of places", strings.Contains(got.body, `href="/places"`), c.addr != private && c.method != "HEAD")
		}
	}
}

// A link has the scheme and host of the request, if a trusted proxy says so, and if they are plain.
func TestBase(t *testing.T) {
	for _, c := range []struct{ host, scheme, public, want string }{
		{"pubs.example.org", "", "", "http://pubs.example.org"}, {"pubs.example.org:8443", "https", "", "https://pubs.example.org:8443"},
		{"pubs.example.org", "HTTPS ", "", "https://pubs.example.org"}, {"pubs.example.org", "javascript", "", "http://pubs.example.org"},
		{"", "", "", ""}, {":80", "", "", ""}, {"a:", "", "", ""}, {"a:x", "", "", ""}, {"a:123456", "", "", ""}, {`a"b`, "", "", ""}, {"a/b", "", "", ""}, {"a@b", "", "", ""},
		{"[::1]:80", "", "", ""}, {"a:80:80", "", "", ""}, {strings.Repeat("a", 254), "", "", ""}, {`a"b`, "", "https://pubs.example.org", "https://pubs.example.org"},
	} {
		s := New(Config{PublicURL: c.public})
		testkit.Equal(t, fmt.Sprint(c), s.baseOf(&Request{Host: []byte(c.host), Scheme: []byte(c.scheme)}), c.want)
	}
	s := withWebPages(t, 1000)
	sent := request11("GET", "/robots.txt", "X-Forwarded-Proto: https")
	testkit.FailIf(t, !strings.Contains(send(t, listen(t, s), sent).body, "https://pubs.test/"), "a trusted proxy's scheme is not used")
	s.config.TrustedProxies = nil
	testkit.FailIf(t, !strings.Contains(send(t, listen(t, s), sent).body, "http://pubs.test/"), "another's scheme is used")
}

// Pages count against the rate of a visitor, as one request each, and take their turns.
func TestPagesAreLimited(t *testing.T) {
	s := withWebPages(t, 0.001)
	addr := listen(t, s)
	testkit.Equal(t, "two pages at a rate of one", statusesOf(answers(t, converse(t, addr, strings.Repeat(request11("GET", "/places"), 2), true))), "200 429")
	const burst = 20
	s = withWebPages(t, burst)
	directory := tenPubs()
	for i := range 1500 {
		directory.Pubs = append(directory.Pubs, schema.Pub{UID: fmt.Sprint(i), Name: strings.Repeat("Name", 15), Location: "Soho", Latitude: nan, Longitude: nan, Ratings: schema.Rated(nil)})
	}
	s.Arrange(Arrangement{Served: build(t, directory)})
	for _, path := range []string{"/sitemaps/pubs-1.xml", "/places/soho"} {
		large := answers(t, converse(t, listen(t, s), strings.Repeat(request11("GET", path), burst/2), true))
		testkit.Equal(t, path+", which is large", statusesOf(large), strings.TrimSpace(strings.Repeat("200 ", burst/2)))
		testkit.FailIf(t, len(large[0].body) < requestSize, "%s: has only %d bytes", path, len(large[0].body))
	}
	s = withWebPages(t, 1000)
	for _, path := range []string{"/places", "/sitemaps/pubs-1.xml"} {
		x := newExchange("")
		x.service, x.Request.Path = s, []byte(path)
		x.Handle(waiting(func(d Demand) {
			testkit.FailIf(t, d.Turn != LongTurn || !d.Visitor || d.Key != "pages" || d.Bytes == 0, "%s: got %+v", path, d)
		}))
		body := x.Response.Body
		testkit.Equal(t, "not admitted", fmt.Sprint(x.Response.Status, " ", string(x.Response.MediaType), " ", len(body) > 1000), "503 text/html; charset=utf-8 true")
	}
}
