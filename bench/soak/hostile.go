package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// hostileRows are about clients that mean harm.
var hostileRows = []row{
	{"H1", "2,000 connections that send a header byte by byte, and 2,000 that read their answers so or not at all",
		"closed 5 s and 15 s later; p99 of others at most twice that without", true, slowClients},
	{"H2", "request smuggling: bodies with lengths and codings that parsers read in different ways", "refused, or one answer; none out of a body, none for another client", false, smuggle},
	{"H3", "odd headers, paths and methods, and 1,000 requests in one piece", "the statuses of the contract; memory at most doubles, as the collector lets it", false, abuse},
	{"Q", "every parameter with every odd value, abuse of Unicode in search, and all parameters together: hill climbing for the most expensive",
		"no 5xx, valid UTF-8 and JSON, at most 5 ms of CPU each at 51,566 pubs and 25 ms at a million", true, oddQueries},
}

// A demand is a request and the status that it must have.
type demand struct {
	sent string
	want int
}

// demands are requests that a client may make once; the server ends the connection of those that it cannot read.
func demands(uid string) []demand {
	found := resource + "?pubid=" + uid
	keyless := func(method, target string, lines ...string) string {
		return strings.Replace(wire(method, target, lines...), "x-api-key: "+demo+"\r\n", "", 1)
	}
	filler := strings.Repeat("f", 17<<10)
	list := []demand{
		{wire("GET", found), 200}, {wire("HEAD", found), 200}, {wire("OPTIONS", found), 204}, {keyless("OPTIONS", found), 204},
		{keyless("GET", found), 401}, {keyless("GET", found, "x-api-key:"), 401}, {keyless("GET", found, "x-api-key:  "), 401}, {keyless("POST", found), 401},
		{keyless("GET", found, "X-API-KEY: "+demo), 200}, {keyless("GET", found, "x-api-key: DEMO"), 403}, {keyless("GET", found, "x-api-key: "+filler[:8<<10]), 403},
		{wire("GET", found, "x-api-key: "+demo), 403}, {keyless("GET", found, "x-api-key:", "x-api-key: "+demo), 403}, {keyless("GET", found, "x_api_key: "+demo), 401},
		{wire("GET", found, "X: "+filler), 431}, {wire("GET", found, strings.Repeat("X: y\r\n", 4<<10)+"X: y"), 431}, {wire("GET", found+filler), 431},
		{wire("GET", resource+"?search=x&y="+filler[:4097-len("search=x&y=")]), 414}, {wire("GET", resource+"?search=x&y="+filler[:4096-len("search=x&y=")]), 200},
		{wire("GET", found, "oops"), 400}, {wire("GET", found, ": x"), 400}, {wire("GET", found, "X : y"), 400}, {wire("GET", found, "X: \x00"), 400},
		{wire("GET", found, "X: a\rb"), 400}, {wire("GET", found, "X: \xff\xfe"), 200}, {wire("GET", found, "X: "), 200}, {wire("GET", found, "Host: other"), 400},
		{strings.Replace(wire("GET", found), "Host: localhost\r\n", "", 1), 400}, {wire("GET", found, "Expect: 42"), 200}, {wire("GET", found, "Upgrade: h2c"), 200},
		{wire("GET", found, "If-None-Match: *"), 304}, {wire("GET", found, "If-None-Match: "+filler[:8<<10]), 200}, {wire("GET", found, "Range: bytes=0-0"), 200},
		{wire("GET", found, "Accept: image/png", "Accept-Encoding: *;q=0"), 200}, {wire("GET", found, "Cookie: "+filler[:8<<10]), 200},
		{strings.Replace(wire("GET", found), "HTTP/1.1", "HTTP/1.0", 1), 200}, {strings.Replace(wire("GET", found), " HTTP/1.1", "", 1), 400},
		{" " + wire("GET", found), 400}, {wire("", found), 400}, {wire("GET", found+" x"), 400}, {wire("GET", found+"\x01"), 400}, {wire("GET", found+"\x00"), 400},
		{wire("GET", resource), 400}, {wire("GET", resource+"?pubid=%ff"), 400}, {wire("GET", resource+"?pubid=no-such-pub"), 404},
		{wire("GET", "http://pubd"+found), 200}, {wire("GET", "HTTPS://other.test:8443"+found), 200}, {wire("GET", "http://pubd"), 404}, {wire("GET", "http://pubd?pubid="+uid), 404},
		{wire("GET", "*"), 400}, {wire("OPTIONS", "*"), 404},
		{wire("GET", "/?pubid="+uid), 200}, {wire("POST", "/docs"), 405}, {wire("GET", "/docs/../"), 404},
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400}, {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "PURGE", "BREW", "get", "GETT", "G"} {
		list = append(list, demand{wire(method, found), 405})
	}
	for _, path := range []string{"//", "//api/v1/pubs/", "/api//v1/pubs/", "/api/v1/pubs//", "/api/v1/./pubs/", "/api/v1/x/../pubs/", "/../api/v1/pubs/", "/API/v1/pubs/",
		"/api/v1/pub%73/", "/api/v1/pubs%2F", "/api/v1/pubs%00", "/api/v1/pubs/;x", "/api/v1/pubsx", "/api/v1/pubs/x", "/api/v2/pubs/", "/%zz", "/%", "/\xff", "/..%2f..%2fetc/passwd",
		"/metrics", "/livez", "/readyz", "/debug/pprof/", "/x/http://pubd/api/v1/pubs/", "/" + filler[:8<<10]} {
		list = append(list, demand{wire("GET", path+"?pubid="+uid), 404})
	}
	return list
}

// deep is how many requests are sent in one piece.
const deep = 1000

// abuse makes all demands, and pipelines, again and again, and looks at the memory. After the first time it grows until the
// heap is twice what is in use, when it is collected.
func abuse(ctx context.Context, b *bed) (outcome, error) {
	r, err := b.serve(ctx, "h3", b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	pubs, err := pubsOfSnapshot(b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	list := demands(pubs[0].UID)
	pipeline := strings.Repeat(lookup(pubs[0].UID), deep-1) + lookup(pubs[0].UID, "Connection: close")
	sent, wrong, first := 0, 0, ""
	var before, after int64
	for round := range b.times(500, 5) {
		for _, d := range list {
			if problem := d.make(r.api); problem != "" {
				wrong++
				first = " (" + problem + ")"
			}
		}
		if problem := pipelined(r.api, pipeline); problem != "" {
			wrong++
			first = " (" + problem + ")"
		}
		sent += len(list) + deep
		if after, err = residentMemory(r.ID()); err != nil || ctx.Err() != nil {
			return outcome{}, fmt.Errorf("%w, after %d requests", err, sent)
		}
		if round == 0 {
			before = after
		}
	}
	return outcome{
		n:      grouped(sent) + " requests",
		figure: fmt.Sprintf("%d not as in the contract%s; %d MB after the first round, %d MB at the end", wrong, first, before/1e6, after/1e6),
		passed: wrong == 0 && after <= 2*before,
	}, nil
}

// make tells what is wrong with the answer to a demand.
func (d demand) make(address string) string {
	method, _, _ := strings.Cut(d.sent, " ")
	got, err := converse(address, d.sent+wire("GET", "/", "Connection: close"))
	statuses, broken := statusesOf(got, method)
	if err != nil || broken != nil || len(statuses) == 0 || statuses[0] != d.want || len(statuses) > 2 {
		return fmt.Sprintf("%.200q: got %v %v %v, want %d", d.sent, statuses, err, broken, d.want)
	}
	return ""
}

// pipelined tells what is wrong with the answers to requests in one piece, all the same and all to be found.
func pipelined(address, sent string) string {
	got, err := converse(address, sent)
	statuses, broken := statusesOf(got, http.MethodGet)
	if err != nil || broken != nil || len(statuses) != deep || slices.ContainsFunc(statuses, func(status int) bool { return status != http.StatusOK }) {
		return fmt.Sprintf("%d in one piece: %d answers, %v %v", deep, len(statuses), err, broken)
	}
	return ""
}
