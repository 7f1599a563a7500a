package httpapi

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"pubd/index"
)

const testUnpaged = 777

// describe returns the parsed parameters that differ from the defaults, or the message of an error.
func describe(a *params, f fault) string {
	if f.isSet() {
		message, _, _ := strings.Cut(strings.TrimPrefix(string(appendFault(nil, f)), `{"error":"`), `","code"`)
		return message
	}
	if a.operation == opLookup {
		return fmt.Sprintf("lookup %q", a.pubid)
	}
	q := &a.query
	text := fmt.Sprintf("%v %q", a.operation, q.Text)
	sort, amount := index.SortName, defaultAmount
	if a.operation == opDistance {
		text += fmt.Sprintf(" %v,%v,%v", a.lat, a.lng, a.radius)
		sort, amount = index.SortDistance, testUnpaged
	}
	for _, member := range []struct {
		shown bool
		text  string
	}{
		{q.All, "all"}, {a.paged, "paged"}, {q.Page != 1, fmt.Sprint("page=", q.Page)}, {q.Amount != amount, fmt.Sprint("amount=", q.Amount)},
		{q.Sort != sort, "sort=" + q.Sort.String()}, {q.Descending, "desc"}, {q.Rated, "rated"}, {q.Strict, "strict"},
		{q.Marker != nil, fmt.Sprintf("marker=%q", q.Marker)},
	} {
		if member.shown {
			text += " " + member.text
		}
	}
	return text
}

const (
	missing   = "Missing required parameter (pubid or search)"
	malformed = "Malformed query string"
	near      = "search=x&lat=1&lng=2&distance=3"
)

func lacks(name string) string {
	return "Missing required parameter '" + name + "': a distance search needs lat, lng and distance"
}

func twice(name string) string { return "Duplicate parameter '" + name + "'" }

// sorts are the sort keys that need no point.
const sorts = "name, location, review_count, beer, atmos, fengshui, service, toilets, total, relevance, fair, weighted, random"

const rejectedNear = "Invalid parameter 'sort': must be one of distance, " + sorts

var rules = map[string]string{
	"search":   "must be at most 200 characters",
	"page":     "must be a positive integer",
	"amount":   "must be an integer from 1 to 100",
	"sort":     "must be one of " + sorts + "; distance needs lat, lng and distance, or near, or around",
	"order":    "must be asc or desc",
	"rated":    "must be true, false, 1 or 0",
	"lat":      "must be a number from -90 to 90",
	"lng":      "must be a number from -180 to 180",
	"distance": "must be a number of kilometres, 0 or more",
	"relax":    "must be true, false, 1, 0 or more",

	"pubids":       "must be 1 to 100 UIDs, separated by commas, without pubid and search",
	"trading":      "must be values, separated by commas",
	"category":     "must be values, separated by commas",
	"location":     "must be values, separated by commas",
	"min_beer":     "must be a number from 0 to 10",
	"min_atmos":    "must be a number from 0 to 10",
	"min_fengshui": "must be a number from 0 to 10",
	"min_service":  "must be a number from 0 to 10",
	"min_toilets":  "must be a number from 0 to 10",
	"min_total":    "must be a number from 0 to 10",
	"min_reviews":  "must be an integer from 0 to 9223372036854775807",
	"bbox":         "must be minLng,minLat,maxLng,maxLat in degrees, minLat at most maxLat",
	"exclude":      "must be 1 to 100 UIDs, separated by commas",
	"near":         "must be lat,lng in degrees, without lat, lng, distance and around",
	"around":       "must be the UID of a pub with coordinates, without lat and lng",
	"weights":      "must be metrics with weights from 0 to 100, not all 0, such as beer:3,toilets:1",
	"seed":         "must be an integer from 0 to 9223372036854775807",
	"include":      "must be some of rankings, local_rankings, match, label, address, extra, separated by commas",
	"fields": "must be some of UID, name, location, trading, latitude, longitude, common_category, beer, atmos, fengshui, service, " +
		"toilets, total, review_count, distance, address, postcode, area, alt_names, separated by commas",
	"facets": "must be some of location, trading, common_category, separated by commas",
	"format": "must be one of json, geojson, csv, ndjson, spreadsheet",
	"strict": "must be true, false, 1 or 0",

	"facet_search": "must be location, trading or common_category and the beginning of a word, such as location:ox",
}

func rejected(name string) string { return "Invalid parameter '" + name + "': " + rules[name] }

// A parseCase is a raw query string and its parsed form.
type parseCase struct{ query, want string }

var operationCases = []parseCase{
	{"", missing},
	{"pubid=u01", `lookup "u01"`},
	{"pubid=+u01%20", `lookup " u01 "`},
	{"pubid=%2A", `lookup "*"`},
	{"pubid=u01&search=x", `lookup "u01"`},
	{"page=0&amount=x&sort=x&order=x&rated=x&lat=x&lng=x&distance=x&relax=x&pubid=u01", `lookup "u01"`},
	{"page=1&page=2&search=x&pubid=u01&search=x&marker=&marker=", `lookup "u01"`},
	{"pubid=u01&search=" + strings.Repeat("a", 201), `lookup "u01"`},
	{"pubid=u01&pubid=u01", twice("pubid")},
	{"pubid=u01&pubid=", twice("pubid")},
	{"pubid=&pubid=u01", twice("pubid")},
	{"page=1&page=1&pubid=u01&pubid=u02", twice("pubid")},
	{"pubid=u01&search=%zz", malformed},
	{"pubid=&search=x", `search "x"`},
	{"pubid=%20%09&search=x", `search "x"`},
	{"pubid", missing},
	{"PUBID=u01", missing},
	{"Search=x", missing},
	{"search", missing},
	{"search=", missing},
	{"search=+%20%09%0A%C2%A0%E2%80%83%E3%80%80", missing},
	{"search=%E2%80%8B", `search "\u200b"`},
	{"search=&lat=1&lng=2&distance=3", missing},
	{"lat=1&lng=2&distance=3", missing},
	{"page=0", missing},
	{"search=x", `search "x"`},
	{"search=%73%C3%A9+a%20b%2Bc", `search "sé a b+c"`},
	{"search=+x+", `search " x "`},
	{"s%65arch=x", `search "x"`},
	{"search=a=b", `search "a=b"`},
	{"search=a;b&a;page=0", `search "a;b"`},
	{"&&search=x&&", `search "x"`},
	{"search=*", `search "*" all`},
	{"search=+*%09", `search " *\t" all`},
	{"search=%E3%80%80*", `search "\u3000*" all`},
	{"search=**", `search "**"`},
	{"search=x&page=&amount=+&sort=%09&order=&rated=&relax=&marker=", `search "x"`},
	{"search=x&lat=&lng=+&distance=%C2%A0", `search "x"`},
	{"search=x&marker=red", `search "x"`},
	{"search=x&Lat=1&unknown=%C3%A9", `search "x"`},
	{"search=x&page=7&amount=50&sort=beer&order=desc&rated=1&relax=0&marker=x", `search "x" page=7 amount=50 sort=beer desc rated strict`},
	{near, `distance "x" 1,2,3`},
	{near + "&search=", twice("search")},
	{near + "&page=1", `distance "x" 1,2,3 paged`},
	{near + "&amount=5", `distance "x" 1,2,3 paged amount=5`},
	{near + "&page=&amount=+", `distance "x" 1,2,3`},
	{near + "&marker=The+K%C3%AFng's%20HEAD", `distance "x" 1,2,3 marker="the kings head"`},
	{near + "&marker=!!!", `distance "x" 1,2,3 marker=""`},
	{near + "&marker=+", `distance "x" 1,2,3`},
	{near + "&sort=distance&order=DESC", `distance "x" 1,2,3 desc`},
	{near + "&sort=Total&rated=TRUE&relax=FALSE", `distance "x" 1,2,3 sort=total rated strict`},
	{"search=x&lat=1", lacks("lng")},
	{"search=x&lng=1", lacks("lat")},
	{"search=x&distance=1", lacks("lat")},
	{"search=x&lat=1&lng=1", lacks("distance")},
	{"search=x&lat=+&lng=1&distance=1", lacks("lat")},
	{"search=x&lat=x&lng=x", lacks("distance")},
	{near + "&sort=x", rejectedNear},

	// Of several errors, the response has a malformed query first, then a duplicate, then a missing parameter, then the first of the table.
	{"page=0&page=0&x=%ff", malformed},
	{"page=0&page=0", twice("page")},
	{"lat=x&search=&search=", twice("search")},
	{"search=x&lat=1&amount=0&amount=0", twice("amount")},
	{"search=x&relax=x&lat=1", lacks("lng")},
	{"relax=x&distance=x&lng=x&lat=x&rated=x&order=x&sort=x&amount=x&page=x&search=" + strings.Repeat("a", 201), rejected("search")},
	{"relax=x&distance=x&lng=x&lat=x&rated=x&order=x&sort=x&amount=x&page=x&search=x", rejected("page")},
	{"relax=x&distance=1&lng=1&lat=1&rated=x&order=x&sort=name&amount=x&search=x", rejected("amount")},
	{"relax=x&distance=1&lng=1&lat=1&rated=x&order=x&search=x", rejected("order")},
	{"relax=x&distance=1&lng=1&lat=1&rated=x&search=x", rejected("rated")},
	{"relax=x&distance=x&lng=x&lat=x&search=x", rejected("lat")},
	{"relax=x&distance=x&lng=x&lat=1&search=x", rejected("lng")},
	{"relax=x&distance=x&lng=1&lat=1&search=x", rejected("distance")},
	{"relax=x&distance=1&lng=1&lat=1&search=x", rejected("relax")},
}

func TestParseOperation(t *testing.T) {
	var a params // reused, as in service
	for _, c := range operationCases {
		if got := describe(&a, a.parsePubs([]byte(c.query), nil, testUnpaged)); got != c.want {
			t.Errorf("?%s\n got %s\nwant %s", c.query, got, c.want)
		}
	}
	for p := range parameterCount {
		for _, second := range []string{"x", "", "+"} {
			query := fmt.Sprintf("%v=&x&%v=%s", p, p, second)
			if got := describe(&a, a.parsePubs([]byte(query), nil, testUnpaged)); got != twice(p.String()) {
				t.Errorf("?%s: got %s, want %s", query, got, twice(p.String()))
			}
		}
	}
}

func TestParseMalformed(t *testing.T) {
	var a params
	for _, value := range []string{"%", "%2", "%zz", "%g0", "%0g", "a%", "%%20", "%u0041", "%-1", "%+1", "%25%", "%ff", "\xff", "%C3", "%C3%28",
		"%80", "%C0%AF", "%E0%80%AF", "%ED%A0%80", "%F4%90%80%80", "%F8%88%80%80%80", "abc%FE"} {
		for _, query := range []string{"search=" + value, "pubid=" + value, value, value + "=x", "search=x&unknown=" + value, "search=x&page=" + value + "&page="} {
			if got := describe(&a, a.parsePubs([]byte(query), nil, testUnpaged)); got != malformed {
				t.Errorf("?%s: got %s, want %s", query, got, malformed)
			}
		}
	}
}

// Every parameter has a row in the tables of the service, and the expected rule.
func TestParametersAreComplete(t *testing.T) {
	want := strings.Fields(`pubid search page amount sort order rated lat lng distance marker relax pubids trading category location
		min_beer min_atmos min_fengshui min_service min_toilets min_total min_reviews bbox exclude near around weights seed
		include fields facets format snapshot strict after facet_search`)
	var names []string
	for p, row := range parameters {
		names = append(names, row.name)
		if row.parse == nil || row.rule != rules[row.name] || parametersByName[row.name] != parameter(p) {
			t.Errorf("parameter %d %q: rule %q, want %q", p, row.name, row.rule, rules[row.name])
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("got %v\nwant %v", names, want)
	}
	inRule := map[string]index.Sort{}
	for _, name := range append(strings.Split(sortKeys, ", "), "distance") {
		inRule[name] = sortsByName[name]
	}
	if !maps.Equal(inRule, sortsByName) {
		t.Errorf("rule of sort: got %v\nwant %v", inRule, sortsByName)
	}
}

func TestIgnoredNames(t *testing.T) {
	for _, c := range []parseCase{
		{"search=x", ""},
		{"pubid=x&page=1&page=1&marker=x", ""},
		{"b=1&a=2&b=3&a", "a, b"},
		{"=1&=2&+=3", "%20"},
		{"&&Search=1&search%20=1", "Search, search%20"},
		{"a-._~Z9=1&%C3%A9=1&a%2Cb=1&a%0D%0AX:y=1&%22=1", "%22, a%0D%0AX%3Ay, a%2Cb, a-._~Z9, %C3%A9"},
	} {
		var q queryString
		ok := q.read([]byte(c.query))
		if got := string(q.appendIgnored(nil)); !ok || got != c.want {
			t.Errorf("?%s: got %q, %v, want %q", c.query, got, ok, c.want)
		}
	}
}

// reference parses a query string with net/url. Unlike url.ParseQuery, it treats a semicolon as any other character, rejects invalid UTF-8,
// and returns the first repeated parameter.
func reference(raw string) (of map[string]string, repeated string, unknown []string, ok bool) {
	of = map[string]string{}
	for pair := range strings.SplitSeq(raw, "&") {
		left, right, _ := strings.Cut(pair, "=")
		name, err1 := url.QueryUnescape(left)
		value, err2 := url.QueryUnescape(right)
		if err1 != nil || err2 != nil || !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, "", nil, false
		}
		_, known := rules[name]
		_, given := of[name]
		switch {
		case !known && name != "pubid" && name != "marker" && name != "after":
			unknown = append(unknown, name)
		case given && repeated == "":
			repeated = name
		case !given:
			of[name] = value
		}
	}
	return of, repeated, slices.DeleteFunc(unknown, func(name string) bool { return name == "" }), true
}

func TestQueryStringAgreesWithReference(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"pubid", "search", "page", "amount", "lat", "marker", "relax", "Search", "x", "=", "=", "&", "&", "+", "%20", "%26", "%3D",
			"%2B", "%2", "%", "%zz", "%C3%A9", "%C3", "é", "\xc3", "%00", ";", "#", "?", "%E2%80%83", "\u00a0", "\t", "1"}),
		rapid.StringN(0, 3, 6))
	var q queryString // reused, as in service
	agree := func(t *rapid.T) {
		raw := strings.Join(rapid.SliceOfN(piece, 0, 24).Draw(t, "pieces"), "")
		wanted, repeated, unknown, wantOK := reference(raw)
		ok := q.read([]byte(raw))
		if ok != wantOK {
			t.Fatalf("?%q: ok %v, want %v", raw, ok, wantOK)
		}
		if !ok {
			return
		}
		for p := range parameterCount {
			value, given := wanted[p.String()]
			if q.given[p] != given || q.has(p) != (strings.TrimSpace(value) != "") || q.has(p) && string(q.of[p]) != value {
				t.Fatalf("?%q: %v is %q, given %v, want %q, %v", raw, p, q.of[p], q.given[p], value, given)
			}
		}
		if q.repeated != (repeated != "") || q.repeated && q.duplicate.String() != repeated {
			t.Fatalf("?%q: repeated %v, %v, want %q", raw, q.repeated, q.duplicate, repeated)
		}
		slices.Sort(unknown)
		unknown = slices.Compact(unknown)
		for i := range unknown {
			unknown[i] = strings.ReplaceAll(url.QueryEscape(unknown[i]), "+", "%20")
		}
		if got, want := string(q.appendIgnored(nil)), strings.Join(unknown, ", "); got != want {
			t.Fatalf("?%q: ignored %q, want %q", raw, got, want)
		}
	}
	for range 50 { // each checks 100 query strings
		rapid.Check(t, agree)
	}
}
