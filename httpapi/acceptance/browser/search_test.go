package browser

import (
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
	e.run(doubleClickOn("#more")) // the second click sends no request
	e.eventually("more hits", func() bool { return len(e.hits()) > len(first) })
	all := e.hits()
	failIf(t, !slices.Equal(all[:len(first)], first) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all),
		"hits after #more: got %q, want %q and then others, each once", all, first)
}

// holding lets the page wait for the responses to requests with a part, until it calls release().
func holding(part string) string {
	return fmt.Sprintf(`run window.real = window.fetch; window.held = new Promise(done => { window.release = done });
		window.fetch = async (target, ...rest) => { if (String(target).includes(%q)) { window.asked = true; await held }
			return real(target, ...rest) }`, part)
}

// A response that arrives after the response to a later text is not shown.
func TestLateAnswerIsDropped(t *testing.T) {
	s, e := exploreMany(t, "")
	e.do(holding("search=re&"), "type re", "until window.asked")
	e.do("type d lion", "count search=red+lion", "run release()")
	// Once a later request has been answered and a frame drawn, the page has handled this response, too.
	evaluate[bool](e.tab, `fetch('/openapi.json').then(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true)))))`)
	got, want := e.count(), s.search(t, "search=red+lion").Total
	failIf(t, got != want, "count after the late answer to re: got %d, want %d for red lion", got, want)
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
	other := explorer{openTab(t, s, "/?"+shared.Encode())}
	other.do("count " + query)
	other.awaitHits(want)
	other.awaitPub(second.Name)
	for _, control := range []string{"#search", "#sort", "#order", "#trading"} {
		got, want := property[string](other, control, "value"), property[string](e, control, "value")
		failIf(t, got != want, "%s at the shared address: got %q, want %q", control, got, want)
	}
	failIf(t, !other.view().isNear(e.view()), "map at the shared address: got %+v, want %+v", other.view(), e.view())
	for _, name := range []string{"pub", "search", "trading"} {
		failIf(t, other.address().Get(name) != shared.Get(name), "shared address: got %v, want it to stay %v", other.address(), shared)
	}
}

// Back and Forward restore what was shown.
func TestHistory(t *testing.T) {
	_, e := exploreMany(t, "?search=red+lion")
	e.do("count search=red+lion")
	uid := e.hits()[2]
	e.do("click "+hit(uid), "address pub="+uid, "see #pub h2")
	hits := e.hits()
	e.run(goBack)
	e.do("address pub=", "address search=red lion", "lose #pub h2", "count search=red+lion")
	e.run(goForward)
	e.do("address pub="+uid, "see #pub h2")
	failIf(t, !slices.Equal(e.hits(), hits), "hits after Back and Forward: got %q, want %q", e.hits(), hits)
}

// choose selects a value of a list once it has it.
func (e explorer) choose(selector, value string) {
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
	failIf(t, shown.Scheme+"://"+shown.Host != s.origin || search != text, "URL of the request: got %v with search %q, want a URL of %s with search %q", shown, search, s.origin, text)
	want := s.search(t, shown.RawQuery)
	e.awaitHits(want)
	line := property[string](e, "#request-curl", "textContent")
	failIf(t, strings.Contains(line, s.key) || !strings.Contains(line, "$KEY"), "curl: got %s, want $KEY instead of the key", line)
	shell := exec.Command("sh", "-c", line+" --fail --silent --show-error")
	shell.Env = append(os.Environ(), "KEY="+s.key)
	out, err := shell.CombinedOutput()
	var got answer
	failIf(t, err != nil || json.Unmarshal(out, &got) != nil || !reflect.DeepEqual(got.Results, want.Results), "%s\ngot %v, %.400s, want the displayed answer", line, err, out)
	failIf(t, e.is(visible("#request-url")), "the request is visible before its section is opened")
	e.do("click #api summary", "see #request-url")
	for _, button := range []string{"#copy-url", "#copy-curl"} {
		before := e.text(button)
		e.do("click " + button)
		e.eventually(button+" confirms the copy", func() bool { return e.text(button) != before })
	}
}

// firstHit selects the link of the first hit.
const firstHit = "#results li :is(a, button)"

// Browsers throw an error if a page updates the address bar too often. The search still works, and the address follows
// later.
func TestAddressBarRateLimit(t *testing.T) {
	s, e := exploreMany(t, "")
	e.do(`run history.replaceState = history.pushState = () => { throw new DOMException('too often', 'SecurityError') }`, "type red lion")
	want := s.search(t, "search=red+lion&sort=relevance")
	e.awaitHits(want)
	e.do("leave", "click "+firstHit, "see #pub h2", `run delete history.replaceState && delete history.pushState`,
		"address search=red lion", "address pub="+want.Results[0].UID)
}

// Enter repeats a failed search. If more hits cannot be loaded, the list stays.
func TestErrorsCanBeRetried(t *testing.T) {
	_, e := exploreMany(t, "")
	const works, fault = `run window.fetch = real`, `until document.body.innerText.includes('broken')`
	failing := func(part string) string {
		return fmt.Sprintf(`run window.real ??= window.fetch; window.fetch = (target, ...rest) => String(target).includes(%q)
			? Promise.resolve(new Response('{"error":"broken"}', { status: 500 })) : real(target, ...rest)`, part)
	}
	e.do(failing("search=bell&"), "type bell", fault, works, "press Enter", "count search=bell")
	before := e.hits()
	e.do(failing("page=2"), "click #more", fault)
	failIf(t, len(e.hits()) != len(before), "hits after loading more failed: got %d, want %d", len(e.hits()), len(before))
	e.do(works, "click #more")
	e.eventually("more hits", func() bool { return len(e.hits()) > len(before) })
}

// A value of a filter may have a comma.
func TestFilterWithComma(t *testing.T) {
	t.Parallel()
	e := explore(t, serveText(t, "UID,name,location\n1,Bell,Newport\n2,Swan,Newport\n3,Crown,\"Newport, Shropshire\"\n"), "")
	e.awaitCount(3)
	e.do("click #filter", "see #filters", `until [...document.querySelector('#locations').options].some(o => o.value === 'Newport Shropshire')`,
		"focus #location", "type Newport, Shropshire", "press Enter")
	e.awaitCount(1)
}

// serveText starts a server on a snapshot in CSV.
func serveText(t *testing.T, text string, flags ...string) *server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pubs.csv")
	ok(t, os.WriteFile(file, []byte(text), 0o600))
	return serve(t, append(flags, "--data", file)...)
}

// A late response for a pub does not take the focus from the search box.
func TestLatePubKeepsFocus(t *testing.T) {
	_, e := exploreMany(t, "?search=red+lion")
	e.do("count search=red+lion", holding("pubid="),
		"click "+firstHit, "focus #search", "type  inn", "count search=red+lion+inn", "run release()", "see #pub h2")
	got := evaluate[string](e.tab, `document.activeElement.id`)
	failIf(t, got != "search", "focus after the response: got %q, want the search box", got)
}

// someTowns is a snapshot in which people look for places: the pubs of towns, of a part of a town that addresses name,
// and of postcodes.
//
//go:embed testdata/towns.csv
var someTowns string

// line returns the text of an element in one line; empty if it is hidden.
func (e explorer) line(selector string) string {
	e.t.Helper()
	return strings.Join(strings.Fields(evaluate[string](e.tab, fmt.Sprintf(`(e => e?.checkVisibility() ? e.innerText : '')(document.querySelector(%q))`, selector))), " ")
}

// quotes are the signs that the browser sets around a quoted text.
var quotes = regexp.MustCompile(`["“”]`)

// The page says what was understood of a text, moves the map there, and marks the words that matched.
func TestUnderstood(t *testing.T) {
	t.Parallel()
	e := explore(t, serveText(t, someTowns), "")
	e.do("points")
	york, brighton, london := pub{Latitude: 53.958, Longitude: -1.083}, pub{Latitude: 50.825, Longitude: -0.142}, pub{Latitude: 51.510, Longitude: -0.13}
	for _, c := range []struct {
		text, count, said string
		at                pub
		marks             []string // of the first hit
	}{
		{"pubs in york", "5 pubs in York", "", york, []string{"York", "York"}},
		{"brighton", "5 pubs in Brighton", "", brighton, []string{"Brighton", "Brighton"}},
		{"york", "8 pubs", "Only the pubs in York", pub{}, nil},
		{"best pub in york", "5 pubs in York", "", york, nil},
		{"gay bar brighton", "5 pubs in Brighton", "Nothing called gay bar in Brighton: all 5 pubs there. Search for gay bar brighton instead", brighton, nil},
		{"the crown covent garden", "1 pub", "Nearest to Covent Garden. Search for the crown covent garden instead", london, []string{"Crown"}},
		{"white heart", "5 pubs", "1 White Heart, and 4 called White Hart. Search for white heart instead", pub{}, []string{"White", "Heart"}},
		{"white hart lewes", "4 pubs", "1 White Hart Lewes, and 3 for White Hart. Search for white hart lewes instead", pub{Latitude: 50.873, Longitude: 0.010}, []string{"White", "Hart", "Lewes", "Lewes"}},
		{"sw1a 2hp", "1 pub at SW1A 2HP", "", london, []string{"SW1A", "2HP"}},
		{"sw1a2hp", "1 pub at SW1A 2HP", "", london, nil},
		{"pubs at sw1a 2hp", "1 pub at SW1A 2HP", "", london, nil},
		{"public house in york", "5 pubs in York", "", york, nil},
		{"golden fleece public house", "1 pub", "", pub{}, nil},
		{"public house golden fleece", "1 pub", "", pub{}, nil},
		{"golden fleece house of fun", "1 pub", "No exact matches. Showing results for golden fleece. Search for golden fleece house of fun instead", pub{}, nil},
		{"sw1a 1aa", "2 pubs in SW1A", "Nothing at SW1A 1AA: all 2 pubs there. Search for sw1a 1aa instead", london, []string{"SW1A"}},
	} {
		e.do("retype " + c.text)
		e.eventually(fmt.Sprintf("%s: %q, %q, with the words %q marked", c.text, c.count, c.said, c.marks), func() bool {
			marks := evaluate[[]string](e.tab, `[...document.querySelectorAll('#results li:first-child mark')].map(mark => mark.textContent)`)
			return e.line("#count") == c.count && quotes.ReplaceAllString(e.line("#relaxed"), "") == c.said && (c.marks == nil || slices.Equal(marks, c.marks))
		})
		if c.at.Latitude != 0 {
			e.eventually(c.text+" on the map", func() bool { return e.view().Zoom > 10 && e.bounds().has(c.at) })
		}
	}
	e.do("click #relaxed a", "address relax=false", "focus #search", "type x", "address relax=")
}

// A place that is searched is outlined on the map.
func TestPlaceIsOutlined(t *testing.T) {
	t.Parallel()
	e := explore(t, serveText(t, someTowns), "")
	e.do("points")
	for _, c := range []struct {
		query    string
		outlined bool
	}{{"pubs+in+york", true}, {"white+hart", false}, {"brighton", true}, {"york", false}, {"pubs+in+camden", true}} {
		e.do("go /?search=" + c.query)
		e.eventually(fmt.Sprintf("%s: an outline: %v", c.query, c.outlined), func() bool { return e.view().Hits > 0 && (e.view().Outline > 0) == c.outlined })
	}
}

// A completion may be a place, which finds all pubs there, or a pub, which it opens.
func TestPlaceIsCompleted(t *testing.T) {
	t.Parallel()
	e := explore(t, serveText(t, someTowns), "")
	e.do("type brig")
	e.eventually("Brighton with its pubs", func() bool { return strings.HasPrefix(e.line("#suggestions li"), "Brighton place – 5 pubs") })
	e.do("click #suggestions li", "address search=pubs in Brighton")
	e.eventually("the pubs in Brighton", func() bool { return e.line("#count") == "5 pubs in Brighton" })
	e.do("focus #search", "retype golden fl", "see #suggestions [data-type=pub]", "press ↓ Enter", "until "+named("Golden Fleece"))
}
