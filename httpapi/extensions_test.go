package httpapi

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"pubd/bench"
	"pubd/data/lane"
	"pubd/index"
	"pubd/loader"
)

func needs(name, rule string) string { return "Missing required parameter '" + name + "': " + rule }

// extensionCases are query strings with the extension parameters, and their errors.
var extensionCases = []struct{ query, problem string }{
	{"pubids=a,b", ""},
	{"pubids=" + strings.Repeat("a,", 99) + "a", ""},
	{"pubids=" + strings.Repeat("a,", 100) + "a", rejected("pubids")},
	{"pubids=a,", rejected("pubids")},
	{"pubids=a&search=x", rejected("pubids")},
	{"pubids=a&pubid=x", rejected("pubids")},
	{"pubids=a&page=nonsense", ""},
	{"pubids=a&pubids=b", twice("pubids")},
	{"pubid=a&include=label&fields=UID", ""},
	{"pubid=a&include=labels", rejected("include")},
	{"pubid=a&min_beer=x&min_beer=x", ""},
	{"search=x&trading=open,closed&category=,&location=Bristol,+City+of", ""},
	{"search=x&trading=a&trading=b", twice("trading")},
	{"search=x&min_beer=10&min_total=0", ""},
	{"search=x&min_beer=10.1", rejected("min_beer")},
	{"search=x&min_toilets=-1", rejected("min_toilets")},
	{"search=x&min_reviews=1.0", rejected("min_reviews")},
	{"search=x&min_reviews=3", ""},
	{"search=x&bbox=-1,50,1,52", ""},
	{"search=x&bbox=170,-20,-170,20", ""},
	{"search=x&bbox=-1,52,1,50", rejected("bbox")},
	{"search=x&bbox=-1,50,1", rejected("bbox")},
	{"search=x&bbox=-1,50,1,52,3", rejected("bbox")},
	{"search=x&bbox=-181,50,1,52", rejected("bbox")},
	{"search=x&bbox=0,-91,1,52", rejected("bbox")},
	{"search=x&exclude=a,b", ""},
	{"search=x&exclude=a,,b", rejected("exclude")},
	{"search=x&near=51.5,-.1&sort=distance", ""},
	{"search=x&near=91,0", rejected("near")},
	{"search=x&near=0,181", rejected("near")},
	{"search=x&near=0", rejected("near")},
	{"search=x&near=1,2&lat=1", rejected("near")},
	{"search=x&near=1,2&around=a&distance=1", rejected("near")},
	{"search=x&sort=distance", rejected("sort")},
	{"search=x&sort=totl", rejected("sort")},
	{"search=x&near=1,2&sort=totl", rejectedNear},
	{"search=x&around=u01&distance=1&sort=totl", rejectedNear},
	{"search=x&around=a", needs("distance", "around needs it")},
	{"search=x&around=a&distance=1", ""},
	{"search=x&around=a&distance=1&lat=1", rejected("around")},
	{"search=x&sort=relevance&order=asc", ""},
	{"search=x&sort=Fair", ""},
	{"search=x&sort=weighted", needs("weights", "sort=weighted needs them")},
	{"search=x&sort=weighted&weights=beer:3,toilets:1", ""},
	{"search=x&sort=weighted&weights=beer:0", rejected("weights")},
	{"search=x&sort=weighted&weights=beer:101", rejected("weights")},
	{"search=x&sort=weighted&weights=beer:1,beer:1", rejected("weights")},
	{"search=x&sort=weighted&weights=bear:1", rejected("weights")},
	{"search=x&sort=weighted&weights=beer", rejected("weights")},
	{"search=x&sort=random", needs("seed", "sort=random needs one")},
	{"search=x&sort=random&seed=9223372036854775807", ""},
	{"search=x&sort=random&seed=-1", rejected("seed")},
	{"search=x&include=rankings,local_rankings,match,label", ""},
	{"search=x&include=address,extra&fields=postcode,area,address", ""},
	{"search=x&include=postcode", rejected("include")},
	{"search=x&fields=extra", rejected("fields")},
	{"search=x&include=namesakes", rejected("include")},
	{"search=x&fields=UID,distance", ""},
	{"search=x&fields=uid", rejected("fields")},
	{"search=x&facets=location,location", ""},
	{"search=x&facets=category", rejected("facets")},
	{"search=x&format=GeoJSON", ""},
	{"search=x&format=xml", rejected("format")},
	{"search=x&snapshot=x", ""},
}

func TestExtensionParameters(t *testing.T) {
	var used params
	for _, c := range extensionCases {
		var fresh params
		for _, a := range []*params{&fresh, &used} {
			f := a.parsePubs([]byte(c.query), nil, testUnpaged)
			got := ""
			if f.isSet() {
				got, _, _ = strings.Cut(strings.TrimPrefix(string(appendFault(nil, f)), `{"error":"`), `","code"`)
			}
			if got != c.problem {
				t.Errorf("?%s: got %q, want %q", c.query, got, c.problem)
			}
		}
	}
}

// pageUIDs returns the UIDs of an answer with no other fields.
func pageUIDs(t *testing.T, address, query string) (uids string, a answer) {
	t.Helper()
	a = ask(t, address, get(query))
	for _, member := range strings.Split(a.body, `"UID":"`)[1:] {
		uid, _, _ := strings.Cut(member, `"`)
		uids += uid + " "
	}
	return strings.TrimSpace(uids), a
}

func TestFilters(t *testing.T) {
	s, _ := withData(t, LogOff)
	address := listen(t, s)
	for _, c := range []struct{ query, want string }{
		{"search=*&trading=CLOSED", "u02"},
		{"search=*&trading=closed,temporarily+closed", "u10 u02"},
		{"search=*&category=gastropub,hotel+bar", "u02 u08"},
		{"search=*&location=St.+John's,+%3CNL%3E+%26+Co", "q\\"},
		{"search=*&location=nowhere", ""},
		{"search=*&location=,", ""},
		{"search=*&min_beer=8", "u02 u01 u09"},
		{"search=lion&min_beer=8&min_toilets=5.1", "u01"},
		{"search=*&min_reviews=8", "u01 u09"},
		{"search=*&bbox=179,-17,-179,-16", "u07 u06"},
		{"search=*&bbox=-180,-90,180,90&sort=location&rated=true", "u02 u08 ü-03 u01 u09 q\\ u07"},
		{"search=lion&exclude=u01,nobody", "u02"},
		{"search=*&near=51.5,-0.1&sort=distance&amount=3", "u01 u10 u09"},
		{"search=*&near=51.5,-0.1&amount=3", "u10 ü-03 u07"},
		{"search=*&around=u01&distance=3", "u10 u09"},
		{"search=*&sort=weighted&weights=beer:1&order=desc&amount=4", "u09 u02 u01 u07"},
		{"search=red&sort=relevance", "u01 u02"},
		{"search=camden+lion&sort=relevance", "u02"},
		{"search=redd+lion&sort=relevance", "u01 u02"},
	} {
		if got, a := pageUIDs(t, address, c.query+"&fields=UID"); got != c.want || a.status != 200 {
			t.Errorf("?%s: got %d %q, want %q in %s", c.query, a.status, got, c.want, a.body)
		}
	}
	for _, c := range []struct {
		query string
		want  int
	}{{"search=*&around=nobody&distance=3", 404}, {"search=*&around=u05&distance=3", 400}, {"search=x&snapshot=gone", 410}} {
		if a := ask(t, address, get(c.query)); a.status != c.want {
			t.Errorf("?%s: got %d, want %d", c.query, a.status, c.want)
		}
	}
}

// The pages of a random order make up one permutation of the result, which depends on the seed.
func TestRandomOrder(t *testing.T) {
	s, _ := withData(t, LogOff)
	address := listen(t, s)
	orders := map[string]bool{}
	for seed := range 20 {
		query := fmt.Sprintf("search=*&fields=UID&sort=random&seed=%d", seed)
		whole, _ := pageUIDs(t, address, query)
		var paged []string
		for page := range 4 {
			uids, _ := pageUIDs(t, address, fmt.Sprintf("%s&amount=3&page=%d", query, page+1))
			paged = append(paged, uids)
		}
		if got := strings.Join(paged, " "); got != whole {
			t.Errorf("seed %d: pages %s, want %s", seed, got, whole)
		}
		seen := map[string]bool{}
		for _, uid := range strings.Fields(whole) {
			seen[uid] = true
		}
		if len(seen) != 10 {
			t.Errorf("seed %d: %s", seed, whole)
		}
		orders[whole] = true
	}
	if len(orders) < 18 {
		t.Errorf("20 seeds give %d orders, want at least 18", len(orders))
	}
}

// A client can read all pages of a result from one snapshot while others are published, as long as it is kept.
func TestKeptSnapshots(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	s.config.KeepSnapshots, s.config.KeepFor = 2, patience
	address := listen(t, s)
	publish := func(source byte, pubs int) {
		directory := tenPubs()
		directory.Pubs = directory.Pubs[:pubs]
		s.Publish(buildFrom(t, directory, [32]byte{source}))
	}
	publish(1, 10)
	first := ask(t, address, get("search=*&amount=3"))
	id := first.header.Get("X-Snapshot")
	publish(2, 5)
	next := ask(t, address, get("search=*&amount=3&page=2&snapshot="+id))
	if next.status != 200 || next.header.Get("X-Snapshot") != id || !strings.Contains(next.body, `"total_pubs":10`) {
		t.Errorf("kept: %d %v", next.status, next.header)
	}
	if link := next.header.Get("Link"); !strings.Contains(link, "<?search=*&amount=3&page=3&snapshot="+id+`>; rel="next"`) {
		t.Errorf("Link: %s", link)
	}
	publish(3, 6)
	if a := ask(t, address, get("search=*&snapshot="+id)); a.status != 410 || !strings.Contains(a.body, `"code":"snapshot_gone"`) {
		t.Errorf("replaced twice: %d %s", a.status, a.body)
	}
	s.config.KeepFor = 0
	publish(4, 7)
	if a := ask(t, address, get("search=*&snapshot=0300000000000000")); a.status != 410 {
		t.Errorf("expired: %d", a.status)
	}
	if a := ask(t, address, get("search=*&snapshot=0400000000000000")); a.status != 200 {
		t.Errorf("served: %d %s", a.status, a.body)
	}
}

// CSV responses can be loaded as snapshots; see the golden file csv. Quotes and objects are cells.
func TestCells(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`null`, ``}, {`1.5`, `1.5`}, {`"a"`, `a`}, {`"a,b"`, `"a,b"`}, {`"a\"b"`, `"a""b"`}, {`"a\\b"`, `a\b`}, {`"\""`, `""""`},
		{`{"a":1}`, `"{""a"":1}"`}, {`"\\\","`, `"\"","`},
	} {
		row := append([]byte("x,"), c.json...)
		row = row[:2+asCell(row[2:])]
		if got := string(quoteCell(row, 2)); got != "x,"+c.want {
			t.Errorf("%s: got %s, want %s", c.json, got, c.want)
		}
	}
}

// A row whose only cell is empty is still a line: u05 has no location.
func TestRowOfOneNull(t *testing.T) {
	s, _ := withData(t, LogOff)
	address := listen(t, s)
	for query, want := range map[string]string{
		"pubids=u05,u01&fields=location&format=csv":         "location\r\n\"\"\r\nSoho\r\n",
		"pubids=u05,u01&fields=latitude&format=csv":         "latitude\r\n\"\"\r\n51.5\r\n",
		"pubid=u05&fields=location&format=spreadsheet":      "\ufefflocation\r\n\"\"\r\n",
		"pubid=u05&fields=location,latitude&format=csv":     "location,latitude\r\n,\r\n",
		"pubids=u05,u01&fields=UID,location&format=CSV":     "UID,location\r\nu05,\r\nu01,Soho\r\n",
		"search=no+such+pub&fields=location&format=csv":     "location\r\n",
		"search=no+such&fields=location&format=SpreadSheet": "\ufefflocation\r\n",
	} {
		if got := ask(t, address, get(query)); got.body != want || got.status != 200 {
			t.Errorf("?%s: got %d %q, want %q", query, got.status, got.body, want)
		}
	}
}

func TestEscapeFormulas(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"Red Lion", "Red Lion"}, {"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"}, {"+1", "'+1"}, {"-0.12", "'-0.12"}, {"@SUM(1)", "'@SUM(1)"},
		{"==", "'=="}, {"\tx", "'\tx"}, {"\rx", "'\rx"}, {"＝1", "'＝1"}, {"＋1", "'＋1"}, {"－1", "'－1"}, {"＠x", "'＠x"},
		{"A-B", "A-B"}, {"A =1", "A =1"}, {"'=1", "'=1"}, {" =1", " =1"}, {"–1", "–1"},
		{"A;=1", "A;'=1"}, {"A;=1;B;-2", "A;'=1;B;'-2"}, {";;@x", ";;'@x"}, {`"=1`, `"'=1`}, {`A;"=1"`, `A;"'=1"`}, {`A"=1`, `A"=1`},
	} {
		if got := string(escapeFormulas([]byte("=x,"+c.text), 3)); got != "=x,"+c.want {
			t.Errorf("%q: got %q, want %q", c.text, got[3:], c.want)
		}
	}
}

// No cell for a spreadsheet begins like a formula, whether the spreadsheet splits at commas or semicolons. Apart from the escapes, the cells
// are those of the plain CSV.
func TestSpreadsheet(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune(`=+-@;,"'\ aé＝＠1`)), 1, 12, -1).Draw(r, "name")
		directory := index.Directory{Pubs: []index.Pub{pub("-1", "x"+name, name, name, -16.8, -179.99, name, index.Ratings{nan, nan, nan, nan, nan, 9.25}, 1)}}
		snapshot, err := index.InMemory(directory, index.BuildOptions{})
		if err != nil {
			r.Fatal(err)
		}
		s, _ := withoutData(t, LogOff)
		s.Publish(snapshot)
		const query = "search=*&include=rankings,label&format="
		plain, escaped := newExchange(query+"csv"), newExchange(query+"spreadsheet")
		s.handle(plain)
		s.handle(escaped)
		content, marked := strings.CutPrefix(string(escaped.response.body), byteOrderMark)
		if !marked {
			r.Fatalf("no byte order mark: %q", content)
		}
		readAll := func(text string, comma rune) [][]string {
			reader := csv.NewReader(strings.NewReader(text))
			reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = comma, true, -1
			rows, err := reader.ReadAll()
			if err != nil {
				r.Fatalf("%q: %v", text, err)
			}
			return rows
		}
		rows, wanted := readAll(content, ','), readAll(string(plain.response.body), ',')
		for i, cell := range wanted[1] {
			got := rows[1][i]
			_, err := strconv.ParseFloat(cell, 64)
			number := err == nil && rows[0][i] != "UID" && rows[0][i] != "label" && cell != name && cell != "x"+name
			if number && got != cell || !number && string(escapeFormulas([]byte(cell), 0)) != got {
				r.Errorf("%s: got %q, want %q", rows[0][i], got, cell)
			}
		}
		for _, cell := range append(rows[1], slices.Concat(readAll(content, ';')...)...) {
			_, err := strconv.ParseFloat(cell, 64)
			if begin, _ := utf8.DecodeRuneInString(strings.TrimLeft(cell, `"`)); err != nil && strings.ContainsRune("=+-@＝＋－＠", begin) && cell != "" {
				r.Errorf("cell %q of %q", cell, content)
			}
		}
	})
}

// A CSV response of all pubs loads as the same pubs.
func TestServedCSVLoads(t *testing.T) {
	s, _ := withData(t, LogOff)
	body := ask(t, listen(t, s), get("search=*&amount=100&format=csv")).body
	loaded, err := loader.Load("served.csv", []byte(body), loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again := newView(build(t, loaded.Directory), 3, testTime)
	if got, want := allPubs(again), allPubs(s.view.Load()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// allPubs returns all pubs as JSON.
func allPubs(v *view) string {
	var all []byte
	for pub := range uint32(v.snapshot.Len()) {
		all = append(v.appendOpen(all, pub), '}', ',')
	}
	return string(all)
}

// The extensions of the API work on real data.
func TestExtensionsOnRealData(t *testing.T) {
	lane.Long(t, "loads and builds 51,566 pubs")
	const file = "../../shared/data/uk-pubs.csv"
	if _, err := os.Stat(file); err != nil {
		t.Skip("no real data:", err)
	}
	loaded, err := loader.LoadFile(file, loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mix := bench.NewMix(slices.Clone(loaded.Directory.Pubs), 1)
	s, _ := withoutData(t, LogOff)
	s.Publish(build(t, loaded.Directory))
	found := map[string]int{}
	for _, class := range bench.Extensions {
		for range 100 {
			x := newExchange(mix.Draw(class))
			x.request.path = []byte(class.Path())
			s.handle(x)
			if err := checkJSON(string(x.response.body)); x.response.status != 200 || err != nil && x.response.format == formatJSON {
				t.Errorf("%s: %s: %d, %v in %.300s", class.Name, x.request.query, x.response.status, err, x.response.body)
			}
			found[class.Name] += len(x.workspace.result.found.Pubs) + len(x.workspace.result.suggestions) + len(x.response.body)/1000
		}
		if found[class.Name] < 100 {
			t.Errorf("%s: 100 answers have %d pubs", class.Name, found[class.Name])
		}
	}
}

// The other paths reject invalid requests, and send JSON whatever the client accepts.
func TestSuggestAndStats(t *testing.T) {
	s, _ := withData(t, LogOff)
	address := listen(t, s)
	for _, c := range []struct {
		target string
		status int
		says   string
	}{
		{"/api/v1/suggest?search=a", 200, `{"suggestions":[`},
		{"/api/v1/suggest?search=a&search=b", 400, "Duplicate parameter 'search'"},
		{"/api/v1/suggest", 400, "parameter 'search': there is nothing to complete"},
		{"/api/v1/suggest?search=a&amount=21", 400, "must be an integer from 1 to 20"},
		{"/api/v1/suggest?search=a&amount=21&near=x", 400, "must be an integer from 1 to 20"},
		{"/api/v1/suggest?search=a&near=91,0", 400, "parameter 'near': must be lat,lng in degrees"},
		{"/api/v1/suggest?search=a&near=51.5,-0.1", 200, `{"suggestions":[`},
		{"/api/v1/suggest?search=%zz", 400, "Malformed query string"},
		{"/api/v1/stats", 200, `{"snapshot":"`},
		{"/api/v1/stats?snapshot=a&snapshot=b", 400, "Duplicate parameter 'snapshot'"},
		{"/api/v1/stats?snapshot=0123456789abcdef", 410, "no longer available"},
		{"/api/v1/stats?search=%zz", 400, "Malformed query string"},
	} {
		plain := ask(t, address, request11("GET", c.target, "x-api-key: "+goodSecret))
		table := ask(t, address, request11("GET", c.target, "x-api-key: "+goodSecret, "Accept: text/csv"))
		if plain.status != c.status || !strings.Contains(plain.body, c.says) {
			t.Errorf("%s: got %d %.80s, want %d %s", c.target, plain.status, plain.body, c.status, c.says)
		}
		if table.body != plain.body || table.header.Get("ETag") != plain.header.Get("ETag") || table.header.Get("Content-Type") != plain.header.Get("Content-Type") {
			t.Errorf("%s accepting CSV: got %d %v, want %d %v", c.target, table.status, table.header, plain.status, plain.header)
		}
	}
}
