package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The panel of a pub shows its ratings and ranks, and links to the pubs nearby.
func TestPanel(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	rated := s.ask(t, "search=*&sort=beer&order=desc&rated=true&amount=1").Results[0]
	e := explorer{openTab(t, s, "/?search=red+lion&pub="+rated.UID)}
	e.until("panel of "+rated.Name, fmt.Sprintf(`document.querySelector('#pub h2')?.textContent === %q`, rated.Name))
	ranks, ratings := s.ask(t, "pubid="+rated.UID).Results[0].Rankings, 0
	for _, rank := range ranks {
		if rank != nil {
			ratings++
		}
	}
	if n := evaluate[int](e.tab, `document.querySelectorAll('#pub [data-metric] meter').length`); n != ratings || n < 5 {
		t.Errorf("meters: got %d, want one for each of %d ratings", n, ratings)
	}
	if lit := evaluate[float64](e.tab, `parseFloat(getComputedStyle(document.querySelector('#pub [data-metric=beer] meter')).backgroundSize)`); lit != 10**rated.Beer {
		t.Errorf("bar for beer: got %v %%, want %v", lit, 10**rated.Beer)
	}
	var stats struct {
		Metrics map[string]struct{ Count int }
	}
	s.get(t, "/api/v1/stats", &stats)
	rank := *ranks["beer"]
	if got, want := number.FindAllString(e.text(`#pub [data-metric=beer] .ranking`), 2), []int{rank, stats.Metrics["beer"].Count}; len(got) != 2 ||
		strings.ReplaceAll(got[0], ",", "") != fmt.Sprint(want[0]) || strings.ReplaceAll(got[1], ",", "") != fmt.Sprint(want[1]) {
		t.Errorf("ranking for beer: got %q, want %d", got, want)
	}
	e.run(chromedp.Click(chromedp.CSS(`#pub a[href*="around="]`)))
	e.awaitAddress("around", rated.UID, "search", "")
	e.awaitCount(s.ask(t, "search=*&around="+rated.UID+"&distance="+e.address().Get("distance")).Total)

	for _, p := range s.ask(t, "search=lion&amount=100").Results {
		if p.Beer == nil {
			e.run(chromedp.Navigate(s.origin + "/?pub=" + p.UID))
			e.until("not rated", `document.querySelector('#pub').innerText.match(/not rated/gi)?.length === 1`)
			return
		}
	}
	t.Error("all pubs with lion are rated, want one that is not")
}

// The panel has links for directions and for sharing, and lists the nearest pubs.
func TestPanelLinks(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	want := s.ask(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	e := explorer{openTab(t, s, "/?pub="+want.UID)}
	e.awaitPub(want.Name)
	at := fmt.Sprintf("%v,%v", want.Latitude, want.Longitude)
	links := evaluate[[]string](e.tab, `[...document.querySelectorAll('#pub .actions a')].map(a => a.getAttribute('href'))`)
	if len(links) < 2 || !strings.HasPrefix(links[0], "geo:"+at+"?q="+at+"(") || !strings.HasPrefix(links[1], "https://www.openstreetmap.org/?mlat=") {
		t.Errorf("links: got %q, want geo:%s and a map", links, at)
	}
	e.run(chromedp.Click(chromedp.CSS("#copy-link")))
	e.until("copied", `document.querySelector('#copy-link').textContent === 'Copied'`)
	near := s.ask(t, "search=*&around="+want.UID+"&distance=100&amount=5")
	e.until("nearby pubs", `document.querySelectorAll('.nearby li').length === 5`)
	last := near.Results[len(near.Results)-1].Distance
	e.until("a link to all of them and more", fmt.Sprintf(`Number(new URLSearchParams(document.querySelector('.nearby > a').search).get('distance')) >= %v`, last))
	e.run(chromedp.Click(chromedp.CSS(".nearby li a")))
	e.awaitAddress("pub", near.Results[0].UID)
	e.awaitPub(near.Results[0].Name)
}
