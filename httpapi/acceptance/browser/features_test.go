package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"pubd/bench/testkit"
)

// someOffering is a snapshot with features and opening hours, of which the time of a test matters to none but those of
// Dolphin and Moon Under Water.
const someOffering = `UID,name,location,latitude,longitude,features,opening_hours,brand,time_zone
1,Angel,York,53.958,-1.083,dog;garden,24/7,,UTC
2,Bell,York,53.959,-1.080,-dog;garden;roast,off,,UTC
3,Crown,York,53.957,-1.086,,,,
4,Dolphin,Leeds,53.797,-1.542,garden;live_music,Mo-Su 12:00-23:00,,UTC
5,Eagle,Leeds,53.799,-1.548,Real Ale;food;sport;quiz;family;wheelchair;wifi;rooms;parking,Mo-Su 18:00-03:00,,UTC
6,Moon Under Water,Leeds,53.795,-1.545,food,Mo-Su 08:00-24:00,Wetherspoon,UTC
7,Swan,London,51.513,-0.130,bar billiards;dog,sunset-01:00,,
`

// What a person asks for comes first, and the page says what of the words it was.
func TestWishes(t *testing.T) {
	e := explore(t, serveText(t, someOffering), "")
	for _, c := range []struct{ text, first, count, said string }{
		{"dog friendly pub in york", "Angel", "3 pubs in York", "First: Dogs welcome."},
		{"beer garden near me open now", "Angel", "7 pubs", "First: Garden, Open now."},
		{"beer garden real ale", "Angel", "7 pubs", "First: Garden. Not met by the first: Real ale."},
		{"pub in york no dogs", "Bell", "3 pubs in York", "Last: dogs."},
		{"wetherspoons", "Moon Under Water", "1 pub", ""},
		{"live music", "Dolphin", "7 pubs", "First: Live music."},
		{"24 hour pub in york", "Angel", "3 pubs in York", "First: Open all day."},
		{"24 hour pub in london", "Swan", "1 pub in London", "Not met by the first: Open all day."},
		{"pub open late in leeds", "Eagle", "3 pubs in Leeds", "First: Open late."},
		{"pub open late in london", "Swan", "1 pub in London", "Not met by the first: Open late."},
		{"hunde erlaubt in london", "Swan", "1 pub in London", "First: Dogs welcome."},
		{"pub with rooms and karaoke in leeds", "Eagle", "3 pubs in Leeds", "First: Rooms. Not used: karaoke."},
	} {
		e.do("retype " + c.text)
		e.eventually(fmt.Sprintf("%s: %s first of %s, %q", c.text, c.first, c.count, c.said), func() bool {
			return e.line("#results .name") == c.first && e.line("#count") == c.count && strings.HasPrefix(e.line("#relaxed"), c.said)
		})
	}
}

// Wishes are completed, and so is what words ask for before them.
func TestWishesAreCompleted(t *testing.T) {
	e := explore(t, serveText(t, someOffering), "")
	for _, c := range []struct{ typed, want, chosen string }{
		{"open n", "open now Open now", "open now"}, {"dog f", "dog friendly Dogs welcome", "dog friendly"}, {"pubs in york beer gar", "pubs in york beer garden Garden", "pubs in york beer garden"},
	} {
		e.do("focus #search", "retype "+c.typed)
		e.eventually(c.want, func() bool { return e.line("#suggestions li") == c.want })
		e.do("press ↓ Enter", "address search="+c.chosen)
	}
}

// What the page says is first of what was wished, the first row has, in every place, around every point and in every order.
func TestFirstHasWhatIsSaid(t *testing.T) {
	s := serveText(t, someOffering)
	e, said := explore(t, s, ""), 0
	for _, wish := range []string{"dog friendly", "beer garden", "real ale", "open now", "live music beer garden"} {
		for _, place := range []string{"", " in york", " leeds"} {
			for _, at := range []string{"", "&near=51.5,-0.13", "&lat=53.8&lng=-1.54&distance=50"} {
				for _, sort := range []string{"", "&sort=distance", "&sort=name"} {
					if at == "" && sort == "&sort=distance" {
						continue
					}
					query := "search=" + strings.ReplaceAll(wish+place, " ", "+") + at + sort
					e.do("go /?" + query)
					e.eventually("the request of "+query, func() bool {
						asked := e.request().Query()
						return asked.Get("search") == wish+place && (at == "") == (asked.Get("lat")+asked.Get("near") == "") && (sort == "" || strings.HasSuffix(sort, "="+asked.Get("sort")))
					})
					e.awaitHits(s.search(t, e.request().RawQuery))
					_, after, found := strings.Cut(e.line("#relaxed"), "First: ")
					if !found {
						continue
					}
					said++
					wishes, _, _ := strings.Cut(after, ".")
					for feature := range strings.SplitSeq(wishes, ", ") {
						feature = strings.TrimSuffix(feature, " now") // the row says until when
						row := e.line("#results li")
						testkit.FailIf(t, !strings.Contains(row, feature), "%s: the page says First: %s; the first row is %q", query, feature, row)
					}
				}
			}
		}
	}
	testkit.FailIf(t, said < 40, "First: is said %d times, want at least 40", said)
}

// What pubs of the result have is offered as chips, in one row; a chip that is chosen stays, is in the address, and ends with
// Back. A chip tells how many pubs it leaves, and may be pressed while an answer arrives.
func TestChips(t *testing.T) {
	script := needAxe(t)
	e := explore(t, serveText(t, someOffering), "?open=2026-11-28T20:00")
	chips := func(want ...string) {
		t.Helper()
		var got []string
		e.eventually(fmt.Sprintf("chips %q", want), func() bool {
			got = evaluate[[]string](e, `[...document.querySelectorAll('#chips button')].filter(b => b.checkVisibility()).map(b => (b.ariaPressed === 'true' ? '*' : '') + b.innerText.trim())`)
			return slices.Equal(got, want)
		})
	}
	chips("*Open 2026-11-28 20:00", "Garden 2", "Dogs welcome 1", "Food 2", "Real ale 1", "Live music 1", "Sport 1", "Quiz 1", "Families welcome 1", "Wheelchair access 1", "Wi-Fi 1", "Rooms 1", "Parking 1")
	testkit.FailIf(t, !e.is(`new Set([...document.querySelectorAll('#chips button')].map(chip => chip.getBoundingClientRect().top)).size === 1`), "chips are in several rows")
	e.says("#filter", "Filters (1)")
	rows := evaluate[[]string](e, `[...document.querySelectorAll('#results li')].map(li => li.querySelector('.name').innerText + ': ' + li.querySelector('.hours')?.innerText)`)
	testkit.FailIf(t, !slices.Equal(rows, []string{"Angel: Open all day", "Dolphin: Open until 23:00", "Eagle: Open until 03:00", "Moon Under Water: Open until 00:00"}), "rows: got %q", rows)
	e.says("#unknown", "2 others do not say when they are open. Show them too")
	e.do("click #unknown a", "address open_unknown=true")
	e.awaitCount(6)
	e.says("#unknown", "2 of these do not say when they are open. Leave them out")
	e.do("go /?open=2026-11-28T02:00", "focus #search")
	chips("*Open 2026-11-28 02:00", "Garden 1", "Dogs welcome 1", "Food 1", "Real ale 1", "Sport 1", "Quiz 1", "Families welcome 1", "Wheelchair access 1", "Wi-Fi 1", "Rooms 1", "Parking 1")
	e.do("go /?search=york")
	chips("Open now 1", "Garden 2", "Dogs welcome 1", "Sunday roast 1")
	hours := evaluate[[]string](e, `[...document.querySelectorAll('#results li')].map(li => li.querySelector('.hours')?.innerText ?? '')`)
	testkit.FailIf(t, !slices.Equal(hours, []string{"Open all day", "Closed", ""}), "hours in York: got %q", hours)
	e.do("click #chips [data-value=garden]", "address features=garden")
	chips("Open now 1", "*Garden", "Dogs welcome 1", "Sunday roast 1")
	testkit.FailIf(t, !e.is(`document.activeElement.dataset.value === 'garden'`), "focus after a chip: %s", e.state())
	e.do("click #chips [data-value=now]", "address open=now")
	chips("*Open now", "*Garden", "Dogs welcome 1")
	e.awaitCount(1)
	for _, screen := range screens {
		e.run(screen.step)
		e.passesAxe(script, screen.name+" with chips")
		if screen.name != "1280×800" {
			e.fits(screen.name + " with chips")
		}
	}
	e.run(desktop)
	e.do("run history.back()", "address open=")
	chips("Open now 1", "*Garden", "Dogs welcome 1", "Sunday roast 1")
	e.do("run history.back()", "address features=")
	chips("Open now 1", "Garden 2", "Dogs welcome 1", "Sunday roast 1")
	e.do("go /?search=york&features=rooms,dog&open=now", "see #nothing")
	chips("*Open now", "*Dogs welcome", "*Rooms")
	e.do(`click #offers a[href*="features"]`, "address open=", "address features=rooms,dog")
	chips("*Dogs welcome", "*Rooms")
	e.do("see #nothing", "click #chips [data-value=rooms]", "address features=dog")
	e.awaitCount(1)
	for _, text := range []string{"*", "leeds", "dog friendly pub", "beer garden in york"} {
		query := "/?search=" + strings.ReplaceAll(text, " ", "+")
		e.do("go " + query)
		e.eventually("the answer to "+text, func() bool { return e.request().Query().Get("search") == text })
		e.awaitHits(e.server.search(t, e.request().RawQuery))
		for _, chip := range evaluate[[]struct {
			Value string
			Count int
		}](e, `[...document.querySelectorAll('#chips button')].map(chip => ({ Value: chip.dataset.value, Count: Number(chip.querySelector('small').textContent) }))`) {
			e.do("go "+query, "until document.querySelectorAll('#chips [aria-pressed=true]').length === 0", fmt.Sprintf("click #chips [data-value=%q]", chip.Value), "until document.querySelectorAll('#chips [aria-pressed=true]').length === 1")
			e.eventually(fmt.Sprintf("%s: %d pubs with %s", query, chip.Count, chip.Value), func() bool { return e.count() == chip.Count })
		}
	}
	e.do("go /?search=york")
	chips("Open now 1", "Garden 2", "Dogs welcome 1", "Sunday roast 1")
	x, y := e.place("#chips [data-value=garden]").at(0.5, 0.5)
	e.run(chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	e.do("go /?search=york&order=asc", "until new URL(document.querySelector('#request-url').textContent).searchParams.has('order')", "run new Promise(done => setTimeout(done, 300))")
	e.awaitHits(e.server.search(t, e.request().RawQuery))
	e.run(chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	e.do("address features=garden")
	e.do("go /?search=*&area=Nowhere&max_total=1", "until document.querySelector('#filter').textContent === 'Filters (2)'", `click #offers a[href*="area"]:not([href*="max_total"])`, "address max_total=", "address area=Nowhere")
}

// The panel of a pub has its hours, with today marked, what it offers and its chain.
func TestPanelHours(t *testing.T) {
	script := needAxe(t)
	e := explore(t, serveText(t, someOffering), "?pub=2")
	e.do("until "+named("Bell"), "see .week")
	e.says("#pub .kind", "Closed")
	offers := func(want string) {
		t.Helper()
		testkit.FailIf(t, e.line("#pub .extra") != want, "the pub's members: got %q, want %q", e.line("#pub .extra"), want)
	}
	const table = `[...document.querySelectorAll('.week tr')].map(tr => [...tr.children].map(cell => cell.innerText).join(' '))`
	closed := evaluate[[]string](e, table)
	testkit.FailIf(t, len(closed) != 7 || closed[0] != "Monday Closed" || closed[6] != "Sunday Closed", "hours: got %q", closed)
	today := `document.querySelector('.week [aria-current=date] th').innerText === new Date().toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' })`
	testkit.FailIf(t, !e.is(today), "today is not marked: %q", closed)
	offers("Offers Garden, Sunday roast Does not offer Dogs welcome")
	for _, screen := range screens {
		e.run(screen.step)
		e.passesAxe(script, screen.name+" with hours")
	}
	e.run(desktop)
	e.do("go /?pub=6", "until "+named("Moon Under Water"))
	offers("Chain Wetherspoon Offers Food")
	testkit.FailIf(t, evaluate[[]string](e, table)[4] != "Friday 08:00–24:00", "hours: got %q", evaluate[[]string](e, table))
	e.do("go /?pub=7", "until "+named("Swan"), "lose .week")
	offers("Opening hours sunset-01:00 Offers Bar billiards, Dogs welcome")
}

// Without features and hours, there is no chip, and once that is known, no request more.
func TestNoChips(t *testing.T) {
	e := exploreTowns(t, "?search=york")
	e.do("settle", "see #results li", "lose #chips")
	for _, url := range e.urls() {
		testkit.FailIf(t, strings.Contains(url, "search=york") && strings.Contains(url, "open="), "requested %s", url)
	}
}
