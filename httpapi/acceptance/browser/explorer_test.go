package browser

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"pubd/bench/testkit"
)

// A step is an action in a tab.
type step = chromedp.Action[chromedp.Void]

// Screens. A phone has a touch screen.
var (
	desktop   = chromedp.EmulateViewport(1280, 800)
	phone     = chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateScale(2), chromedp.EmulateTouch)
	landscape = chromedp.EmulateViewport(740, 360, chromedp.EmulateMobile, chromedp.EmulateScale(2), chromedp.EmulateTouch)
)

var screens = []struct {
	name string
	step
}{{"1280×800", desktop}, {"360×740", phone}, {"740×360", landscape}}

// prefers emulates a preference of the visitor.
func prefers(feature, value string) step {
	return commanded(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: value}}})
}

// beforeScripts runs a script in each document before its own.
func beforeScripts(script string) step {
	return commanded(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// undrawn lets WebGL draw nothing. Without a GPU, drawing takes the processor from everything else; but for the picture,
// the map does the same. A test that looks at the picture adds the step drawn.
var undrawn, drawn = beforeScripts(`const { prototype } = WebGL2RenderingContext, names = ['drawElements', 'drawArrays', 'clear']
	const kept = Object.fromEntries(names.map(name => [name, prototype[name]]))
	for (const name of names) prototype[name] = () => {}
	window.drawAgain = () => Object.assign(prototype, kept)`), beforeScripts("drawAgain()")

// The keys that tests press by name.
var keyNames = map[string]string{"Enter": kb.Enter, "Escape": kb.Escape, "Tab": kb.Tab, "←": kb.ArrowLeft, "→": kb.ArrowRight, "↓": kb.ArrowDown}

// do does steps in order, each a verb and what it applies to. Steps that wait end the test if it is in vain.
func (e *tab) do(steps ...string) {
	e.t.Helper()
	for _, step := range steps {
		verb, what, _ := strings.Cut(step, " ")
		switch verb {
		case "open": // a path
			e.run(chromedp.Navigate(e.server.origin + what))
		case "go": // to a path of the page that is open, as Back and Forward do: its map stays as it is
			evaluate[bool](e, fmt.Sprintf(`(history.pushState(null, '', %q), dispatchEvent(new PopStateEvent('popstate')))`, what))
		case "type": // a text, where the focus is
			e.run(chromedp.KeyEvent(what))
		case "press": // keys
			for _, name := range strings.Fields(what) {
				e.run(chromedp.KeyEvent(keyNames[name]))
			}
		case "retype": // a new text into the search box, which has the focus
			e.run(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(kb.Delete))
			e.until("empty search box", `document.querySelector('#search').value === ''`)
			e.do("type " + what)
		case "click": // an element
			e.run(clickOn(what))
		case "focus":
			e.run(chromedp.Focus(chromedp.CSS(what)))
		case "see": // waits for an element
			e.until(step, visible(what))
		case "lose": // waits until it is gone
			e.until(step, "!"+visible(what))
		case "run": // JavaScript
			evaluate[bool](e, "(() => {"+what+"})(), true")
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

var number = regexp.MustCompile(`\d[\d,]*`)

// count returns the number in #count, or -1.
func (e *tab) count() int {
	e.t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(number.FindString(e.text("#count")), ",", ""))
	if err != nil {
		return -1
	}
	return n
}

// awaitCount waits until the number in #count is want.
func (e *tab) awaitCount(want int) {
	e.t.Helper()
	e.eventually(fmt.Sprintf("count of %d pubs", want), func() bool { return e.count() == want })
}

// text returns the visible text of the first element for a selector, or "".
func (e *tab) text(selector string) string {
	e.t.Helper()
	return evaluate[string](e, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ''`, selector))
}

// visible reports whether an element is visible.
func visible(selector string) string {
	return fmt.Sprintf(`document.querySelector(%q)?.checkVisibility({opacityProperty: true, visibilityProperty: true})`, selector)
}

// hits returns the UIDs of the list.
func (e *tab) hits() []string {
	e.t.Helper()
	return evaluate[[]string](e, `[...document.querySelectorAll('#results li[data-uid]')].map((li) => li.dataset.uid)`)
}

// awaitHits waits until the first hits are the pubs of an answer.
func (e *tab) awaitHits(a answer) {
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
func (e *tab) address() url.Values {
	e.t.Helper()
	return testkit.Must(url.ParseQuery(evaluate[string](e, `location.search.slice(1)`)))(e.t)
}

// request returns the API request of the current view.
func (e *tab) request() *url.URL {
	e.t.Helper()
	return testkit.Must(url.Parse(evaluate[string](e, `document.querySelector('#request-url').textContent`)))(e.t)
}

// A view is the visible part of the map.
type view struct{ Lat, Lng, Zoom, Points, Hits, Names float64 }

func (e *tab) view() view {
	e.t.Helper()
	return evaluate[view](e, `Object.fromEntries(Object.entries(document.querySelector('#map').dataset).map(([name, text]) => [name, Number(text)]))`)
}

// awaitPub waits until a pub's panel is open and the map shows its view.
func (e *tab) awaitPub(name string) {
	e.t.Helper()
	e.do("until " + named(name))
	evaluate[bool](e, `new Promise((done) => requestAnimationFrame(() => done(true)))`)
	e.do("settle")
}

// property returns a property of an element.
func property[V any](e *tab, selector, name string) V {
	e.t.Helper()
	return evaluate[V](e, fmt.Sprintf(`document.querySelector(%q).%s`, selector, name))
}

// is reports whether a condition in JavaScript holds.
func (e *tab) is(condition string) bool {
	e.t.Helper()
	return evaluate[bool](e, "Boolean("+condition+")")
}

// A rectangle is the place of an element in the window, in CSS pixels.
type rectangle struct{ X, Y, Width, Height float64 }

func (r rectangle) at(x, y float64) (float64, float64) { return r.X + x*r.Width, r.Y + y*r.Height }

func (e *tab) place(selector string) rectangle {
	e.t.Helper()
	return evaluate[rectangle](e, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().toJSON()`, selector))
}

// float returns the value of a parameter in the address, or 0.
func (e *tab) float(parameter string) float64 {
	e.t.Helper()
	value, _ := strconv.ParseFloat(e.address().Get(parameter), 64)
	return value
}

// clickOn clicks an element once it is visible.
func clickOn(selector string) step {
	click := chromedp.Click(chromedp.CSS(selector))
	return func(ctx context.Context, target *chromedp.Target) (v chromedp.Void, err error) {
		for {
			// The page may replace an element between its query and the click.
			if v, err = click(ctx, target); err == nil || !strings.Contains(err.Error(), "Could not find node") {
				return v, err
			}
		}
	}
}

// drag presses the mouse at a point of the window, moves it by dx and dy within a second, and releases it.
func (e *tab) drag(x, y, dx, dy float64) {
	e.t.Helper()
	const moves = 60
	pressed := func(event *input.DispatchMouseEventParams) {
		event.Button, event.Buttons, event.ClickCount = input.MouseButtonLeft, 1, 1
	}
	e.run(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseEvent(chromedp.MousePressed, x, y, pressed))
	for move := 1.0; move <= moves; move++ {
		e.run(chromedp.MouseEvent(chromedp.MouseMoved, x+dx*move/moves, y+dy*move/moves, pressed), chromedp.Sleep(time.Second/moves))
	}
	e.run(chromedp.MouseEvent(chromedp.MouseReleased, x+dx, y+dy, chromedp.ButtonLeft, chromedp.ClickCount(1)))
}

// wheel scrolls by some pixels over a point of the window. Negative values zoom in.
func (e *tab) wheel(x, y, by float64) {
	e.t.Helper()
	send(e, input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{X: x, Y: y, YDistance: -by, GestureSourceType: input.GestureSourceTypeMouse})
}

// click clicks a point of the window.
func (e *tab) click(x, y float64) {
	e.t.Helper()
	e.run(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseClickXY(x, y))
}
