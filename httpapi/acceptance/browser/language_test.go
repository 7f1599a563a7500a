package browser

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// With another language and noun, the page and what its scripts show are in that language and have that noun. The panel
// has a link for corrections.
func TestGerman(t *testing.T) {
	e := open(t, serve(t, "", "--language", "de", "--noun", "Kneipe,Kneipen", "--corrections", "https://example.org/?pub={uid}"), "/")
	e.do("see #results li")
	count := e.text("#count")
	testkit.FailIf(t, !strings.HasPrefix(count, "Am besten bewertet: ") || !strings.Contains(count, " Kneipen"), "count: got %q", count)
	testkit.FailIf(t, !e.is("document.documentElement.lang === 'de' && document.title === 'Kneipen'"), "language and title are others")
	e.do("open /?search=red+lion", "see #results li", "click #results a", "see #pub .nearby li", "until document.title.endsWith(' – Kneipen')")
	uid := e.address().Get("pub")
	testkit.FailIf(t, !e.is(fmt.Sprintf("document.querySelector('#pub a[href=\"https://example.org/?pub=%s\"]').textContent === 'Korrektur vorschlagen'", uid)), "no link for corrections of %s", uid)
}
