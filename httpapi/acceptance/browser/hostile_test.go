package browser

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hostileNames are names that try to inject markup or scripts, or to break the layout. Each has the word lion.
var hostileNames = []string{
	`<img src=x onerror="alert(1);owned=1"> lion`,
	`"><script>alert(2);owned=1</script> lion`,
	`</title><svg onload=alert(3)> lion`,
	`javascript:alert(4) lion`,
	`' onmouseover='alert(5) lion`,
	"&lt;b&gt;lion&lt;/b&gt; &amp;amp;",
	"\u202enoil live\u202c lion",
	"\U0001f981 lion \U0001f468\u200d\U0001f469\u200d\U0001f467 \u0301\u0301\u0301\u0301\u0301\u0301",
	"lion " + strings.Repeat("W", 990), // a name has at most 1,000 bytes
	"lion {{constructor.constructor('alert(6)')()}} ${alert(7)} %s %d",
}

// hostilePhones and hostileWebsites must not become links, or only to what they display.
var (
	hostilePhones   = []string{"javascript:alert(8)", "+44 1353 1;ext=<b>", "\u202e999", "tel:1", "01353 662 6"}
	hostileWebsites = []string{"javascript:alert(9)", "data:text/html,<script>alert(10)</script>", " JaVaScRiPt:alert(11)", "https://user:secret@evil.example/",
		"//evil.example/\\..", "vbscript:x", "blob:https://example.org/1", "file:///etc/passwd", "pub.example.org", "https://pub.example.org/?a=<b>"}
)

// hostileFile returns a snapshot of pubs with hostile names and locations; the UID of each is the number of its name.
func hostileFile(t *testing.T) string {
	t.Helper()
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	rows := [][]string{{"UID", "name", "location", "trading", "latitude", "longitude", "common_category", "beer", "review_count",
		"address", "postcode", "area", "phone", "website", "opening_hours"}}
	for i, name := range hostileNames {
		rows = append(rows, []string{fmt.Sprint(i), name, "<b>Ely</b>", `open"><i>`, fmt.Sprint(51 + i), "0.5", "<u>Inn</u>", "7", "3",
			"<s>1 High St</s>" + name[:min(len(name), strings.IndexByte(name+" ", ' '))], `"><img src=x>`, "\u202eYle", hostilePhones[i%len(hostilePhones)], hostileWebsites[i%len(hostileWebsites)], name})
	}
	ok(t, w.WriteAll(rows))
	path := filepath.Join(t.TempDir(), "pubs.csv")
	ok(t, os.WriteFile(path, file.Bytes(), 0o600))
	return path
}

// goodLinks matches everything to which a panel may link.
var goodLinks = regexp.MustCompile(`^(geo:[56][0-9.]*,0.5\?q=[56][0-9.]*,0.5\([^()<>"']*\)$|https://www\.openstreetmap\.org/\?mlat=|tel:\+?[0-9]+$|https://evil\.example/|https://pub\.example\.org/)`)

// A name with markup is displayed as text everywhere.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", hostileFile(t), "--extra", "phone,website,opening_hours")
	e := explore(t, s, "")
	elements := `document.querySelectorAll('img, svg, script, b, s, u, iframe, [onerror], [onload], [onmouseover]').length`
	before := evaluate[int](e.tab, elements)
	e.press("lion")
	e.awaitCount(len(hostileNames))
	e.until("completions", visible("#suggestions [role=option]"))
	if got := e.text("#suggestions"); !strings.Contains(got, "onerror") && !strings.Contains(got, "alert") {
		t.Errorf("completions: got %q, want the unchanged names", got)
	}
	e.leaveSearch()
	for i, name := range hostileNames {
		li := fmt.Sprintf("#results li[data-uid='%d']", i)
		if got := evaluate[string](e.tab, fmt.Sprintf(`document.querySelector(%q).textContent`, li)); !strings.Contains(got, name) {
			t.Errorf("hit: got %q, want %q", got, name)
		}
		e.run(chromedp.Click(chromedp.CSS(li + " :is(a, button)")))
		e.awaitAddress("pub", fmt.Sprint(i))
		e.until("panel of "+name, fmt.Sprintf(`document.querySelector('#pub h2')?.textContent === %q`, name))
		for _, link := range evaluate[[]string](e.tab, `[...document.querySelectorAll('#pub .actions a')].map(a => a.href)`) {
			if !goodLinks.MatchString(link) {
				t.Errorf("link of %q: got %s", name, link)
			}
		}
		website := map[int]string{3: "", 8: "https://pub.example.org/", 9: "https://pub.example.org/?a=%3Cb%3E"}
		if want, known := website[i]; known {
			if got := evaluate[string](e.tab, `[...document.querySelectorAll('#pub .actions a')].find(a => a.textContent === 'Website')?.href ?? ''`); got != want {
				t.Errorf("website of %q: got %q, want %q", name, got, want)
			}
		}
		for _, selector := range []string{"#column", "#pub"} {
			if sizes := evaluate[[]float64](e.tab, fmt.Sprintf(`(({scrollWidth, clientWidth}) => [scrollWidth, clientWidth])(document.querySelector(%q))`, selector)); sizes[0] > sizes[1] {
				t.Errorf("%s with %q: got a width of %v px in %v px", selector, name, sizes[0], sizes[1])
			}
		}
		if title := evaluate[string](e.tab, `document.title`); strings.Contains(title, "<img") && !strings.Contains(title, name) {
			t.Errorf("title: got %q, want it to have %q unchanged", title, name)
		}
		e.run(chromedp.KeyEvent("\x1b"))
		e.awaitAddress("pub", "")
	}
	if got := evaluate[int](e.tab, elements); got != before {
		t.Errorf("elements that names could create: got %d, want %d as before", got, before)
	}
	if evaluate[bool](e.tab, `'owned' in window`) {
		t.Error("a script in a name ran")
	}
	if got := evaluate[[]float64](e.tab, `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`); got[0] > got[1] {
		t.Errorf("width with a long name: got %v px, want at most %v", got[0], got[1])
	}
}

// Parameters in the address are displayed as text, too, and the page works after invalid ones.
func TestHostileAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, "--data", hostileFile(t))
	e := explore(t, s, "")
	e.forgive(`status of 4(00|04|14)`) // Chromium's message about a rejected request
	for _, query := range []string{
		"search=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "pub=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "map=NaN,Infinity,1e99", "map=%3Cscript%3E",
		"sort=%3Cb%3E&order=up", "lat=1000&lng=x&distance=-1", "search=%ff%fe", "trading=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
		"search=" + strings.Repeat("lion+", 100),
	} {
		e.run(chromedp.Navigate(s.origin + "/?" + query))
		e.until("answer to "+query, `/pub|No answer/.test(document.querySelector('#count').textContent)`)
		e.run(chromedp.Click(chromedp.CSS("#search")))
		e.clear()
		e.press("lion")
		e.awaitAddress("search", "lion")
		if evaluate[int](e.tab, `document.querySelectorAll('img[src=x], b').length`) > 0 {
			t.Errorf("%s: creates an element", query)
		}
	}
}
