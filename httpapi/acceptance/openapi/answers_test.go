package openapi

import (
	"bufio"
	"context"
	"flag"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"

	"pubd/bench/testkit"
)

var (
	seed     = flag.Uint64("seed", 1, "seed of the random requests")
	requests = flag.Int("requests", 2000, "the number of random requests")
)

// A tally checks answers against the document and counts them by status.
type tally struct {
	*description
	t        *testing.T
	answers  map[int]int
	valid    int // requests answered with 200
	problems int
}

// problem counts a mismatch, and reports the first 20.
func (c *tally) problem(format string, arguments ...any) {
	c.problems++
	testkit.FailIf(c.t, c.problems <= 20, format, arguments...)
}

// check checks an answer and its request against the document, which leaves out what browsers ask on their own.
func (c *tally) check(method, target, key string, a answer) {
	c.answers[a.status]++
	if method == "OPTIONS" {
		return
	}
	path, query, _ := strings.Cut(target, "?")
	r := c.described(path, query, key)
	if err := c.checkAnswer(r, a); err != nil {
		c.problem("%s %.300s: %d %.300s\n%v", method, target, a.status, a.body, err)
	}
	if c.Paths.Value(path) == nil && path != pubs+"/" {
		return
	}
	r.URL.RawQuery = canonical(c.route(r).Operation, query)
	err := openapi3filter.ValidateRequest(context.Background(), c.input(r))
	switch {
	case a.status == http.StatusOK:
		if c.valid++; err != nil {
			c.problem("%s %.300s: answered with 200, but invalid in the document: %v", method, target, err)
		}
	case a.status == http.StatusUnauthorized && err == nil:
		c.problem("%s %.300s: rejected without a key, but valid in the document", method, target)
	}
}

// request sends a request and checks the answer. An answer to HEAD must have the status and headers of that to GET,
// and no body.
func (c *tally) request(s *service, method, target, key string, headers ...string) answer {
	if key != "" {
		headers = append(headers, "x-api-key: "+key)
	}
	a := s.exchange(c.t, method, request(method, target, headers...))
	if head := a; method == "HEAD" {
		if a.status == http.StatusTooManyRequests {
			return a
		}
		a = s.exchange(c.t, "GET", request("GET", target, headers...))
		for _, name := range []string{"Date", "X-Request-Id"} {
			if value := a.header.Get(name); value != "" {
				head.header.Set(name, value)
			}
		}
		if len(head.body) > 0 || head.status != a.status || !maps.EqualFunc(head.header, a.header, slices.Equal) {
			c.problem("HEAD %.300s: got %d %v and %d bytes, want %d %v and none", target, head.status, head.header, len(head.body), a.status, a.header)
		}
		c.answers[head.status]++
	}
	c.check(method, target, key, a)
	return a
}

// checkGolden checks the last answer of a golden file of the service's tests. The times that it leaves out are filled
// in.
func (c *tally) checkGolden(file string) {
	var sent, head, body string
	text := strings.NewReplacer("(now)", "2027-01-31T12:00:00Z", "(about 1000)", "1000").Replace(string(testkit.Read(c.t, file)))
	for line := range strings.Lines(text) {
		switch kind, rest := line[0], strings.TrimSpace(line[1:]); {
		case kind == '>':
			sent += rest + "\r\n"
		case kind == '<' && strings.HasPrefix(rest, "HTTP/"):
			head, body = rest+"\r\n", ""
		case kind == '<':
			head += rest + "\r\n"
		case strings.TrimSpace(line) != "":
			body += line
		}
	}
	a := testkit.Must(readAnswer(bufio.NewReader(strings.NewReader(head)), "HEAD"))(c.t)
	a.body = []byte(body)
	words := strings.Fields(sent)
	if len(words) < 3 || !strings.HasPrefix(words[2], "HTTP/") { // not a request
		words = []string{"GET", pubs}
	}
	_, key, _ := strings.Cut(sent, "x-api-key: ")
	key, _, _ = strings.Cut(key, "\r\n")
	if words[0] != "HEAD" {
		c.check(words[0], words[1], key, a)
	}
}

func TestAnswers(t *testing.T) {
	c := &tally{description: describe(t), t: t, answers: map[int]int{}}
	all := services(t)
	for _, file := range testkit.Must(filepath.Glob("../../testdata/golden/*.http"))(t) {
		c.checkGolden(file)
	}
	queries := testedQueries(t)
	for _, s := range all {
		for _, query := range queries {
			for path := range c.Paths.Map() {
				if path != export || len(s.pubs) <= mostExported {
					c.request(s, "GET", path+"?"+query, s.secrets.good)
				}
			}
		}
	}
	c.requestOddly(all[1])
	c.requestAtRandom(all, queries)
	for _, status := range slices.Sorted(maps.Keys(c.answers)) {
		t.Logf("%d: %d answers", status, c.answers[status])
	}
	t.Logf("%d requests answered with 200 are valid", c.valid)
	for status := range c.Paths.Value(pubs).Get.Responses.Map() {
		testkit.FailIf(t, c.answers[testkit.Must(strconv.Atoi(status))(t)] == 0, "no answer has status %s", status)
	}
	testkit.FailIf(t, c.problems > 0, "%d problems", c.problems)
}

// requestOddly sends other requests: with a body, too large, not HTTP, to a service without data, with two keys,
// conditional.
func (c *tally) requestOddly(s *service) {
	key := s.secrets.good
	for _, path := range []string{pubs, "/api/v1/suggest", "/api/v1/stats", "/api/v1/export", "/openapi.json"} {
		target := path + "?search=lion"
		a := c.request(s, "GET", target, key)
		c.request(s, "HEAD", target, key)
		c.request(s, "GET", target, key, "If-None-Match: "+a.header.Get("ETag"))
		c.request(s, "GET", target, key, "x-api-key: "+key)
		c.request(s, "GET", target, s.secrets.limited)
		c.request(s, "GET", target+"&x="+strings.Repeat("x", 4096), key)
		c.request(s, "OPTIONS", target, "", "Origin: https://example.org", "Access-Control-Request-Method: GET")
		for _, sent := range []string{request("GET", target, "x-api-key: "+key, "Content-Length: 5") + "hello",
			request("GET", target, "x-api-key: "+key, "X: "+strings.Repeat("x", 17<<10)), "GET\r\n\r\n"} {
			c.check("GET", target, key, s.exchange(c.t, "GET", sent))
		}
		empty := serve(c.t, "without data", nil)
		c.request(empty, "GET", target, empty.secrets.good)
	}
}

func (c *tally) requestAtRandom(all []*service, queries []string) {
	c.t.Logf("%d random requests: -seed %d", *requests, *seed)
	random := rand.New(rand.NewPCG(*seed, 0))
	var rolled []*dice
	for _, s := range all {
		snapshot := c.request(s, "GET", "/api/v1/stats", s.secrets.good).header.Get("X-Snapshot")
		rolled = append(rolled, newDice(random, s, snapshot, c.Paths.Keys(), queries))
	}
	for i := range *requests {
		s := all[i%len(all)]
		method, target, key, headers := rolled[i%len(all)].request()
		a := c.request(s, method, target, key, headers...)
		if etag := a.header.Get("ETag"); etag != "" && random.IntN(20) == 0 {
			c.request(s, method, target, key, append(headers, "If-None-Match: "+etag)...)
		}
	}
}

// mostExported is the maximum number of pubs for checking exports, of which each pub is checked.
const mostExported = 100
