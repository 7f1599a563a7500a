package browser

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// An explorer is a tab that shows the page /.
type explorer struct{ *tab }

// explore opens the page with a query, such as "?search=lion", and waits until its search box has the focus.
func explore(t *testing.T, s *server, query string, before ...step) explorer {
	t.Helper()
	e := explorer{openTab(t, s, "/"+query, before...)}
	e.until("focus in the search box", `document.activeElement?.id === 'search'`)
	return e
}

// press presses keys in order.
func (e explorer) press(keys string) {
	e.t.Helper()
	for _, key := range keys {
		e.run(chromedp.KeyEvent(string(key)))
	}
}

var number = regexp.MustCompile(`\d[\d,]*`)

// count returns the number in #count, or -1.
func (e explorer) count() int {
	e.t.Helper()
	digits := number.FindString(e.text("#count"))
	if digits == "" {
		return -1
	}
	n, err := strconv.Atoi(strings.ReplaceAll(digits, ",", ""))
	if err != nil {
		e.t.Fatal(err)
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
	values, err := url.ParseQuery(evaluate[string](e.tab, `location.search.slice(1)`))
	if err != nil {
		e.t.Fatal(err)
	}
	return values
}

// awaitAddress waits until the address bar has parameters, given as names and values. An empty value means none.
func (e explorer) awaitAddress(pairs ...string) {
	e.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		e.eventually(fmt.Sprintf("%s=%s in the address", pairs[i], pairs[i+1]), func() bool { return e.address().Get(pairs[i]) == pairs[i+1] })
	}
}

// request returns the API request of the current view.
func (e explorer) request() *url.URL {
	e.t.Helper()
	shown, err := url.Parse(evaluate[string](e.tab, `document.querySelector('#request-url').textContent`))
	if err != nil {
		e.t.Fatal(err)
	}
	return shown
}

// A view is the visible part of the map.
type view struct{ Lat, Lng, Zoom, Points, Hits, Names float64 }

func (e explorer) view() view {
	e.t.Helper()
	return evaluate[view](e.tab, `(() => {
		const data = document.querySelector('#map').dataset;
		return {Lat: Number(data.lat), Lng: Number(data.lng), Zoom: Number(data.zoom), Points: Number(data.points || 0), Hits: Number(data.hits || 0), Names: Number(data.names || 0)};
	})()`)
}

// awaitPoints waits until the map has all its points.
func (e explorer) awaitPoints(want int) {
	e.t.Helper()
	e.eventually(fmt.Sprintf("%d points", want), func() bool { return int(e.view().Points) == want })
}

// leaveSearch removes the focus from the search box, which closes completions.
func (e explorer) leaveSearch() {
	e.t.Helper()
	evaluate[bool](e.tab, `document.activeElement.blur(), true`)
	e.until("no completions", "!"+visible("#suggestions"))
}

// settle waits until the map stops moving.
func (e explorer) settle() {
	e.t.Helper()
	e.until("end of the map's movement", `document.querySelector('#map').dataset.settled === 'yes'`)
}

// awaitPub waits until a pub's panel is open and the map shows its view.
func (e explorer) awaitPub(name string) {
	e.t.Helper()
	e.until("panel of "+name, fmt.Sprintf(`document.querySelector('#pub h2')?.textContent === %q`, name))
	evaluate[bool](e.tab, `new Promise((done) => requestAnimationFrame(() => done(true)))`)
	e.settle()
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
