package browser

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"pubd/bench/testkit"
)

// named returns a condition: a panel has the name of a pub.
func named(name string) string {
	return fmt.Sprintf(`document.querySelector('#pub h2')?.textContent === %q`, name)
}

// The panel of a pub shows its ratings and ranks, and links to the pubs nearby.
func TestPanel(t *testing.T) {
	s, e := exploreMany(t, "?search=red+lion")
	rated := s.search(t, "search=*&sort=beer&order=desc&rated=true&amount=1").Results[0]
	e.do("go /?search=red+lion&pub="+rated.UID, "until "+named(rated.Name))
	ranks, ratings := s.search(t, "pubid="+rated.UID).Results[0].Rankings, 0
	for _, rank := range ranks {
		if rank != nil {
			ratings++
		}
	}
	n := evaluate[int](e, `document.querySelectorAll('#pub [data-metric] meter').length`)
	testkit.FailIf(t, n != ratings || n < 5, "meters: got %d, want one for each of %d ratings", n, ratings)
	lit := evaluate[float64](e, `parseFloat(getComputedStyle(document.querySelector('#pub [data-metric=beer] meter')).backgroundSize)`)
	testkit.FailIf(t, lit != 10**rated.Beer, "bar for beer: got %v %%, want %v", lit, 10**rated.Beer)
	var stats struct {
		Metrics map[string]struct{ Count int }
	}
	s.get(t, "/api/v1/stats", &stats)
	got := number.FindAllString(strings.ReplaceAll(e.text(`#pub [data-metric=beer] .ranking`), ",", ""), 2)
	want := []string{fmt.Sprint(*ranks["beer"]), fmt.Sprint(stats.Metrics["beer"].Count)}
	testkit.FailIf(t, !slices.Equal(got, want), "ranking for beer: got %q, want %q", got, want)
	e.do(`click #pub a[href*="around="]`, "address around="+rated.UID, "address search=")
	e.do("count search=*&around=" + rated.UID + "&distance=" + e.address().Get("distance"))
	pubs := s.search(t, "search=lion&amount=100").Results
	unrated := slices.IndexFunc(pubs, func(p pub) bool { return p.Beer == nil })
	testkit.StopIf(t, unrated < 0, "all pubs with lion are rated, want one that is not")
	e.do("go /?pub="+pubs[unrated].UID, "until "+named(pubs[unrated].Name),
		`until [...document.querySelectorAll('#pub .unrated')].filter(p => /not rated/i.test(p.innerText)).length === 1`)
}

// The panel has links for directions, which open a phone's own maps, and for sharing, and lists the nearest pubs.
func TestPanelLinks(t *testing.T) {
	needChromium(t)
	want := many.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	at := fmt.Sprintf("%v,%v", want.Latitude, want.Longitude)
	e := newTab(t, many)
	t.Cleanup(e.close)
	for agent, link := range map[string]string{
		"Mozilla/5.0 (Linux; Android 16; Pixel 9) Mobile":                  "geo:" + at + "?q=" + at + "(",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Mobile":    "https://maps.apple.com/?daddr=" + url.QueryEscape(at),
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; Touch) AppleWebKit/537": "https://www.openstreetmap.org/directions?to=" + url.QueryEscape(at),
	} {
		e.run(commanded(emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: agent}))
		e.do("open /?pub="+want.UID, "until "+named(want.Name))
		links := evaluate[[]string](e, `[...document.querySelectorAll('#pub .actions > *')].slice(0, 3).map(e => e.getAttribute('href') ?? e.textContent)`)
		testkit.FailIf(t, len(links) < 3 || !strings.HasPrefix(links[0], link) || links[1] != "Copy address" || !strings.HasPrefix(links[2], "https://www.openstreetmap.org/?mlat="),
			"%s: got %q, want directions by %s, Copy address and a map", agent, links, link)
	}
	near := many.search(t, "search=*&around="+want.UID+"&distance=100&amount=5&trading=open").Results
	e.do("click #copy-address", `until document.querySelector('#copy-address').textContent === 'Copied'`)
	e.do("click #share", `until document.querySelector('#share').textContent === 'Copied'`, `until document.querySelectorAll('.nearby li').length === 5`,
		fmt.Sprintf(`until Number(new URLSearchParams(document.querySelector('.nearby > a').search).get('distance')) >= %v`, near[len(near)-1].Distance),
		"click .nearby li a", "address pub="+near[0].UID, "until "+named(near[0].Name))
	e.run(beforeScripts(`navigator.share = async what => { window.shared = what }`)) // as phones have it
	e.do("open /?search=red+lion&pub="+want.UID, "until "+named(want.Name), "click #share", "until window.shared.title === document.querySelector('#pub h2').textContent",
		"until window.shared.url === location.origin + '/?pub="+want.UID+"'", "until document.querySelector('#pub').textContent.includes('Copy link') === false")
}

// Where a pub is, is said once; a pub without a town is near one, and one without hours is not said to be open.
func TestWhereOnce(t *testing.T) {
	e := explore(t, serveText(t, someAddresses), "?search=arms")
	rows := func() string {
		return strings.Join(evaluate[[]string](e, `[...document.querySelectorAll('#results .about')].map(e => [...e.children].map(part => part.innerText).join(' · '))`), "\n")
	}
	want := "10 High Petergate, York · YO1 7EH\n1 Straße, ÝORK yo17eh\nStonegate · York · YO1\nnear York\nLocation unknown\n5 Micklegate · near York · Closed"
	e.eventually(want, func() bool { return strings.ReplaceAll(rows(), "\u00a0", " ") == want })
	for uid, where := range map[string]string{"1": "10 High Petergate, York · YO1 7EH · Yorkshire", "4": "near York", "5": "Location unknown"} {
		e.do("go /?pub="+uid, "until document.querySelector('#pub .where')?.textContent !== ''", "lose #pub .kind", fmt.Sprintf(
			`until [...document.querySelectorAll('#pub .where > *')].map(part => part.innerText).join(' · ').replace('\u00a0', ' ') === %q`, where))
	}
	e.do("run navigator.clipboard.writeText = async text => { window.copied = text }", "go /?pub=1", "see #copy-address", "click #copy-address",
		"until window.copied === 'Arms 1, 10 High Petergate, York, YO1 7EH'")
}

const someAddresses = `UID,name,location,latitude,longitude,address,postcode,area,trading
1,Arms 1,York,53.958,-1.083,"10 High Petergate, York",YO1 7EH,Yorkshire,open
2,Arms 2,York,53.959,-1.080,"1 Straße, ÝORK yo17eh",YO1 7EH,York,open
3,Arms 3,York,53.957,-1.086,Stonegate,YO1,York,open
4,Arms 4,,53.96,-1.08,,,,open
5,Arms 5,,,,,,,open
6,Arms 6,,53.96,-1.08,5 Micklegate,,,closed
`

// A link to the explorer opens it in the place of a rendered page, without loading another one, with a title of its
// own; Back shows the page again, and Forward the explorer. The page has the visitor's unit of distance.
func TestExplorerOnPage(t *testing.T) {
	needChromium(t)
	rated := many.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	e := open(t, many, "/pubs/"+rated.UID)
	e.do("see h1", `until / (mi|yd)$/.test(document.querySelector('[data-km]').textContent)`, "run window.same = true", "click .actions a[data-explorer]", "address pub="+rated.UID, "see #pub h2", "points")
	testkit.FailIf(t, !e.is("window.same === true && location.pathname === '/'"), "the explorer was loaded as another page")
	e.awaitPub(rated.Name)
	e.do(fmt.Sprintf(`until document.title === %q`, rated.Name+", "+rated.Location+" – Pubs"))
	e.do("press Escape", "address pub=", "see #results li", "run history.back()", "see #pub h2",
		"run history.back()", "until location.pathname.startsWith('/pubs/') && document.querySelector('.actions a[data-explorer]') !== null",
		"run history.forward()", "see #pub h2", "points")
}

// The page /docs lists every path and can send requests. It passes axe, in light and dark mode.
func TestDocs(t *testing.T) {
	needChromium(t)
	s := many
	e := open(t, s, "/docs")
	e.do("see .opblock")
	var document struct{ Paths map[string]any }
	s.get(t, "/openapi.json", &document)
	want := slices.Sorted(maps.Keys(document.Paths))
	// Swagger UI inserts zero-width characters where a path may wrap.
	got := evaluate[[]string](e, `[...document.querySelectorAll('.opblock-summary-path')].map((path) => path.textContent.replace(/\u200b/g, ''))`)
	slices.Sort(got)
	testkit.FailIf(t, len(want) == 0 || !slices.Equal(slices.Compact(got), want), "paths: got %q, want those of /openapi.json, %q", got, want)
	for _, selector := range []string{".opblock-summary-control", ".try-out__btn", ".execute"} {
		e.do("see "+selector, "click "+selector)
	}
	const status = ".live-responses-table .response .response-col_status"
	e.do("see " + status)
	said := e.text(status)
	testkit.FailIf(t, !strings.HasPrefix(said, "200"), "status of the request that was tried out: got %q, want 200\n%s", said, e.text(".live-responses-table"))
	script := needAxe(t)
	e.do("click .models-control", "click .authorize", "see .modal-ux")
	for _, scheme := range []string{"light", "dark"} {
		e.run(prefers(colourScheme, scheme))
		ink := evaluate[string](e, `getComputedStyle(document.querySelector('.info .title')).color`)
		testkit.FailIf(t, (ink == "rgb(29, 26, 22)") != (scheme == "light"), "%s: ink is %s", scheme, ink)
		e.passesAxe(script, "docs "+scheme)
	}
}
