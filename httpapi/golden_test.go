package httpapi

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/golden")

// goldenCases are streams of requests to a service of ten pubs. TestGolden adds faultCases.
var goldenCases = []struct{ name, sent string }{
	{"lookup", get("pubid=u01")},
	{"lookup_unrated", get("pubid=u05")},
	{"lookup_zero_ratings", get("pubid=u08")},
	{"lookup_encoded", get("pubid=%C3%BC-03&search=%20&page=0")},
	{"lookup_quoted", get("pubid=q%224")},
	{"search", get("search=red+lion")},
	{"search_options", get("search=lion&page=2&amount=1&sort=TOTAL&order=Desc&rated=TRUE&relax=0")},
	{"search_all", get("search=*")},
	{"search_by_location", get("search=*&sort=location&order=desc&amount=4")},
	{"search_relaxed", get("search=anchr")},
	{"search_relaxed_distance", get("search=red+lyon+inn&lat=51.5&lng=-0.1&distance=50")},
	{"search_none", get("search=quaffer&relax=0")},
	{"search_past_end", get("search=*&page=9223372036854775807")},
	{"search_ignored", get("zoo=1&search=anchor&%C3%A9t%C3%A9=2&zoo=3&=4&SEARCH=5&a+b&%2C")},
	{"distance", get("search=*&lat=51.5&lng=-0.1&distance=50")},
	{"distance_paged", get("search=*&lat=%2B51.5&lng=-1e-1&distance=50.&page=2&amount=2")},
	{"distance_options", get("search=*&lat=51.5&lng=-.1&distance=2e4&marker=RED+LION&sort=Beer&order=DESC&rated=1&amount=100")},
	{"distance_180", get("search=taveuni&lat=-16.8&lng=180&distance=5")},
	{"distance_none", get("search=lion&lat=-0&lng=0&distance=0")},
	{"pubids", get("pubids=u05,no%22such,u01")},
	{"filters", get("search=*&min_beer=5&min_reviews=1&exclude=u01&trading=open&bbox=-1,51,1,52&include=label,match")},
	{"near", get("search=lion&near=51.5,-0.1&sort=distance&amount=2&page=2")},
	{"around", get("search=*&around=u01&distance=50&amount=2")},
	{"relevance", get("search=lion&sort=relevance&include=match&fields=UID,name")},
	{"fair", get("search=*&sort=fair&order=desc&amount=2&fields=UID")},
	{"weighted", get("search=*&sort=weighted&weights=beer:3,toilets:1&order=desc&amount=2&fields=UID")},
	{"random", get("search=*&sort=random&seed=7&fields=UID")},
	{"include", get("search=anchor&include=rankings,local_rankings,label,match")},
	{"address", get("search=*&sort=beer&order=desc&amount=3&include=address,extra&fields=UID")},
	{"address_geojson", get("pubid=u01&include=address,extra&fields=UID&format=geojson")},
	{"address_csv", get("pubids=u01,u02,u07,u05&include=address,extra&fields=UID&format=csv")},
	{"address_ndjson", get("pubids=u01,u02,u07,u05&fields=UID,postcode,area&format=ndjson")},
	{"address_spreadsheet", get("pubids=u01,u07&include=extra&fields=UID&format=spreadsheet")},
	{"facets", get("search=*&amount=1&fields=UID&facets=location,trading,common_category")},
	{"geojson", get("search=anchor&format=geojson&fields=UID,name")},
	{"csv", get("search=*", "Accept: text/csv")},
	{"csv_include", get("pubids=u01,q%224&format=csv&fields=UID,name&include=rankings,label")},
	{"spreadsheet", get("search=anchor&format=spreadsheet")},
	{"ndjson", get("search=lion&format=ndjson&fields=name,location")},
	{"snapshot", get("search=*&amount=1&page=2&fields=UID&snapshot=0102030000000000")},
	{"lookup_extended", get("pubid=u01&include=local_rankings,label&fields=UID,name")},
	{"suggest", request11("GET", "/api/v1/suggest?search=r", "x-api-key: "+goodSecret)},
	{"suggest_pub", request11("GET", "/api/v1/suggest?search=red+lion+so", "x-api-key: "+goodSecret)},
	{"suggest_near", request11("GET", "/api/v1/suggest?search=r&near=51.5136,-0.1319", "x-api-key: "+goodSecret)},
	{"suggest_refused", request11("GET", "/api/v1/suggest?search=r&amount=21", "x-api-key: "+goodSecret)},
	{"export_csv", strings.Replace(request11("GET", "/api/v1/export", "x-api-key: "+goodSecret), "HTTP/1.1", "HTTP/1.0", 1)},
	{"export_filtered", strings.Replace(request11("GET", "/api/v1/export?trading=closed&format=ndjson", "x-api-key: "+goodSecret), "HTTP/1.1", "HTTP/1.0", 1)},
	{"export_geojson_after", strings.Replace(request11("GET", "/api/v1/export?format=geojson&after=u01", "x-api-key: "+goodSecret), "HTTP/1.1", "HTTP/1.0", 1)},
	{"export_head", request11("HEAD", "/api/v1/export", "x-api-key: "+goodSecret)},
	{"stats", request11("GET", "/api/v1/stats", "x-api-key: "+goodSecret)},
	{"head", request11("HEAD", "/api/v1/pubs?search=red+lion&x=1", "x-api-key: "+goodSecret)},
	{"head_error", request11("HEAD", "/api/v1/pubs?pubid=no", "x-api-key: "+goodSecret)},
	{"options", request11("OPTIONS", "/api/v1/pubs/?search=%zz", "Origin: https://example.org", "Access-Control-Request-Method: GET",
		"Access-Control-Request-Headers: x-api-key")},
	{"request_id", get("search=lion&page=0", "X-Request-Id: 4bf92f35-77b3.4da6/a3ce:929d0e0e=47@36+1~_")},
	{"not_modified", get("search=red+lion&x=1", "If-None-Match: *")},
	{"not_modified_head", request11("HEAD", "/api/v1/pubs?pubid=u01", "x-api-key: "+goodSecret, "If-None-Match: *")},
	{"closing", get("search=quaffer&relax=0", "Connection: close")},
	{"http_1_0", strings.Replace(get("search=quaffer&relax=0"), "HTTP/1.1", "HTTP/1.0", 1)},
}

func TestGolden(t *testing.T) {
	s, _ := withData(t, LogOff)
	addr := listen(t, s)
	wanted := map[string]bool{}
	for _, c := range goldenCases {
		wanted[c.name+".http"] = true
		t.Run(c.name, func(t *testing.T) { checkGolden(t, c.name, c.sent, converse(t, addr, c.sent, true)) })
	}
	for _, c := range faultCases {
		name := fmt.Sprintf("error_%d_%s", c.status, c.row)
		wanted[name+".http"] = true
		t.Run(name, func(t *testing.T) {
			s, _ := c.on(t, LogOff)
			checkGolden(t, name, c.sent, converse(t, listen(t, s), c.sent, true))
		})
	}
	files, err := filepath.Glob("testdata/golden/*.http")
	ok(t, err)
	for _, file := range files {
		if !wanted[filepath.Base(file)] {
			t.Errorf("%s: there is no such case", file)
		}
	}
}

func checkGolden(t *testing.T, name, sent string, received []byte) {
	t.Helper()
	var methods []string
	for line := range strings.Lines(sent) {
		if method, _, ok := strings.Cut(line, " /"); ok {
			methods = append(methods, method)
		}
	}
	for _, a := range answers(t, received, methods...) {
		if err := checkJSON(a.body); strings.HasPrefix(a.header.Get("Content-Type"), "application/json") && a.body != "" && err != nil {
			t.Errorf("%v in %s", err, a.body)
		}
	}
	got := render(sent, received)
	file := filepath.Join("testdata", "golden", name+".http")
	if *update {
		ok(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (write it with go test -update)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("sent %.200q\n got %s\nwant %s", sent, got, want)
	}
}

var (
	date      = regexp.MustCompile(`(?m)^< Date: .*$`)
	randomID  = regexp.MustCompile(`(?m)^< X-Request-Id: [0-9a-f]{32}$`)
	loadedAt  = regexp.MustCompile(`"loaded_at":"[^"]*"`)
	entityTag = regexp.MustCompile(`(?m)^(< ETag: "[0-9a-f]{16})-[0-9a-f]{16}"$`)
	retryTime = regexp.MustCompile(`(?m)^< Retry-After: (99\d|1000)$`)
)

// render returns requests with > and response headers with < before each line. Long lines of requests are cut. What differs between runs is
// masked, and so are the hashes in entity tags, which would change in every file with the format of any response.
func render(sent string, received []byte) []byte {
	var out bytes.Buffer
	for line := range strings.Lines(sent) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) > 200 {
			line = fmt.Sprintf("%s… (%d bytes)", line[:60], len(line))
		}
		out.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	inHead := true
	for line := range bytes.Lines(received) {
		if !inHead {
			body, rest, next := bytes.Cut(line, []byte("HTTP/1.1 "))
			out.Write(body)
			out.WriteByte('\n')
			if inHead = next; !next {
				continue
			}
			line = slices.Concat([]byte("HTTP/1.1 "), rest)
		}
		line = bytes.TrimRight(line, "\r\n")
		inHead = len(line) > 0
		out.WriteString(strings.TrimRight("< "+string(line), " ") + "\n")
	}
	text := date.ReplaceAll(out.Bytes(), []byte("< Date: (now)"))
	text = randomID.ReplaceAll(text, []byte("< X-Request-Id: (random)"))
	text = loadedAt.ReplaceAll(text, []byte(`"loaded_at":"(now)"`))
	text = entityTag.ReplaceAll(text, []byte(`${1}-0000000000000000"`))
	return retryTime.ReplaceAll(text, []byte("< Retry-After: (about 1000)"))
}
