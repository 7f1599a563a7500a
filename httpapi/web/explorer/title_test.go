package explorer

import (
	"html"
	"math"
	"regexp"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index/schema"
)

var (
	titleElement = regexp.MustCompile(`<title>([^<]*)</title>`)
	openTitle    = regexp.MustCompile(`<meta property="og:title" content="([^"<>]*)">`)
	descriptions = regexp.MustCompile(`<meta (?:name="description"|property="og:description") content="([^"<>]*)">`)
)

// head returns the title and the description of a page, which must be the same in all of its tags.
func head(t *testing.T, label string, page []byte) (title, description string) {
	t.Helper()
	body := string(page)
	titles, open, about := titleElement.FindAllStringSubmatch(body, -1), openTitle.FindAllStringSubmatch(body, -1), descriptions.FindAllStringSubmatch(body, -1)
	testkit.StopIf(t, len(titles) != 1 || len(open) != 1 || len(about) != 2 || titles[0][1] != open[0][1] || about[0][1] != about[1][1] || strings.Count(body, "<script") != 1,
		"%s: got titles %q, %q, descriptions %q and scripts %d", label, titles, open, about, strings.Count(body, "<script"))
	return html.UnescapeString(titles[0][1]), html.UnescapeString(about[0][1])
}

// Each sort key has a text. One that is unknown is shown as its key.
func TestSortsHaveTexts(t *testing.T) {
	page := string(allFiles(t, Settings{})["/"].Body)
	for _, sort := range sorts() {
		testkit.FailIf(t, strings.Contains(page, "sort_"+sort), "the page shows sort_%s: add it to the tables of package texts", sort)
	}
}

// The preview of a shared link describes the page.
func TestTitles(t *testing.T) {
	const evil = `</title><script>alert(1)</script>" onload="x`
	unrated := schema.Rated(nil)
	pubs := map[string]*schema.Pub{
		"1":   {Name: "The Bell", Location: "Ely", Address: "1 High St", Postcode: "CB7 4LA", Area: "Cambridgeshire", Ratings: schema.Rated(map[schema.Metric]float64{schema.Beer: 7, schema.Total: 7.25}), ReviewCount: 12},
		"a b": {Name: evil, Location: "<b>Ely</b>", Ratings: unrated},
		"2":   {Name: "Bell", Location: "Ely", Latitude: math.NaN(), Longitude: math.NaN(), Ratings: unrated},
		"3":   {Name: strings.Repeat("W", 900), Ratings: unrated},
	}
	webPages := testkit.Must(New(Settings{}))(t)
	start := allFiles(t, Settings{})["/"]
	_, about := head(t, "/", start.Body)
	for _, c := range testkit.Cases(t, "titles.txt") {
		query, want := c.Given, strings.ReplaceAll(c.Want, "{about}", about)
		lookedUp := ""
		page := webPages.Titled([]byte(query), func(uid string) *schema.Pub {
			lookedUp += uid
			return pubs[uid]
		}, func(uid string) string { return "https://pubs.example.org/pubs/" + uid })
		found := page.Status == 200
		if !found {
			page.Body = start.Body
		} else if page.Policy != start.Policy || page.MediaType != start.MediaType {
			t.Errorf("/?%s: got %s with policy %q", query, page.MediaType, page.Policy)
		}
		title, description := head(t, query, page.Body)
		wantTitle, part, _ := strings.Cut(want, " |")
		testkit.Equal(t, "title of /?"+query, title, wantTitle)
		part = strings.TrimPrefix(part, " ")
		testkit.FailIf(t, !strings.Contains(description, part) || strings.HasSuffix(part, ".") && description != part, "/?%.60s: got %q, want %q", query, description, part)
		testkit.Equal(t, "whether a title was found for /?"+query, found, title != "Pubs")
		testkit.Equal(t, "whether a pub was asked for by /?"+query, lookedUp != "", strings.Contains(query, "pub="))
	}
}
