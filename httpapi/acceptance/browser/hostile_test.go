package browser

import (
	"encoding/csv"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/loader"
)

// hostileFile is a snapshot whose names, phone numbers and websites try to inject markup, scripts or links, or to
// break the layout. Each name has the word lion; the UID of each pub is the number of its name.
const hostileFile = "testdata/hostile.csv"

// goodLinks matches everything to which a panel may link.
var goodLinks = regexp.MustCompile(`^(geo:[56][0-9.]*,0.5\?q=[56][0-9.]*,0.5\([^()<>"']*\)$|https://www\.openstreetmap\.org/(\?mlat=|directions\?to=[56][0-9.]*%2C0.5$)|tel:\+?[0-9]+$|https://evil\.example/|https://pub\.example\.org/)`)

// A name with markup is displayed as text everywhere.
func TestHostileNames(t *testing.T) {
	rows := testkit.Must(csv.NewReader(strings.NewReader(string(testkit.Must(os.ReadFile(hostileFile))(t)))).ReadAll())(t)
	extra := slices.DeleteFunc(rows[0], func(name string) bool { return loader.ColumnName(name) != "" })
	rows = rows[1:]
	e := open(t, serve(t, hostileFile, "--extra", strings.Join(extra, ",")), "/")
	const elements = `document.querySelectorAll('img, svg, script, b, s, u, iframe, [onerror], [onload], [onmouseover]').length`
	before := evaluate[int](e, elements)
	e.do("focus #search", "type lion")
	e.awaitCount(len(rows))
	e.do("see #suggestions [role=option]")
	completions := e.text("#suggestions")
	testkit.FailIf(t, !strings.Contains(completions, "onerror") && !strings.Contains(completions, "alert"), "completions: got %q, want the unchanged names", completions)
	e.do("leave")
	websites := map[string]string{"3": "", "8": "https://pub.example.org/", "9": "https://pub.example.org/?a=%3Cb%3E"}
	for _, row := range rows {
		uid, name := row[0], row[1]
		li := fmt.Sprintf("#results li[data-uid='%s']", uid)
		shown := property[string](e, li, "textContent")
		testkit.FailIf(t, !strings.Contains(shown, name), "hit: got %q, want %q", shown, name)
		e.do("click "+li+" :is(a, button)", "address pub="+uid, "until "+named(name))
		for _, link := range evaluate[[]string](e, `[...document.querySelectorAll('#pub .actions a')].map(a => a.href)`) {
			testkit.FailIf(t, !goodLinks.MatchString(link), "link of %q: got %s", name, link)
		}
		got := evaluate[string](e, `[...document.querySelectorAll('#pub .actions a')].find(a => a.textContent === 'Website')?.href ?? ''`)
		want, known := websites[uid]
		testkit.FailIf(t, known && got != want, "website of %q: got %q, want %q", name, got, want)
		e.fitsIn("#column", name)
		e.fitsIn("#pub", name)
		title := evaluate[string](e, `document.title`)
		testkit.FailIf(t, strings.Contains(title, "<img") && !strings.Contains(title, name), "title: got %q, want it to have %q unchanged", title, name)
		e.do("press Escape", "address pub=")
	}
	created := evaluate[int](e, elements) - before
	testkit.FailIf(t, created != 0, "elements that names could create: got %d more than before", created)
	testkit.FailIf(t, e.is(`'owned' in window`), "a script in a name ran")
	e.fitsIn("html", "long name")
}

// Parameters in the address are displayed as text, too, and the page works after invalid ones.
func TestHostileAddress(t *testing.T) {
	e := open(t, serve(t, hostileFile), "/")
	e.forgive(`status of 4(00|04|14)`) // Chromium's message about a rejected request
	for _, query := range []string{
		"search=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "pub=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "map=NaN,Infinity,1e99", "map=%3Cscript%3E",
		"sort=%3Cb%3E&order=up", "lat=1000&lng=x&distance=-1", "search=%ff%fe", "trading=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
		"search=" + strings.Repeat("lion+", 100),
	} {
		e.do("open /?"+query, `until /pub|No answer/.test(document.querySelector('#count').textContent)`, "click #search", "retype lion", "address search=lion")
		testkit.FailIf(t, evaluate[int](e, `document.querySelectorAll('img[src=x], b').length`) > 0, "%s: creates an element", query)
	}
}

// fitsIn checks that an element is no wider than what it has room for.
func (e *tab) fitsIn(selector, what string) {
	e.t.Helper()
	got := evaluate[[]float64](e, fmt.Sprintf(`(({scrollWidth, clientWidth}) => [scrollWidth, clientWidth])(document.querySelector(%q))`, selector))
	testkit.FailIf(e.t, got[0] > got[1], "%s, %s: got a width of %v px, want at most %v", what, selector, got[0], got[1])
}
