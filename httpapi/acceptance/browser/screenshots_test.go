package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"pubd/bench/testkit"
)

var screenshots = flag.String("screenshots", "", "write screenshots of the pages into this folder")

// TestScreenshots writes the screenshots for the documentation, each at most 400 KB.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("runs only with -screenshots")
	}
	needChromium(t)
	rated := many.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0].UID
	near := many.search(t, "search=*&lat=51.752&lng=-1.2577&distance=3&sort=fair&order=desc&amount=1").Results[0].UID
	streets := serve(t, "testdata/streets.csv", "--basemap", "testdata/streets.pmtiles")
	cafe := streets.search(t, "search=altenbach&amount=1").Results[0].UID
	const hitsDrawn = `document.querySelector('#map')?.dataset.hits > 0`
	for _, c := range []struct {
		file        string
		s           *server
		path, ready string
		before      []step
	}{
		{"explorer.png", many, "/?search=red+lion&sort=fair&order=desc", hitsDrawn, nil},
		{"explorer-place.png", many, "/?search=pubs+in+york", hitsDrawn, nil},
		{"explorer-streets.png", streets, "/?map=47.1395,9.5215,16.3&pub=" + cafe, visible(".nearby li"), nil},
		{"explorer-dark.png", streets, "/?map=47.141,9.5215,16", visible("#results li"), []step{prefers(colourScheme, "dark")}},
		{"explorer-phone.png", many, "/?lat=51.752&lng=-1.2577&distance=3&pub=" + near, visible(".nearby li"), []step{phone}},
		{"pub.png", many, "/pubs/" + rated, visible("h1"), nil},
		{"docs.png", many, "/docs", visible(".opblock"), nil},
	} {
		e := open(t, c.s, c.path, append(c.before, drawn)...)
		e.until("page for "+c.file, c.ready)
		if e.is("document.querySelector('#map') !== null") {
			e.do("points")
			if e.view().Zoom >= 13 {
				e.eventually("names", func() bool { return e.view().Names > 0 })
			}
			evaluate[bool](e, `document.activeElement.blur(), new Promise(done => setTimeout(() => done(true), 500))`)
		}
		shot := value(e, chromedp.CaptureScreenshot())
		testkit.FailIf(t, len(shot) > 400_000, "%s: got %d bytes, want at most 400,000", c.file, len(shot))
		testkit.OK(t, os.WriteFile(filepath.Join(*screenshots, c.file), shot, 0o644))
	}
}
