package browser

import (
	"slices"
	"testing"
)

// The pages of a pub and a place, and the list of places, pass axe, in light and dark mode, on all screens, and fit
// them. A link leads from each to the next.
func TestRenderedPages(t *testing.T) {
	script, s := needAxe(t), serveMany(t)
	rated := s.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	for _, screen := range screens {
		for _, scheme := range []string{"light", "dark"} {
			e := explorer{openTab(t, s, "/pubs/"+rated.UID, slices.Concat([]step{prefers(colourScheme, scheme)}, screen.before)...)}
			check := func(what, href string) {
				t.Helper()
				what += ", " + screen.name + " " + scheme
				e.do("see h1", "until document.readyState === 'complete' && document.styleSheets.length === 1")
				e.passesAxe(script, what)
				failIf(t, e.is("document.documentElement.scrollWidth > innerWidth"), "%s: is wider than the screen", what)
				failIf(t, href != "" && !e.is("!!document.querySelector('"+href+"')"), "%s: has no link like %s", what, href)
			}
			const place, list = `.path a[href^="/places/"]`, `.path a[href="/places"]`
			check("pub", place)
			failIf(t, e.text("h1") != rated.Name, "heading: got %q, want %q", e.text("h1"), rated.Name)
			e.do("click "+place, "until location.pathname.startsWith('/places/')")
			check("place", list)
			e.do("click "+list, "until location.pathname === '/places'")
			check("places", "")
		}
	}
}

// A link to the explorer opens it in the place of a rendered page, without loading another one; Back shows the page
// again, and Forward the explorer.
func TestExplorerOnPage(t *testing.T) {
	s := serveMany(t)
	rated := s.search(t, "search=red+lion&sort=fair&order=desc&amount=1").Results[0]
	e := explorer{openTab(t, s, "/pubs/"+rated.UID)}
	e.do("see h1", "run window.same = true", "click .actions a[data-explorer]", "address pub="+rated.UID, "see #pub h2", "points")
	failIf(t, !e.is("window.same === true && location.pathname === '/'"), "the explorer was loaded as another page")
	e.awaitPub(rated.Name)
	e.do("press Escape", "address pub=", "see #results li", "run history.back()", "see #pub h2",
		"run history.back()", "until location.pathname.startsWith('/pubs/') && document.querySelector('.actions a[data-explorer]') !== null",
		"run history.forward()", "see #pub h2", "points")
}
