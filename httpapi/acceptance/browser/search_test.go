package browser

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"pubd/bench/testkit"
)

// While a visitor types, the page shows the pubs and the count of the API.
func TestSearchAsYouType(t *testing.T) {
	s, e := exploreMany(t, "")
	for _, key := range "red lion" {
		e.do("type " + string(key))
		if typed := strings.TrimSpace(property[string](e, "#search", "value")); typed != "" {
			e.do("count search=" + url.QueryEscape(typed))
		}
	}
	e.eventually("request for red lion", func() bool { return e.request().Query().Get("search") == "red lion" })
	e.awaitHits(s.search(t, e.request().RawQuery))
	first := e.hits()
	e.run(chromedp.DoubleClick(chromedp.CSS("#more"))) // the second click sends no request
	e.eventually("more hits", func() bool { return len(e.hits()) > len(first) })
	all := e.hits()
	testkit.FailIf(t, !slices.Equal(all[:len(first)], first) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all),
		"hits after #more: got %q, want %q and then others, each once", all, first)
}

// A point in the box is not searched for: the nearest pubs are shown.
func TestPointInBox(t *testing.T) {
	_, e := exploreMany(t, "")
	e.do("type 51.5136; -0.1319", "press Enter", "address near=51.5136,-0.1319")
	e.eventually("the nearest pubs", func() bool { return e.request().Query().Get("sort") == "distance" })
	testkit.FailIf(t, property[string](e, "#search", "value") != "", "the point is still in the box")
}

// holding lets the page wait for the responses to requests with a part, until it calls release(). The page may have been
// held before: tests share it.
func holding(part string) string {
	return fmt.Sprintf(`run window.real ??= window.fetch; window.held = new Promise(done => { window.release = done });
		window.fetch = async (target, ...rest) => { if (String(target).includes(%q)) { window.asked = true; await held }
			return real(target, ...rest) }`, part)
}

// later is when another request has been answered and a frame drawn: then the page has handled earlier responses, too.
const later = `fetch('/openapi.json').then(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true)))))`

// A response that arrives after the response to a later text is not shown.
func TestLateAnswerIsDropped(t *testing.T) {
	s, e := exploreMany(t, "")
	e.do(holding("search=re&"), "type re", "until window.asked")
	e.do("type d lion", "count search=red+lion", "run release()")
	evaluate[bool](e, later)
	got, want := e.count(), s.search(t, "search=red+lion").Total
	testkit.FailIf(t, got != want, "count after the late answer to re: got %d, want %d for red lion", got, want)
}

// isNear reports whether two views are the same but for rounding.
func (v view) isNear(other view) bool {
	return math.Abs(v.Lat-other.Lat) <= 0.01 && math.Abs(v.Lng-other.Lng) <= 0.01 && math.Abs(v.Zoom-other.Zoom) <= 0.01
}

// hit selects the link of a hit.
func hit(uid string) string { return fmt.Sprintf("#results li[data-uid=%q] :is(a, button)", uid) }

// A shared address shows the same hits, filters, map and pub.
func TestSharedAddress(t *testing.T) {
	s, e := exploreMany(t, "")
	e.do("type red lion")
	e.choose("#sort", "total")
	e.choose("#order", "desc")
	e.do("click #filter", "see #filters", "click #rated")
	e.choose("#trading", "open")
	const query = "search=red+lion&sort=total&order=desc&rated=true&trading=open"
	e.do("address search=red lion", "address sort=total", "address order=desc", "address rated=true", "address trading=open", "count "+query)
	want := s.search(t, query)
	e.awaitHits(want)
	e.eventually("hits on the map", func() bool { return int(e.view().Hits) == want.Total })
	x, y := e.place("#map").at(0.5, 0.5)
	e.wheel(x, y, -360)
	second := want.Results[1]
	e.do("click "+hit(second.UID), "address pub="+second.UID)
	e.awaitPub(second.Name)
	var shared url.Values
	e.eventually("address of the view", func() bool {
		var is view
		shared = e.address()
		_, err := fmt.Sscanf(shared.Get("map"), "%f,%f,%f", &is.Lat, &is.Lng, &is.Zoom)
		return err == nil && is.isNear(e.view())
	})
	controls := []string{"#search", "#sort", "#order", "#trading"}
	chosen := map[string]string{}
	for _, control := range controls {
		chosen[control] = property[string](e, control, "value")
	}
	there := e.view()
	e.do("open /?"+shared.Encode(), "count "+query)
	e.awaitHits(want)
	e.awaitPub(second.Name)
	for _, control := range controls {
		got := property[string](e, control, "value")
		testkit.FailIf(t, got != chosen[control], "%s at the shared address: got %q, want %q", control, got, chosen[control])
	}
	e.eventually(fmt.Sprintf("the map at the shared address: %+v", there), func() bool { return e.view().isNear(there) })
	for _, name := range []string{"pub", "search", "trading"} {
		testkit.FailIf(t, e.address().Get(name) != shared.Get(name), "shared address: got %v, want it to stay %v", e.address(), shared)
	}
}

// Back and Forward restore what was shown.
func TestHistory(t *testing.T) {
	_, e := exploreMany(t, "?search=red+lion")
	uid := e.hits()[2]
	e.do("click "+hit(uid), "address pub="+uid, "see #pub h2")
	hits := e.hits()
	e.do("run history.back()")
	e.do("address pub=", "address search=red lion", "lose #pub h2", "count search=red+lion")
	e.do("run history.forward()")
	e.do("address pub="+uid, "see #pub h2")
	testkit.FailIf(t, !slices.Equal(e.hits(), hits), "hits after Back and Forward: got %q, want %q", e.hits(), hits)
	e.do("click #filter", "see #filters")
	for _, search := range [][]string{{"focus #search", "retype swan", "count search=swan"}, {"click #rated", "count search=red+lion&rated=true"}} {
		e.do(search...) // which closes the pub
		e.do("address pub=", "lose #pub h2", "run history.back()", "address pub="+uid, "see #pub h2", "count search=red+lion")
	}
	e.do("click #filter")
}

// choose selects a value of a list once it has it.
func (e *tab) choose(selector, value string) {
	e.t.Helper()
	list := fmt.Sprintf(`document.querySelector(%q)`, selector)
	e.do(fmt.Sprintf(`until [...%s.options].some((o) => o.value === %q)`, list, value), "focus "+selector,
		fmt.Sprintf(`run %s.value = %q; %[1]s.dispatchEvent(new Event('input', { bubbles: true })); %[1]s.dispatchEvent(new Event('change', { bubbles: true }))`, list, value))
}

// The displayed request works elsewhere, even if the text has characters that are special to a shell.
func TestRequest(t *testing.T) {
	s, e := exploreMany(t, "")
	const text = `bell '"$(exit 3)`
	e.do("type "+text, "count search="+url.QueryEscape(text))
	shown := e.request()
	search := shown.Query().Get("search")
	testkit.FailIf(t, shown.Scheme+"://"+shown.Host != s.origin || search != text, "URL of the request: got %v with search %q, want a URL of %s with search %q", shown, search, s.origin, text)
	want := s.search(t, shown.RawQuery)
	e.awaitHits(want)
	line := property[string](e, "#request-curl", "textContent")
	testkit.FailIf(t, strings.Contains(line, s.key) || !strings.Contains(line, "$KEY"), "curl: got %s, want $KEY instead of the key", line)
	shell := exec.Command("sh", "-c", line+" --fail --silent --show-error")
	shell.Env = append(os.Environ(), "KEY="+s.key)
	out, err := shell.CombinedOutput()
	var got answer
	testkit.FailIf(t, err != nil || json.Unmarshal(out, &got) != nil || !reflect.DeepEqual(got.Results, want.Results), "%s\ngot %v, %.400s, want the displayed answer", line, err, out)
	testkit.FailIf(t, e.is(visible("#request-url")), "the request is visible before its section is opened")
	e.do("click #api summary", "see #request-url")
	for _, button := range []string{"#copy-url", "#copy-curl"} {
		before := e.text(button)
		e.do("click " + button)
		e.eventually(button+" confirms the copy", func() bool { return e.text(button) != before })
	}
}

// firstHit selects the link of the first hit.
const firstHit = "#results li :is(a, button)"

// Browsers throw an error if a page updates the address bar too often. The search still works, and the next change writes
// the whole address.
func TestAddressBarRateLimit(t *testing.T) {
	s, e := exploreMany(t, "")
	e.do(`run history.replaceState = history.pushState = () => { throw new DOMException('too often', 'SecurityError') }`, "type red lion")
	want := s.search(t, "search=red+lion&sort=relevance")
	e.awaitHits(want)
	e.do("run delete history.replaceState && delete history.pushState", "leave", "click "+firstHit, "see #pub h2",
		"address search=red lion", "address pub="+want.Results[0].UID)
}

// Enter repeats a failed search. If more hits cannot be loaded, the list stays. A search is repeated while the server or
// the rate of the key does not allow it, and the page says so; completions are not.
func TestErrorsCanBeRetried(t *testing.T) {
	_, e := exploreMany(t, "")
	const works, fault = `run window.fetch = real`, `until document.body.innerText.includes('broken')`
	failing := func(part string, status int) string {
		return fmt.Sprintf(`run window.real ??= window.fetch; window.fetch = (target, ...rest) => String(target).includes(%q)
			? Promise.resolve(new Response('{"error":"broken"}', { status: %d })) : real(target, ...rest)`, part, status)
	}
	e.do(failing("search=bell&", 500), "type bell", fault, works, "press Enter", "count search=bell")
	before := e.hits()
	e.do(failing("page=2", 500), "click #more", fault)
	testkit.FailIf(t, len(e.hits()) != len(before), "hits after loading more failed: got %d, want %d", len(e.hits()), len(before))
	e.do(works, "click #more")
	e.eventually("more hits", func() bool { return len(e.hits()) > len(before) })
	e.do("focus #search", failing("search=swan", 429), "retype swan", "until document.querySelector('#notice').textContent.includes('Retrying…')",
		works, "count search=swan", "lose #notice",
		failing("/suggest", 502), "retype crown", "count search=crown", "lose #notice")
}

// Who is offline is told at once, and until the network is back.
func TestOffline(t *testing.T) {
	_, e := exploreMany(t, "")
	e.forgive("ERR_INTERNET_DISCONNECTED")
	for _, offline := range []bool{true, false} {
		send(e, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1})
		e.do(fmt.Sprintf("until document.querySelector('#notice').hidden !== %v", offline))
	}
}

// A value of a filter may have a comma.
func TestFilterWithComma(t *testing.T) {
	e := exploreTowns(t, "?search=newport")
	e.do("click #filter", "see #filters", `until [...document.querySelector('#locations').options].some(o => o.value === 'Newport Shropshire')`,
		"focus #location", "type Newport, Shropshire", "press Enter")
	e.awaitCount(1)
	e.do("click #filter")
}

// A choice of a filter says how many pubs it leaves of those that the other filters keep.
func TestChoicesCount(t *testing.T) {
	s, e := exploreMany(t, "?trading=closed")
	e.do("click #filter", "see #filters")
	type choice struct {
		Value string
		Count int
	}
	e.eventually("choices that say how many pubs they leave", func() bool {
		choices := evaluate[[]choice](e, `[...document.querySelector('#category').options].slice(1).map(o => ({ Value: o.value, Count: Number(/(\d+)\)$/.exec(o.text)[1]) }))`)
		return len(choices) > 2 && !slices.ContainsFunc(choices, func(c choice) bool {
			return s.search(t, "search=*&trading=closed&category="+url.QueryEscape(c.Value)).Total != c.Count
		})
	})
	e.do("click #filter")
}

// serveText returns a server of a snapshot in CSV, which is started once for all tests with this text.
func serveText(t *testing.T, text string) *server {
	t.Helper()
	needChromium(t)
	name := fmt.Sprintf("%x.csv", sha256.Sum256([]byte(text)))
	for _, s := range servers {
		if filepath.Base(s.Data) == name {
			return s
		}
	}
	file := filepath.Join(scratch, name)
	testkit.OK(t, os.WriteFile(file, []byte(text), 0o600))
	s := testkit.Must(startServer(context.Background(), file))(t)
	servers = append(servers, s)
	return s
}

// exploreTowns shows a search of the explorer among the pubs of someTowns.
func exploreTowns(t *testing.T, query string) *tab {
	t.Helper()
	return explore(t, serveText(t, someTowns), query)
}

// A late response for a pub does not open it in a later search.
func TestLatePubIsDropped(t *testing.T) {
	_, e := exploreMany(t, "?search=red+lion")
	e.do("count search=red+lion", holding("pubid="), "click "+firstHit, "focus #search", "type  inn", "count search=red+lion+inn", "run release()")
	evaluate[bool](e, later)
	testkit.FailIf(t, e.is(visible("#pub")), "the late pub is open: %s", e.state())
}

// someTowns is a snapshot in which people look for places: the pubs of towns, of a part of a town that addresses name,
// and of postcodes.
//
//go:embed testdata/towns.csv
var someTowns string

// line returns the text of an element in one line; empty if it is hidden.
func (e *tab) line(selector string) string {
	e.t.Helper()
	return strings.Join(strings.Fields(evaluate[string](e, fmt.Sprintf(`(e => e?.checkVisibility() ? e.innerText : '')(document.querySelector(%q))`, selector))), " ")
}

// quotes are the signs that the browser sets around a quoted text.
var quotes = regexp.MustCompile(`["“”]`)

// The page says what was understood of a text, moves the map there, and marks the words that matched.
func TestUnderstood(t *testing.T) {
	e := exploreTowns(t, "")
	york, brighton, london := pub{Latitude: 53.958, Longitude: -1.083}, pub{Latitude: 50.825, Longitude: -0.142}, pub{Latitude: 51.510, Longitude: -0.13}
	for _, c := range []struct {
		text, count, said string
		at                pub
		marks             []string // of the first hit
	}{
		{"pubs in york", "5 pubs in York", "", york, []string{"York"}},
		{"york", "5 pubs in York", "", york, nil},
		{"gay bar brighton", "5 pubs in Brighton", "Not used: gay. Search for gay bar brighton instead", brighton, nil},
		{"pubs in brihgton", "5 pubs in Brighton", "Search for names like brihgton instead", brighton, nil},
		{"the crown covent garden", "4 pubs", "1 Crown near Covent Garden, and 3 in Covent Garden. Search for the crown covent garden instead", london, []string{"Crown"}},
		{"white heart", "5 pubs", "1 White Heart, and 4 called White Hart. Search for white heart instead", pub{}, []string{"White", "Heart"}},
		{"white hart lewes", "4 pubs", "1 White Hart Lewes, and 3 for White Hart. Search for white hart lewes instead", pub{Latitude: 50.873, Longitude: 0.010}, []string{"White", "Hart", "Lewes"}},
		{"sw1a 2hp", "1 pub at SW1A 2HP", "", london, []string{"SW1A", "2HP"}},
		{"pubs at sw1a 2hp", "6 pubs", "1 at SW1A 2HP, and 5 near SW1A 2HP. Search for pubs at sw1a 2hp instead", london, nil},
		{"golden fleece house of fun", "1 pub", "No exact matches. Showing results for golden fleece. Not used: fun. Search for golden fleece house of fun instead", pub{}, nil},
		{"pubs in newport", "2 pubs in Newport", "", pub{}, nil},
		{"obstér", "1 pub", "No exact matches.", brighton, nil},
	} {
		e.do("retype " + c.text)
		e.eventually(fmt.Sprintf("%s: %q, %q, with the words %q marked", c.text, c.count, c.said, c.marks), func() bool {
			marks := evaluate[[]string](e, `[...document.querySelectorAll('#results li:first-child mark')].map(mark => mark.textContent)`)
			return e.line("#count") == c.count && quotes.ReplaceAllString(e.line("#relaxed"), "") == c.said && (c.marks == nil || slices.Equal(marks, c.marks))
		})
		if c.at.Latitude != 0 {
			e.eventually(c.text+" on the map", func() bool { return e.view().Zoom > 10 && e.bounds().has(c.at) })
		}
	}
	e.do("go /?search=pubs+in+brihgton", "click #relaxed a", "address search=brihgton", "address relax=false", "focus #search", "type x", "address relax=")
}

// Where a search has a location, the place that its text names is offered, and so is every place.
func TestPlaceElsewhere(t *testing.T) {
	e := exploreTowns(t, "")
	for _, query := range []string{"?search=york&lat=51.513&lng=-0.13&distance=5", "?search=york&bbox=-0.2,51.4,0,51.6"} {
		e.do("go /"+query, "until document.querySelector('#relaxed a')")
		e.eventually("York from "+query, func() bool {
			return strings.Contains(e.line("#relaxed")+e.line("#offers"), "Search everywhere") && e.line("#relaxed a") == "5 pubs in York"
		})
		e.do("click #relaxed a", "address lat=", "address bbox=")
		e.eventually("the pubs in York", func() bool { return e.line("#count") == "5 pubs in York" })
	}
}

// A completion may be a place, which finds all pubs there, or a pub, which it opens. Arrow keys and Enter select it, and
// screen readers are told.
func TestCompletions(t *testing.T) {
	e := exploreTowns(t, "")
	e.do("type brig")
	const place = `#suggestions li[data-text="pubs in Brighton"]` // the first, or behind pubs if the map is there already
	e.eventually("Brighton with its pubs", func() bool { return strings.HasPrefix(e.line(place), "Brighton place – 5 pubs") })
	e.do("click "+place, "address search=pubs in Brighton")
	e.eventually("the pubs in Brighton", func() bool { return e.line("#count") == "5 pubs in Brighton" })
	e.do("focus #search", "retype golden fl")
	e.eventually("the Golden Fleece is completed", func() bool { return strings.HasPrefix(e.line("#suggestions li"), "Golden Fleece") })
	e.do("press ↓",
		`until document.getElementById(document.querySelector('#search').getAttribute('aria-activedescendant'))`,
		"press Enter", "lose #suggestions [role=option]", `until document.querySelector('#search').value.startsWith('Golden Fleece')`)
	// Near the map's middle a completion is one pub, otherwise a name.
	e.eventually("the Golden Fleece", func() bool { return e.is(named("Golden Fleece")) || e.line("#count") == "1 pub" })
}

// The page names the sort order, and each hit shows its value.
func TestSortOrderIsShown(t *testing.T) {
	_, e := exploreMany(t, "?search=anchor")
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

// aboutRatings matches what the page says about ratings.
var aboutRatings = regexp.MustCompile(`(?i)\b(un)?rat(ed|ings?)\b|\breviews?\b|\bscore\b|\btotal\b|\bbeer\b`)

// shownWords are the texts on the screen, in lists of choices and in the description.
const shownWords = `(() => {
	const words = [document.querySelector('meta[name=description]').content], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	while (texts.nextNode()) {
		const { parentElement: element, data } = texts.currentNode
		if (element.closest('option') ? !element.hidden : element.checkVisibility()) words.push(data)
	}
	return words.join('\n')
})()`

// A directory without ratings is listed by name, and nothing is said about ratings.
func TestNothingIsRated(t *testing.T) {
	e := exploreTowns(t, "")
	e.awaitHits(e.server.search(t, "search=*&sort=name&amount=20"))
	e.says("#sorted", "By name, A to Z.")
	e.do("click #filter", "see #filters", "click "+firstHit, "see #pub h2")
	got := evaluate[string](e, shownWords)
	testkit.FailIf(t, aboutRatings.MatchString(got), "page without ratings: got %q in %q", aboutRatings.FindString(got), got)
	e.do("press Escape", "click #filter", "go /?sort=fair&order=desc")
	e.awaitHits(e.server.search(t, "search=*&sort=name&amount=20"))
	_, other := exploreMany(t, "")
	rated := evaluate[string](other, shownWords)
	testkit.FailIf(t, !aboutRatings.MatchString(rated), "page with ratings: got %q, want it to say so", rated)
}

// someRated is a snapshot in which a closed pub has the best ratings.
const someRated = `UID,name,location,trading,total,review_count,latitude,longitude
1,Anchor,Ely,open,8.26,23,52.41,0.26
2,Bell,Ely,closed,9.5,40,52.4,0.26
3,Crown,Ely,Sundays only,5,1,52.42,0.26
4,Dolphin,Ely,open,,0,52.43,0.26
5,Eagle,Stow,temporarily_closed,9,30,,
6,Fox,Stow,closed,9,2,,
`

// Among the best rated and around a point, closed pubs come last, behind all pages, and say so. Each hit has its rating, and from how many
// reviews.
func TestBestRated(t *testing.T) {
	text := someRated
	for n := range 18 {
		text += fmt.Sprintf("g%d,Gate,Ham,open,,0,,\n", n)
	}
	e := explore(t, serveText(t, text), "")
	for _, c := range []struct {
		query, count string
		hits         []string
	}{
		{"?location=ely", "4 pubs", []string{"1", "3", "4", "2"}},
		{"?trading=closed", "2 pubs", []string{"2", "6"}},
		{"?location=stow", "2 pubs", []string{"5", "6"}},
		{"?search=ely&sort=fair&order=desc", "4 pubs in Ely", []string{"2", "1", "3", "4"}},
		{"?lat=52.4&lng=0.26&distance=5", "4 pubs", []string{"1", "3", "4", "2"}},
		{"?near=52.4,0.26&sort=distance", "4 pubs", []string{"1", "3", "4", "2"}},
		{"?lat=52.4&lng=0.26&distance=5&trading=closed", "1 pub", []string{"2"}},
	} {
		e.do("go /" + c.query)
		e.eventually(fmt.Sprintf("/%s: %s: %q", c.query, c.count, c.hits), func() bool { return e.line("#count") == c.count && slices.Equal(e.hits(), c.hits) })
	}
	e.do("go /", "until document.querySelector('#sorted').textContent.includes('Closed pubs come last.')", "see #more")
	for _, c := range []struct{ uid, says string }{{"1", "8.3 / 10 from 23 reviews"}, {"3", "5.0 / 10 from 1 review"}, {"4", "Not rated"}} {
		got := e.line(fmt.Sprintf("#results li[data-uid=%q] .figure", c.uid))
		testkit.FailIf(t, got != c.says, "figure of %s: got %q, want %q", c.uid, got, c.says)
	}
	e.says("#count", "Best rated of 24 pubs")
	shown := e.hits()
	testkit.FailIf(t, len(shown) != 17 || !slices.Equal(shown[:3], []string{"1", "3", "4"}), "the first page: got %q, want all of its 20 pubs but 3 closed ones", shown)
	e.do("click #more")
	e.eventually("the closed pubs", func() bool { all := e.hits(); return len(all) == 24 && slices.Equal(all[21:], []string{"2", "5", "6"}) })
	closed := evaluate[[]string](e, `[...document.querySelectorAll('#results .shut')].map(e => e.textContent)`)
	testkit.FailIf(t, !slices.Equal(closed, []string{"Sundays only", "Closed", "Temporarily closed", "Closed"}), "statuses: got %q", closed)
	e.do("lose #more")
}

// typedQuickly types 12 letters into the search box, at 60 ms a letter. It runs in the page, whose timers are late
// together on a busy machine.
const typedQuickly = `(async () => {
	const box = document.querySelector('#search')
	for (const letter of 'wheatsheaf e') {
		box.value += letter
		box.dispatchEvent(new InputEvent('input', { bubbles: true }))
		await new Promise(done => setTimeout(done, 60))
	}
	return true
})()`

// While a visitor types, there is a request a letter, for completions, and then one for the hits, one for the map and, if
// hours are known, one for how many are open.
func TestRequestsWhileTyping(t *testing.T) {
	_, e := exploreMany(t, "")
	e.do("count search=*", "settle")
	before := len(e.urls())
	evaluate[bool](e, typedQuickly)
	e.do("count search=wheatsheaf+e", "until Number(document.querySelector('#map').dataset.hits) > 0")
	sent := map[string]int{}
	for _, url := range e.urls()[before:] {
		if _, path, is := strings.Cut(url, "/api/v1/"); is {
			name, _, _ := strings.Cut(strings.ReplaceAll(path, "?", "/"), "/")
			if strings.Contains(path, "open=now") {
				name = "open"
			}
			sent[name]++
		}
	}
	testkit.FailIf(t, sent["suggest"] < 1 || sent["suggest"] > 12 || sent["pubs"] != 1 || sent["points"] > 1 || sent["open"] > 1 || len(sent) > 4,
		"requests while 12 letters were typed: got %v, want at most 12 for completions, 1 for pubs and 1 for points", sent)
}

// A location that the browser does not tell is explained.
func TestDeniedLocation(t *testing.T) {
	s, e := exploreMany(t, "")
	e.permitLocation(browser.PermissionSettingDenied)
	e.do("click #near", "see #map-hint", "until document.querySelector('#map-hint').textContent !== 'Finding your location…'")
	e.says("#map-hint", "The browser does not let this page use your location: its settings for this page can allow it. You can pick a place on the map instead.")
	e.close() // which would keep the permission and the message
	s.shared = nil
}

// What finds nothing offers to drop each filter, and what is near.
func TestNothingFound(t *testing.T) {
	e := explore(t, serveText(t, someRated+"7,Gun,York,open,5,9,,\n"), "")
	offered := func() string {
		t.Helper()
		return quotes.ReplaceAllString(strings.Join(evaluate[[]string](e, `[...document.querySelectorAll('#offers .action')].map(a => a.innerText)`), ", "), "")
	}
	for _, c := range []struct{ query, offers, link, address string }{
		{"?search=zzxxqq&map=52.4,0.26,11", "All pubs in the area of the map, The nearest pubs, All pubs", "near=", "search="},
		{"?search=bell&trading=open&rated=true", "Without In business, Without Rated only, Without filters, Pubs near me, All pubs", "rated=true", "trading="},
		{"?search=bell&trading=open&rated=true", "Without In business, Without Rated only, Without filters, Pubs near me, All pubs", "trading=open", "rated="},
		{"?search=bell&lat=50.4&lng=0.26&distance=3", "Search everywhere, The nearest pubs, All pubs", "search=bell", "lat="},
		{"?category=none", "Without none, Pubs near me, All pubs", `/"`, "category="},
	} {
		e.do("open /"+c.query, "see #offers a")
		testkit.FailIf(t, offered() != c.offers, "%s: offers %q, want %q", c.query, offered(), c.offers)
		link := fmt.Sprintf(`#offers a[href*=%q]`, c.link)
		if c.link == `/"` {
			link = `#offers a[href="/"]`
		}
		e.do("click "+link, "address "+c.address)
	}
	e.eventually("all pubs", func() bool { return len(e.hits()) > 0 && !e.is(visible("#nothing")) })
}
