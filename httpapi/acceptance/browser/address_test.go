package browser

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A shared address shows the same hits, filters, map and pub.
func TestSharedAddress(t *testing.T) {
	s, e := exploreMany(t, "")
	e.press("red lion")
	e.choose("#sort", "total")
	e.choose("#order", "desc")
	e.openFilters()
	e.run(chromedp.Click(chromedp.CSS("#rated")))
	e.choose("#trading", "open")
	e.awaitAddress("search", "red lion", "sort", "total", "order", "desc", "rated", "true", "trading", "open")
	want := s.ask(t, "search=red+lion&sort=total&order=desc&rated=true&trading=open")
	e.awaitCount(want.Total)
	e.awaitHits(want)
	e.eventually("hits on the map", func() bool { return int(e.view().Hits) == want.Total })
	x, y := e.place("#map").at(0.5, 0.5)
	e.wheel(x, y, -360)
	e.run(chromedp.Click(chromedp.CSS(fmt.Sprintf("#results li[data-uid=%q] :is(a, button)", want.Results[1].UID))))
	e.awaitAddress("pub", want.Results[1].UID)
	e.awaitPub(want.Results[1].Name)
	e.eventually("map in the address", func() bool { return e.address().Get("map") != "" })

	var shared url.Values
	e.eventually("address of the view", func() bool {
		shared = e.address()
		var lat, lng, zoom float64
		_, err := fmt.Sscanf(shared.Get("map"), "%f,%f,%f", &lat, &lng, &zoom)
		v := e.view()
		return err == nil && math.Abs(lat-v.Lat) < 0.01 && math.Abs(lng-v.Lng) < 0.01 && math.Abs(zoom-v.Zoom) < 0.01
	})
	other := explorer{openTab(t, s, "/?"+shared.Encode())}
	other.awaitCount(want.Total)
	other.awaitHits(want)
	other.awaitPub(want.Results[1].Name)
	for _, control := range []string{"#search", "#sort", "#order", "#trading"} {
		value := fmt.Sprintf(`document.querySelector(%q).value`, control)
		if got, want := evaluate[string](other.tab, value), evaluate[string](e.tab, value); got != want {
			t.Errorf("%s at the shared address: got %q, want %q", control, got, want)
		}
	}
	if got, want := other.view(), e.view(); math.Abs(got.Lat-want.Lat) > 0.01 || math.Abs(got.Lng-want.Lng) > 0.01 || math.Abs(got.Zoom-want.Zoom) > 0.01 {
		t.Errorf("map at the shared address: got %+v, want %+v", got, want)
	}
	if got := other.address(); got.Get("pub") != shared.Get("pub") || got.Get("search") != shared.Get("search") || got.Get("trading") != shared.Get("trading") {
		t.Errorf("shared address: got %v, want it to stay %v", got, shared)
	}
}

// openFilters shows the filters.
func (e explorer) openFilters() {
	e.t.Helper()
	e.run(chromedp.Click(chromedp.CSS("#filter")))
	e.until("filters", visible("#filters"))
}

// Back and Forward restore what was shown.
func TestHistory(t *testing.T) {
	s, e := exploreMany(t, "?search=red+lion")
	want := s.ask(t, "search=red+lion")
	e.awaitCount(want.Total)
	uid := e.hits()[2]
	e.run(chromedp.Click(chromedp.CSS(fmt.Sprintf("#results li[data-uid=%q] :is(a, button)", uid))))
	e.awaitAddress("pub", uid)
	e.until("panel", visible("#pub h2"))
	hits := e.hits()
	e.run(chromedp.NavigateBack())
	e.awaitAddress("pub", "", "search", "red lion")
	e.until("no panel", "!"+visible("#pub h2"))
	e.awaitCount(want.Total)
	e.run(chromedp.NavigateForward())
	e.awaitAddress("pub", uid)
	e.until("panel", visible("#pub h2"))
	if got := e.hits(); !slices.Equal(got, hits) {
		t.Errorf("hits after Back and Forward: got %q, want %q", got, hits)
	}
}

// choose selects a value of a list without opening it, by typing the beginning of its label.
func (e explorer) choose(selector, value string) {
	e.t.Helper()
	options := fmt.Sprintf(`[...document.querySelector(%q).options]`, selector)
	e.until(selector+" has "+value, fmt.Sprintf(`%s.some((o) => o.value === %q)`, options, value))
	e.run(chromedp.Focus(chromedp.CSS(selector)))
	for _, key := range evaluate[string](e.tab, fmt.Sprintf(`%s.find((o) => o.value === %q).text`, options, value)) {
		e.press(string(key))
		if evaluate[string](e.tab, fmt.Sprintf(`document.querySelector(%q).value`, selector)) == value {
			return
		}
	}
	e.t.Fatalf("%s is not %s after typing its label\n%s", selector, value, e.state())
}

// openAPI shows the API request of the current view.
func (e explorer) openAPI() {
	e.t.Helper()
	if evaluate[bool](e.tab, visible("#request-url")) {
		e.t.Error("the request is visible before its section is opened")
	}
	e.run(chromedp.Click(chromedp.CSS("#api summary")))
	e.until("request", visible("#request-url"))
}

// The displayed request works elsewhere, even if the text has characters that are special to a shell.
func TestRequest(t *testing.T) {
	s, e := exploreMany(t, "")
	const text = `bell '"$(exit 3)`
	e.press(text)
	e.awaitCount(s.ask(t, "search="+url.QueryEscape(text)).Total)
	shown := e.request()
	if got := shown.Query().Get("search"); shown.Scheme+"://"+shown.Host != s.origin || got != text {
		t.Errorf("URL of the request: got %v with search %q, want a URL of %s with search %q", shown, got, s.origin, text)
	}
	want := s.ask(t, shown.RawQuery)
	e.awaitHits(want)
	line := evaluate[string](e.tab, `document.querySelector('#request-curl').textContent`)
	if strings.Contains(line, s.key) || !strings.Contains(line, "$KEY") {
		t.Errorf("curl: got %s, want $KEY instead of the key", line)
	}
	shell := exec.Command("sh", "-c", line+" --fail --silent --show-error")
	shell.Env = append(os.Environ(), "KEY="+s.key)
	out, err := shell.CombinedOutput()
	var got answer
	if err != nil || json.Unmarshal(out, &got) != nil || !reflect.DeepEqual(got.Results, want.Results) {
		t.Errorf("%s\ngot %v, %.400s, want the displayed answer", line, err, out)
	}
	e.openAPI()
	for _, button := range []string{"#copy-url", "#copy-curl"} {
		before := e.text(button)
		e.run(chromedp.Click(chromedp.CSS(button)))
		e.eventually(button+" confirms the copy", func() bool { return e.text(button) != before })
	}
}
