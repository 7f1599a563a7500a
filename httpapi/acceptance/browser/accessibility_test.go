package browser

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
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
var phone = []step{window(360, 740, chromedp.EmulateMobile, chromedp.EmulateScale(2), chromedp.EmulateTouch)}

const colourScheme = "prefers-color-scheme"

// focusIsSeen checks that the focused element is visible.
func (e explorer) focusIsSeen(after string) {
	e.t.Helper()
	got := evaluate[string](e.tab, focusProbe)
	failIf(e.t, got != "", "focus after %s: %s", after, got)
}

// Everything can be reached with the keyboard, and the focus is always visible.
func TestKeyboard(t *testing.T) {
	s, e := exploreMany(t, "")
	e.focusIsSeen("load")
	e.do("type wheatsheaf ely")
	e.awaitHits(s.search(t, "search=wheatsheaf+ely&sort=relevance"))
	e.do("press Escape") // closes the completions
	e.tabUntil(`document.activeElement.closest('#results li')`)
	uid := evaluate[string](e.tab, `document.activeElement.closest('#results li').dataset.uid`)
	e.do("press Enter", "address pub="+uid, "see #pub h2")
	e.focusIsSeen("Enter at a hit")
	e.do("press Escape", "address pub=", "lose #pub h2", fmt.Sprintf(`until document.activeElement.closest('#results li')?.dataset.uid === %q`, uid))
	e.focusIsSeen("Escape")

	e.tabUntil(`document.activeElement.closest('#map')`)
	before := e.view()
	e.do("press →")
	e.eventually("map moved east", func() bool { return e.view().Lng > before.Lng })
	e.do("type +")
	e.eventually("nearer", func() bool { return e.view().Zoom > before.Zoom })
	near := e.view()
	e.do("type -")
	e.eventually("farther", func() bool { return e.view().Zoom < near.Zoom })
}

// tabUntil presses Tab until a condition on the focus holds. Each element that gets the focus must be visible.
func (e explorer) tabUntil(condition string) {
	e.t.Helper()
	const stops = 100
	for range stops {
		if e.is(condition) {
			return
		}
		e.do("press Tab")
		if !e.is(`document.activeElement === document.body`) { // between the last stop and the first
			e.focusIsSeen("Tab")
		}
	}
	e.t.Fatalf("%s: not within %d presses of Tab\n%s", condition, stops, e.state())
}

// Arrow keys and Enter select a completion.
func TestSuggestions(t *testing.T) {
	s, e := exploreMany(t, "")
	var suggested struct{ Suggestions []struct{ Text string } }
	s.get(t, "/api/v1/suggest?search=red+l", &suggested)
	e.do("type red l", "see #suggestions [role=option]", "press ↓",
		`until document.getElementById(document.querySelector('#search').getAttribute('aria-activedescendant'))`, // announced to screen readers
		"press Enter", fmt.Sprintf(`until document.querySelector('#search').value === %q`, suggested.Suggestions[0].Text), "lose #suggestions [role=option]")
}

// On a phone, controls are large enough for a thumb and within its reach.
func TestPhone(t *testing.T) {
	_, e := exploreMany(t, "?search=red+lion", phone...)
	e.do("count search=red+lion")
	e.fits("hits")
	e.show("#results li[data-uid]")
	uid := e.hits()[0]
	e.tap("#results li[data-uid] :is(a, button)")
	e.do("address pub="+uid, "see #pub h2")
	e.fits("a pub")
	e.tap("#close-pub")
	e.do("address pub=")
	e.show("#map")
	e.fits("the map")
}

// fits checks the layout on a phone.
func (e explorer) fits(what string) {
	e.t.Helper()
	got := evaluate[[]string](e.tab, layoutProbe)
	failIf(e.t, len(got) > 0, "phone with %s: got %q", what, got)
}

// show scrolls an element into view.
func (e explorer) show(selector string) {
	e.t.Helper()
	e.run(chromedp.ScrollIntoView(chromedp.CSS(selector)))
	e.do("see " + selector)
}

// tap touches an element with a finger.
func (e explorer) tap(selector string) {
	e.t.Helper()
	e.show(selector)
	e.run(chromedp.TapXY(e.place(selector).at(0.5, 0.5)))
}

// Text has enough contrast, in light and dark mode.
func TestContrast(t *testing.T) {
	s := serveMany(t)
	want := s.search(t, "search=*&rated=true&amount=1").Results[0]
	for _, scheme := range []string{"light", "dark"} {
		e := explorer{openTab(t, s, "/?search=red+lion&pub="+want.UID, prefers(colourScheme, scheme))}
		e.do("see #pub h2")
		e.eventually("hits", func() bool { return len(e.hits()) > 0 })
		worst := evaluate[struct {
			Ratio, Asked float64
			Text         string
			Background   [3]float64
		}](e.tab, contrastProbe)
		t.Logf("%s: lowest contrast %.2f (%s), background %v", scheme, worst.Ratio, worst.Text, worst.Background)
		failIf(t, worst.Ratio < worst.Asked, "%s: contrast of %s: got %.2f, want %v", scheme, worst.Text, worst.Ratio, worst.Asked)
		sum := worst.Background[0] + worst.Background[1] + worst.Background[2]
		failIf(t, (scheme == "dark") != (sum < 3*64), "%s: background of the page: got %v", scheme, worst.Background)
	}
}
