package pages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"pubd/bench/testkit"
	"pubd/httpapi/fault"
	"pubd/httpapi/web"
	"pubd/httpapi/web/explorer"
	"pubd/httpapi/web/face"
	"pubd/httpapi/web/texts"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/hours"
	"pubd/index/schema"
)

const base = "https://pubs.example.org"

// pubAt returns a pub without ratings.
func pubAt(uid, name, location string, lat, lng float64) schema.Pub {
	return schema.Pub{UID: uid, Name: name, Location: location, Latitude: lat, Longitude: lng, Ratings: schema.Rated(nil)}
}

func build(t testkit.TB, extra []string, pubs ...schema.Pub) *index.Snapshot {
	t.Helper()
	return testkit.Must(index.InMemory(corpus.Directory{Pubs: pubs, CountsReviews: true, Extra: schema.ExtraColumns(extra)}, index.BuildOptions{}))(t)
}

// fewPubs returns a directory with all kinds of pubs.
func fewPubs(t testkit.TB) *index.Snapshot {
	t.Helper()
	lion := pubAt("u1", "The Red Lion", "Barnes", 51.4757, -0.2407)
	lion.Ratings = schema.Rated(map[schema.Metric]float64{schema.Beer: 7.5, schema.Total: 7.25})
	lion.ReviewCount, lion.Address, lion.Postcode, lion.Area = 9, "2 Castelnau", "SW13 9RU", "Richmond upon Thames"
	lion.AltNames, lion.Category, lion.Trading = "The Lion; Y Llew Coch", "Country Inn", "open"
	lion.Extra = []string{"lion.example.org/menu", "+44 (0)20 7946 0000"}
	return build(t, []string{"website", "phone"}, lion,
		pubAt("u2", "Red Lion", "barnes", 51.4747, -0.2399),
		pubAt("a/b c", `Café "Zur <Post>" & Söhne`, "Bankside", 51.5071, -0.0943),
		pubAt(".", "!!!", "", math.NaN(), math.NaN()))
}

// testPolicy is the policy of pages.
const testPolicy = "default-src 'none'"

// get renders a page, whose query may follow a question mark.
func get(s *index.Snapshot, target string) web.Page {
	path, query, _ := strings.Cut(target, "?")
	return (&Pages{face: face.Default(), policy: testPolicy}).Render(nil, web.PageRequest{Path: []byte(path), Query: []byte(query), Base: base}, s, new(index.Workspace))
}

func TestGolden(t *testing.T) {
	s := fewPubs(t)
	for file, path := range map[string]string{"pub.html": "/pubs/u1/the-red-lion-barnes", "bare.html": "/pubs/~./pub", "place.html": "/places/barnes", "places.html": "/places",
		"sitemap.xml": "/sitemap.xml", "pubs-1.xml": "/sitemaps/pubs-1.xml", "places-1.xml": "/sitemaps/places-1.xml", "robots.txt": "/robots.txt"} {
		testkit.Golden(t, filepath.Join("testdata", file), string(get(s, path).Body))
	}
}

// A page says once where its pub is, and what it is near if it has no place.
func TestWhere(t *testing.T) {
	guy := pubAt("u1", "The Guy Fawkes", "York", 53.962, -1.082)
	guy.Address, guy.Postcode, guy.Area = "10 High Petergate, York YO1 7EH", "YO17EH", "York"
	lone := pubAt("u2", "The Lone Tree", "", 53.97, -1.082)
	lone.Address = "Bootham"
	far := pubAt("u3", "The Far End", "", 53.3, -1.082)
	there := lone
	there.UID, there.Address, there.Extra = "u4", "Bootham, York", []string{"Éire"}
	star := pubAt("u5", "The Star Inn", "Heslington", 53.961, -1.081)
	star.Address = "48 Stonegate, York"
	s := build(t, []string{"country"}, guy, lone, far, there, star)
	for path, want := range map[string][]string{
		"/pubs/u1/the-guy-fawkes-york": {"<title>The Guy Fawkes, York – ", `content="10 High Petergate, York YO1 7EH. `,
			`"streetAddress":"10 High Petergate","addressLocality":"York","addressRegion":"York","postalCode":"YO17EH","addressCountry":"United Kingdom"}`},
		"/pubs/u2/the-lone-tree":           {"<title>The Lone Tree, near York – ", `content="Bootham, near York. `, `"streetAddress":"Bootham","addressCountry":"United Kingdom"}`},
		"/pubs/u3/the-far-end":             {"<title>The Far End – ", `content="The Far End"`, "No other pub is within 50 km.", `{"@type":"PostalAddress","addressCountry":"United Kingdom"}`},
		"/pubs/u5/the-star-inn-heslington": {`content="48 Stonegate, York. `},
		"/pubs/u4/the-lone-tree":           {"<title>The Lone Tree, near York – ", `content="Bootham, York. `, `"streetAddress":"Bootham","addressCountry":"Éire"}`},
		"/places/york":                     {`<span class="quiet" dir="auto">10 High Petergate, YO17EH</span>`},
	} {
		testkit.Contains(t, path, string(get(s, path).Body), want...)
	}
}

// saturday is when pubs with hours are looked at, 2026-11-28 at a time such as 20:00.
func saturday(t testkit.TB, clock string) hours.Moment {
	t.Helper()
	at := testkit.Must(time.Parse(time.DateTime, "2026-11-28 "+clock+":00"))(t)
	return hours.Moment{Wall: hours.LocalOf(at), IsWall: true}
}

// A page says until or from when a pub is open, if that is known and the pub trades.
func TestOpening(t *testing.T) {
	for _, c := range []struct{ hours, clock, want string }{
		{"Mo-Su 12:00-23:00", "20:00", "Open until 23:00"}, {"Mo-Su 12:00-23:00", "10:00", "Closed, opens 12:00"},
		{"Mo-Su 12:00-23:00", "23:30", "Closed, opens tomorrow 12:00"}, {"Mo 12:00-14:00", "20:00", "Closed, opens Monday 12:00"},
		{"Sa 12:00-13:00", "20:00", "Closed"}, {"Dec 25 12:00-14:00", "20:00", "Closed"}, {"off", "20:00", "Closed"}, {"24/7", "20:00", "Open all day"},
		{"Fr-Sa 12:00-02:00", "20:00", "Open until 02:00"}, {"Fr-Sa 12:00-02:00", "01:00", "Open until 02:00"}, {"Sa 10:00-44:00", "20:00", "Open until tomorrow 20:00"},
		{"Fr-Su 00:00-24:00", "20:00", "Open until tomorrow 00:00"}, {"Fr-Sa 00:00-26:00", "01:00", "Open until tomorrow 02:00"}, {"Sa 17:00+", "20:00", ""}, {"sunset-02:00", "20:00", ""}, {"", "20:00", ""},
	} {
		pub := pubAt("u1", "The Anchor", "Barnes", 51.47, -0.24)
		pub.OpeningHours = c.hours
		for trading, want := range map[string]string{"open": c.want, "Sundays only": c.want, "temporarily_closed": ""} {
			pub.Trading = trading
			r := &renderer{Pages: &Pages{face: face.Default()}, request: web.PageRequest{At: saturday(t, c.clock)}, snapshot: build(t, nil, pub)}
			testkit.Equal(t, c.hours+" at "+c.clock+", "+trading, r.opening(0, &pub), want)
		}
	}
}

// Hours and features are on the pages of pub and place, and in the data of the pub.
func TestHours(t *testing.T) {
	pub := pubAt("u1", "The Anchor", "Barnes", math.NaN(), math.NaN())
	pub.Trading, pub.Brand, pub.Features = "open", "Young's", "garden; Real Ale;-dog;bar billiards"
	pub.OpeningHours = "Tu-Th 12:00-14:30,17:00-24:00; Fr 12:00-02:00; Sa 00:00-24:00; Su 12:00-18:00+; Dec 25 off"
	odd := pubAt("u2", "The Bell", "Barnes", math.NaN(), math.NaN())
	odd.OpeningHours = "sunrise-sunset"
	gone := pub
	gone.UID, gone.Trading, gone.Features = "u3", "closed", ""
	s := build(t, nil, pub, odd, gone)
	for file, path := range map[string]string{"hours.html": "/pubs/u1/the-anchor-barnes", "hours-unread.html": "/pubs/u2/the-bell-barnes", "hours-place.html": "/places/barnes"} {
		page := (&Pages{face: face.Default(), policy: testPolicy}).Render(nil, web.PageRequest{Path: []byte(path), At: saturday(t, "20:00")}, s, new(index.Workspace))
		checkMarkup(t, s, path, page.Body, "")
		testkit.Golden(t, filepath.Join("testdata", file), string(page.Body))
	}
	page := get(s, "/pubs/u3/the-anchor-barnes")
	testkit.StopIf(t, page.Status != 200 || bytes.Contains(page.Body, []byte("12:00")), "of a pub that has closed: %s", page.Body)
}

// The page of an error has a way on, in the language of its face.
func TestErrors(t *testing.T) {
	german := testkit.Must(face.New(face.Options{Language: "de"}))(t)
	for _, c := range []struct {
		face    *face.Face
		status  int
		message string
	}{{nil, 404, "Not found"}, {nil, 405, "Method <not> allowed"}, {german, 429, "Rate limit exceeded"}} {
		page := (&Pages{face: cmp.Or(c.face, face.Default()), policy: testPolicy}).Render(nil, web.PageRequest{Error: &fault.Row{Status: c.status, Message: c.message}, ShowsData: true}, nil, nil)
		testkit.Equal(t, c.message, fmt.Sprint(page.Status, page.MediaType, page.Policy), fmt.Sprint(c.status, htmlType, testPolicy))
		checkMarkup(t, fewPubs(t), c.message, page.Body, "")
		testkit.FailIf(t, bytes.Contains(page.Body, []byte("open.js")), "%s: at the address of the explorer, its script reloads the page for ever", c.message)
		testkit.Golden(t, filepath.Join("testdata", fmt.Sprintf("error-%d.html", c.status)), string(page.Body))
	}
}

// A part of the sitemap is bounded, however long its addresses are; together, the parts have each address once.
func TestSitemapIsBounded(t *testing.T) {
	const most = web.MaxAddresses*(web.MaxAddress+len("<url><loc></loc></url>\n")) + 200
	var pubs []schema.Pub
	for i := range 2*web.MaxAddresses + 1 {
		pubs = append(pubs, pubAt(fmt.Sprintf("%04d%s", i, strings.Repeat("ü", 300+i%50)), "Pub", fmt.Sprint("Place ", i), math.NaN(), math.NaN()))
	}
	s, found := build(t, nil, pubs...), 0
	parts := addresses(t, "sitemapindex", "sitemap", get(s, "/sitemap.xml").Body)
	for part := range parts {
		body := get(s, strings.TrimPrefix(part, base)).Body
		testkit.StopIf(t, len(body) > most, "%s: has %d bytes, want at most %d", part, len(body), most)
		found += len(addresses(t, "urlset", "url", body))
	}
	long := 0
	for ordinal := range uint32(s.Len()) {
		if len(base)+len(appendPubPath(nil, s, ordinal)) > web.MaxAddress {
			long++
		}
	}
	testkit.StopIf(t, long == 0 || long == s.Len(), "%d addresses are too long", long)
	testkit.Equal(t, "parts and addresses", fmt.Sprint(len(parts), found), fmt.Sprint(6, 2*s.Len()-long))
	for _, c := range []struct{ pubs, places, want int }{{0, 0, 0}, {1, 0, 1}, {1000, 1001, 3}, {1 << 30, 1 << 30, maxParts}, {49_999_001, 9000, maxParts}} {
		total := 0
		for _, kind := range kindsOf(c.pubs, c.places) {
			total += kind.parts
		}
		testkit.Equal(t, fmt.Sprint("parts of ", c), total, c.want)
	}
}

// Where no pub is rated, no page talks of ratings.
func TestWithoutRatings(t *testing.T) {
	s := build(t, nil, pubAt("u1", "The Anchor", "Barnes", 51.47, -0.24))
	page := get(s, "/pubs/u1/the-anchor-barnes")
	testkit.Equal(t, "status", page.Status, 200)
	testkit.StopIf(t, regexp.MustCompile(`(?i)rat(ing|ed)|review`).Match(page.Body), "page of a pub: %s", page.Body)
}

// The page of a pub has the face that it is given, in each language.
func TestFaces(t *testing.T) {
	s := fewPubs(t)
	for _, language := range texts.Languages {
		f := testkit.Must(face.New(face.Options{Title: "Lions & <Bells>", Logo: "testdata/logo.svg", Accent: "#1a6b3c", Language: language, Corrections: "https://example.org/correct?pub={uid}&from=page"}))(t)
		page := (&Pages{face: f, policy: testPolicy}).Render(nil, web.PageRequest{Path: []byte("/pubs/u1/the-red-lion-barnes"), Base: base}, s, new(index.Workspace))
		testkit.Golden(t, filepath.Join("testdata", "face-"+language+".html"), string(page.Body))
	}
}

// Pages of a directory of breweries, rendered ones and the explorer, say pub nowhere that people read it.
func TestNoun(t *testing.T) {
	s, pub := fewPubs(t), regexp.MustCompile(`(?i)\bpubs?\b|BarOrPub|hospo`)
	for _, language := range texts.Languages {
		f := testkit.Must(face.New(face.Options{Language: language, Noun: "brewery,breweries"}))(t)
		e := testkit.Must(explorer.New(explorer.Settings{Face: f}))(t)
		site, said := New(f, e), map[string]string{}
		for _, target := range []string{"/pubs/u1/the-red-lion-barnes", "/pubs/~./pub", "/places/barnes", "/places", "/?search=bell", "/?pub=u1"} {
			path, query, _ := strings.Cut(target, "?")
			find := func(string) *schema.Pub { return s.Pub(0) }
			said[target] = string(site.Render(nil, web.PageRequest{Path: []byte(path), Query: []byte(query), Base: base, Find: find}, s, new(index.Workspace)).Body)
		}
		for _, status := range []int{404, 429, 500} {
			page := site.Render(nil, web.PageRequest{Error: &fault.Row{Status: status}, ShowsData: true}, nil, nil)
			said[fmt.Sprint("error ", status)] = string(page.Body)
		}
		for _, file := range site.Files("", s) {
			if file.Path == "/" {
				said["/"] = string(file.Body)
			}
		}
		testkit.Equal(t, "pages", len(said), 10)
		for target, body := range said {
			text := strings.Join(readable(body), "\n")
			testkit.FailIf(t, pub.MatchString(text) || !strings.Contains(text, "Breweries"), "%s, %s: got %q\nin %s", language, target, pub.FindAllString(text, -1), text)
		}
	}
}

// readable returns what people read of a page: its texts, and those of attributes, but no addresses.
func readable(body string) (list []string) {
	for tokens := html.NewTokenizer(strings.NewReader(body)); tokens.Next() != html.ErrorToken; {
		token := tokens.Token()
		if token.Type == html.TextToken {
			list = append(list, webAddresses.ReplaceAllString(token.Data, ""))
		}
		for _, attribute := range token.Attr {
			if slices.Contains([]string{"content", "title", "aria-label", "placeholder", "alt"}, attribute.Key) {
				list = append(list, webAddresses.ReplaceAllString(attribute.Val, ""))
			}
		}
	}
	return list
}

var webAddresses = regexp.MustCompile(`https?://[^ "]*`)

// Each path has a status, and a redirect leads to the one address.
func TestPaths(t *testing.T) {
	s := fewPubs(t)
	const lion, coffee = "/pubs/u1/the-red-lion-barnes", "/pubs/a%2Fb%20c/cafe-zur-post-and-sohne-bankside"
	for target, want := range map[string]string{
		lion: "200 ", lion + "?utm_source=x": "200 ", "/pubs/u1": "301 " + lion, "/pubs/u1/": "301 " + lion, "/pubs/u1/x/y": "301 " + lion,
		"/pubs/%751/the-red-lion-barnes": "301 " + lion, "/pubs/u%zz": "404 ", "/pubs/u9/the-red-lion-barnes": "404 ", "/pubs//": "404 ",
		coffee: "200 ", strings.ToLower(coffee): "301 " + coffee, "/pubs/a/b%20c": "404 ", "/pubs/~.": "301 /pubs/~./pub", "/pubs/./pub": "301 /pubs/~./pub",
		"/pubs/u1/map.png": "200 ", "/pubs/~./map.png": "404 ", "/pubs/u1/map.png/": "301 " + lion,
		"/places": "200 ", "/places?page=1": "200 ", "/places?page=2": "404 ", "/places?page=-1": "404 ", "/places?page=99999999999999999999": "404 ", "/places?%zz": "200 ",
		"/places/barnes": "200 ", "/places/Barnes": "301 /places/barnes", "/places/barnes/": "301 /places/barnes", "/places/nowhere": "404 ", "/places/-": "404 ", "/places/%": "404 ",
		"/places/barnes?page=2": "404 ", "/sitemap.xml": "200 ", "/sitemaps/pubs-1.xml": "200 ", "/sitemaps/pubs-01.xml": "404 ", "/sitemaps/pubs-2.xml": "404 ",
		"/sitemaps/pubs-1": "404 ", "/sitemaps/pubs-9223372036854775807.xml": "404 ", "/sitemaps/": "404 ", "/robots.txt": "200 ", "/else": "404 ",
	} {
		page := get(s, target)
		testkit.Equal(t, target, fmt.Sprint(page.Status, " ", page.Location), want)
		isPage := page.MediaType == htmlType
		testkit.StopIf(t, isPage != (page.Policy == testPolicy) || (page.Status == 200) != (len(page.Body) > 0), "%s: got %+v", target, page)
	}
	nowhere := (&Pages{face: face.Default(), policy: testPolicy}).Render(nil, web.PageRequest{Path: []byte(lion)}, s, new(index.Workspace))
	testkit.StopIf(t, nowhere.Status != 200 || bytes.Contains(nowhere.Body, []byte("canonical")) || bytes.Contains(nowhere.Body, []byte("og:image")), "without a base: got %s", nowhere.Body)
}

// A place lists the best rated first, a hundred on a page.
func TestOrderOfPlace(t *testing.T) {
	var pubs []schema.Pub
	for i := range 250 {
		pub := pubAt(fmt.Sprint("u", i), fmt.Sprintf("Pub %03d", i), "Town", 51, 0)
		pub.Area = "County"
		if i%2 == 1 {
			pub.Ratings, pub.ReviewCount = schema.Rated(map[schema.Metric]float64{schema.Total: float64(i) / 25}), 100
		}
		pubs = append(pubs, pub)
	}
	s := build(t, nil, pubs...)
	for target, want := range map[string]string{"/places/town": "Pub 249", "/places/town?page=2": "Pub 049", "/places/county": "Pub 249"} {
		_, list, _ := strings.Cut(string(get(s, target).Body), "<ul>")
		list, _, _ = strings.Cut(list, "</ul>") // without the places nearby
		testkit.Equal(t, target+": pubs", strings.Count(list, "<li>"), web.MaxPubsPerPage)
		name := regexp.MustCompile(`auto">([^<]*)<`).FindStringSubmatch(list)[1]
		testkit.Equal(t, target+": the first", name, want)
	}
	for i := range pubs {
		pubs[i].Ratings, pubs[i].ReviewCount = schema.Rated(nil), 0
	}
	_, list, _ := strings.Cut(string(get(build(t, nil, pubs...), "/places/town").Body), "<ul>")
	testkit.StopIf(t, !strings.Contains(strings.SplitN(list, "</li>", 2)[0], "Pub 000"), "unrated: got %.200s", list)
}

func TestWebAddress(t *testing.T) {
	for given, want := range map[string]string{"": "", "https://lion.example.org/a?b#c": "https://lion.example.org/a?b#c", " lion.example.org ": "http://lion.example.org",
		"javascript:alert(1)": "", "JavaScript://x.y/%0aalert(1)": "", "http://me:secret@lion.example.org": "", "data:text/html,x.y": "", "localhost": "", "//x.y": "", "no": "",
		"http://x.y/\"><script>": "http://x.y/%22%3E%3Cscript%3E"} {
		testkit.Equal(t, given, webAddress(given), want)
	}
}

// hostile are texts that would break out of what they stand in.
var hostile = []string{`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, "`${alert(1)}`", `]]>`, `<!--`, `-->`, `{{.}}`, `&lt;&amp;`, `%3Cscript%3E`,
	`\u003c`, `\"`, `javascript:alert(1)`, "a b", "\u202egnp.exe", "é́́", "../..", "..", ".", "~", "~~", "?a=b", "#a", "a//b", "%2F", "%", "東京", "😀", strings.Repeat("long ", 199), strings.Repeat("x", 1000),
	strings.Repeat("é", 500)}

// randomPub has hostile or random texts in every column.
func randomPub(t *rapid.T, i int) schema.Pub {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune(`ab .-~/\"'<>&%?#éßİ東`)), 1, 20, -1)
	text := rapid.OneOf(rapid.SampledFrom(hostile), letters)
	optional := rapid.OneOf(rapid.Just(""), text)
	pub := pubAt(fmt.Sprint(text.Draw(t, "uid"), i), text.Draw(t, "name"), rapid.OneOf(optional, rapid.SampledFrom([]string{"York", "St. Ives"})).Draw(t, "location"), math.NaN(), math.NaN())
	if rapid.Bool().Draw(t, "plain UID") {
		pub.UID = rapid.SampledFrom(hostile).Draw(t, "hostile UID")
	}
	for _, column := range []*string{&pub.Trading, &pub.Category, &pub.Address, &pub.Postcode, &pub.Area, &pub.AltNames, &pub.Features, &pub.OpeningHours, &pub.Brand} {
		*column = optional.Draw(t, "column")
	}
	pub.Extra = []string{optional.Draw(t, "website"), optional.Draw(t, "phone")}
	if rapid.Bool().Draw(t, "located") {
		pub.Latitude, pub.Longitude = rapid.Float64Range(-90, 90).Draw(t, "latitude"), rapid.Float64Range(-180, 180).Draw(t, "longitude")
	}
	if rapid.Bool().Draw(t, "rated") {
		pub.Ratings = schema.Rated(map[schema.Metric]float64{schema.Beer: 5, schema.Total: rapid.Float64Range(0, 10).Draw(t, "total")})
		pub.ReviewCount = rapid.Int64Range(0, 3).Draw(t, "reviews")
	}
	return pub
}

// Every pub of a random snapshot has a page, whose links lead to pages that exist; nothing of its texts is markup, and
// its data has its name.
func TestEveryPubHasAPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		byUID := map[string]schema.Pub{}
		for i := range rapid.IntRange(1, 8).Draw(t, "pubs") {
			pub := randomPub(t, i)
			byUID[pub.UID] = pub
		}
		var pubs []schema.Pub
		for _, pub := range byUID {
			pubs = append(pubs, pub)
		}
		s := build(t, []string{"website", "phone"}, pubs...)
		parts, listed := addresses(t, "sitemapindex", "sitemap", get(s, "/sitemap.xml").Body), map[string]bool{}
		testkit.StopIf(t, len(parts) == 0, "the list of parts is empty")
		for part := range parts {
			page := get(s, strings.TrimPrefix(part, base))
			testkit.Equal(t, part+": status", page.Status, 200)
			maps.Copy(listed, addresses(t, "urlset", "url", page.Body))
		}
		for ordinal := range uint32(s.Len()) {
			path := string(appendPubPath(nil, s, ordinal))
			page := get(s, path)
			testkit.Equal(t, path+": status", page.Status, 200)
			checkMarkup(t, s, path, page.Body, byUID[s.Pub(ordinal).UID].Name)
			testkit.StopIf(t, len(base+path) <= web.MaxAddress && !listed[base+path], "%s: is not in the sitemap", path)
		}
		all, names := placesOf(s), map[string]bool{}
		for number := range all.count() {
			folded, _, _ := all.at(number)
			testkit.StopIf(t, names[string(folded)], "%q is a place twice", folded)
			names[string(folded)] = true
			path := string(appendPlacePath(nil, folded))
			page := get(s, path)
			testkit.Equal(t, path+": status", page.Status, 200)
			checkMarkup(t, s, path, page.Body, "")
			testkit.StopIf(t, len(base+path) <= web.MaxAddress && !listed[base+path], "%s: is not in the sitemap", path)
		}
		for number := range s.Values(schema.Area) {
			folded, _, _ := s.ValueAt(schema.Area, number)
			testkit.StopIf(t, !names[string(folded)], "the area %q is no place", folded)
		}
	})
}

// addresses returns those of a file of the sitemap. The file must be what the schema of its root allows
// (https://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd and sitemap.xsd), except that a part may be empty: its
// entries have an absolute address of 12 to 2048 characters, and nothing else, as pubd knows no times of changes.
func addresses(t testkit.TB, root, entry string, body []byte) map[string]bool {
	t.Helper()
	type element struct {
		XMLName    xml.Name
		Attributes []xml.Attr `xml:",any,attr"`
		Text       string     `xml:",chardata"`
		Elements   []element  `xml:",any"`
	}
	var list element
	err := xml.Unmarshal(body, &list)
	testkit.StopIf(t, err != nil, "%v in %s", err, body)
	is := func(e element, name string, attributes int) {
		t.Helper()
		want := xml.Name{Space: "http://www.sitemaps.org/schemas/sitemap/0.9", Local: name}
		testkit.StopIf(t, e.XMLName != want || len(e.Attributes) != attributes, "got %+v, want %v", e, want)
		testkit.StopIf(t, len(e.Elements) > 0 && strings.TrimSpace(e.Text) != "", "%s: got the text %q", name, e.Text)
	}
	is(list, root, 1) // with the namespace
	testkit.StopIf(t, len(list.Elements) > web.MaxAddresses, "got %d addresses", len(list.Elements))
	found := map[string]bool{}
	for _, one := range list.Elements {
		is(one, entry, 0)
		testkit.StopIf(t, len(one.Elements) != 1, "got %+v", one)
		loc := one.Elements[0]
		is(loc, "loc", 0)
		address, err := url.Parse(loc.Text)
		length := utf8.RuneCountInString(loc.Text)
		testkit.StopIf(t, err != nil || address.Host == "" || length < 12 || length > 2048 || found[loc.Text] || len(loc.Elements) > 0, "got %+v", loc)
		found[loc.Text] = true
	}
	return found
}

// elements are those that pages have.
var elements = regexp.MustCompile(`^(html|head|meta|title|link|body|header|nav|main|section|h1|h2|p|a|span|bdi|dl|dt|dd|div|table|caption|thead|tbody|tr|th|td|ul|li|img|script)$`)

func checkMarkup(t testkit.TB, s *index.Snapshot, path string, body []byte, name string) {
	t.Helper()
	headings := 0
	for tokens := html.NewTokenizer(bytes.NewReader(body)); tokens.Next() != html.ErrorToken; {
		token := tokens.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		if token.String() == `<script type="module" src="/explorer/open.js">` {
			continue
		}
		testkit.StopIf(t, !elements.MatchString(token.Data), "%s: has %s", path, token)
		switch token.Data {
		case "h1":
			headings++
			tokens.Next()
			heading := tokens.Token().Data
			testkit.StopIf(t, name != "" && heading != name, "%s: heading %q, want %q", path, heading, name)
		case "script":
			testkit.Equal(t, path+": script", token.Attr, []html.Attribute{{Key: "type", Val: "application/ld+json"}})
			tokens.Next()
			var data struct{ Name string }
			err := json.Unmarshal(tokens.Raw(), &data)
			testkit.StopIf(t, err != nil || name != "" && data.Name != name, "%s: data %s, want the name %q: %v", path, tokens.Raw(), name, err)
		}
		for _, attribute := range token.Attr {
			testkit.StopIf(t, strings.HasPrefix(attribute.Key, "on") || attribute.Key == "style" || attribute.Key == "src" && attribute.Val != mapPath(path), "%s: has %s", path, token)
			if attribute.Key == "href" && token.Data == "a" {
				checkLink(t, s, path, attribute.Val)
			}
		}
	}
	testkit.Equal(t, path+": headings", headings, 1)
}

// checkLink checks that a link of a page leads to a page, or to one of the places that it may lead to.
func checkLink(t testkit.TB, s *index.Snapshot, path, href string) {
	t.Helper()
	for _, other := range []string{"https://www.openstreetmap.org/directions?to=", "/?pub=", "tel:", "http://", "https://"} {
		if strings.HasPrefix(href, other) {
			return
		}
	}
	testkit.StopIf(t, href != "/" && get(s, href).Status != 200, "%s: the link %s leads nowhere", path, href)
}

func TestMap(t *testing.T) {
	pubs := []schema.Pub{pubAt("brighton", "A", "", 50.82, -0.14), pubAt("fiji", "東京", "", -16.8, 179.99), pubAt("pole", "C", "", 90, 0), pubAt("west", "D", "", -89.9, -180)}
	s := build(t, nil, pubs...)
	for _, pub := range pubs {
		picture, err := png.Decode(bytes.NewReader(get(s, "/pubs/"+pub.UID+"/map.png").Body))
		testkit.StopIf(t, err != nil, "%s: %v", pub.UID, err)
		testkit.Equal(t, pub.UID, picture.Bounds().Size().String(), "(1200,630)")
		testkit.Equal(t, pub.UID+": the pub", picture.At(mapWidth/2, mapHeight/2), mapColours(face.Default().Accents[0])[accent])
		if pub.UID == "brighton" {
			testkit.Equal(t, "inland", picture.At(mapWidth/2, 20), mapColours("#000000")[land])
			testkit.Equal(t, "in the Channel", picture.At(mapWidth/2, mapHeight-bandHeight-20), mapColours("#000000")[sea])
		}
		letters := bytes.Count(picture.(*image.Paletted).Pix, []byte{ink})
		testkit.FailIf(t, letters > 0 != (pub.UID != "fiji"), "%s: %d pixels of its name %s", pub.UID, letters, pub.Name)
		below := picture.(*image.Paletted).SubImage(image.Rect(bandMargin, mapHeight-60, mapWidth-bandMargin, mapHeight)).(*image.Paletted)
		testkit.FailIf(t, !slices.ContainsFunc(below.Pix[:59*below.Stride], func(c uint8) bool { return c == accent }), "%s: the map does not say of what site it is", pub.UID)
	}
}

func FuzzRender(f *testing.F) {
	for _, path := range []string{"/pubs/u1/the-red-lion-barnes", "/pubs/~./pub", "/places/barnes?page=2", "/sitemaps/pubs-1.xml", "/pubs/%2e%2e/", "/places/%ff", "/pubs/u1/map.png", "/places?page=1&page=2"} {
		f.Add(path)
	}
	s := fewPubs(f)
	f.Fuzz(func(t *testing.T, target string) {
		if path, _, _ := strings.Cut(target, "?"); path == "/" {
			t.Skip("a page of the explorer")
		}
		page := get(s, target)
		switch {
		case page.Status == 301:
			testkit.Equal(t, target+" leads to "+page.Location, get(s, page.Location).Status, 200)
		case page.MediaType == htmlType:
			checkMarkup(t, s, target, page.Body, "")
		}
	})
}

// BenchmarkSitemap renders the whole sitemap of a million pubs.
func BenchmarkSitemap(b *testing.B) {
	s, site := manyPubs(b, 1_000_000), &Pages{face: face.Default(), policy: testPolicy}
	var body []byte
	for b.Loop() {
		total := 0
		for part := 1; ; part++ {
			page := site.Render(body[:0], web.PageRequest{Path: fmt.Appendf(nil, "/sitemaps/pubs-%d.xml", part), Base: base}, s, new(index.Workspace))
			if page.Status != 200 {
				break
			}
			body = page.Body
			total += bytes.Count(body, []byte("<loc>"))
		}
		testkit.Equal(b, "addresses", total, s.Len())
	}
}

func manyPubs(t testkit.TB, n int) *index.Snapshot {
	pubs := make([]schema.Pub, n)
	for i := range pubs {
		pubs[i] = pubAt(fmt.Sprintf("u%07d", i), fmt.Sprintf("The Red Lion & Café %d", i%50_000), fmt.Sprintf("Place %d", i%20_000), 50+float64(i%1000)/200, -3+float64(i/1000)/200)
		pubs[i].Ratings, pubs[i].ReviewCount = schema.Rated(map[schema.Metric]float64{schema.Beer: 5, schema.Total: float64(i % 10)}), int64(i%7)
	}
	return build(t, nil, pubs...)
}

func BenchmarkRender(b *testing.B) {
	s, site := manyPubs(b, 50_000), &Pages{face: face.Default(), policy: testPolicy}
	w := new(index.Workspace)
	for _, path := range []string{string(appendPubPath(nil, s, 25_000)), "/places/place-7", "/places", "/sitemaps/pubs-1.xml", string(mapPath(string(appendPubPath(nil, s, 25_000))))} {
		b.Run(strings.ReplaceAll(path[1:], "/", "_"), func(b *testing.B) {
			b.ReportAllocs()
			var body []byte
			for b.Loop() {
				page := site.Render(body[:0], web.PageRequest{Path: []byte(path), Base: base}, s, w)
				body = page.Body
				testkit.StopIf(b, page.Status != 200, "%v", page.Status)
			}
		})
	}
}
