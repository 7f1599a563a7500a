package browser

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"
)

// While a visitor types, the page shows the pubs and the count of the API.
func TestSearchAsYouType(t *testing.T) {
	s, e := exploreMany(t, "")
	for _, key := range "red lion" {
		e.press(string(key))
		typed := evaluate[string](e.tab, `document.querySelector('#search').value`)
		if typed = strings.TrimSpace(typed); typed != "" {
			e.awaitCount(s.ask(t, "search="+url.QueryEscape(typed)).Total)
		}
	}
	e.eventually("request for red lion", func() bool { return e.request().Query().Get("search") == "red lion" })
	e.awaitHits(s.ask(t, e.request().RawQuery))
	first := e.hits()
	e.run(chromedp.DoubleClick(chromedp.CSS("#more"))) // the second click sends no request
	e.eventually("more hits", func() bool { return len(e.hits()) > len(first) })
	if all := e.hits(); !slices.Equal(all[:len(first)], first) || len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("hits after #more: got %q, want %q and then others, each once", all, first)
	}
}

// A response that arrives after the response to a later text is not shown.
func TestLateAnswerIsDropped(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	held := make(chan *fetch.EventRequestPaused, 16)
	e := explore(t, s, "")
	if err := chromedp.Listen(e.ctx, func(event any) {
		if paused, ok := event.(*fetch.EventRequestPaused); ok {
			held <- paused
		}
	}); err != nil {
		t.Fatal(err)
	}
	send(e.tab, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/api/v1/pubs/*search=re&*"}, {URLPattern: "*/api/v1/pubs/*search=re"}}})
	e.press("re")
	var paused *fetch.EventRequestPaused
	select {
	case paused = <-held:
	case <-time.After(patience):
		t.Fatal("no request for re")
	}
	e.press("d lion")
	want := s.ask(t, "search=red+lion").Total
	e.awaitCount(want)
	// This fails if the page has aborted the request.
	_, _ = chromedp.Call(e.ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: paused.RequestID})
	send(e.tab, fetch.Disable, cdp.Empty{})
	// Once a later request has been answered and a frame drawn, the page has handled this response, too.
	evaluate[bool](e.tab, `fetch('/openapi.json').then(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true)))))`)
	if got := e.count(); got != want {
		t.Errorf("count after the late answer to re: got %d, want %d for red lion", got, want)
	}
}
