package browser

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The page /docs lists every path and can send requests.
func TestDocs(t *testing.T) {
	t.Parallel()
	s := serveMany(t)
	e := explorer{openTab(t, s, "/docs")}
	e.until("operations", visible(".opblock"))
	var document struct{ Paths map[string]any }
	s.get(t, "/openapi.json", &document)
	want := slices.Sorted(maps.Keys(document.Paths))
	// Swagger UI inserts zero-width characters where a path may wrap.
	got := evaluate[[]string](e.tab, `[...document.querySelectorAll('.opblock-summary-path')].map((path) => path.textContent.replace(/\u200b/g, ''))`)
	if slices.Sort(got); len(want) == 0 || !slices.Equal(slices.Compact(got), want) {
		t.Errorf("paths: got %q, want those of /openapi.json, %q", got, want)
	}
	for _, selector := range []string{".opblock-summary-control", ".try-out__btn", ".execute"} {
		e.until(selector, visible(selector))
		e.run(chromedp.Click(chromedp.CSS(selector)))
	}
	status := ".live-responses-table .response .response-col_status"
	e.until("answer", visible(status))
	if got := e.text(status); !strings.HasPrefix(got, "200") {
		t.Errorf("status of the request that was tried out: got %q, want 200\n%s", got, e.text(".live-responses-table"))
	}
}
