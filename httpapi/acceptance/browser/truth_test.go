package browser

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

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
	t.Parallel()
	s := serveText(t, someTowns)
	e := explore(t, s, "")
	e.awaitHits(s.search(t, "search=*&sort=name&amount=20"))
	e.says("#sorted", "By name, A to Z.")
	e.do("click #filter", "see #filters", "click "+firstHit, "see #pub h2")
	got := evaluate[string](e.tab, shownWords)
	failIf(t, aboutRatings.MatchString(got), "page without ratings: got %q in %q", aboutRatings.FindString(got), got)
	e.do("open /?sort=fair&order=desc")
	e.awaitHits(s.search(t, "search=*&sort=name&amount=20"))
	rated := evaluate[string](explore(t, shared, "").tab, shownWords)
	failIf(t, !aboutRatings.MatchString(rated), "page with ratings: got %q, want it to say so", rated)
}

// someRated is a snapshot in which a closed pub has the best ratings.
const someRated = `UID,name,location,trading,total,review_count
1,Anchor,Ely,open,8.26,23
2,Bell,Ely,closed,9.5,40
3,Crown,Ely,Sundays only,5,1
4,Dolphin,Ely,open,,0
5,Eagle,Stow,temporarily_closed,9,30
6,Fox,Stow,closed,9,2
`

// In the list of the best rated, closed pubs come last and say so. Each hit has its rating, and from how many reviews.
func TestBestRated(t *testing.T) {
	t.Parallel()
	e := explore(t, serveText(t, someRated), "")
	for _, c := range []struct {
		query, count string
		hits         []string
	}{
		{"", "Best rated of 3 open pubs", []string{"1", "3", "4"}},
		{"?location=ely", "3 open pubs", []string{"1", "3", "4"}},
		{"?trading=closed", "2 pubs", []string{"2", "6"}},
		{"?location=stow", "2 pubs", []string{"5", "6"}},
		{"?search=ely&sort=fair&order=desc", "4 pubs in Ely", []string{"2", "1", "3", "4"}},
	} {
		e.do("go /" + c.query)
		e.eventually(fmt.Sprintf("/%s: %s: %q", c.query, c.count, c.hits), func() bool { return e.line("#count") == c.count && slices.Equal(e.hits(), c.hits) })
	}
	e.do("go /", "until document.querySelector('#sorted').textContent.includes('Closed pubs come last.')", "see #more")
	for _, c := range []struct{ uid, says string }{{"1", "8.3 / 10 from 23 reviews"}, {"3", "5.0 / 10 from 1 review"}, {"4", "Not rated"}} {
		got := e.line(fmt.Sprintf("#results li[data-uid=%q] .figure", c.uid))
		failIf(t, got != c.says, "figure of %s: got %q, want %q", c.uid, got, c.says)
	}
	e.do("click #more")
	e.eventually("the closed pubs", func() bool { return slices.Equal(e.hits(), []string{"1", "3", "4", "2", "5", "6"}) })
	closed := evaluate[[]string](e.tab, `[...document.querySelectorAll('#results .shut')].map(e => e.textContent)`)
	failIf(t, !slices.Equal(closed, []string{"Sundays only", "Closed", "Temporarily closed", "Closed"}), "statuses: got %q", closed)
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

// While a visitor types, there is a request a letter, for completions, and then one for the hits and one for the map.
func TestRequestsWhileTyping(t *testing.T) {
	_, e := exploreMany(t, "")
	e.do("points", "count search=*&trading=open")
	before := len(e.urls())
	evaluate[bool](e.tab, typedQuickly)
	e.do("count search=wheatsheaf+e", "until Number(document.querySelector('#map').dataset.hits) > 0")
	sent := map[string]int{}
	for _, url := range e.urls()[before:] {
		if _, path, is := strings.Cut(url, "/api/v1/"); is {
			name, _, _ := strings.Cut(strings.ReplaceAll(path, "?", "/"), "/")
			sent[name]++
		}
	}
	failIf(t, sent["suggest"] < 1 || sent["suggest"] > 12 || sent["pubs"] != 1 || sent["points"] > 1 || len(sent) > 3,
		"requests while 12 letters were typed: got %v, want at most 12 for completions, 1 for pubs and 1 for points", sent)
}

// A location that the browser does not tell is explained.
func TestDeniedLocation(t *testing.T) {
	s, e := exploreMany(t, "")
	e.run(denyLocation(s.origin))
	e.do("click #near", "see #map-hint", "until document.querySelector('#map-hint').textContent !== 'Finding your location…'")
	e.says("#map-hint", "The browser does not let this page use your location: its settings for this page can allow it. You can pick a place on the map instead.")
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
	t.Parallel()
	var text strings.Builder
	text.WriteString("UID,name,location,trading,common_category,total,review_count\n")
	for n := range 60 {
		fmt.Fprintf(&text, "%d,Bell,Up%s,temporarily_closed,Hotel Bar,7,%d\n", n, strings.Repeat("o", 2*n/5), n+1)
	}
	s := serveText(t, text.String())
	e := explore(t, s, "?search=bell")
	e.do("see #more", "click #more", "until document.querySelectorAll('#results li').length === 40", "click #more", "lose #more")
	for _, screen := range screens {
		e.run(screen.before...)
		got := evaluate[[]string](e.tab, brokenWords)
		failIf(t, len(got) > 0, "%s: words on two lines: got %q", screen.name, got)
	}
}

// What finds nothing offers to drop each filter, and what is near.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	e := explore(t, serveText(t, someRated+"7,Gun,York,open,5,9\n"), "")
	offered := func() string {
		t.Helper()
		return quotes.ReplaceAllString(strings.Join(evaluate[[]string](e.tab, `[...document.querySelectorAll('#offers .action')].map(a => a.innerText)`), ", "), "")
	}
	for _, c := range []struct{ query, offers, link, address string }{
		{"?search=zzxxqq&map=52.4,0.26,11", "All pubs in the area of the map, The nearest pubs, All pubs", "near=", "search="},
		{"?search=bell&trading=open&rated=true", "Without Open, Without Rated only, Without filters, Pubs near me, All pubs", "rated=true", "trading="},
		{"?search=bell&trading=open&rated=true", "Without Open, Without Rated only, Without filters, Pubs near me, All pubs", "trading=open", "rated="},
		{"?search=bell&lat=52.4&lng=0.26&distance=3", "Search everywhere, The nearest pubs, All pubs", "search=bell", "lat="},
		{"?category=none", "Without none, Pubs near me, All pubs", `/"`, "category="},
	} {
		e.do("open /"+c.query, "see #offers a")
		failIf(t, offered() != c.offers, "%s: offers %q, want %q", c.query, offered(), c.offers)
		link := fmt.Sprintf(`#offers a[href*=%q]`, c.link)
		if c.link == `/"` {
			link = `#offers a[href="/"]`
		}
		e.do("click "+link, "address "+c.address)
	}
	e.eventually("all pubs", func() bool { return len(e.hits()) > 0 && !e.is(visible("#nothing")) })
}

// cutOff are the elements of a printed page that do not show all of their content, and what only a screen needs.
const cutOff = `[...document.querySelectorAll('body, body *')].filter(e => e.checkVisibility() && getComputedStyle(e).position !== 'absolute').filter(e =>
	['hidden', 'auto'].includes(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1 || e.matches('input, select, button, canvas'))
	.map(e => e.outerHTML.slice(0, 80))`

// A printed list has all of its hits, and a printed pub all of its panel, dark on white, and nothing to click.
func TestPrint(t *testing.T) {
	s := serveMany(t)
	rated := s.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	for _, screen := range screens {
		e := explorer{openTab(t, s, "/?search=red+lion", screen.before...)}
		e.do("see #results li")
		paper := func(what, shown string) {
			t.Helper()
			send(e.tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: colourScheme, Value: "dark"}}})
			e.do("see "+shown, "lose #map", "lose #search")
			got := evaluate[[]string](e.tab, cutOff)
			failIf(t, len(got) > 0, "%s on paper from %s: got %q", what, screen.name, got)
			ink := evaluate[string](e.tab, fmt.Sprintf(`getComputedStyle(document.querySelector(%q)).color`, shown))
			failIf(t, ink != "rgb(29, 26, 22)", "%s on paper from a dark screen: got the colour %s, want ink", what, ink)
			send(e.tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "screen"})
		}
		paper("a list", "#results li:last-child .name")
		e.do("open /?search=red+lion&pub=" + rated.UID)
		e.awaitPub(rated.Name)
		e.do("see .nearby li a")
		paper("a pub", "#pub .nearby li:last-child .name")
		failIf(t, !e.is(visible("#results")) && screen.name == "1280×800", "the list is not back on the screen")
	}
}
