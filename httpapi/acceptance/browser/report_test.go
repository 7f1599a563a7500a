package browser

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pubd/bench/stage"
)

// serveReport serves the HTML report of "pubd check" on a snapshot.
func serveReport(t *testing.T, snapshot string) *server {
	t.Helper()
	needChromium(t)
	file := filepath.Join(t.TempDir(), "report.html")
	check := exec.CommandContext(t.Context(), program, "check", "--html", file, filepath.Base(snapshot))
	check.Dir = filepath.Dir(snapshot)
	must(stage.Output(check))(t)
	content := must(os.ReadFile(file))(t)
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
	e.do("see .zoom")
	return e
}

// fitsIn checks that an element is no wider than what it has room for.
func (e explorer) fitsIn(selector, what string) {
	e.t.Helper()
	got := evaluate[[]float64](e.tab, fmt.Sprintf(`(({scrollWidth, clientWidth}) => [scrollWidth, clientWidth])(document.querySelector(%q))`, selector))
	failIf(e.t, got[0] > got[1], "%s, %s: got a width of %v px, want at most %v", what, selector, got[0], got[1])
}

// On a desktop, the counts and the collapsed lists of the report fit on the first screen; the map follows. With the
// lists open or collapsed, the report is no wider than any screen.
func TestReportFits(t *testing.T) {
	t.Parallel()
	s := serveReport(t, manyFile)
	for _, screen := range screens {
		e := openReport(t, s, screen.before...)
		open := evaluate[int](e.tab, `document.querySelectorAll('details[open]').length`)
		failIf(t, open != 0, "%s: got %d open lists, want all collapsed", screen.name, open)
		counts, lists, last, pubs := e.place(".numbers"), e.place("details"), e.place("details:last-of-type"), e.place(".map")
		failIf(t, counts.Y+counts.Height > lists.Y || last.Y+last.Height > pubs.Y,
			"%s: got counts %+v, lists %+v to %+v, map %+v; want them in this order", screen.name, counts, lists, last, pubs)
		bottom := last.Y + last.Height
		failIf(t, screen.before == nil && bottom > 800, "%s: got the last list at %v px, want it on the first screen", screen.name, bottom)
		for _, open := range []string{"false", "true"} {
			e.do("run document.querySelectorAll('details').forEach(d => d.open = " + open + ")")
			e.fitsIn("html", screen.name+", open: "+open)
		}
		failIf(t, pubs.Height < 200 || pubs.Height > 960 || pubs.X < 0 || pubs.X+pubs.Width > evaluate[float64](e.tab, `innerWidth`), "%s: got the map at %+v", screen.name, pubs)
	}
}

// Every part of a report passes axe, in light and dark mode.
func TestReportAxe(t *testing.T) {
	t.Parallel()
	script, e := needAxe(t), openReport(t, serveReport(t, hostileFile))
	e.do("run document.querySelectorAll('details').forEach(d => d.open = true)")
	for _, scheme := range []string{"light", "dark"} {
		e.run(prefers(colourScheme, scheme))
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
		e.do("click [data-zoom='1']")
		e.eventually("nearer", func() bool { return zoom(e) > nearer && shown(e).Width < whole.Width/nearer })
	}
	before := shown(e)
	x, y := e.place(".map").at(0.5, 0.5)
	e.drag(x, y, 120, 60)
	e.eventually("moved", func() bool { return shown(e).X < before.X && shown(e).Y < before.Y })
	e.do("focus .map > svg", "press "+strings.Repeat("→ ↓ ", 40))
	at := shown(e)
	failIf(t, at.X+at.Width/2 > whole.Width || at.Y+at.Height > 1.01*whole.Height || at.Y < before.Y, "moved far: got %+v, want it to stay within %+v", at, whole)
	near := zoom(e)
	e.wheel(x, y, -240)
	e.eventually("nearer with the wheel", func() bool { return zoom(e) > near })
	e.do("type 0")
	e.eventually("all of it", func() bool { return zoom(e) == 1 && shown(e) == whole })
	e.do("type ++++")
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
	e := openReport(t, serveReport(t, hostileFile))
	got := evaluate[string](e.tab, fmt.Sprintf(reportProbe, "<b>Ely</b>"))
	failIf(t, got != "", "%s", got)
	e.forgive(`Executing inline script violates|Applying inline|Content Security Policy`)
	e.do(`run const s = document.createElement('script'); s.textContent = 'window.owned = 1'; document.body.append(s)`)
	failIf(t, e.is("'owned' in window"), "a script that is not the page's own ran")
}

//go:embed probe/report.js
var reportProbe string
