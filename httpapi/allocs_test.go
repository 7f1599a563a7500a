package httpapi

import (
	"bytes"
	"fmt"
	"regexp"
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
	snapshot := s.arrangement.Load().served.snapshot
	for ordinal := range uint32(snapshot.Len()) {
		if pub := snapshot.Pub(ordinal); pub.Latitude == pub.Latitude && snapshot.Rank(ordinal, index.Toilets) > 0 && pub.Location != "" {
			return s, pub
		}
	}
	t.Fatal("no pub has a location, coordinates and a rating of the toilets")
	return nil, nil
}

// An allocCase is a request that must not allocate, or only a little if the answer is relaxed by a step.
type allocCase struct {
	query, want string // want is the status, and the step if there is one
	change      func(x *exchange)
}

func allocCases(t testing.TB, pub *index.Pub) (list []allocCase) {
	for _, c := range cases(t, "allocations.txt") {
		circle := fmt.Sprintf("&lat=%v&lng=%v&distance=", pub.Latitude, pub.Longitude)
		list = append(list, allocCase{strings.NewReplacer("{uid}", pub.UID, "{circle}", circle).Replace(c.given), c.want, nil})
	}
	key := func(secrets ...string) func(*exchange) {
		return func(x *exchange) {
			x.request.keys = x.request.keys[:0]
			for _, secret := range secrets {
				x.request.keys = append(x.request.keys, []byte(secret))
			}
		}
	}
	return append(list, []allocCase{
		{"search=lion", "304", func(x *exchange) {
			x.request.noneMatch = append(x.request.noneMatch[:0], []byte(`"a", *`), []byte("*"))
		}},
		{"search=lion", "200", func(x *exchange) { x.request.method = []byte("HEAD") }},
		{"", "204", func(x *exchange) { x.request.method = []byte("OPTIONS") }},
		{"search=lion", "401", key()},
		{"search=lion", "403", key("no")},
		{"search=lion", "403", key(goodSecret, goodSecret)},
		{"search=lion", "429", key(limitedSecret)},
		{"", "404", func(x *exchange) { x.request.path = []byte("/") }},
		{"", "405", func(x *exchange) { x.request.method = []byte("POST") }},
		{"", "413", func(x *exchange) { x.request.hasBody = true }},
	}...)
}

// relaxedAllocs is the maximum number of allocations of a relaxed query.
const relaxedAllocs = 8

var relaxedStep = regexp.MustCompile(`"relaxed":\{"step":"(\w+)"`)

// newExchange returns a GET of the resource with the good key.
func newExchange(query string) *exchange {
	return &exchange{request: request{method: []byte("GET"), path: []byte("/api/v1/pubs/"), query: []byte(query),
		keys: [][]byte{[]byte(goodSecret)}, received: time.Now()}}
}

func TestHandleDoesNotAllocate(t *testing.T) {
	s, pub := generated(t)
	for _, c := range allocCases(t, pub) {
		x := newExchange(c.query)
		if c.change != nil {
			c.change(x)
		}
		s.handle(x)
		if c.want == "429" {
			s.handle(x) // the first used up the key's rate
		}
		got, most := fmt.Sprint(x.response.status), 0.0
		if step := relaxedStep.FindSubmatch(x.response.body); step != nil {
			got, most = got+" "+string(step[1]), relaxedAllocs
		}
		equal(t, "?"+c.query, got, c.want)
		first := string(x.response.body)
		if got := testing.AllocsPerRun(100, func() { s.handle(x) }); got > most {
			t.Errorf("?%s for %s: got %v allocations, want at most %v", c.query, c.want, got, most)
		}
		equal(t, "?"+c.query, string(x.response.body), first)
	}
}

// One exchange serves all kinds of requests in turn.
func TestReusedExchangeDoesNotAllocate(t *testing.T) {
	s, pub := generated(t)
	var queries [][]byte
	for _, c := range allocCases(t, pub) {
		queries = append(queries, []byte(c.query))
	}
	x := newExchange("")
	got := testing.AllocsPerRun(20, func() {
		for _, query := range queries {
			x.request.query = query
			s.handle(x)
		}
	})
	failIf(t, got != 0, "%d requests on one exchange: got %v allocations, want 0", len(queries), got)
}

// Overwriting a request and its response must not change the snapshot.
func TestHandleDoesNotShareMemory(t *testing.T) {
	s, pub := generated(t)
	for _, c := range allocCases(t, pub) {
		if c.change != nil || !strings.HasPrefix(c.want, "200") {
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
		equal(t, "?"+c.query, string(again.response.body), want)
	}
}
