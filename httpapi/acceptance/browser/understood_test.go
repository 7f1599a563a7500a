package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// someTowns is a snapshot in which people look for places: the pubs of towns, of a part of a town that addresses name, and of postcodes.
const someTowns = `UID,name,location,latitude,longitude,address,postcode,area
y1,Ackhorne Inn,York,53.957,-1.087,"9 St Martins Lane, York",YO1 6LN,North Yorkshire
y2,Blue Bell,York,53.958,-1.080,"53 Fossgate, York",YO1 9TF,North Yorkshire
y3,Golden Fleece,York,53.957,-1.079,"16 Pavement, York",YO1 9UP,North Yorkshire
y4,Maltings,York,53.958,-1.091,"Tanners Moat, York",YO1 6HU,North Yorkshire
y5,Black Swan,York,53.960,-1.078,"Peasholme Green, York",YO1 7PR,North Yorkshire
b1,Basketmakers,Brighton,50.826,-0.138,"12 Gloucester Road, Brighton",BN1 4AD,Sussex
b2,Colonnade,Brighton,50.823,-0.139,"10 New Road, Brighton",BN1 1UF,Sussex
b3,Evening Star,Brighton,50.828,-0.141,"55 Surrey Street, Brighton",BN1 3PB,Sussex
b4,Cricketers,Brighton,50.821,-0.140,"15 Black Lion Street, Brighton",BN1 1ND,Sussex
b5,Lion & Lobster,Brighton,50.825,-0.153,"24 Sillwood Street, Brighton",BN1 2PS,Sussex
c1,Lamb & Flag,Westminster,51.5117,-0.1255,"33 Rose Street, Covent Garden, London",WC2E 9EB,London
c2,Punch & Judy,Westminster,51.5119,-0.1228,"40 The Market, Covent Garden, London",WC2E 8RF,London
c3,Nag's Head,Westminster,51.5128,-0.1234,"10 James Street, Covent Garden, London",WC2E 8BT,London
c4,The Crown,Camden,51.5135,-0.1268,"43 Monmouth Street, London",WC2H 9DD,London
s1,Clarence,Westminster,51.5061,-0.1266,"53 Whitehall, London",SW1A 2HP,London
s2,Blue Posts,Westminster,51.5072,-0.1398,"6 Bennett Street, London",SW1A 1RP,London
h1,The White Heart,Barnsley,53.525,-1.628,"Bridge Street, Penistone",S36 7AH,South Yorkshire
h2,🍺 White Hart,Lewes,50.873,0.010,"55 High Street, Lewes",BN7 1XE,Sussex
h3,White Hart,Ely,52.398,0.262,"Market Place, Ely",CB7 4NP,Cambridgeshire
h4,White Hart Inn,Hull,53.744,-0.332,"25 Silver Street, Hull",HU1 1JG,East Yorkshire
h5,Old White Hart,Hull,53.743,-0.331,"109 Alfred Gelder Street, Hull",HU1 1EP,East Yorkshire
`

// line returns the text of an element in one line; empty if it is hidden.
func (e explorer) line(selector string) string {
	e.t.Helper()
	return strings.Join(strings.Fields(evaluate[string](e.tab, fmt.Sprintf(`(document.querySelector(%q)?.checkVisibility() ? document.querySelector(%q).innerText : '')`, selector, selector))), " ")
}

// quotes are the signs that the browser sets around a quoted text.
var quotes = regexp.MustCompile(`["“”]`)

// The page says what was understood of a text, moves the map there, and marks the words that matched.
func TestUnderstood(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pubs.csv")
	ok(t, os.WriteFile(file, []byte(someTowns), 0o600))
	s := serve(t, "--data", file)
	e := explore(t, s, "")
	e.awaitPoints(21)
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
		e.run(chromedp.Navigate(s.origin + "/?search=" + strings.ReplaceAll(c.text, " ", "+")))
		e.eventually(fmt.Sprintf("%s: %s", c.text, c.count), func() bool { return e.line("#count") == c.count })
		if got := quotes.ReplaceAllString(e.line("#relaxed"), ""); got != c.said {
			t.Errorf("%s: got %q, want %q", c.text, got, c.said)
		}
		marks := evaluate[[]string](e.tab, `[...document.querySelectorAll('#results li:first-child mark')].map(mark => mark.textContent)`)
		if c.marks != nil && !slices.Equal(marks, c.marks) {
			t.Errorf("%s: marked %q, want %q", c.text, marks, c.marks)
		}
		if c.at.Latitude != 0 {
			e.eventually(c.text+" on the map", func() bool { return e.view().Zoom > 10 && e.bounds().has(c.at) })
		}
	}
}

// A completion may be a place, which finds all pubs there.
func TestPlaceIsCompleted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pubs.csv")
	ok(t, os.WriteFile(file, []byte(someTowns), 0o600))
	e := explore(t, serve(t, "--data", file), "")
	e.press("brig")
	e.eventually("Brighton with its pubs", func() bool { return strings.HasPrefix(e.line("#suggestions li"), "Brighton place – 5 pubs") })
	e.run(chromedp.Click(chromedp.CSS("#suggestions li")))
	e.awaitAddress("search", "pubs in Brighton")
	e.eventually("the pubs in Brighton", func() bool { return e.line("#count") == "5 pubs in Brighton" })
}
