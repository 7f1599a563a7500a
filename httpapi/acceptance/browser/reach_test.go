package browser

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	//go:embed probe/contrast.js
	contrastProbe string
	//go:embed probe/focus.js
	focusProbe string
	//go:embed probe/layout.js
	layoutProbe string
)

// phone emulates a phone of 360 by 740 pixels.
var phone = []step{chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateScale(2), chromedp.EmulateTouch)}

// dark emulates a preference for dark mode.
var dark = prefers("dark")

func prefers(scheme string) step {
	return commanded(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// focusIsSeen checks that the focused element is visible.
func (e explorer) focusIsSeen(after string) {
	e.t.Helper()
	if got := evaluate[string](e.tab, focusProbe); got != "" {
		e.t.Errorf("focus after %s: %s", after, got)
	}
}

// Everything can be reached with the keyboard, and the focus is always visible.
func TestKeyboard(t *testing.T) {
	s, e := exploreMany(t, "")
	e.focusIsSeen("load")
	e.press("wheatsheaf ely")
	e.awaitHits(s.ask(t, "search=wheatsheaf+ely&sort=relevance"))
	e.run(chromedp.KeyEvent(kb.Escape)) // closes the completions
	e.tabUntil(`document.activeElement.closest('#results li')`, "hits")
	uid := evaluate[string](e.tab, `document.activeElement.closest('#results li').dataset.uid`)
	e.run(chromedp.KeyEvent(kb.Enter))
	e.awaitAddress("pub", uid)
	e.until("panel", visible("#pub h2"))
	e.focusIsSeen("Enter at a hit")
	e.run(chromedp.KeyEvent(kb.Escape))
	e.awaitAddress("pub", "")
	e.until("no panel", "!"+visible("#pub h2"))
	e.until("focus back on the hit", fmt.Sprintf(`document.activeElement.closest('#results li')?.dataset.uid === %q`, uid))
	e.focusIsSeen("Escape")

	e.tabUntil(`document.activeElement.id === 'map'`, "map")
	before := e.view()
	e.run(chromedp.KeyEvent(kb.ArrowRight))
	e.eventually("map moved east", func() bool { return e.view().Lng > before.Lng })
	e.press("+")
	e.eventually("nearer", func() bool { return e.view().Zoom > before.Zoom })
	near := e.view()
	e.press("-")
	e.eventually("farther", func() bool { return e.view().Zoom < near.Zoom })
}

// tabUntil presses Tab until a condition on the focus holds. Each element that gets the focus must be visible.
func (e explorer) tabUntil(condition, what string) {
	e.t.Helper()
	const stops = 100
	for range stops {
		if evaluate[bool](e.tab, "Boolean("+condition+")") {
			return
		}
		e.run(chromedp.KeyEvent(kb.Tab))
		if !evaluate[bool](e.tab, `document.activeElement === document.body`) { // between the last stop and the first
			e.focusIsSeen("Tab")
		}
	}
	e.t.Fatalf("%s: not within %d presses of Tab\n%s", what, stops, e.state())
}

// Arrow keys and Enter select a completion.
func TestSuggestions(t *testing.T) {
	s, e := exploreMany(t, "")
	e.press("red l")
	e.until("completions", visible("#suggestions [role=option]"))
	e.run(chromedp.KeyEvent(kb.ArrowDown))
	e.until("a completion announced to screen readers", `document.getElementById(document.querySelector('#search').getAttribute('aria-activedescendant'))`)
	e.run(chromedp.KeyEvent(kb.Enter))
	var suggested struct{ Suggestions []struct{ Text string } }
	s.get(t, "/api/v1/suggest?search=red+l", &suggested)
	text := suggested.Suggestions[0].Text
	e.until(text+" in the search box", fmt.Sprintf(`document.querySelector('#search').value === %q`, text))
	e.until("no completions", "!"+visible("#suggestions [role=option]"))
}

// A completion for a pub opens it. One for a place is labelled as a place.
func TestCompletionsOfPubsAndPlaces(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	var suggested struct {
		Suggestions []struct{ Text, Type, UID string }
	}
	s.get(t, "/api/v1/suggest?search=eagle+and+child+oxf&amount=6", &suggested)
	if len(suggested.Suggestions) == 0 {
		t.Skip("made-up pubs have no Eagle and Child in Oxford, and the real data is missing")
	}
	want := suggested.Suggestions[0]
	e := explore(t, s, "")
	e.press("eagle and child oxf")
	e.until("the pub "+want.Text, fmt.Sprintf(`document.querySelector('#suggestions li')?.dataset.text === %q`, want.Text))
	e.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	e.awaitAddress("search", want.Text, "pub", want.UID)
	e.until("panel", visible("#pub h2"))
	e.run(chromedp.Focus(chromedp.CSS("#search")))
	e.clear()
	e.press("dedham")
	e.until("a place", `document.querySelector('#suggestions [data-type=location] .kind')?.textContent.startsWith('place')`)
}

// On a phone, controls are large enough for a thumb and within its reach.
func TestPhone(t *testing.T) {
	s, e := exploreMany(t, "?search=red+lion", phone...)
	want := s.ask(t, "search=red+lion")
	e.awaitCount(want.Total)
	e.fits("hits")
	e.show("#results li[data-uid]")
	uid := e.hits()[0]
	e.tap("#results li[data-uid] :is(a, button)")
	e.awaitAddress("pub", uid)
	e.until("panel", visible("#pub h2"))
	e.fits("a pub")
	e.tap("#close-pub")
	e.awaitAddress("pub", "")
	e.show("#map")
	e.fits("the map")
}

// fits checks the layout on a phone.
func (e explorer) fits(what string) {
	e.t.Helper()
	if got := evaluate[[]string](e.tab, layoutProbe); len(got) > 0 {
		e.t.Errorf("phone with %s: got %q", what, got)
	}
}

// show scrolls an element into view.
func (e explorer) show(selector string) {
	e.t.Helper()
	e.run(chromedp.ScrollIntoView(chromedp.CSS(selector)))
	e.until(selector+" in the window", visible(selector))
}

// tap touches an element with a finger.
func (e explorer) tap(selector string) {
	e.t.Helper()
	e.show(selector)
	e.run(chromedp.TapXY(e.place(selector).at(0.5, 0.5)))
}

// Text has enough contrast, in light and dark mode.
func TestContrast(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	want := s.ask(t, "search=*&rated=true&amount=1").Results[0]
	for _, c := range []struct {
		name   string
		scheme step
		isDark bool
	}{{"light", prefers("light"), false}, {"dark", dark, true}} {
		e := explorer{openTab(t, s, "/?search=red+lion&pub="+want.UID, c.scheme)}
		e.until("panel", visible("#pub h2"))
		e.eventually("hits", func() bool { return len(e.hits()) > 0 })
		worst := evaluate[struct {
			Ratio, Asked float64
			Text         string
			Background   [3]float64
		}](e.tab, contrastProbe)
		t.Logf("%s: lowest contrast %.2f (%s), background %v", c.name, worst.Ratio, worst.Text, worst.Background)
		if worst.Ratio < worst.Asked {
			t.Errorf("%s: contrast of %s: got %.2f, want %v", c.name, worst.Text, worst.Ratio, worst.Asked)
		}
		if sum := worst.Background[0] + worst.Background[1] + worst.Background[2]; c.isDark != (sum < 3*64) {
			t.Errorf("%s: background of the page: got %v", c.name, worst.Background)
		}
	}
}
