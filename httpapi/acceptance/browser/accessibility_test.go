package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"pubd/bench/testkit"
)

var (
	//go:embed probe/focus.js
	focusProbe string
	//go:embed probe/layout.js
	layoutProbe string
)

const colourScheme = "prefers-color-scheme"

// focusIsSeen checks that the focused element is visible.
func (e *tab) focusIsSeen(after string) {
	e.t.Helper()
	got := evaluate[string](e, focusProbe)
	testkit.FailIf(e.t, got != "", "focus after %s: %s", after, got)
}

// Everything can be reached with the keyboard, and the focus is always visible.
func TestKeyboard(t *testing.T) {
	s, e := exploreMany(t, "")
	e.focusIsSeen("load")
	e.do("type wheatsheaf ely")
	e.awaitHits(s.search(t, "search=wheatsheaf+ely&sort=relevance"))
	e.do("press Escape") // closes the completions
	e.tabUntil(`document.activeElement.closest('#results li')`)
	uid := evaluate[string](e, `document.activeElement.closest('#results li').dataset.uid`)
	e.do("press Enter", "address pub="+uid, "see #pub h2")
	e.focusIsSeen("Enter at a hit")
	e.do("press Escape", "address pub=", "lose #pub h2", fmt.Sprintf(`until document.activeElement.closest('#results li')?.dataset.uid === %q`, uid))
	e.focusIsSeen("Escape")

	e.tabUntil(`document.activeElement.closest('#map')`)
	e.do("settle")
	before := e.view()
	e.do("press →")
	e.eventually("map moved east", func() bool { return e.view().Lng > before.Lng })
	e.do("settle", "type +")
	e.eventually("nearer", func() bool { return e.view().Zoom > before.Zoom })
	e.do("settle")
	near := e.view()
	e.do("type -")
	e.eventually("farther", func() bool { return e.view().Zoom < near.Zoom })
}

// tabUntil presses Tab until a condition on the focus holds. Each element that gets the focus must be visible.
func (e *tab) tabUntil(condition string) {
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

// fits checks the layout on a phone.
func (e *tab) fits(what string) {
	e.t.Helper()
	got := evaluate[[]string](e, layoutProbe)
	testkit.FailIf(e.t, len(got) > 0, "phone with %s: got %q", what, got)
}

// show scrolls an element into view.
func (e *tab) show(selector string) {
	e.t.Helper()
	e.run(chromedp.ScrollIntoView(chromedp.CSS(selector)))
	e.do("see " + selector)
}

// tap clicks an element, which a touch screen gets as a tap.
func (e *tab) tap(selector string) {
	e.t.Helper()
	e.show(selector)
	e.run(chromedp.TapXY(e.place(selector).at(0.5, 0.5)))
}

func (r rectangle) overlaps(other rectangle) bool {
	return r.X < other.X+other.Width-1 && other.X < r.X+r.Width-1 && r.Y < other.Y+other.Height-1 && other.Y < r.Y+r.Height-1
}

// On every screen, the map has a useful size and is beside the list and the panel of a pub, or above them on a phone,
// where a button shows it.
// What can be tapped is large enough for a thumb.
func TestScreens(t *testing.T) {
	_, e := exploreMany(t, "?search=red+lion")
	uid := e.hits()[0]
	for _, screen := range screens {
		e.run(screen.step)
		for _, part := range []string{"#column", "#pub"} {
			if part == "#pub" {
				e.tap("#results li :is(a, button)")
				e.do("address pub="+uid, "see .nearby li a", "settle")
			} else if screen.name == "360×740" {
				e.tap("#show-map")
				e.do("see #map", "settle")
			}
			place, other := e.place("#place"), e.place(part)
			testkit.FailIf(t, place.overlaps(other) || other.Width < 280 || other.Height < 200 || place.Width < 240 || place.Height < 200,
				"%s: map %+v, %s %+v: want no overlap and both large enough", screen.name, place, part, other)
			testkit.FailIf(t, screen.name == "360×740" && place.Y >= other.Y, "%s: map %+v, %s %+v: want the map on top", screen.name, place, part, other)
			e.fits(screen.name + " with " + part)
		}
		e.tap("#close-pub")
		e.do("address pub=", "lose #pub h2")
	}
}

// installed returns the folder of a package of npm, which it installs once, with others beside it.
func installed(name, version string, others ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	prefix := filepath.Join(cache, "pubd-acceptance", name+"-"+version)
	folder := filepath.Join(prefix, "node_modules", name)
	if _, err := os.Stat(folder); err != nil {
		install := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--silent", "--prefix", prefix, name + "@" + version}, others...)...)
		if out, err := install.CombinedOutput(); err != nil {
			return "", fmt.Errorf("no %s: %v: %w %s", name, install.Args, err, out)
		}
	}
	return folder, nil
}

// axe returns the script of axe-core.
var axe = sync.OnceValues(func() (string, error) {
	folder, err := installed("axe-core", "4.14.1")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(folder, "axe.min.js"))
	return string(text), err
})

// needAxe returns axe's script, or skips the test.
func needAxe(t *testing.T) string {
	t.Helper()
	script, err := axe()
	if err != nil {
		t.Skip(err)
	}
	return script
}

// passesAxe checks that axe finds no violation of some rules; of all without any.
func (e *tab) passesAxe(script, what string, rules ...string) {
	e.t.Helper()
	if !e.is("window.axe") {
		evaluate[bool](e, script+";true")
	}
	only := ""
	if len(rules) > 0 {
		only = fmt.Sprintf(", runOnly: ['%s']", strings.Join(rules, "', '"))
	}
	// What is still fading in has no contrast.
	evaluate[bool](e, `Promise.all(document.getAnimations().filter(a => a.effect.getComputedTiming().endTime < Infinity)
		.map(a => a.finished.catch(() => {}))).then(() => true)`)
	found := evaluate[string](e, `axe.run(document, { resultTypes: ['violations']`+only+` }).then(({ violations }) =>
		JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(node => node.html.slice(0, 120)).join(', '))))`)
	var list []string
	err := json.Unmarshal([]byte(found), &list)
	testkit.FailIf(e.t, err != nil || len(list) > 0, "%s: %q %v", what, list, err)
}

// Every state of the page passes axe, in light and dark mode, on all screens.
func TestAxe(t *testing.T) {
	script := needAxe(t)
	s, e := exploreMany(t, "")
	rated := s.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	defer e.run(prefers(colourScheme, ""))
	for _, scheme := range []string{"light", "dark"} {
		e.run(prefers(colourScheme, scheme))
		dark := e.is(`getComputedStyle(document.body).backgroundColor.match(/\d+/g).every(part => part < 64)`)
		testkit.FailIf(t, dark != (scheme == "dark"), "%s: dark background: got %v", scheme, dark)
		for _, screen := range screens {
			what := screen.name + " " + scheme
			e.run(screen.step)
			e.do("go /?search=anchor", "count search=anchor", "click #filter", "see #filters", "focus #search", "type  i", "see #suggestions")
			e.passesAxe(script, what+" with completions and filters")
			e.do("press Escape", "click #filter", "lose #filters", "go /?search=wheatsheff&pub="+rated.UID)
			e.awaitPub(rated.Name)
			e.do("see .nearby li a", `until document.querySelector('#pub').getAnimations().every(({ playState }) => playState === 'finished')`)
			e.passesAxe(script, what+" with a pub")
			e.do("go /?search=zzxxqq&trading=open&map=52.4,0.26,11", "lose #pub h2", "see #offers .action")
			e.passesAxe(script, what+" with nothing found")
			if screen.name != "1280×800" {
				e.fits(what + " with nothing found")
			}
		}
	}
}

// The pages of a pub and a place, and the list of places, pass axe, in light and dark mode, on all screens, and fit
// them. A link leads from each to the next.
func TestRenderedPages(t *testing.T) {
	script := needAxe(t)
	rated := many.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	const place, list = `.path a[href^="/places/"]`, `.path a[href="/places"]`
	e := open(t, many, "/pubs/"+rated.UID)
	for _, c := range []struct{ what, link, then string }{
		{"pub", place, "location.pathname.startsWith('/places/')"}, {"place", list, "location.pathname === '/places'"}, {"places", "", ""},
	} {
		e.do("see h1", "until document.readyState === 'complete' && document.styleSheets.length === 1")
		testkit.FailIf(t, c.what == "pub" && e.text("h1") != rated.Name, "heading: got %q, want %q", e.text("h1"), rated.Name)
		for _, scheme := range []string{"light", "dark"} {
			for _, screen := range screens {
				e.run(prefers(colourScheme, scheme), screen.step)
				e.passesAxe(script, c.what+", "+screen.name+" "+scheme)
				testkit.FailIf(t, e.is("document.documentElement.scrollWidth > innerWidth"), "%s, %s: is wider than the screen", c.what, screen.name)
			}
		}
		if c.link != "" {
			e.do("click "+c.link, "until "+c.then)
		}
	}
}

// brokenWords are the words of hits that are on more than one line.
const brokenWords = `(() => {
	const broken = [], texts = document.createTreeWalker(document.querySelector('#results'), NodeFilter.SHOW_TEXT)
	while (texts.nextNode()) {
		for (const { 0: word, index } of texts.currentNode.data.matchAll(/\S+/g)) {
			const range = document.createRange()
			range.setStart(texts.currentNode, index)
			range.setEnd(texts.currentNode, index + word.length)
			if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
		}
	}
	return broken
})()`

// However long the texts of a hit are, they break between words.
func TestWordsAreWhole(t *testing.T) {
	var text strings.Builder
	text.WriteString("UID,name,location,trading,common_category,total,review_count\n")
	for n := range 20 {
		fmt.Fprintf(&text, "%d,Bell,Up%s,temporarily_closed,Hotel Bar,7,%d\n", n, strings.Repeat("o", 6*n/5), n+1)
	}
	e := explore(t, serveText(t, text.String()), "?search=bell")
	for _, screen := range screens {
		e.run(screen.step)
		got := evaluate[[]string](e, brokenWords)
		testkit.FailIf(t, len(got) > 0, "%s: words on two lines: got %q", screen.name, got)
	}
}

// cutOff are the elements of a printed page that do not show all of their content, and what only a screen needs.
const cutOff = `[...document.querySelectorAll('body, body *')].filter(e => e.checkVisibility() && getComputedStyle(e).position !== 'absolute').filter(e =>
	['hidden', 'auto'].includes(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1 || e.matches('input, select, button, canvas'))
	.map(e => e.outerHTML.slice(0, 80))`

// A printed list has all of its hits, each on a line of a sheet of paper, and a printed pub all of its panel, dark on white,
// and nothing to click.
func TestPrint(t *testing.T) {
	_, e := exploreMany(t, "?search=red+lion")
	uid := e.hits()[0]
	for _, screen := range screens {
		e.run(screen.step)
		for shown, search := range map[string]string{"#results li:last-child .name": "", "#pub .nearby li:last-child .name": "&pub=" + uid} {
			e.do("go /?search=red+lion"+search, "see "+shown)
			send(e, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: colourScheme, Value: "dark"}}})
			e.do("see "+shown, "lose #map", "lose #search")
			got := evaluate[[]string](e, cutOff)
			testkit.FailIf(t, len(got) > 0, "%s on paper from %s: got %q", shown, screen.name, got)
			ink := evaluate[string](e, fmt.Sprintf(`getComputedStyle(document.querySelector(%q)).color`, shown))
			testkit.FailIf(t, ink != "rgb(29, 26, 22)", "%s on paper from a dark screen: got the colour %s, want ink", shown, ink)
			lines := evaluate[int](e, `Math.max(0, ...[...document.querySelectorAll('li a')].filter(a => a.checkVisibility()).map(a => Math.floor(a.clientHeight / 22)))`)
			testkit.FailIf(t, screen.name == "1280×800" && lines != 1, "%s on paper: got up to %d lines for a pub, want 1", shown, lines)
			testkit.FailIf(t, !e.is(`getComputedStyle(document.activeElement).outlineStyle === 'none'`), "%s on paper: what has the focus has a ring", shown)
			send(e, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
		}
		e.do("go /?search=red+lion", "lose #pub h2")
	}
	e.do("see #more", "run dispatchEvent(new Event('beforeprint'))")
	testkit.FailIf(t, len(e.hits()) != 200, "on paper: got %d pubs, want 200", len(e.hits()))
	send(e, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	said := evaluate[string](e, `['before', 'after'].map(which => getComputedStyle(document.querySelector('main'), '::' + which).content).join(' ')`)
	send(e, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	testkit.FailIf(t, !strings.Contains(said, "red lion – Pubs") || !strings.Contains(said, "/?search=red+lion"), "on paper: got title and address %s", said)
}

// A rendered page is printed dark on white, with links in the colour of the site and nothing marked, even from a dark
// screen.
func TestPrintedPage(t *testing.T) {
	s := serve(t, "", "--accent", "#1a6b3c")
	e := open(t, s, "/pubs/"+s.search(t, "search=*&sort=fair&order=desc&amount=1").Results[0].UID)
	e.do("see li a", "focus .wide")
	send(e, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: colourScheme, Value: "dark"}}})
	got := evaluate[string](e, `['h1', 'li a'].map(s => getComputedStyle(document.querySelector(s)).color).join(' ') + ' ' + getComputedStyle(document.querySelector('.wide')).outlineWidth`)
	testkit.FailIf(t, got != "rgb(0, 0, 0) rgb(26, 107, 60) 0px", "heading, link and focus ring: got %s", got)
}
