package browser

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// landscape emulates a phone in landscape orientation.
var landscape = []step{chromedp.EmulateViewport(740, 360, chromedp.EmulateMobile, chromedp.EmulateScale(2), chromedp.EmulateTouch)}

var screens = []struct {
	name   string
	before []step
}{{"1280×800", nil}, {"360×740", phone}, {"740×360", landscape}}

func (r rectangle) overlaps(other rectangle) bool {
	return r.X < other.X+other.Width-1 && other.X < r.X+r.Width-1 && r.Y < other.Y+other.Height-1 && other.Y < r.Y+r.Height-1
}

// On every screen, the map has a useful size and is beside the list and the panel of a pub, or above them on a phone.
func TestMapIsNeverCovered(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	want := s.ask(t, "search=red+lion&sort=relevance").Results[0]
	for _, screen := range screens {
		e := explore(t, s, "?search=red+lion", screen.before...)
		e.awaitCount(s.ask(t, "search=red+lion").Total)
		for _, part := range []string{"#column", "#pub"} {
			if part == "#pub" {
				e.run(chromedp.Click(chromedp.CSS("#results li a")))
				e.awaitPub(want.Name)
				e.until("nearby pubs", visible(".nearby li a"))
			}
			place, other := e.place("#place"), e.place(part)
			if place.overlaps(other) || other.Width < 280 || other.Height < 200 || place.Width < 240 || place.Height < 200 {
				t.Errorf("%s: map %+v, %s %+v: want no overlap and both large enough", screen.name, place, part, other)
			}
			if screen.name == "360×740" && place.Y >= other.Y {
				t.Errorf("%s: map %+v, %s %+v: want the map on top", screen.name, place, part, other)
			}
			e.fits(screen.name + " with " + part)
		}
	}
}

// Completions cover what is below them and do not move it.
func TestCompletionsMoveNothing(t *testing.T) {
	s, e := exploreMany(t, "?search=red")
	e.awaitCount(s.ask(t, "search=red").Total)
	before := e.place("#count")
	e.press(" l")
	e.until("completions", visible("#suggestions [role=option]"))
	if after := e.place("#count"); after.Y != before.Y {
		t.Errorf("count with completions: got %v, want it to stay at %v", after, before)
	}
	if got := e.text("#suggestions .kind"); !strings.Contains(got, "pub") {
		t.Errorf("kind of a completion: got %q, want the number of pubs", got)
	}
}

// The page names the sort order, and each hit shows its value.
func TestSortOrderIsShown(t *testing.T) {
	s, e := exploreMany(t, "?search=anchor")
	e.awaitHits(s.ask(t, "search=anchor&sort=relevance"))
	e.choose("#sort", "beer")
	e.awaitAddress("order", "desc") // best first
	for _, c := range []struct{ query, how, figure string }{
		{"search=bell", "Best match", "total"},
		{"search=bell&sort=beer&order=desc", "Highest rating for beer", "beer"},
		{"search=bell&sort=beer", "Lowest rating for beer", "beer"},
		{"search=bell&sort=review_count&order=desc", "Most reviews", "review"},
		{"search=bell&sort=name", "A to Z", ""},
		{"search=bell&sort=fair&order=desc", "Highest fair score", "fair score"},
		{"lat=52.2&lng=0.7&distance=20", "Nearest first", ""},
	} {
		e.run(chromedp.Navigate(s.origin + "/?" + c.query))
		e.until(c.how, fmt.Sprintf(`document.querySelector('#sorted').textContent.includes(%q)`, c.how))
		if got := e.text("#results .figure:not(.none)"); !strings.Contains(got, c.figure) {
			t.Errorf("?%s: got figure %q, want %q", c.query, got, c.figure)
		}
	}
}

// Nothing is animated if the visitor prefers reduced motion.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	reduced := commanded(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	e := explore(t, s, "?search=wheatsheaf+ely&map=52.4,0.26,11", reduced)
	e.awaitPoints(withCoordinates(t, s))
	evaluate[bool](e.tab, `new MutationObserver(() => { if (document.querySelector('#map').dataset.settled !== 'yes') window.glided = true })
		.observe(document.querySelector('#map'), { attributes: true }), true`)
	e.run(chromedp.Click(chromedp.CSS("#results li a")))
	e.until("panel", visible("#pub h2"))
	e.eventually("the pub's map", func() bool { return e.view().Zoom >= 12.5 })
	if evaluate[bool](e.tab, `window.glided === true || getComputedStyle(document.querySelector('#pub')).animationName !== 'none'`) {
		t.Error("something moved")
	}
}

// Tiles have their attribution.
func TestTiles(t *testing.T) {
	t.Parallel()
	tiles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><path d="M0 0h256v256"/></svg>`)
	}))
	t.Cleanup(tiles.Close)
	s := serve(t, "--tiles", tiles.URL+"/{z}/{x}/{y}.svg © Someone <b>else</b>")
	e := explorer{openTab(t, s, "/")}
	e.mu.Lock()
	e.origins = append(e.origins, tiles.URL)
	e.mu.Unlock()
	e.until("attribution", visible("#attribution"))
	if got := e.text("#attribution"); got != "© Someone <b>else</b>" {
		t.Errorf("attribution: got %q", got)
	}
	e.eventually("a tile", func() bool {
		for _, url := range e.urls() {
			if strings.HasPrefix(url, tiles.URL) {
				return true
			}
		}
		return false
	})
}

// The page of a shared link has a title and a description.
func TestSharedTitle(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	want := s.ask(t, "search=red+lion&sort=relevance").Results[0]
	e := explorer{openTab(t, s, "/?search=red+lion&pub="+want.UID)}
	e.awaitPub(want.Name)
	title := want.Name + ", " + want.Location + " – Pubs"
	e.until("title", fmt.Sprintf(`document.title === %q`, title))
	if got := evaluate[string](e.tab, `document.querySelector('meta[name=description]').content`); len(got) < 50 {
		t.Errorf("description: got %q", got)
	}
	e.run(chromedp.KeyEvent("\x1b"))
	e.until("title", `document.title === 'red lion – Pubs'`)

	// A preview runs no scripts: it uses what the server sends.
	response, err := http.Get(s.origin + "/?search=red+lion&pub=" + want.UID)
	ok(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if got := html.EscapeString(title); err != nil || !strings.Contains(string(page), "<title>"+got+"</title>") || !strings.Contains(string(page), `content="`+got+`"`) {
		t.Errorf("page from the server: got %v, want it to have the title %q\n%.800s", err, title, page)
	}
}

// Messages about results have the expected text.
func TestTexts(t *testing.T) {
	s, e := exploreMany(t, "?search=zzxxqq")
	e.until("nothing", visible("#nothing"))
	if got := e.text("#nothing"); got != "No pubs found. Try fewer words or filters." {
		t.Errorf("nothing found: got %q", got)
	}
	named := s.ask(t, "search=red+lion&sort=relevance&include=label&amount=1").Results[0]
	e.run(chromedp.Navigate(s.origin + "/?pub=" + named.UID))
	e.until("namesakes", fmt.Sprintf(`document.querySelector('#pub').innerText.includes("%d other pubs share this name.")`, named.Namesakes))
}

// Corrected words are shown, with a link to the original search.
func TestCorrected(t *testing.T) {
	_, e := exploreMany(t, "?search=wheatsheff")
	want := "Showing results for wheatsheaf. Search for wheatsheff instead"
	e.until(want, fmt.Sprintf(`document.querySelector('#relaxed').innerText.replace(/\s+/g, ' ').replace(/["“”]/g, '').includes(%q)`, want))
	e.run(chromedp.Click(chromedp.CSS("#relaxed a")))
	e.awaitAddress("relax", "false", "search", "wheatsheff")
	e.awaitCount(0)
	e.run(chromedp.Focus(chromedp.CSS("#search")))
	e.press("x")
	e.awaitAddress("relax", "")
}

// If there are more places than the list shows, typing finds each of them.
func TestManyPlaces(t *testing.T) {
	s, e := exploreMany(t, "?search=bell")
	e.awaitCount(s.ask(t, "search=bell").Total)
	e.openFilters()
	e.until("places", `document.querySelector('#locations').options.length > 5`)
	e.run(chromedp.Focus(chromedp.CSS("#location")))
	plain := regexp.MustCompile(`^[A-Z][a-z]{5,}$`)
	pubs := s.ask(t, "search=bell&sort=location&order=desc&amount=100").Results
	place := pubs[slices.IndexFunc(pubs, func(p pub) bool { return plain.MatchString(p.Location) })].Location
	if evaluate[bool](e.tab, fmt.Sprintf(`[...document.querySelector('#locations').options].some(o => o.value === %q)`, place)) {
		t.Fatalf("%s is among the largest places: choose another for this test", place)
	}
	e.press(strings.ToLower(place))
	e.until("the place to choose", fmt.Sprintf(`[...document.querySelector('#locations').options].some(o => o.value === %q)`, place))
	e.run(chromedp.KeyEvent("\r"))
	e.awaitAddress("location", strings.ToLower(place))
	e.awaitCount(s.ask(t, "search=bell&location="+url.QueryEscape(place)).Total)
	e.run(chromedp.Click(chromedp.CSS("#clear")))
	e.awaitAddress("location", "")
}

// axe returns the script of npm's axe-core, which it installs once.
var axe = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	const version = "4.14.1"
	folder := filepath.Join(cache, "pubd-acceptance", "axe-core-"+version)
	file := filepath.Join(folder, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(file); err != nil {
		install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", folder, "axe-core@"+version)
		if out, err := install.CombinedOutput(); err != nil {
			return "", fmt.Errorf("no axe-core: %v: %w %s", install.Args, err, out)
		}
	}
	text, err := os.ReadFile(file)
	return string(text), err
})

// passesAxe checks that axe finds no violation.
func (e explorer) passesAxe(script, what string) {
	e.t.Helper()
	evaluate[bool](e.tab, script+";true")
	found := evaluate[string](e.tab, `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
		JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(node => node.html.slice(0, 120)).join(', '))))`)
	var list []string
	if err := json.Unmarshal([]byte(found), &list); err != nil || len(list) > 0 {
		e.t.Errorf("%s: %q", what, list)
	}
}

// Every state of the page passes axe, in light and dark mode, on all screens.
func TestAxe(t *testing.T) {
	t.Parallel()
	script, err := axe()
	if err != nil {
		t.Skip(err)
	}
	s := serveMany(t)
	rated := s.ask(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	for _, screen := range screens {
		for _, scheme := range []string{"light", "dark"} {
			what := screen.name + " " + scheme
			e := explore(t, s, "?search=anchor", append([]step{prefers(scheme)}, screen.before...)...)
			if scheme == "light" || screen.before == nil {
				e.awaitCount(s.ask(t, "search=anchor").Total)
				e.openFilters()
				e.run(chromedp.Focus(chromedp.CSS("#search")))
				e.press(" i")
				e.until("completions", visible("#suggestions"))
				e.passesAxe(script, what+" with completions and filters")
			}
			e.run(chromedp.Navigate(s.origin + "/?search=wheatsheff&pub=" + rated.UID))
			e.awaitPub(rated.Name)
			e.until("nearby pubs", visible(".nearby li a"))
			e.until("end of the panel's animation", `document.querySelector('#pub').getAnimations().every(({ playState }) => playState === 'finished')`)
			e.passesAxe(script, what+" with a pub")
		}
	}
}
