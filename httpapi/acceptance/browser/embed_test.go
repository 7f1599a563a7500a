package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// servePublic returns a server with a public key, for pages of any origin.
func servePublic(t *testing.T, data string, flags ...string) *server {
	t.Helper()
	needChromium(t)
	file, public := keyFile(t, "--public", "--rate-per-client", "1000")
	s := serve(t, data, append(flags, "--keys", file)...)
	s.key = public
	return s
}

// hostPage returns another site with a page "/", whose policy allows nothing from others but scripts and requests of s.
func hostPage(t *testing.T, s *server, body string) *server {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src %s; connect-src %[1]s; img-src data:; require-trusted-types-for 'script'", s.origin))
		_, _ = fmt.Fprintf(w, "<!doctype html><html lang=cy><meta name=color-scheme content='light dark'><title>Y dref</title><link rel=icon href=data:,>%s", body)
	}))
	t.Cleanup(site.Close)
	return &server{origin: site.URL}
}

// embed opens a page of another site with the element of a list, twice.
func embed(t *testing.T, s *server, attributes string) *tab {
	t.Helper()
	list := fmt.Sprintf("<p>A list:</p><script src='%s/embed.js' %s async></script>", s.origin, attributes)
	b := open(t, hostPage(t, s, list+list), "/")
	b.forgive("^" + regexp.QuoteMeta("request to another origin: "+s.origin+"/"))
	b.until("two lists in place of the scripts", `!document.querySelector('script') && (lists => lists.length === 2 && !lists[0].includes('Loading') && lists[0] === lists[1])
		([...document.querySelectorAll('p + div')].map(div => div.shadowRoot.textContent))`)
	return b
}

const shadow = `document.querySelector('p + div').shadowRoot`

// A page of another origin shows the pubs that the API finds, and its policy blocks nothing.
func TestEmbed(t *testing.T) {
	s := servePublic(t, "")
	for _, c := range []struct{ attributes, query, heading, shows string }{
		{"data-near='51.5136,-0.1319'", "search=*&near=51.5136,-0.1319&sort=distance&amount=5", "Pubs nearby", "The Glaziers ArmsSoho · 70 yd"},
		{"data-near='51.5136,-0.1319' data-search='red lion' data-amount=3", "search=red+lion&relax=more&near=51.5136,-0.1319&sort=relevance&amount=3", "Pubs nearby", "Red LionRochester · 28 mi"},
		{"data-search='red lion'", "search=red+lion&relax=more&sort=relevance&amount=5", "Pubs", "Red Lion"},
		{"data-search=nobodyhasthisname", "search=nobodyhasthisname&relax=true", "Pubs", "No pubs found."},
		{"data-amount=2", "search=*&sort=fair&order=desc&amount=2", "The best pubs", " · rated 10.0 of 10"},
	} {
		b := embed(t, s, c.attributes)
		want := []string{}
		for _, p := range s.search(t, c.query).Results {
			want = append(want, p.Name+" "+s.origin+"/?pub="+url.QueryEscape(p.UID))
		}
		got := evaluate[[]string](b, `[...`+shadow+`.querySelectorAll('section[aria-labelledby=heading] > ul > li > a')].map(a => a.textContent + ' ' + a.href)`)
		testkit.FailIf(t, strings.Join(got, "\n") != strings.Join(want, "\n"), "%s: got\n%s\nwant\n%s", c.attributes, strings.Join(got, "\n"), strings.Join(want, "\n"))
		shown := evaluate[string](b, shadow+`.querySelector('section').textContent`)
		testkit.FailIf(t, !strings.Contains(shown, c.shows), "%s: got %q, want %q in it", c.attributes, shown, c.shows)
		around := evaluate[string](b, `[`+shadow+`.querySelector('h2').textContent, `+shadow+`.querySelector('p a').href, document.cookie, Object.keys(localStorage).length].join(' ')`)
		testkit.FailIf(t, around != c.heading+" "+s.origin+"/  0", "%s: heading, link to all, cookies and storage: got %q", c.attributes, around)
		for _, visited := range b.urls() {
			testkit.FailIf(t, strings.Contains(visited, s.key) || !strings.HasPrefix(visited, s.origin+"/") && !strings.HasPrefix(visited, b.server.origin+"/") && !strings.HasPrefix(visited, "data:"),
				"%s: requested %s", c.attributes, visited)
		}
	}
}

// The style reaches the list in both colour schemes, and its text has enough contrast.
func TestEmbedStyle(t *testing.T) {
	script := needAxe(t)
	b := embed(t, servePublic(t, ""), "data-near=51.5,-0.12")
	for scheme, background := range map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(27, 26, 24)"} {
		b.run(prefers(colourScheme, scheme))
		got := evaluate[string](b, `getComputedStyle(`+shadow+`.querySelector('section')).backgroundColor`)
		testkit.FailIf(t, got != background, "%s: background: got %s, want %s", scheme, got, background)
		b.passesAxe(script, scheme, "color-contrast")
	}
}

// What cannot be shown is said on the page, with the reason on the console.
func TestEmbedFails(t *testing.T) {
	file, _ := keyFile(t)
	for _, c := range []struct {
		s                  *server
		attributes, reason string
	}{
		{serve(t, "", "--keys", file), "", "the server offers no public key"},
		{servePublic(t, ""), "data-amount=101", "Invalid parameter 'amount': must be an integer from 1 to 100"},
		{servePublic(t, ""), "data-near=here", "Invalid parameter 'near'"},
	} {
		b := embed(t, c.s, c.attributes)
		b.forgive("status of 400|" + regexp.QuoteMeta(c.s.origin+"/embed.js: "+c.reason))
		said := evaluate[string](b, shadow+`.querySelector('[role=status]').textContent + `+shadow+`.querySelector('p a').href`)
		testkit.FailIf(t, said != "The list is not available now."+c.s.origin+"/", "%s: got %q", c.attributes, said)
		b.eventually("reason on the console", func() bool { return strings.Contains(b.state(), c.reason) })
	}
}
