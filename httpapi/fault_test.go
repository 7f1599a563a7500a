package httpapi

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/httpapi/fault"
	"pubd/httpapi/request"
	"pubd/loader"
)

// faultCases are streams of requests, by the name of the row of the error table that answers the last one. TestGolden
// compares the responses.
var faultCases = map[string]struct {
	on   func(testing.TB, AccessLog) (*Service, *testkit.Output)
	sent string
}{
	"MissingParameter":   {withData, get("page=1")},
	"MissingPoint":       {withData, get("search=lion&lat=51.5&distance=5")},
	"MissingCompanion":   {withData, get("search=lion&sort=random")},
	"SnapshotGone":       {withData, get("search=lion&snapshot=0123456789abcdef")},
	"InvalidParameter":   {withData, get("search=lion&amount=101")},
	"DuplicateParameter": {withData, get("search=lion&page=1&page=2")},
	"UnknownParameter":   {withData, get("search=lion&amont=5&strict=true")},
	"MalformedQuery":     {withData, get("search=%zz")},
	"MalformedRequest":   {withData, "GET\r\n\r\n"},
	"KeyRequired":        {withData, request11("GET", "/api/v1/pubs/?pubid=u01")},
	"KeyInvalid":         {withData, request11("GET", "/api/v1/pubs/?pubid=u01", "X-API-Key: "+revokedSecret)},
	"PubNotFound":        {withData, get("pubid=U01")},
	"NotFound":           {withData, request11("GET", "/api/v1/pubs//?pubid=u01")},
	"MethodNotAllowed":   {withData, request11("DELETE", "/api/v1/pubs/?pubid=u01", "x-api-key: "+goodSecret)},
	"BodyTooLarge":       {withData, get("pubid=u01", "Content-Length: 5") + "hello"},
	"QueryTooLarge":      {withData, get("search=lion&x=" + strings.Repeat("x", request.MaxQuery))},
	"PreconditionFailed": {withData, get("pubid=u01", `If-Match: "stale"`)},
	"HeaderTooLarge":     {withData, get("pubid=u01", "X: "+strings.Repeat("x", 17<<10))},
	"Misdirected":        {demo, get("pubid=u01")},
	"RateLimited":        {withData, strings.Repeat(request11("GET", "/api/v1/pubs?pubid=u01", "x-api-key: "+limitedSecret), 2)},
	"Internal":           {broken, get("pubid=u01")},
	"NotReady":           {withoutData, get("pubid=u01")},
	"SnapshotPending":    {pending, get("search=lion&snapshot=00000000000000aa")},
	"UnsupportedVersion": {withData, strings.Replace(get("pubid=u01"), "HTTP/1.1", "HTTP/2.0", 1)},
}

// declaredFaults are the rows of the error table, by name.
func declaredFaults(t testing.TB) map[string]*fault.Row {
	source := testkit.Must(os.ReadFile("fault/fault.go"))(t)
	rows := map[string]*fault.Row{}
	for i, found := range regexp.MustCompile(`(\w+) += row\(Row\{`).FindAllSubmatch(source, -1) {
		rows[string(found[1])] = fault.Table[i]
	}
	testkit.Equal(t, "rows", len(rows), len(fault.Table))
	return rows
}

func TestFaultCasesAreComplete(t *testing.T) {
	rows := declaredFaults(t)
	delete(rows, "Overloaded") // which the admission of a server decides: see that package
	testkit.Equal(t, "faultCases", slices.Sorted(maps.Keys(faultCases)), slices.Sorted(maps.Keys(rows)))
}

func TestKeyErrors(t *testing.T) {
	_, addr := serve(t)
	const (
		required = `{"error":"API key required","code":"api_key_required","status":401}`
		invalid  = `{"error":"Invalid or revoked API key","code":"api_key_invalid","status":403}`
	)
	for want, list := range map[string][]string{
		required: {"Accept: */*", "x-api-key:", "x-api-key: \t "},
		invalid: {"x-api-key: no", "x-api-key: " + revokedSecret, "x-api-key: " + expiredSecret, "x-api-key: " + goodSecret + "\r\nX-API-KEY: " + goodSecret,
			"x-api-key: " + goodSecret + "\r\nx-api-key:", "x-api-key: " + goodSecret + ", " + goodSecret, "x-api-key: " + strings.ToUpper(goodSecret),
			"x-api-key: good", "x-api-key: \xff\xfe"},
	} {
		for _, headers := range list {
			// An error must not be affected by an invalid query, pub or method.
			for _, target := range []string{"?pubid=u01", "?pubid=no", "?search=%zz", "?x=" + strings.Repeat("x", request.MaxQuery)} {
				for _, method := range []string{"GET", "POST", "BREW"} {
					got := send(t, addr, request11(method, "/api/v1/pubs/"+target, headers))
					testkit.Equal(t, fmt.Sprintf("%s %.30s, %q", method, target, headers), got.body, want)
					testkit.Equal(t, "challenge", got.header.Get("WWW-Authenticate") == `ApiKey realm="pubs"`, want == required)
				}
			}
		}
	}
}

// A hint says what would be right, in the body of an error, or of a search that no pub can answer.
func TestHints(t *testing.T) {
	_, addr := serve(t)
	key := "x-api-key: " + goodSecret
	for _, c := range []struct{ sent, want string }{
		{get("search=lion&limit=5"), "write amount=5 instead of limit"},
		{get("search=lion&limit=500"), "write amount instead of limit: it must be an integer from 1 to 100"},
		{get("search=lion&limit=5&amount=6"), ""},
		{get("search=lion&limit="), ""},
		{get("search=lion&per_page=5"), "write amount=5 instead of per_page"},
		{get("search=lion&page%5Bsize%5D=5"), "write amount=5 instead of page%5Bsize%5D"},
		{get("search=lion&offset=20"), "write page instead of offset: it counts pages of amount pubs, from 1"},
		{get("search=lion&lat=51&lng=0&distance=5&limit=5"), "write amount=5 instead of limit"},
		{get("search=lion&min_rating=7"), "write min_total=7 instead of min_rating"},
		{get("search=lion&min_colour=7"), "columns of numbers are beer, atmos, fengshui, service, toilets, total, reviews"},
		{get("search=lion&min_size=7"), "min_size has no effect: columns of numbers are beer, atmos, fengshui, service, toilets, total, reviews"},
		{get("search=lion&foo=1&callback=x&utm_source=y"), ""}, // which change no result
		{get("search=lion&min_total=8&max_total=5"), "no pub has a total of at least 8 and at most 5"},
		{get("pubid=u01&select=name"), "write fields=name instead of select"},
		{get("pubid=u01&limit=5"), ""},
		{request11("GET", "/api/v1/suggest?search=red&limit=3", key), "write amount=3 instead of limit"},
		{get("search=caf%e9"), "write texts in UTF-8, percent-encoded: caf%C3%A9 for café"},
		{get("search=100%"), ""},
		{get("search=*&postcode=W1D+3AA"), "postcode is what comes before the space: write postcode=W1D, or search=w1d%203aa"},
		{get("search=*&postcode=w1d3aa"), "postcode is what comes before the space: write postcode=W1D, or search=w1d3aa"},
		{get("search=*&postcode=W1D"), ""},
		{get("search=xyzzy&category=gastropub"), ""},
		{get("search=*&category=gastropob"), "no pub has the common_category gastropob: did you mean Gastropub?"},
		{get("search=*&trading=shut,gone"), "no pub has any of the values of trading: facets=trading lists the values"},
		{get("search=*&colour=purple"), "no pub has the colour purple: facets=colour lists the values"},
		{get("search=*&trading=%22%C3%A9"), "no pub has the trading e: facets=trading lists the values"},
		{request11("GET", "/api/v1/search?q=lion", key), "pubs are at /api/v1/pubs/?search=WORDS; /docs has all of the API"},
		{request11("GET", "/api/v1/pubs?pubid=u01"), ""}, // the header says it
		{request11("GET", "/api/v1/pubs?pubid=no&API_key="+goodSecret), "send the key in a header, x-api-key: KEY"},
		{request11("GET", "/api/v1/pubs?pubid=no", "Authorization: Bearer "+goodSecret), "send the key in a header, x-api-key: KEY"},
		{request11("POST", "/api/v1/pubs?search=x", key), "use GET, with the parameters in the URL"},
		{get("page=1"), ""}, // the error says it
		{get("lat=1"), "add search=*, which stands for all pubs"},
		{request11("GET", "/api/v1/pubs/24", key), "a pub is at /api/v1/pubs/?pubid=24"},
		{request11("GET", "/api/v1/pubs/24/", key), "a pub is at /api/v1/pubs/?pubid=24"},
		{request11("GET", "/api/v1/pubs/a%20b+c&d=e%C3%A9;"), "a pub is at /api/v1/pubs/?pubid=a%20b%2Bc%26d%3De%C3%A9%3B"},
		{request11("GET", "/api/v1/pubs/\xff"), "a pub is at /api/v1/pubs/?pubid=%FF"},
		{request11("GET", "/api/v1/pubs/24/reviews"), "a pub is at /api/v1/pubs/?pubid=UID"},
		{request11("GET", "/api/v1/pubs//"), "a pub is at /api/v1/pubs/?pubid=UID"},
		{request11("GET", "/api/v1/pubs/"+strings.Repeat("x", 65)), "a pub is at /api/v1/pubs/?pubid=UID"},
		{request11("GET", "/pub/x"), ""},
	} {
		got := send(t, addr, c.sent)
		_, hint, _ := strings.Cut(strings.TrimSuffix(got.body, "\"}"), `,"hint":"`)
		testkit.Equal(t, fmt.Sprintf("%.100q", c.sent), hint, c.want)
	}
}

// Where pubs are around 90° west, a pole is no point with latitude and longitude the other way round, nor is one that is
// far from pubs either way.
func TestNoHintOfPoles(t *testing.T) {
	s, _ := serveFile(t, "pubs.csv", []byte("UID,name,latitude,longitude\na,Inn,40,-91\nb,Inn,42,-89\nc,Inn,-42,89.9\n"), loader.Options{})
	addr := listen(t, s)
	for query, want := range map[string]bool{"near=-90,41": false, "near=-89.5,41.5": true, "near=89,0": false} {
		hasHint := strings.Contains(send(t, addr, get("search=*&"+query)).body, `"hint":`)
		testkit.FailIf(t, hasHint != want, "%s: got a hint %t, want %t", query, hasHint, want)
	}
}

// Of a place that answers alone it is said how many pubs are in it, also if filters leave none there.
func TestNoneInside(t *testing.T) {
	s, _ := serveFile(t, "pubs.csv", []byte("UID,name,location\na,Inn,Cockett\nb,Bell,Cockett\nc,Cockett Inn,Leeds\n"), loader.Options{})
	for query, want := range map[string]string{"search=cockett": `"inside":2}`, "search=cockett&location=leeds": `"inside":0}`, "search=bell+cockett&location=cockett": ""} {
		body := send(t, listen(t, s), get(query)).body
		_, told, _ := strings.Cut(body, `"place":"cockett",`)
		testkit.FailIf(t, !strings.HasPrefix(told, want) || want == "" && strings.Contains(body, `"inside"`), "%s: got %s, want %s", query, body, want)
	}
}

// Where pubs are in Britain alone, a search elsewhere says when it means Britain.
func TestHintsOfSwappedCoordinates(t *testing.T) {
	s, _ := generated(t)
	addr := listen(t, s)
	for _, c := range []struct{ query, want string }{
		{"bbox=51.4,-0.2,51.6,0.1", "no pub is near there, longitudes come first: write bbox=-0.2,51.4,0.1,51.6"},
		{"bbox=40,-20,41,-19", ""},
		{"bbox=-10,-5,120,1", ""},
		{"bbox=85,-5,-170,1", ""},
		{"bbox=-0.2,51.4,-0.2,51.4", ""},
		{"lat=-0.1&lng=51.5&distance=2", "no pub is near there: write lat=51.5&lng=-0.1"},
		{"lat=-0.1&lng=51.5&distance=20000", ""},
		{"lat=40&lng=-20&distance=2", ""},
		{"near=-0.1,51.5", "pubs are elsewhere, the latitude comes first: write near=51.5,-0.1"},
		{"near=51.5,-0.1", ""},
	} {
		_, hint, _ := strings.Cut(strings.TrimSuffix(send(t, addr, get("search=*&"+c.query)).body, "\"}"), `,"hint":"`)
		testkit.Equal(t, c.query, hint, c.want)
	}
}
