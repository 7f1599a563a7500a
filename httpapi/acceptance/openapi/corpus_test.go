package openapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pubd/index"
)

// documentedTargets returns the targets of the requests in docs/api.md.
func documentedTargets(t *testing.T) (targets []string) {
	t.Helper()
	text := read(t, "../../../docs/api.md")
	for _, found := range regexp.MustCompile(`127\.0\.0\.1:8080(/(?:api/|openapi\.json)[^'\s]*)`).FindAllStringSubmatch(string(text), -1) {
		targets = append(targets, found[1])
	}
	if len(targets) < 20 {
		t.Fatalf("docs/api.md: has %d requests", len(targets))
	}
	return targets
}

var queryLike = regexp.MustCompile(`^[A-Za-z_&%=+][^ "<>\x00-\x1f]*$`)

// testedQueries returns the query strings in the service's tests: tables, seeds of fuzz tests, and all other strings that look like one.
func testedQueries(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("tests: got %d files, %v", len(files), err)
	}
	queries := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		ok(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				value, err := strconv.Unquote(literal.Value)
				if _, after, found := strings.Cut(value, "?"); found && strings.HasPrefix(value, "/") {
					value = after
				}
				if err == nil && len(value) < 2000 && strings.Contains(value, "=") && queryLike.MatchString(value) {
					queries[value] = true
				}
			}
			return true
		})
	}
	if len(queries) < 150 {
		t.Fatalf("the tests have %d query strings", len(queries))
	}
	var list []string
	for query := range queries {
		list = append(list, query)
	}
	slices.Sort(list)
	return list
}

// A dice generates random requests.
type dice struct {
	*rand.Rand
	pubs     []index.Pub
	snapshot string
}

// values are valid, unusual and invalid values of each parameter, in addition to those that the dice draws from the pubs.
var values = map[string][]string{
	"page":         {"1", "2", "3", "007", "+5", "9223372036854775807", "0", "-1", "1.0", "x", "9223372036854775808"},
	"amount":       {"1", "2", "3", "20", "100", "+7", "0", "101", "-1", "ten", "1e1"},
	"sort":         {"name", "location", "review_count", "beer", "atmos", "fengshui", "service", "toilets", "total", "distance", "relevance", "fair", "weighted", "random", "TOTAL", "Beer", "price", "name,total"},
	"order":        {"asc", "desc", "DESC", "up"},
	"rated":        {"true", "false", "1", "0", "TRUE", "yes"},
	"relax":        {"true", "false", "1", "0", "False", "no"},
	"lat":          {"51.5", "-33.9", "90", "-90", ".5", "5.", "5e-1", "+51.5", "90.1", "-91", "north", "NaN", "Inf", "0x1p2"},
	"lng":          {"-0.1", "0", "179.99", "180", "-180", "-1e-1", "180.1", "x", "1_0"},
	"distance":     {"0", "1", "2.5", "20", "1e3", "20016", "-1", "far", "1e999"},
	"min_reviews":  {"0", "1", "5", "+20", "-1", "1.5"},
	"seed":         {"0", "7", "9223372036854775807", "-1", "x"},
	"bbox":         {"-0.2,51.4,0.1,51.6", "170,-20,-170,20", "-180,-90,180,90", "1,2,3", "0,52,1,51", "0,91,1,92", "a,b,c,d", "1,2,3,4,5", "-200,0,1,1"},
	"near":         {"51.5,-0.1", "-16.8,179.99", "+1,.5", "91,0", "0,181", "51.5", "1,2,3", "here,there"},
	"weights":      {"beer:3,toilets:1", "total:100", "beer:.5,atmos:1e1", "beer:0", "beer:101", "beer:1,beer:2", "bear:1", "beer", "beer:-1", ":"},
	"include":      {"rankings", "local_rankings,label", "match", "label,label", "rankings,local_rankings,match,label", "address,extra", "address", "namesakes", "x", "rankings,"},
	"fields":       {"UID", "UID,name,total", "latitude,longitude", "name,distance", "UID,postcode,area,address", "review_count", "uid", "UID,", "label"},
	"facets":       {"location", "trading,common_category", "location,trading,common_category", "name", "category"},
	"format":       {"json", "geojson", "csv", "spreadsheet", "ndjson", "GeoJSON", "xml"},
	"after":        {"28cnk9", "6xkb84", "u01", "nobody"},
	"facet_search": {"location:b", "trading:op", "common_category:Pub", "location:", "name:x", "location"},
	"strict":       {"true", "false", "1", "0", "TRUE", "yes"},
	"trading":      {"open", "closed", "OPEN,closed", "open,", ",", "haunted"},
	"category":     {"brewpub", "Gastropub,Sports Bar", "none"},
}

func (d *dice) of(list []string) string { return list[d.IntN(len(list))] }

func (d *dice) pub() *index.Pub { return &d.pubs[d.IntN(len(d.pubs))] }

// value draws a value for a parameter.
func (d *dice) value(name string) string {
	switch name {
	case "search":
		name := d.pub().Name
		return d.of([]string{"*", name, name, name[:1+d.IntN(len(name))], name + " " + d.pub().Location, d.pub().Location, "red lion", "wheatshaef", "the", "!!!", "zzzzz qqqqq",
			strings.Repeat("é", 200), strings.Repeat("a", 201)})
	case "pubid", "around":
		return d.of([]string{d.pub().UID, d.pub().UID, d.pub().UID, "nobody", `<b>"x"</b>`})
	case "pubids", "exclude":
		uids := []string{d.pub().UID, d.pub().UID, d.of([]string{"nobody", d.pub().UID})}
		return d.of([]string{strings.Join(uids, ","), strings.Join(uids, ","), uids[0], uids[0] + ",", strings.Repeat("a,", 100) + "a"})
	case "marker":
		return d.pub().Name
	case "zoo":
		return "1"
	case "location":
		return d.of([]string{d.pub().Location, d.pub().Location + "," + d.pub().Location, "nowhere"})
	case "snapshot":
		return d.of([]string{d.snapshot, d.snapshot, "0123456789abcdef", "latest"})
	}
	if strings.HasPrefix(name, "min_") && name != "min_reviews" {
		return d.of([]string{"0", "5", "7.5", "10", ".5", "8.", "10.1", "-1", "good"})
	}
	return d.of(values[name])
}

// query draws a query string: a valid base and other parameters.
func (d *dice) query(names []string) string {
	base := d.of([]string{"search", "search", "search", "search", "search", "pubid", "pubids", ""})
	chosen := []string{base}
	if base == "search" {
		chosen = append(chosen, strings.Fields(d.of([]string{"", "", "lat lng distance", "lat lng distance", "near", "around distance"}))...)
	}
	for range d.IntN(5) {
		chosen = append(chosen, names[d.IntN(len(names))])
	}
	if d.IntN(20) > 0 {
		seen := map[string]bool{}
		chosen = slices.DeleteFunc(chosen, func(name string) bool { was := seen[name]; seen[name] = true; return was })
	}
	var parts []string
	for _, name := range chosen {
		if name == "" {
			continue
		}
		value := url.QueryEscape(d.value(name))
		switch d.IntN(60) {
		case 0:
			value = ""
		case 1:
			value = "%zz"
		case 2:
			name = "x_" + name
		}
		parts = append(parts, name+"="+value)
	}
	return strings.Join(parts, "&")
}

// request draws a request: mostly GET with a good key.
func (d *dice) request(s *service, operations map[string][]string) (method, target, key string, headers []string) {
	path := d.of([]string{pubs, pubs, pubs, pubs, pubs, pubs, pubs, "/api/v1/pubs/", "/api/v1/suggest", "/api/v1/suggest", "/api/v1/stats", "/api/v1/points", "/api/v1/export", "/openapi.json", "/api/v1/pub"})
	if path == export && len(s.pubs) > mostExported {
		path = pubs
	}
	target = path
	if query := d.query(operations[path]); query != "" && path != "/openapi.json" {
		target += "?" + query
	}
	method, key = "GET", s.secrets.good
	switch d.IntN(40) {
	case 0:
		method = d.of([]string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"})
	case 1:
		method = "OPTIONS"
	case 2, 3, 4:
		method = "HEAD"
	case 5:
		key = d.of([]string{"", "wrong", s.secrets.revoked, s.secrets.expired, s.secrets.limited})
	}
	if d.IntN(10) == 0 {
		headers = append(headers, "Accept: "+d.of([]string{"text/csv", "application/geo+json", "application/x-ndjson", "text/html, */*;q=0.8"}))
	}
	if d.IntN(20) == 0 {
		headers = append(headers, "If-None-Match: "+d.of([]string{"*", `"x"`, fmt.Sprintf(`W/"%s-0"`, d.snapshot)}))
	}
	return method, target, key, headers
}
