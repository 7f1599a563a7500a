package browser

import (
	"strings"
	"testing"
)

// With another language and title, the page and what its scripts show are in that language.
func TestGerman(t *testing.T) {
	e := open(t, serve(t, "", "--language", "de", "--title", "Kneipen"), "/")
	e.do("see #results li")
	failIf(t, !strings.HasPrefix(e.text("#count"), "Am besten bewertet von "), "count: got %q", e.text("#count"))
	failIf(t, !e.is("document.documentElement.lang === 'de' && document.title === 'Kneipen'"), "language and title are others")
	e.do("open /?search=red+lion", "see #results li", "click #results a", "see #pub .nearby li", "until document.title.endsWith(' – Kneipen')")
}
