package httpapi

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pubd/data"
	"pubd/index"
	"pubd/loader"
)

// generate returns a file of made-up pubs.
func generate(t testing.TB, pubs int, seed uint64) []byte {
	t.Helper()
	var file bytes.Buffer
	ok(t, data.Generate(&file, pubs, seed, nil))
	return file.Bytes()
}

// generated returns a service with a few thousand generated pubs, and one of those with a location, coordinates and a rating of the toilets.
func generated(t testing.TB) (*Service, *index.Pub) {
	t.Helper()
	s, _ := serveFile(t, "pubs.csv", generate(t, 5000, 7), loader.Options{})
	snapshot := s.view.Load().snapshot
	for ordinal := range uint32(snapshot.Len()) {
		if pub := snapshot.Pub(ordinal); pub.Latitude == pub.Latitude && snapshot.Rank(ordinal, index.Toilets) > 0 && pub.Location != "" {
			return s, pub
		}
	}
	t.Fatal("no pub has a location, coordinates and a rating of the toilets")
	return nil, nil
}

// An allocCase is a request that must not allocate.
type allocCase struct {
	label, query string
	status       int
	step         string // the relaxation step, if the answer is relaxed
	change       func(x *exchange)
}

func allocCases(pub *index.Pub) []allocCase {
	circle := fmt.Sprintf("&lat=%v&lng=%v&distance=", pub.Latitude, pub.Longitude)
	key := func(secrets ...string) func(*exchange) {
		return func(x *exchange) {
			x.request.keys = x.request.keys[:0]
			for _, secret := range secrets {
				x.request.keys = append(x.request.keys, []byte(secret))
			}
		}
	}
	return []allocCase{
		{"lookup", "pubid=" + pub.UID, 200, "", nil},
		{"lookup, ignored names", "zoo=1&b=2&pubid=" + pub.UID + "&a=%C3%A9", 200, "", nil},
		{"word", "search=lion", 200, "", nil},
		{"beginning", "search=li", 200, "", nil},
		{"two words", "search=red+lion", 200, "", nil},
		{"accents", "search=caf%C3%A9+zo%C3%AB&relax=0", 200, "", nil},
		{"sorted", "search=the+red&sort=total&order=desc", 200, "", nil},
		{"sorted by place", "search=arms&sort=location&amount=100", 200, "", nil},
		{"rated", "search=arms&rated=true", 200, "", nil},
		{"deep page", "search=*&sort=beer&page=200", 200, "", nil},
		{"past the end", "search=arms&page=9223372036854775807", 200, "", nil},
		{"all", "search=*&amount=100", 200, "", nil},
		{"nothing", "search=quaffer&relax=0", 200, "", nil},
		{"circle", "search=*" + circle + "25", 200, "", nil},
		{"circle, rated and descending", "search=*&rated=1&order=desc" + circle + "25", 200, "", nil},
		{"circle, page", "search=*&page=2&amount=10" + circle + "100", 200, "", nil},
		{"circle, text", "search=arms" + circle + "50", 200, "", nil},
		{"circle, marker", "search=*&marker=The+Red+Lion" + circle + "50", 200, "", nil},
		{"circle, sorted", "search=*&sort=service" + circle + "50", 200, "", nil},
		{"circle, everything", "search=the&sort=name&order=desc&marker=x&rated=1&page=1&amount=50" + circle + "500", 200, "", nil},
		{"circle, the Earth", "search=*" + circle + "1e300", 200, "", nil},
		{"circle and box around everything, distance", "search=*&sort=distance&order=desc&bbox=-180,-90,180,90" + circle + "1e300", 200, "", nil},
		{"box, distance", "search=*&sort=distance&bbox=-2,-90,180,90" + circle + "1e300", 200, "", nil},
		{"relevance", "search=arms&sort=relevance&page=3", 200, "", nil},
		{"relevance, near", "search=arms&sort=relevance&near=53,-1", 200, "", nil},
		{"members, match", "search=arms&include=rankings,local_rankings,match,label&format=geojson" + circle + "1000", 200, "", nil},
		{"members, CSV", "search=*&include=rankings,local_rankings,match,label&format=csv&sort=weighted&weights=beer:1" + circle + "1000", 200, "", nil},
		{"members, address", "search=*&include=address,extra" + circle + "1000", 200, "", nil},
		{"members, fields of an address", "search=*&fields=UID,postcode&format=csv" + circle + "1000", 200, "", nil},
		{"not modified", "search=lion", 304, "", func(x *exchange) {
			x.request.noneMatch = append(x.request.noneMatch[:0], []byte(`"a", *`), []byte("*"))
		}},
		{"HEAD", "search=lion", 200, "", func(x *exchange) { x.request.method = []byte("HEAD") }},
		{"OPTIONS", "", 204, "", func(x *exchange) { x.request.method = []byte("OPTIONS") }},
		{"no key", "search=lion", 401, "", key()},
		{"unknown key", "search=lion", 403, "", key("no")},
		{"two keys", "search=lion", 403, "", key(goodSecret, goodSecret)},
		{"limited key", "search=lion", 429, "", key(limitedSecret)},
		{"unknown pub", "pubid=no", 404, "", nil},
		{"unknown path", "", 404, "", func(x *exchange) { x.request.path = []byte("/") }},
		{"method", "", 405, "", func(x *exchange) { x.request.method = []byte("POST") }},
		{"body", "", 413, "", func(x *exchange) { x.request.hasBody = true }},
		{"long query", strings.Repeat("x", maxQuery+1), 414, "", nil},
		{"missing", "", 400, "", nil},
		{"malformed", "search=%zz", 400, "", nil},
		{"invalid", "search=x&amount=0", 400, "", nil},
		{"duplicate", "search=x&page=1&page=2", 400, "", nil},
	}
}

// relaxedAllocs is the maximum number of allocations of a relaxed query.
const relaxedAllocs = 8

// relaxedCases find nothing without relaxing.
var relaxedCases = []allocCase{
	{"joined", "search=redlion", 200, "words", nil},
	{"core", "search=red+lion+restaurant+ye", 200, "words", nil},
	{"infix", "search=eatshea", 200, "infix", nil},
	{"typo", "search=wheatshaef", 200, "typo", nil},
	{"partial", "search=griffin+xyzzyxyzzy", 200, "partial", nil},
	{"partial, typo", "search=wheatsheff+amrs+xyzzyxyzzy", 200, "partial", nil},
	{"in a circle and a box, rated", "search=wheatshaef&lat=53&lng=-1&distance=500&bbox=-10,50,2,61&rated=1&min_total=1", 200, "typo", nil},
	{"in a circle", "search=wheatshaef&lat=53&lng=-1&distance=500&order=desc", 200, "typo", nil},
	{"far", "search=acnhro&lat=53&lng=-1&distance=500", 200, "typo", nil},
	{"near", "search=wheatshaef&near=53,-1&sort=relevance", 200, "typo", nil},
	{"near, by distance", "search=redlion&near=53,-1&sort=distance&amount=5", 200, "words", nil},
	{"relevance", "search=wheatshaef+inn&sort=relevance&include=match", 200, "typo", nil},
	{"place", "search=pubs+in+" + "leicester&sort=relevance", 200, "place", nil},
	{"more", "search=anchro&relax=more&sort=relevance", 200, "typo", nil},
	{"nothing", "search=xyzzyxyzzy+qwertyqwerty", 200, "", nil},
	{"nothing in the circle", "search=wheatshaef&lat=-53&lng=170&distance=1", 200, "", nil},
}

// newExchange returns a GET of the resource with the good key.
func newExchange(query string) *exchange {
	return &exchange{request: request{method: []byte("GET"), path: []byte("/api/v1/pubs/"), query: []byte(query),
		keys: [][]byte{[]byte(goodSecret)}, received: time.Now()}}
}

func TestHandleDoesNotAllocate(t *testing.T) {
	s, pub := generated(t)
	for _, c := range append(allocCases(pub), relaxedCases...) {
		most := 0.0
		if c.step != "" {
			most = relaxedAllocs
		}
		x := newExchange(c.query)
		if c.change != nil {
			c.change(x)
		}
		s.handle(x)
		if c.status == 429 {
			s.handle(x) // the first used up the key's rate
		}
		relaxed := fmt.Sprintf(`"relaxed":{"step":%q`, c.step)
		if x.response.status != c.status || strings.Contains(string(x.response.body), relaxed) != (c.step != "") {
			t.Errorf("%s: ?%s: got %d %.300s, want %d, step %q", c.label, c.query, x.response.status, x.response.body, c.status, c.step)
		}
		first := string(x.response.body)
		if got := testing.AllocsPerRun(100, func() { s.handle(x) }); got > most {
			t.Errorf("%s: ?%s: got %v allocations, want at most %v", c.label, c.query, got, most)
		}
		equal(t, c.label+": ?"+c.query, string(x.response.body), first)
	}
}

// One exchange serves all kinds of requests in turn.
func TestReusedExchangeDoesNotAllocate(t *testing.T) {
	s, pub := generated(t)
	var queries [][]byte
	for _, c := range append(allocCases(pub), relaxedCases...) {
		queries = append(queries, []byte(c.query))
	}
	x := newExchange("")
	got := testing.AllocsPerRun(20, func() {
		for _, query := range queries {
			x.request.query = query
			s.handle(x)
		}
	})
	if got != 0 {
		t.Errorf("%d requests on one exchange: got %v allocations, want 0", len(queries), got)
	}
}

// Overwriting a request and its response must not change the snapshot.
func TestHandleDoesNotShareMemory(t *testing.T) {
	s, pub := generated(t)
	for _, c := range append(allocCases(pub), relaxedCases...) {
		if c.change != nil || c.status != 200 {
			continue
		}
		x := newExchange(c.query)
		s.handle(x)
		want := string(x.response.body)
		for _, bytes := range [][]byte{x.response.body, x.request.query, x.response.etag, x.response.ignored} {
			for i := range bytes {
				bytes[i] = '~'
			}
		}
		again := newExchange(c.query)
		s.handle(again)
		equal(t, c.label+": ?"+c.query, string(again.response.body), want)
	}
}
