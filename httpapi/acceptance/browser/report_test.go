package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// serveReport serves the HTML report of "pubd check" on a snapshot.
func serveReport(t *testing.T, snapshot string) *server {
	t.Helper()
	needChromium(t)
	page := filepath.Join(t.TempDir(), "report.html")
	check := exec.Command(program, "check", "--html", page, filepath.Base(snapshot))
	check.Dir = filepath.Dir(snapshot)
	if out, err := check.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(page)
	ok(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(content)
	}))
	t.Cleanup(s.Close)
	return &server{origin: s.URL}
}

func openReport(t *testing.T, s *server, before ...step) explorer {
	t.Helper()
	e := explorer{openTab(t, s, "/", before...)}
	e.until("buttons to zoom the map", visible(".zoom"))
	return e
}

// On a desktop, the counts and the collapsed lists of the report fit on the first screen; the map follows. With the lists open or collapsed,
// the report is no wider than any screen.
func TestReportFits(t *testing.T) {
	t.Parallel()
	s := serveReport(t, manyFile)
	for _, screen := range screens {
		e := openReport(t, s, screen.before...)
		if open := evaluate[int](e.tab, `document.querySelectorAll('details[open]').length`); open != 0 {
			t.Errorf("%s: got %d open lists, want all collapsed", screen.name, open)
		}
		counts, lists, last, pubs := e.place(".numbers"), e.place("details"), e.place("details:last-of-type"), e.place(".map")
		if counts.Y+counts.Height > lists.Y || last.Y+last.Height > pubs.Y {
			t.Errorf("%s: got counts %+v, lists %+v to %+v, map %+v; want them in this order", screen.name, counts, lists, last, pubs)
		}
		if bottom := last.Y + last.Height; screen.before == nil && bottom > 800 {
			t.Errorf("%s: got the last list at %v px, want it on the first screen", screen.name, bottom)
		}
		for _, open := range []string{"false", "true"} {
			evaluate[bool](e.tab, `document.querySelectorAll('details').forEach(d => d.open = `+open+`), true`)
			if got := evaluate[[]float64](e.tab, `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`); got[0] > got[1] {
				t.Errorf("%s, open: %s: got a width of %v px, want at most %v", screen.name, open, got[0], got[1])
			}
		}
		if pubs.Height < 200 || pubs.Height > 960 || pubs.X < 0 || pubs.X+pubs.Width > evaluate[float64](e.tab, `innerWidth`) {
			t.Errorf("%s: got the map at %+v", screen.name, pubs)
		}
	}
}

// Every part of a report passes axe, in light and dark mode.
func TestReportAxe(t *testing.T) {
	t.Parallel()
	script, err := axe()
	if err != nil {
		t.Skip(err)
	}
	e := openReport(t, serveReport(t, hostileFile(t)))
	evaluate[bool](e.tab, `document.querySelectorAll('details').forEach(d => d.open = true), true`)
	for _, scheme := range []string{"light", "dark"} {
		e.run(prefers(scheme))
		e.passesAxe(script, "report in the "+scheme)
	}
}

// Buttons, wheel, mouse, keys and fingers zoom and move the map of a report, but never beyond its pubs.
func TestReportMap(t *testing.T) {
	t.Parallel()
	s := serveReport(t, manyFile)
	zoom := func(e explorer) float64 {
		return evaluate[float64](e.tab, `Number(document.querySelector('.map').dataset.zoom)`)
	}
	shown := func(e explorer) rectangle {
		return evaluate[rectangle](e.tab, `(({x, y, width, height}) => ({X: x, Y: y, Width: width, Height: height}))(document.querySelector('.map > svg').viewBox.baseVal)`)
	}
	e := openReport(t, s)
	e.show(".map")
	whole := shown(e)
	for _, nearer := range []float64{2, 5} {
		e.run(chromedp.Click(chromedp.CSS("[data-zoom='1']")))
		e.eventually("nearer", func() bool { return zoom(e) > nearer && shown(e).Width < whole.Width/nearer })
	}
	before := shown(e)
	x, y := e.place(".map").at(0.5, 0.5)
	e.drag(x, y, 120, 60)
	e.eventually("moved", func() bool { return shown(e).X < before.X && shown(e).Y < before.Y })
	e.run(chromedp.Focus(chromedp.CSS(".map > svg")))
	for range 40 {
		e.run(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown))
	}
	if at := shown(e); at.X+at.Width/2 > whole.Width || at.Y+at.Height > 1.01*whole.Height || at.Y < before.Y {
		t.Errorf("moved far: got %+v, want it to stay within %+v", at, whole)
	}
	near := zoom(e)
	e.wheel(x, y, -240)
	e.eventually("nearer with the wheel", func() bool { return zoom(e) > near })
	e.run(chromedp.KeyEvent("0"))
	e.eventually("all of it", func() bool { return zoom(e) == 1 && shown(e) == whole })
	e.press("++++")
	e.eventually("nearer with keys", func() bool { return zoom(e) > 5 })
	e.wheel(x, y, 240)
	e.eventually("farther with the wheel", func() bool { return zoom(e) < 5 })

	phone := openReport(t, s, phone...)
	phone.show(".map")
	x, y = phone.place(".map").at(0.5, 0.5)
	phone.pinch(x, y, 40, 120)
	phone.eventually("nearer with two fingers", func() bool { return zoom(phone) > 1.5 })
}

// A report displays the names of pubs as text and runs only its own script.
func TestReportWithHostileNames(t *testing.T) {
	t.Parallel()
	e := openReport(t, serveReport(t, hostileFile(t)))
	if got := evaluate[string](e.tab, fmt.Sprintf(`(() => {
		document.querySelectorAll('details').forEach(d => d.open = true)
		if ('owned' in window) return 'a name has run'
		if (document.querySelector('img, b b, s, u, iframe, [onerror], [onload], [onmouseover]')) return 'a name is an element'
		if (document.scripts.length !== 1) return document.scripts.length + ' scripts'
		if (!document.body.innerText.includes(%q)) return 'no name to be seen'
		return ''
	})()`, "<b>Ely</b>")); got != "" {
		t.Error(got)
	}
	e.forgive(`Executing inline script violates|Applying inline|Content Security Policy`)
	if evaluate[bool](e.tab, `(() => { const s = document.createElement('script'); s.textContent = 'window.owned = 1'; document.body.append(s); return 'owned' in window })()`) {
		t.Error("a script that is not the page's own ran")
	}
}
