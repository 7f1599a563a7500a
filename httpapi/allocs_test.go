package httpapi

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/index/schema"
	"pubd/loader"
)

// generate returns a file of made-up pubs.
func generate(t testing.TB, pubs int, seed uint64) []byte {
	t.Helper()
	var file bytes.Buffer
	testkit.OK(t, data.Generate(&file, pubs, seed, nil))
	return file.Bytes()
}

// generated returns a service with a few thousand generated pubs, and one of those with a location, coordinates and a
// rating of the toilets.
func generated(t testing.TB) (*Service, *schema.Pub) {
	t.Helper()
	s, _ := serveFile(t, "pubs.csv", generate(t, 5000, 7), loader.Options{})
	snapshot := served(s).Snapshot
	for ordinal := range uint32(snapshot.Len()) {
		if pub := snapshot.Pub(ordinal); pub.Latitude == pub.Latitude && snapshot.Rank(ordinal, schema.Toilets) > 0 && pub.Location != "" {
			return s, pub
		}
	}
	t.Fatal("no pub has a location, coordinates and a rating of the toilets")
	return nil, nil
}

// An allocCase is a request that must not allocate, or only a little if the answer is relaxed by a step.
type allocCase struct {
	query, want string // want is the status, and the step if there is one
	change      func(x *Exchange)
}

func allocCases(t testing.TB, pub *schema.Pub) (list []allocCase) {
	for _, c := range testkit.Cases(t, "allocations.txt") {
		circle := fmt.Sprintf("&lat=%v&lng=%v&distance=", pub.Latitude, pub.Longitude)
		list = append(list, allocCase{strings.NewReplacer("{uid}", pub.UID, "{circle}", circle).Replace(c.Given), c.Want, nil})
	}
	key := func(secrets ...string) func(*Exchange) {
		return func(x *Exchange) {
			x.Request.Keys = x.Request.Keys[:0]
			for _, secret := range secrets {
				x.Request.Keys = append(x.Request.Keys, []byte(secret))
			}
		}
	}
	return append(list, []allocCase{
		{"search=lion", "304", func(x *Exchange) {
			x.Request.IfNoneMatch = append(x.Request.IfNoneMatch[:0], []byte(`"a", *`), []byte("*"))
		}},
		{"search=lion", "200", func(x *Exchange) { x.Request.Method = []byte("HEAD") }},
		{"", "204", func(x *Exchange) { x.Request.Method = []byte("OPTIONS") }},
		{"search=lion", "401", key()},
		{"search=lion", "403", key("no")},
		{"search=lion", "403", key(goodSecret, goodSecret)},
		{"search=lion", "429", key(limitedSecret)},
		{"", "404", func(x *Exchange) { x.Request.Path = []byte("/") }},
		{"", "405", func(x *Exchange) { x.Request.Method = []byte("POST") }},
		{"", "413", func(x *Exchange) { x.Request.HasBody = true }},
	}...)
}

// relaxedAllocs is the maximum number of allocations of a relaxed query.
const relaxedAllocs = 8

var relaxedStep = regexp.MustCompile(`"relaxed":\{"step":"(\w+)"`)

// newExchange returns a GET of the resource with the good key.
func newExchange(query string) *Exchange {
	return &Exchange{Request: Request{Method: []byte("GET"), Path: []byte("/api/v1/pubs/"), Query: []byte(query),
		Keys: [][]byte{[]byte(goodSecret)}, Received: time.Now()}}
}

func TestHandleDoesNotAllocate(t *testing.T) {
	s, pub := generated(t)
	for _, c := range allocCases(t, pub) {
		x := newExchange(c.query)
		if c.change != nil {
			c.change(x)
		}
		handle(s, x)
		if c.want == "429" {
			handle(s, x) // the first used up the key's rate
		}
		got, most := fmt.Sprint(x.Response.Status), 0.0
		if step := relaxedStep.FindSubmatch(x.Response.Body); step != nil {
			got, most = got+" "+string(step[1]), relaxedAllocs
		}
		testkit.Equal(t, "?"+c.query, got, c.want)
		first := string(x.Response.Body)
		if got := testing.AllocsPerRun(100, func() { x.Handle(admitting(true)) }); got > most {
			t.Errorf("?%s for %s: got %v allocations, want at most %v", c.query, c.want, got, most)
		}
		testkit.Equal(t, "?"+c.query, string(x.Response.Body), first)
		x.returnWorkspace()
	}
}

// Overwriting a request and its response must not change the snapshot.
func TestHandleDoesNotShareMemory(t *testing.T) {
	s, pub := generated(t)
	for _, c := range allocCases(t, pub) {
		if c.change != nil || !strings.HasPrefix(c.want, "200") {
			continue
		}
		x := newExchange(c.query)
		handle(s, x)
		want := string(x.Response.Body)
		for _, bytes := range [][]byte{x.Response.Body, x.Request.Query, x.Response.Lines} {
			for i := range bytes {
				bytes[i] = '~'
			}
		}
		again := newExchange(c.query)
		handle(s, again)
		testkit.Equal(t, "?"+c.query, string(again.Response.Body), want)
	}
}
