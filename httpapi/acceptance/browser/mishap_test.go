package browser

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Browsers throw an error if a page updates the address bar too often. The search still works, and the address follows later.
func TestAddressBarRateLimit(t *testing.T) {
	s, e := exploreMany(t, "")
	evaluate[bool](e.tab, `history.replaceState = history.pushState = () => { throw new DOMException('too often', 'SecurityError') }, true`)
	e.press("red lion")
	want := s.ask(t, "search=red+lion&sort=relevance")
	e.awaitHits(want)
	e.leaveSearch()
	e.run(chromedp.Click(chromedp.CSS("#results li :is(a, button)")))
	e.until("panel", visible("#pub h2"))
	evaluate[bool](e.tab, `delete history.replaceState && delete history.pushState`)
	e.awaitAddress("search", "red lion", "pub", want.Results[0].UID)
}

// Enter repeats a failed search. If more hits cannot be loaded, the list stays.
func TestErrorsCanBeRetried(t *testing.T) {
	s, e := exploreMany(t, "")
	failing := func(part string) {
		evaluate[bool](e.tab, fmt.Sprintf(`window.real ??= window.fetch, window.fetch = (target, ...rest) => String(target).includes(%q)
			? Promise.resolve(new Response('{"error":"broken"}', { status: 500 })) : real(target, ...rest), true`, part))
	}
	failing("search=bell&")
	e.press("bell")
	e.until("fault", `document.body.innerText.includes('broken')`)
	evaluate[bool](e.tab, `window.fetch = real, true`)
	e.run(chromedp.KeyEvent(kb.Enter))
	e.awaitCount(s.ask(t, "search=bell").Total)
	failing("page=2")
	before := e.hits()
	e.run(chromedp.Click(chromedp.CSS("#more")))
	e.until("fault", `document.body.innerText.includes('broken')`)
	if got := e.hits(); len(got) != len(before) {
		t.Errorf("hits after loading more failed: got %d, want %d", len(got), len(before))
	}
	evaluate[bool](e.tab, `window.fetch = real, true`)
	e.run(chromedp.Click(chromedp.CSS("#more")))
	e.eventually("more hits", func() bool { return len(e.hits()) > len(before) })
}

// A value of a filter may have a comma.
func TestFilterWithComma(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pubs.csv")
	const pubs = "UID,name,location\n1,Bell,Newport\n2,Swan,Newport\n3,Crown,\"Newport, Shropshire\"\n"
	ok(t, os.WriteFile(file, []byte(pubs), 0o600))
	s := serve(t, "--data", file)
	e := explore(t, s, "")
	e.awaitCount(3)
	e.openFilters()
	e.until("places to choose from", `[...document.querySelector('#locations').options].some(o => o.value === 'Newport Shropshire')`)
	e.run(chromedp.Focus(chromedp.CSS("#location")))
	e.press("Newport, Shropshire")
	e.run(chromedp.KeyEvent(kb.Enter))
	e.awaitCount(1)
}

// A late response for a pub does not take the focus from the search box.
func TestLatePubKeepsFocus(t *testing.T) {
	s, e := exploreMany(t, "?search=red+lion")
	e.awaitCount(s.ask(t, "search=red+lion").Total)
	evaluate[bool](e.tab, `window.real = window.fetch, window.held = new Promise(done => { window.release = done }),
		window.fetch = async (target, ...rest) => { if (String(target).includes('pubid=')) await held; return real(target, ...rest) }, true`)
	e.run(chromedp.Click(chromedp.CSS("#results li :is(a, button)")), chromedp.Focus(chromedp.CSS("#search")))
	e.press(" inn")
	e.awaitCount(s.ask(t, "search="+url.QueryEscape("red lion inn")).Total)
	evaluate[bool](e.tab, `release(), true`)
	e.until("panel", visible("#pub h2"))
	if got := evaluate[string](e.tab, `document.activeElement.id`); got != "search" {
		t.Errorf("focus after the response: got %q, want the search box", got)
	}
}
