package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// The page says that the server is unreachable until it is back.
func TestServerGone(t *testing.T) {
	s := serve(t, "")
	e := open(t, s, "/")
	e.forgive(`net::ERR_|status of 503`) // Chromium's message about a request without a server, or to a server without data
	e.do("focus #search", "type red", "count search=red")
	testkit.FailIf(t, e.is(visible("#notice")), "notice when all is well: got %q", e.text("#notice"))
	e.do("run window.same = true")
	s.Stop()
	e.do("type  lion", "see #notice")
	role, text := property[string](e, "#notice", "getAttribute('role')"), e.text("#notice")
	testkit.FailIf(t, role != "alert" || text == "", "notice: got role %q, text %q, want an alert that says what is wrong", role, text)
	testkit.OK(t, s.Start(t.Context(), nil, program))
	e.do("lose #notice", "count search=red+lion", "retype bell", "count search=bell")
	testkit.FailIf(t, !e.is("window.same === true"), "the page was reloaded")
}

// keyFile returns the path of a key file with a key, and the key.
func keyFile(t *testing.T, flags ...string) (file, secret string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "keys")
	return file, keys(t, append([]string{"add", "--file", file, "--name", "first"}, flags...)...)
}

// Visitors without a key must enter one. It is stored only in the tab's storage and sent only in request headers.
func TestKey(t *testing.T) {
	file, first := keyFile(t)
	s := serve(t, "", "--keys", file)
	s.key = first
	e := open(t, s, "/?search=red+lion")
	e.forgive(`status of 40[13]`) // Chromium's message about a rejected request
	e.enterKey("wrong")
	e.do("see #key-form")
	e.enterKey(first)
	e.do("count search=red+lion", "lose #key-form")

	second := keys(t, "add", "--file", file, "--name", "second")
	keys(t, "revoke", "--file", file, "--name", "first")
	s.hangUp(t)
	e.eventually("form after the key was revoked", func() bool {
		e.do("focus #search", "type s")
		return e.is(visible("#key-form"))
	})
	e.enterKey(second)
	s.key = second
	e.do("lose #key-form", "focus #search", "retype bell", "count search=bell")
	kept := evaluate[string](e, `JSON.stringify([document.cookie, {...localStorage}, document.documentElement.outerHTML, history.state])`)
	for _, secret := range []string{first, second} {
		testkit.FailIf(t, strings.Contains(strings.Join(e.urls(), "\n"), secret), "the key is in one of %q", e.urls())
		testkit.FailIf(t, strings.Contains(kept, secret), "the key is in the page, a cookie, localStorage or the history")
	}
}

// enterKey types a key into the form.
func (e *tab) enterKey(secret string) {
	e.t.Helper()
	e.do("until "+visible("#key-form")+` && !document.querySelector('#key').disabled`, "focus #key",
		"run document.querySelector('#key').select()", "type "+secret, "press Enter")
}

// With a public key, visitors do not enter a key, not even when the public key is replaced.
func TestPublicKey(t *testing.T) {
	public := []string{"--public", "--rate-per-client", "100"}
	file, first := keyFile(t, public...)
	s := serve(t, "", "--keys", file)
	s.key = first
	e := open(t, s, "/?search=red+lion")
	e.forgive(`status of 403`) // for the first request after the key is replaced
	e.do("count search=red+lion", "points")
	testkit.FailIf(t, e.is(visible("#key-form")), "the page requires a key")
	keys(t, "revoke", "--file", file, "--name", "first")
	s.key = keys(t, append([]string{"add", "--file", file, "--name", "second"}, public...)...)
	s.hangUp(t)
	e.eventually("settings with the second key", func() bool {
		return strings.Contains(evaluate[string](e, `fetch('/explorer/settings.json').then(r => r.text())`), s.key)
	})
	e.do("focus #search", "retype bell", "count search=bell")
	testkit.FailIf(t, e.is(visible("#key-form")), "the page requires a key after it was replaced")
}
