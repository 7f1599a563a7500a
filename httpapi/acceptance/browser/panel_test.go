package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The panel of a pub tells its ratings and ranks, and leads to the pubs nearby.
func TestPanel(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	rated := s.ask(t, "search=*&sort=beer&order=desc&rated=true&amount=1").Results[0]
	e := explorer{openTab(t, s, "/?search=red+lion&pub="+rated.UID)}
	e.until("panel of "+rated.Name, fmt.Sprintf(`document.querySelector('#pub h2')?.textContent === %q`, rated.Name))
	if n := evaluate[int](e.tab, `document.querySelectorAll('#pub [data-metric] meter').length`); n != 6 {
		t.Errorf("meters: got %d, want 6", n)
	}
	var stats struct {
		Metrics map[string]struct{ Count int }
	}
	s.get(t, "/api/v1/stats", &stats)
	rank := *s.ask(t, "pubid="+rated.UID).Results[0].Rankings["beer"]
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
			e.until("not rated", `document.querySelector('#pub [data-metric=beer]')?.textContent.includes('not rated')`)
			return
		}
	}
	t.Error("pubs with lion: each is rated, want one that is not")
}
