package browser

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
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
var landscape = []step{window(740, 360, chromedp.EmulateMobile, chromedp.EmulateScale(2), chromedp.EmulateTouch)}

var screens = []struct {
	name   string
	before []step
}{{"1280×800", nil}, {"360×740", phone}, {"740×360", landscape}}

func (r rectangle) overlaps(other rectangle) bool {
	return r.X < other.X+other.Width-1 && other.X < r.X+r.Width-1 && r.Y < other.Y+other.Height-1 && other.Y < r.Y+r.Height-1
}

// On every screen, the map has a useful size and is beside the list and the panel of a pub, or above them on a phone.
func TestMapIsNeverCovered(t *testing.T) {
	s := serveMany(t)
	want := s.search(t, "search=red+lion&sort=relevance").Results[0]
	e := explore(t, s, "?search=red+lion")
	e.do("count search=red+lion")
	for _, screen := range screens {
		e.run(screen.before...)
		for _, part := range []string{"#column", "#pub"} {
			if part == "#pub" {
				e.do("click #results li a")
				e.awaitPub(want.Name)
				e.do("see .nearby li a")
			}
			place, other := e.place("#place"), e.place(part)
			failIf(t, place.overlaps(other) || other.Width < 280 || other.Height < 200 || place.Width < 240 || place.Height < 200,
				"%s: map %+v, %s %+v: want no overlap and both large enough", screen.name, place, part, other)
			failIf(t, screen.name == "360×740" && place.Y >= other.Y, "%s: map %+v, %s %+v: want the map on top", screen.name, place, part, other)
			e.fits(screen.name + " with " + part)
		}
		e.do("press Escape", "lose #pub h2")
	}
}

// The page names the sort order, and each hit shows its value.
func TestSortOrderIsShown(t *testing.T) {
	s, e := exploreMany(t, "?search=anchor")
	e.awaitHits(s.search(t, "search=anchor&sort=relevance"))
	e.choose("#sort", "beer")
	e.do("address order=desc") // best first
	for _, c := range []struct{ query, how, figure string }{
		{"search=bell", "Best match", "/ 10"},
		{"search=bell&sort=beer&order=desc", "Highest rating for beer", "beer from"},
		{"search=bell&sort=beer", "Lowest rating for beer", "beer"},
		{"search=bell&sort=review_count&order=desc", "Most reviews", "review"},
		{"search=bell&sort=name", "A to Z", ""},
		{"search=bell&sort=fair&order=desc", "Highest fair score", "/ 10"},
		{"lat=52.2&lng=0.7&distance=20", "Nearest first", ""},
	} {
		e.do("go /?"+c.query, fmt.Sprintf(`until document.querySelector('#sorted').textContent.includes(%q)`, c.how))
		e.says("#results .figure:not(.none)", c.figure)
	}
}

// Nothing is animated if the visitor prefers reduced motion.
func TestReducedMotion(t *testing.T) {
	_, e := exploreMany(t, "?search=wheatsheaf+ely&map=52.4,0.26,11", prefers("prefers-reduced-motion", "reduce"))
	e.do("points", `run window.zooms = new Set(); new MutationObserver(() => zooms.add(document.querySelector('#map').dataset.zoom))
		.observe(document.querySelector('#map'), { attributes: true })`, "click #results li a", "see #pub h2")
	e.eventually("the pub's map", func() bool { return e.view().Zoom >= 12.5 })
	failIf(t, e.is(`zooms.size > 2 || getComputedStyle(document.querySelector('#pub')).animationName !== 'none'`), "something moved")
}

// The page of a shared link has a title and a description.
func TestSharedTitle(t *testing.T) {
	s := serveMany(t)
	want := s.search(t, "search=red+lion&sort=relevance").Results[0]
	path := "/?search=red+lion&pub=" + want.UID
	e := explorer{openTab(t, s, path)}
	e.awaitPub(want.Name)
	title := want.Name + ", " + want.Location + " – Pubs"
	e.do(fmt.Sprintf(`until document.title === %q`, title))
	description := property[string](e, "meta[name=description]", "content")
	failIf(t, len(description) < 50, "description: got %q", description)
	e.do("press Escape", `until document.title === 'red lion – Pubs'`)

	// A preview runs no scripts: it uses what the server sends.
	response := must(http.Get(s.origin + path))(t)
	defer response.Body.Close()
	document, got := string(must(io.ReadAll(response.Body))(t)), html.EscapeString(title)
	failIf(t, !strings.Contains(document, "<title>"+got+"</title>") || !strings.Contains(document, `content="`+got+`"`),
		"page from the server: want it to have the title %q\n%.800s", title, document)
}

// If there are more places than the list shows, typing finds each of them.
func TestManyPlaces(t *testing.T) {
	s, e := exploreMany(t, "?search=bell")
	e.do("count search=bell", "click #filter", "see #filters", "until document.querySelector('#locations').options.length > 5", "focus #location")
	plain := regexp.MustCompile(`^[A-Z][a-z]{5,}$`)
	pubs := s.search(t, "search=bell&sort=location&order=desc&amount=100").Results
	place := pubs[slices.IndexFunc(pubs, func(p pub) bool { return plain.MatchString(p.Location) })].Location
	listed := fmt.Sprintf(`[...document.querySelector('#locations').options].some(o => o.value === %q)`, place)
	if e.is(listed) {
		t.Fatalf("%s is among the largest places: choose another for this test", place)
	}
	e.do("type "+strings.ToLower(place), "until "+listed, "press Enter", "address location="+strings.ToLower(place),
		"count search=bell&location="+url.QueryEscape(place), "click #clear", "address location=")
}

// installed returns the folder of a package of npm, which it installs once.
func installed(name, version string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	prefix := filepath.Join(cache, "pubd-acceptance", name+"-"+version)
	folder := filepath.Join(prefix, "node_modules", name)
	if _, err := os.Stat(folder); err != nil {
		install := exec.Command("npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", prefix, name+"@"+version)
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

// passesAxe checks that axe finds no violation.
func (e explorer) passesAxe(script, what string) {
	e.t.Helper()
	evaluate[bool](e.tab, script+";true")
	found := evaluate[string](e.tab, `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
		JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(node => node.html.slice(0, 120)).join(', '))))`)
	var list []string
	err := json.Unmarshal([]byte(found), &list)
	failIf(e.t, err != nil || len(list) > 0, "%s: %q %v", what, list, err)
}

// Every state of the page passes axe, in light and dark mode, on all screens.
func TestAxe(t *testing.T) {
	script, s := needAxe(t), serveMany(t)
	rated := s.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	for _, screen := range screens {
		for _, scheme := range []string{"light", "dark"} {
			what := screen.name + " " + scheme
			e := explore(t, s, "?search=anchor", append([]step{prefers(colourScheme, scheme)}, screen.before...)...)
			if scheme == "light" || screen.before == nil {
				e.do("count search=anchor", "click #filter", "see #filters", "focus #search", "type  i", "see #suggestions")
				e.passesAxe(script, what+" with completions and filters")
			}
			e.do("open /?search=wheatsheff&pub=" + rated.UID)
			e.awaitPub(rated.Name)
			e.do("see .nearby li a", `until document.querySelector('#pub').getAnimations().every(({ playState }) => playState === 'finished')`)
			e.passesAxe(script, what+" with a pub")
			e.do("open /?search=zzxxqq&trading=open&map=52.4,0.26,11", "see #offers .action")
			e.passesAxe(script, what+" with nothing found")
			if screen.before != nil {
				e.fits(what + " with nothing found")
			}
		}
	}
}

// The page /docs lists every path and can send requests.
func TestDocs(t *testing.T) {
	s := serveMany(t)
	e := explorer{openTab(t, s, "/docs")}
	e.do("see .opblock")
	var document struct{ Paths map[string]any }
	s.get(t, "/openapi.json", &document)
	want := slices.Sorted(maps.Keys(document.Paths))
	// Swagger UI inserts zero-width characters where a path may wrap.
	got := evaluate[[]string](e.tab, `[...document.querySelectorAll('.opblock-summary-path')].map((path) => path.textContent.replace(/\u200b/g, ''))`)
	slices.Sort(got)
	failIf(t, len(want) == 0 || !slices.Equal(slices.Compact(got), want), "paths: got %q, want those of /openapi.json, %q", got, want)
	for _, selector := range []string{".opblock-summary-control", ".try-out__btn", ".execute"} {
		e.do("see "+selector, "click "+selector)
	}
	const status = ".live-responses-table .response .response-col_status"
	e.do("see " + status)
	said := e.text(status)
	failIf(t, !strings.HasPrefix(said, "200"), "status of the request that was tried out: got %q, want 200\n%s", said, e.text(".live-responses-table"))
}

// named returns a condition: a panel has the name of a pub.
func named(name string) string {
	return fmt.Sprintf(`document.querySelector('#pub h2')?.textContent === %q`, name)
}

// The panel of a pub shows its ratings and ranks, and links to the pubs nearby.
func TestPanel(t *testing.T) {
	s := serveMany(t)
	rated := s.search(t, "search=*&sort=beer&order=desc&rated=true&amount=1").Results[0]
	e := explorer{openTab(t, s, "/?search=red+lion&pub="+rated.UID)}
	e.do("until " + named(rated.Name))
	ranks, ratings := s.search(t, "pubid="+rated.UID).Results[0].Rankings, 0
	for _, rank := range ranks {
		if rank != nil {
			ratings++
		}
	}
	n := evaluate[int](e.tab, `document.querySelectorAll('#pub [data-metric] meter').length`)
	failIf(t, n != ratings || n < 5, "meters: got %d, want one for each of %d ratings", n, ratings)
	lit := evaluate[float64](e.tab, `parseFloat(getComputedStyle(document.querySelector('#pub [data-metric=beer] meter')).backgroundSize)`)
	failIf(t, lit != 10**rated.Beer, "bar for beer: got %v %%, want %v", lit, 10**rated.Beer)
	var stats struct {
		Metrics map[string]struct{ Count int }
	}
	s.get(t, "/api/v1/stats", &stats)
	got := number.FindAllString(strings.ReplaceAll(e.text(`#pub [data-metric=beer] .ranking`), ",", ""), 2)
	want := []string{fmt.Sprint(*ranks["beer"]), fmt.Sprint(stats.Metrics["beer"].Count)}
	failIf(t, !slices.Equal(got, want), "ranking for beer: got %q, want %q", got, want)
	e.do(`click #pub a[href*="around="]`, "address around="+rated.UID, "address search=")
	e.do("count search=*&around=" + rated.UID + "&distance=" + e.address().Get("distance"))
	pubs := s.search(t, "search=lion&amount=100").Results
	unrated := slices.IndexFunc(pubs, func(p pub) bool { return p.Beer == nil })
	if unrated < 0 {
		t.Fatal("all pubs with lion are rated, want one that is not")
	}
	e.do("open /?pub="+pubs[unrated].UID, `until document.querySelector('#pub').innerText.match(/not rated/gi)?.length === 1`)
}

// The panel has links for directions and for sharing, and lists the nearest pubs.
func TestPanelLinks(t *testing.T) {
	s := serveMany(t)
	want := s.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	e := explorer{openTab(t, s, "/?pub="+want.UID)}
	e.awaitPub(want.Name)
	at := fmt.Sprintf("%v,%v", want.Latitude, want.Longitude)
	links := evaluate[[]string](e.tab, `[...document.querySelectorAll('#pub .actions a')].map(a => a.getAttribute('href'))`)
	failIf(t, len(links) < 2 || links[0] != "https://www.openstreetmap.org/directions?to="+url.QueryEscape(at) || !strings.HasPrefix(links[1], "https://www.openstreetmap.org/?mlat="),
		"links: got %q, want directions to %s and a map", links, at)
	near := s.search(t, "search=*&around="+want.UID+"&distance=100&amount=5").Results
	e.do("click #copy-address", `until document.querySelector('#copy-address').textContent === 'Copied'`)
	e.do("click #copy-link", `until document.querySelector('#copy-link').textContent === 'Copied'`, `until document.querySelectorAll('.nearby li').length === 5`,
		fmt.Sprintf(`until Number(new URLSearchParams(document.querySelector('.nearby > a').search).get('distance')) >= %v`, near[len(near)-1].Distance),
		"click .nearby li a", "address pub="+near[0].UID)
	e.awaitPub(near[0].Name)
}

// On a phone, directions open its own maps.
func TestDirectionsOnPhones(t *testing.T) {
	s := serveMany(t)
	want := s.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	at := fmt.Sprintf("%v,%v", want.Latitude, want.Longitude)
	for _, c := range []struct{ agent, link string }{
		{"Mozilla/5.0 (Linux; Android 16; Pixel 9) Mobile", "geo:" + at + "?q=" + at + "("},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Mobile", "https://maps.apple.com/?daddr=" + url.QueryEscape(at)},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; Touch)", "https://www.openstreetmap.org/directions?to=" + url.QueryEscape(at)},
	} {
		touch := explorer{openTab(t, s, "/?pub="+want.UID, append(slices.Clone(phone), commanded(emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: c.agent}))...)}
		touch.awaitPub(want.Name)
		first := evaluate[[]string](touch.tab, `[...document.querySelectorAll('#pub .actions > *')].slice(0, 2).map(e => e.getAttribute('href') ?? e.textContent)`)
		failIf(t, len(first) < 2 || !strings.HasPrefix(first[0], c.link) || first[1] != "Copy address", "%s: got %q, want directions by %s, and Copy address", c.agent, first, c.link)
	}
}
