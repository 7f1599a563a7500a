package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"pubd/bench"
	"pubd/bench/stage"
	"pubd/index/schema"
)

// An asker draws requests of all kinds about a directory.
type asker struct {
	mix  *bench.Mix
	rng  *rand.Rand
	pubs []schema.Pub
}

func newAsker(pubs []schema.Pub, seed uint64) *asker {
	return &asker{bench.NewMix(pubs, seed), rand.New(rand.NewPCG(seed, 1)), pubs}
}

// Headers of requests; the first of each kind is the most frequent.
var (
	keyLines = []string{"x-api-key: demo\r\n", "x-api-key: demo\r\n", "x-api-key: demo\r\n", "x-api-key: demo\r\n", "", "x-api-key: demo2\r\n",
		"x-api-key:  \r\n", "x-api-key: demo\r\nX-API-Key: demo\r\n"}
	otherLines = []string{"", "", "Accept: application/geo+json\r\n", "Accept: text/csv\r\n", "Accept: text/html,*/*;q=0.8\r\n",
		"Accept: application/x-ndjson;q=0.5, text/csv;q=0.4\r\n", "Accept-Encoding: gzip\r\n", "If-None-Match: *\r\n", "If-None-Match: ETAG\r\n",
		"If-Match: ETAG\r\n", "If-Match: \"x\"\r\n", "Range: bytes=0-99\r\n", "Origin: https://other.test\r\n", "Content-Length: 3\r\n",
		"Transfer-Encoding: chunked\r\n", "Connection: close\r\n"}
	methods  = []string{"GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "DELETE", "get"}
	webPaths = []string{"/", "/docs", "/api/v1/openapi.json", "/openapi.json", "/explorer/", "/explorer/explorer.js", "/explorer/world.json",
		"/places", "/places?page=2", "/sitemap.xml", "/sitemaps/pubs-1.xml", "/sitemaps/places-1.xml", "/robots.txt", "/favicon.ico",
		"/pages/style.css", "/client.js", "/api/v1/pubs/x", "/api/v1/search", "/api/v2/pubs/", "/no", "//", "/api//v1/pubs", "*", "/livez"}
)

// one returns one of some values, half of the time the first.
func (a *asker) one(values []string) string {
	return values[max(0, a.rng.IntN(2*len(values))-len(values))]
}

// draw returns a request as it is sent.
func (a *asker) draw(etag string) string {
	lines := strings.ReplaceAll(a.one(keyLines)+a.one(otherLines), "ETAG", etag)
	method, target := a.one(methods), ""
	switch pub := a.pubs[a.rng.IntN(len(a.pubs))]; a.rng.IntN(20) {
	case 0:
		target = webPaths[a.rng.IntN(len(webPaths))]
	case 1:
		target = a.one([]string{"/pubs/" + pub.UID, "/pubs/" + pub.UID + "/wrong", "/places/" + strings.ReplaceAll(strings.ToLower(pub.Location), " ", "-"),
			"/?pub=" + pub.UID, "/pubs/" + pub.UID + ".png"})
		target = strings.ReplaceAll(target, " ", "%20")
	default:
		r := a.mix.Any()
		return r.Line() + "\r\nHost: localhost\r\n" + lines + "\r\n"
	}
	return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n"
}

// unequal matches what differs from process to process, and with it the entity tag of statistics.
var unequal = regexp.MustCompile(`"loaded_at":"[^"]*"`)

// An answer is a response in a form that can be compared.
type answer struct {
	text, etag string
	status     int
	closes     bool
}

// A client asks a server on one connection, which it opens again if it was closed.
type client struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
}

// ask sends a request and returns its response.
func (c *client) ask(request string) (a answer, err error) {
	if c.conn == nil {
		if c.conn, err = net.Dial("tcp", c.address); err != nil {
			return a, err
		}
		c.reader = bufio.NewReader(c.conn)
	}
	defer func() {
		if err != nil || a.closes {
			_ = c.conn.Close()
			c.conn = nil
		}
	}()
	_ = c.conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c.conn, request); err != nil {
		return a, err
	}
	method, _, _ := strings.Cut(request, " ")
	response, err := http.ReadResponse(c.reader, &http.Request{Method: method})
	if err != nil {
		return a, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return a, err
	}
	var text strings.Builder
	fmt.Fprintln(&text, response.Status, response.ContentLength)
	response.Header.Del("Date")
	response.Header.Del("X-Request-Id")
	etag := response.Header.Get("ETag")
	if strings.Contains(request, " /api/v1/stats") {
		response.Header.Del("ETag")
	}
	_ = response.Header.Write(&text)
	text.Write(unequal.ReplaceAll(body, nil))
	return answer{text.String(), etag, response.StatusCode, response.Close || strings.Contains(request, "HTTP/1.0")}, nil
}

// compareAnswers asks both servers the same, and counts the answers of the first by status.
func (c *comparison) compareAnswers(servers [2]*stage.Server, a *asker, requests int) (statuses map[int]int, err error) {
	clients := [2]client{{address: servers[0].API}, {address: servers[1].API}}
	statuses = map[int]int{}
	etags := []string{`"x"`}
	for range requests {
		request := a.draw(etags[a.rng.IntN(len(etags))])
		var answers [2]answer
		for i := range clients {
			if answers[i], err = clients[i].ask(request); err != nil {
				answers[i] = answer{text: fmt.Sprintf("program %d does not answer: %v", i+1, err)} // a difference, too, if none does
			}
		}
		statuses[answers[0].status]++
		if etag := answers[0].etag; etag != "" && !slices.Contains(etags, etag) {
			etags = append(etags[max(0, len(etags)-100):], etag)
		}
		c.compare(request, [2][]byte{[]byte(answers[0].text), []byte(answers[1].text)})
	}
	return statuses, nil
}
