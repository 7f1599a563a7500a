package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var screenshots = flag.String("screenshots", "", "write screenshots of the pages into this folder")

// TestScreenshots writes the screenshots for the documentation, each at most 400 KB.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("runs only with -screenshots")
	}
	needChromium(t)
	rated := shared.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0].UID
	near := shared.search(t, "search=*&lat=51.752&lng=-1.2577&distance=3&sort=fair&order=desc&amount=1").Results[0].UID
	const hitsDrawn = `document.querySelector('#map').dataset.hits > 0`
	for _, c := range []struct {
		file, path, ready string
		before            []step
	}{
		{"explorer.png", "/?search=red+lion&sort=fair&order=desc", hitsDrawn, nil},
		{"explorer-place.png", "/?search=pubs+in+york", hitsDrawn, nil},
		{"explorer-dark.png", "/?lat=51.752&lng=-1.2577&distance=3&pub=" + near, visible(".nearby li"), []step{prefers(colourScheme, "dark")}},
		{"explorer-phone.png", "/?lat=51.752&lng=-1.2577&distance=3", visible("#results li"), phone},
		{"explorer-landscape.png", "/?search=red+lion&sort=fair&order=desc&pub=" + rated, visible(".nearby li"), landscape},
		{"docs.png", "/docs", visible(".opblock"), nil},
	} {
		e := explorer{openTab(t, shared, c.path, c.before...)}
		e.until("page for "+c.file, c.ready)
		if c.file != "docs.png" {
			e.do("points", "settle")
			if e.view().Zoom >= 13 {
				e.eventually("names", func() bool { return e.view().Names > 0 })
			}
			evaluate[bool](e.tab, `document.activeElement.blur(), new Promise(done => setTimeout(() => done(true), 500))`)
		}
		shot := value(e.tab, chromedp.CaptureScreenshot())
		failIf(t, len(shot) > 400_000, "%s: got %d bytes, want at most 400,000", c.file, len(shot))
		ok(t, os.WriteFile(filepath.Join(*screenshots, c.file), shot, 0o644))
	}
	shot := value(openReport(t, serveReport(t, manyFile)).tab, chromedp.CaptureScreenshot())
	ok(t, os.WriteFile(filepath.Join(*screenshots, "check.png"), shot, 0o644))
}
