package browser

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// An explorer is a tab that shows the page /.
type explorer struct{ *tab }

// The keys that tests press by name.
var keyNames = map[string]string{"Enter": kb.Enter, "Escape": kb.Escape, "Tab": kb.Tab, "←": kb.ArrowLeft, "→": kb.ArrowRight, "↓": kb.ArrowDown}

// do does steps in order, each a verb and what it applies to. Steps that wait end the test if it is in vain.
func (e explorer) do(steps ...string) {
	e.t.Helper()
	for _, step := range steps {
		verb, what, _ := strings.Cut(step, " ")
		switch verb {
		case "open": // a path
			e.run(navigate(e.server.origin + what))
		case "go": // to a path of the page that is open, as Back and Forward do: its map stays as it is
			evaluate[bool](e.tab, fmt.Sprintf(`(history.pushState(null, '', %q), dispatchEvent(new PopStateEvent('popstate')))`, what))
		case "type": // a text, where the focus is
			e.run(press(what))
		case "press": // keys
			for _, name := range strings.Fields(what) {
				e.run(press(keyNames[name]))
			}
		case "retype": // a new text into the search box, which has the focus
			e.run(selectAll, press(kb.Delete))
			e.until("empty search box", `document.querySelector('#search').value === ''`)
			e.do("type " + what)
		case "click": // an element
			e.run(clickOn(what))
		case "focus":
			e.run(focusOn(what))
		case "see": // waits for an element
			e.until(step, visible(what))
		case "lose": // waits until it is gone
			e.until(step, "!"+visible(what))
		case "run": // JavaScript
			evaluate[bool](e.tab, "(() => {"+what+"})(), true")
		case "until": // waits for a condition in JavaScript
			e.until(step, what)
		case "address": // waits for a parameter in the address bar; an empty value means none
			name, value, _ := strings.Cut(what, "=")
			e.eventually(step, func() bool { return e.address().Get(name) == value })
		case "count": // waits for the count of the API's answer to a query
			e.awaitCount(e.server.search(e.t, what).Total)
		case "points": // waits until all pubs are on the map
			want := e.server.search(e.t, "search=*&lat=0&lng=0&distance=30000&amount=1").Total // which have coordinates
			e.eventually(fmt.Sprintf("%d points", want), func() bool { return int(e.view().Points) == want })
			e.do("settle")
		case "settle": // waits until the map has stopped moving and is drawn
			e.until(step, `document.querySelector('#map').dataset.settled === 'yes'`)
		case "leave": // the search box, which closes completions
			e.do("run document.activeElement.blur()", "lose #suggestions")
		default:
			e.t.Fatalf("there is no such step: %s", step)
		}
	}
}

// explore opens the page with a query, such as "?search=lion", and waits until its search box has the focus.
func explore(t *testing.T, s *server, query string, before ...step) explorer {
	t.Helper()
	e := explorer{openTab(t, s, "/"+query, before...)}
	e.until("focus in the search box", `document.activeElement?.id === 'search'`)
	return e
}

var number = regexp.MustCompile(`\d[\d,]*`)

// count returns the number in #count, or -1.
func (e explorer) count() int {
	e.t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(number.FindString(e.text("#count")), ",", ""))
	if err != nil {
		return -1
	}
	return n
}

// awaitCount waits until the number in #count is want.
func (e explorer) awaitCount(want int) {
	e.t.Helper()
	e.eventually(fmt.Sprintf("count of %d pubs", want), func() bool { return e.count() == want })
}

// text returns the visible text of the first element for a selector, or "".
func (e explorer) text(selector string) string {
	e.t.Helper()
	return evaluate[string](e.tab, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ''`, selector))
}

// visible reports whether an element is visible.
func visible(selector string) string {
	return fmt.Sprintf(`document.querySelector(%q)?.checkVisibility({opacityProperty: true, visibilityProperty: true})`, selector)
}

// hits returns the UIDs of the list.
func (e explorer) hits() []string {
	e.t.Helper()
	return evaluate[[]string](e.tab, `[...document.querySelectorAll('#results li[data-uid]')].map((li) => li.dataset.uid)`)
}

// awaitHits waits until the first hits are the pubs of an answer.
func (e explorer) awaitHits(a answer) {
	e.t.Helper()
	var want []string
	for _, p := range a.Results {
		want = append(want, p.UID)
	}
	e.eventually(fmt.Sprintf("hits %q", want), func() bool {
		got := e.hits()
		return slices.Equal(got[:min(len(got), len(want))], want)
	})
}

// address returns the state in the address bar.
func (e explorer) address() url.Values {
	e.t.Helper()
	return must(url.ParseQuery(evaluate[string](e.tab, `location.search.slice(1)`)))(e.t)
}

// request returns the API request of the current view.
func (e explorer) request() *url.URL {
	e.t.Helper()
	return must(url.Parse(evaluate[string](e.tab, `document.querySelector('#request-url').textContent`)))(e.t)
}

// A view is the visible part of the map.
type view struct{ Lat, Lng, Zoom, Points, Hits, Names, Outline float64 }

func (e explorer) view() view {
	e.t.Helper()
	return evaluate[view](e.tab, `Object.fromEntries(Object.entries(document.querySelector('#map').dataset).map(([name, text]) => [name, Number(text)]))`)
}

// awaitPub waits until a pub's panel is open and the map shows its view.
func (e explorer) awaitPub(name string) {
	e.t.Helper()
	e.do("until " + named(name))
	evaluate[bool](e.tab, `new Promise((done) => requestAnimationFrame(() => done(true)))`)
	e.do("settle")
}

// property returns a property of an element.
func property[V any](e explorer, selector, name string) V {
	e.t.Helper()
	return evaluate[V](e.tab, fmt.Sprintf(`document.querySelector(%q).%s`, selector, name))
}

// is reports whether a condition in JavaScript holds.
func (e explorer) is(condition string) bool {
	e.t.Helper()
	return evaluate[bool](e.tab, "Boolean("+condition+")")
}

// A rectangle is the place of an element in the window, in CSS pixels.
type rectangle struct{ X, Y, Width, Height float64 }

func (r rectangle) at(x, y float64) (float64, float64) { return r.X + x*r.Width, r.Y + y*r.Height }

func (e explorer) place(selector string) rectangle {
	e.t.Helper()
	return evaluate[rectangle](e.tab, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().toJSON()`, selector))
}

// float returns the value of a parameter in the address, or 0.
func (e explorer) float(parameter string) float64 {
	e.t.Helper()
	value, _ := strconv.ParseFloat(e.address().Get(parameter), 64)
	return value
}

// drag presses the mouse at a point of the window, moves it by dx and dy within a second, and releases it.
func (e explorer) drag(x, y, dx, dy float64) {
	e.t.Helper()
	e.run(drag(x, y, dx, dy))
}

// wheel scrolls by some pixels over a point. Negative values zoom in.
func (e explorer) wheel(x, y, by float64) {
	e.t.Helper()
	e.run(wheel(x, y, by))
}

// click clicks a point of the window.
func (e explorer) click(x, y float64) {
	e.t.Helper()
	e.run(clickAt(x, y))
}

// pinch puts two fingers around a point and changes their distance from it, in pixels.
func (e explorer) pinch(x, y, from, to float64) {
	e.t.Helper()
	const moves = 20
	touch := func(kind input.DispatchTouchEventType, apart float64) {
		e.t.Helper()
		send(e.tab, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{
			{X: x - apart/2, Y: y, ID: new(1.0)}, {X: x + apart/2, Y: y, ID: new(2.0)},
		}})
	}
	touch(input.DispatchTouchEventTypeTouchStart, from)
	for move := 1.0; move <= moves; move++ {
		touch(input.DispatchTouchEventTypeTouchMove, from+(to-from)*move/moves)
	}
	send(e.tab, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}})
}
