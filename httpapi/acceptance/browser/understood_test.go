package browser

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// someTowns is a snapshot in which people look for places: the pubs of towns, of a part of a town that addresses name, and of postcodes.
//
//go:embed testdata/towns.csv
var someTowns string

// line returns the text of an element in one line; empty if it is hidden.
func (e explorer) line(selector string) string {
	e.t.Helper()
	return strings.Join(strings.Fields(evaluate[string](e.tab, fmt.Sprintf(`(e => e?.checkVisibility() ? e.innerText : '')(document.querySelector(%q))`, selector))), " ")
}

// quotes are the signs that the browser sets around a quoted text.
var quotes = regexp.MustCompile(`["“”]`)

// The page says what was understood of a text, moves the map there, and marks the words that matched.
func TestUnderstood(t *testing.T) {
	t.Parallel()
	e := explore(t, serveText(t, someTowns), "")
	e.do("points")
	york, brighton, london := pub{Latitude: 53.958, Longitude: -1.083}, pub{Latitude: 50.825, Longitude: -0.142}, pub{Latitude: 51.510, Longitude: -0.13}
	for _, c := range []struct {
		text, count, said string
		at                pub
		marks             []string // of the first hit
	}{
		{"pubs in york", "5 pubs in York", "", york, []string{"York", "York"}},
		{"best pub in york", "5 pubs in York", "", york, nil},
		{"gay bar brighton", "5 pubs in Brighton", "Nothing called gay bar in Brighton: all 5 pubs there. Search for gay bar brighton instead", brighton, nil},
		{"the crown covent garden", "1 pub", "Nearest to Covent Garden. Search for the crown covent garden instead", london, []string{"Crown"}},
		{"white heart", "5 pubs", "1 White Heart, and 4 called White Hart. Search for white heart instead", pub{}, []string{"White", "Heart"}},
		{"white hart lewes", "4 pubs", "1 White Hart Lewes, and 3 for White Hart. Search for white hart lewes instead", pub{Latitude: 50.873, Longitude: 0.010}, []string{"White", "Hart", "Lewes", "Lewes"}},
		{"sw1a 2hp", "1 pub at SW1A 2HP", "", london, []string{"SW1A", "2HP"}},
		{"sw1a 1aa", "2 pubs in SW1A", "Nothing at SW1A 1AA: all 2 pubs there. Search for sw1a 1aa instead", london, []string{"SW1A"}},
	} {
		e.do("open /?search=" + strings.ReplaceAll(c.text, " ", "+"))
		e.eventually(fmt.Sprintf("%s: %s", c.text, c.count), func() bool { return e.line("#count") == c.count })
		said := quotes.ReplaceAllString(e.line("#relaxed"), "")
		failIf(t, said != c.said, "%s: got %q, want %q", c.text, said, c.said)
		marks := evaluate[[]string](e.tab, `[...document.querySelectorAll('#results li:first-child mark')].map(mark => mark.textContent)`)
		failIf(t, c.marks != nil && !slices.Equal(marks, c.marks), "%s: marked %q, want %q", c.text, marks, c.marks)
		if c.at.Latitude != 0 {
			e.eventually(c.text+" on the map", func() bool { return e.view().Zoom > 10 && e.bounds().has(c.at) })
		}
	}
}

// A completion may be a place, which finds all pubs there.
func TestPlaceIsCompleted(t *testing.T) {
	t.Parallel()
	e := explore(t, serveText(t, someTowns), "")
	e.do("type brig")
	e.eventually("Brighton with its pubs", func() bool { return strings.HasPrefix(e.line("#suggestions li"), "Brighton place – 5 pubs") })
	e.do("click #suggestions li", "address search=pubs in Brighton")
	e.eventually("the pubs in Brighton", func() bool { return e.line("#count") == "5 pubs in Brighton" })
}
