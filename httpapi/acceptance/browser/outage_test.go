package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The page says that the server is unreachable until it is back.
func TestServerGone(t *testing.T) {
	t.Parallel()
	s := serve(t)
	e := explore(t, s, "")
	e.forgive(`net::ERR_|status of 503`) // Chromium's message about a request without a server, or to a server without data
	e.press("red")
	e.awaitCount(s.ask(t, "search=red").Total)
	if evaluate[bool](e.tab, "Boolean("+visible("#notice")+")") {
		t.Errorf("notice when all is well: got %q", e.text("#notice"))
	}
	evaluate[bool](e.tab, `window.same = true`)
	s.Stop()
	e.press(" lion")
	e.until("notice", visible("#notice"))
	if role := evaluate[string](e.tab, `document.querySelector('#notice').getAttribute('role')`); role != "alert" || e.text("#notice") == "" {
		t.Errorf("notice: got role %q, text %q, want an alert that says what is wrong", role, e.text("#notice"))
	}
	ok(t, s.Start(t.Context(), nil, program))
	e.until("no notice", "!"+visible("#notice"))
	e.awaitCount(s.ask(t, "search=red+lion").Total)
	e.clear()
	e.press("bell")
	e.awaitCount(s.ask(t, "search=bell").Total)
	if !evaluate[bool](e.tab, `window.same === true`) {
		t.Error("the page was reloaded")
	}
}

// Visitors without a key must enter one. It is stored only in the tab's storage and sent only in request headers.
func TestKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	secret := keys(t, "add", "--file", file, "--name", "first")
	s := serve(t, "--keys", file)
	s.key = secret
	e := explorer{openTab(t, s, "/?search=red+lion")}
	e.forgive(`status of 40[13]`) // Chromium's message about a rejected request
	e.enterKey("wrong")
	e.until("form again", visible("#key-form"))
	e.enterKey(secret)
	want := s.ask(t, "search=red+lion").Total
	e.awaitCount(want)
	e.until("no form", "!"+visible("#key-form"))

	second := keys(t, "add", "--file", file, "--name", "second")
	keys(t, "revoke", "--file", file, "--name", "first")
	s.hangUp(t)
	e.eventually("form after the key was revoked", func() bool {
		e.run(chromedp.Focus(chromedp.CSS("#search")))
		e.press("s")
		return evaluate[bool](e.tab, "Boolean("+visible("#key-form")+")")
	})
	e.enterKey(second)
	s.key = second
	e.until("no form", "!"+visible("#key-form"))
	e.run(chromedp.Focus(chromedp.CSS("#search")))
	e.clear()
	e.press("bell")
	e.awaitCount(s.ask(t, "search=bell").Total)

	for _, secret := range []string{secret, second} {
		for _, url := range e.urls() {
			if strings.Contains(url, secret) {
				t.Errorf("the key is in %s", url)
			}
		}
		kept := evaluate[string](e.tab, `JSON.stringify([document.cookie, {...localStorage}, document.documentElement.outerHTML, history.state])`)
		if strings.Contains(kept, secret) {
			t.Error("the key is in the page, a cookie, localStorage or the history")
		}
	}
}

// enterKey types a key into the form.
func (e explorer) enterKey(secret string) {
	e.t.Helper()
	e.until("form for the key", visible("#key-form")+` && !document.querySelector('#key').disabled`)
	e.run(chromedp.Focus(chromedp.CSS("#key")))
	evaluate[bool](e.tab, `document.querySelector('#key').select(), true`)
	e.press(secret)
	e.run(chromedp.KeyEvent(kb.Enter))
}

// A key with five requests per second suffices: requests over its rate are retried, and the page says so.
func TestSlowKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	slow, fast := keys(t, "add", "--file", file, "--name", "slow", "--rate", "5"), keys(t, "add", "--file", file, "--name", "fast")
	s := serve(t, "--keys", file, "--data", manyFile, cache())
	s.key = fast
	e := explorer{openTab(t, s, "/")}
	e.forgive(`status of 429`) // Chromium's message about a request over the rate
	e.enterKey(slow)
	e.awaitPoints(withCoordinates(t, s))
	e.run(chromedp.Focus(chromedp.CSS("#search")))
	// Other requests use up the rate of the key until the page has retried.
	evaluate[bool](e.tab, fmt.Sprintf(`(() => {
		const notice = document.querySelector('#notice')
		const look = () => { if (notice.textContent.includes('Retrying…')) window.retried = true }
		new MutationObserver(look).observe(notice, { childList: true, subtree: true, characterData: true })
		const others = async () => {
			while (!window.retried) await Promise.all(Array.from({ length: 20 }, () => fetch('/api/v1/stats', { headers: { 'x-api-key': %q } })))
		}
		others()
		return true
	})()`, slow))
	for _, text := range []string{"red lion", "wheatsheaf ely"} {
		e.clear()
		e.press(text)
		want := s.ask(t, "search="+strings.ReplaceAll(text, " ", "+"))
		e.awaitCount(want.Total)
		e.eventually("hits on the map", func() bool { return e.view().Hits > 0 })
	}
	e.leaveSearch()
	e.run(chromedp.Click(chromedp.CSS("#results li a")))
	e.until("panel", visible("#pub h2"))
	e.until("no notice", "!"+visible("#notice"))
	if !evaluate[bool](e.tab, `window.retried === true`) {
		t.Error("the page did not retry")
	}
}

// With a public key, visitors do not enter a key, not even when the public key is replaced.
func TestPublicKey(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	first := keys(t, "add", "--file", file, "--name", "first", "--public", "--rate-per-client", "100")
	s := serve(t, "--keys", file)
	s.key = first
	e := explore(t, s, "?search=red+lion")
	e.forgive(`status of 403`) // for the first request after the key is replaced
	e.awaitCount(s.ask(t, "search=red+lion").Total)
	e.awaitPoints(withCoordinates(t, s))
	if evaluate[bool](e.tab, "Boolean("+visible("#key-form")+")") {
		t.Error("the page requires a key")
	}
	keys(t, "revoke", "--file", file, "--name", "first")
	s.key = keys(t, "add", "--file", file, "--name", "second", "--public", "--rate-per-client", "100")
	s.hangUp(t)
	e.eventually("settings with the second key", func() bool {
		return strings.Contains(evaluate[string](e.tab, `fetch('/explorer/settings.json').then(r => r.text())`), s.key)
	})
	e.clear()
	e.press("bell")
	e.awaitCount(s.ask(t, "search=bell").Total)
	if evaluate[bool](e.tab, "Boolean("+visible("#key-form")+")") {
		t.Error("the page requires a key after it was replaced")
	}
}
