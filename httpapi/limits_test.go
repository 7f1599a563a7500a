package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/bench"
)

// Setting the system's clock must not make idle connections look busy.
func TestClockIsMonotonic(t *testing.T) {
	if reading := began.String(); !strings.Contains(reading, " m=") || clock(began) == 0 {
		t.Errorf("%s: has no monotonic reading", reading)
	}
}

// hidden is a request in a body, which must never be answered.
var hidden = get("pubid=u02")

func chunked(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }

// endings are requests after which the server closes the connection, whatever follows.
var endings = []struct {
	label, sent string
	want        int
}{
	{"length", get("pubid=u01", fmt.Sprint("Content-Length: ", len(hidden))) + hidden, 413},
	{"length, lower case", get("pubid=u01", "content-length: 1") + hidden, 413},
	{"length before the key", request11("GET", "/api/v1/pubs/?pubid=u01", "Content-Length: 1", "x-api-key: "+goodSecret) + hidden, 413},
	{"length larger than the body", get("pubid=u01", "Content-Length: 100000000") + hidden, 413},
	{"chunks", get("pubid=u01", "Transfer-Encoding: chunked") + chunked(hidden), 413},
	{"chunks, other case", get("pubid=u01", "tRANSFER-eNCODING: CHUNKED") + chunked(hidden), 413},
	{"no chunk", get("pubid=u01", "Transfer-Encoding: chunked") + "0\r\n\r\n" + hidden, 413},
	{"broken chunks", get("pubid=u01", "Transfer-Encoding: chunked") + "zz\r\n" + hidden, 413},
	{"length, then chunks", get("pubid=u01", "Content-Length: 4", "Transfer-Encoding: chunked") + "0\r\n\r\n" + hidden, 413},
	{"chunks, then length", get("pubid=u01", "Transfer-Encoding: chunked", "Content-Length: 4") + "0\r\n\r\n" + hidden, 413},
	{"length 0 and chunks", get("pubid=u01", "Content-Length: 0", "Transfer-Encoding: chunked") + chunked(hidden), 413},
	{"expectation", get("pubid=u01", "Expect: 100-continue", "Content-Length: 5") + "hello" + hidden, 413},
	{"expectation, no body yet", get("pubid=u01", "Expect: 100-continue", "Content-Length: 5"), 413},
	{"expectation, chunked", get("pubid=u01", "Expect: 100-continue", "Transfer-Encoding: chunked"), 413},
	{"identity", get("pubid=u01", "Transfer-Encoding: identity") + hidden, 413},
	{"identity and length", get("pubid=u01", "Transfer-Encoding: identity", "Content-Length: 5") + "hello" + hidden, 413},
	{"unknown coding", get("pubid=u01", "Transfer-Encoding: gopher") + hidden, 400},
	{"two codings", get("pubid=u01", "Transfer-Encoding: gzip, chunked") + chunked(hidden), 400},
	{"chunked twice", get("pubid=u01", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + chunked(hidden), 400},
	{"coding with a vertical tab", get("pubid=u01", "Transfer-Encoding: \x0bchunked") + chunked(hidden), 400},
	{"space before the colon", get("pubid=u01", "Transfer-Encoding : chunked") + chunked(hidden), 400},
	{"space before the colon of length", get("pubid=u01", "Content-Length : 5") + "hello" + hidden, 400},
	{"negative length", get("pubid=u01", "Content-Length: -1") + hidden, 400},
	{"signed length", get("pubid=u01", "Content-Length: +5") + "hello" + hidden, 400},
	{"hexadecimal length", get("pubid=u01", "Content-Length: 0x5") + "hello" + hidden, 400},
	{"empty length", get("pubid=u01", "Content-Length:") + hidden, 400},
	{"length in words", get("pubid=u01", "Content-Length: five") + hidden, 400},
	{"huge length", get("pubid=u01", "Content-Length: 18446744073709551617") + hidden, 400},
	{"list of lengths", get("pubid=u01", "Content-Length: 5, 5") + "hello" + hidden, 400},
	{"two lengths", get("pubid=u01", "Content-Length: 0", "Content-Length: 5") + "hello" + hidden, 400},
	{"the same length twice", get("pubid=u01", "Content-Length: 5", "Content-Length: 5") + "hello" + hidden, 400},
	{"folded first header", strings.Replace(get("pubid=u01"), "Host", " Host", 1) + hidden, 400},
	{"bare CR", get("pubid=u01", "X: y\rContent-Length: 5") + "hello" + hidden, 400},
	{"NUL", get("pubid=u01", "X: \x00") + hidden, 400},
	{"header without a colon", get("pubid=u01", "oops") + hidden, 400},
	{"header without a name", get("pubid=u01", ": 1") + hidden, 400},
	{"header with a colon first", get("pubid=u01", bodyMark+": 1") + hidden, 400},
	{"bare LF and length", strings.ReplaceAll(get("pubid=u01", "Content-Length: 5"), "\r\n", "\n") + "hello" + hidden, 413},
	{"1.0 with chunks", strings.Replace(get("pubid=u01", "Transfer-Encoding: chunked"), "HTTP/1.1", "HTTP/1.0", 1) + chunked(hidden), 400},
	{"no host", strings.Replace(get("pubid=u01"), "Host: pubs.test\r\n", "", 1) + hidden, 400},
	{"two hosts", get("pubid=u01", "Host: other.test") + hidden, 400},
	{"no version", "GET /api/v1/pubs/\r\n\r\n" + hidden, 400},
	{"no method", " /api/v1/pubs/ HTTP/1.1\r\nHost: x\r\n\r\n" + hidden, 400},
	{"space in the target", get("search=a b") + hidden, 400},
	{"control character in the target", get("search=a\x01b") + hidden, 400},
	{"a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n" + hidden, 400},
	{"body of a POST", request11("POST", "/api/v1/pubs/", "x-api-key: "+goodSecret, "Content-Length: 5") + "hello" + hidden, 405},
	{"body of a HEAD", request11("HEAD", "/api/v1/pubs/?pubid=u01", "x-api-key: "+goodSecret, "Content-Length: 5") + "hello" + hidden, 413},
	{"body of an OPTIONS", request11("OPTIONS", "/api/v1/pubs/", "Content-Length: 5") + "hello" + hidden, 204},
	{"body without a key", request11("GET", "/api/v1/pubs/?pubid=u01", "Content-Length: 5") + "hello" + hidden, 401},
	{"body to an unknown path", request11("GET", "/", "Content-Length: 5") + "hello" + hidden, 404},
	{"body and a malformed query", get("search=%zz", "Content-Length: 5") + "hello" + hidden, 413},
	{"query of 4,097 bytes", get("search=x&y="+strings.Repeat("y", maxQuery-10)) + hidden, 414},
	{"header of 17 KiB", get("pubid=u01", "X: "+strings.Repeat("x", 17<<10)) + hidden, 431},
	{"many headers", get("pubid=u01", strings.Repeat("X: y\r\n", 4<<10)+"X: y") + hidden, 431},
	{"query of 17 KiB", get("search="+strings.Repeat("x", 17<<10)) + hidden, 431},
	{"key of 17 KiB", request11("GET", "/api/v1/pubs/?pubid=u01", "x-api-key: "+strings.Repeat("x", 17<<10)) + hidden, 431},
	{"HTTP/1.2", ofVersion("HTTP/1.2"), 505},
	{"HTTP/2.0", ofVersion("HTTP/2.0"), 505},
	{"HTTP/0.9", ofVersion("HTTP/0.9"), 505},
	{"HTTP/2.0 with a body", strings.Replace(get("pubid=u01", "Content-Length: 5"), "HTTP/1.1", "HTTP/2.0", 1) + "hello", 505},
	{"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
	{"version without a minor number", ofVersion("HTTP/2"), 400},
	{"version with letters", ofVersion("HTTP/1.x"), 400},
	{"close", get("pubid=no", "Connection: close") + hidden, 404},
	{"close, other case", get("pubid=no", "Connection: Close") + hidden, 404},
	{"close in a list", get("pubid=no", "Connection: keep-alive, close") + hidden, 404},
}

// ofVersion returns a request of a version of HTTP that asks to keep the connection open, followed by another request.
func ofVersion(version string) string {
	return strings.Replace(get("pubid=u01", "Connection: keep-alive"), "HTTP/1.1", version, 1) + hidden
}

func TestConnectionEnds(t *testing.T) {
	s, _ := withData(t, LogOff)
	addr := listen(t, s)
	for _, c := range endings {
		t.Run(c.label, func(t *testing.T) {
			t.Parallel()
			method, _, _ := strings.Cut(c.sent, " ")
			stream := converse(t, addr, c.sent, false)
			list, err := split(stream, method)
			if err != nil || len(list) != 1 || list[0].status != c.want || !list[0].closes {
				t.Errorf("sent %.300q\n got %d answers, %v: %.600q\nwant one with %d and the connection closed", c.sent, len(list), err, stream, c.want)
			}
		})
	}
}

// keptAlive are streams during which the connection stays open: each request has its response.
var keptAlive = []struct {
	label, sent string
	want        []int
}{
	{"two requests", get("pubid=u01") + get("pubid=u02"), []int{200, 200}},
	{"errors of the client", get("pubid=no") + get("") + get("search=%zz") + request11("BREW", "/api/v1/pubs/", "x-api-key: "+goodSecret) +
		request11("GET", "/api/v1/pubs/") + request11("GET", "/") + get("pubid=u01"), []int{404, 400, 400, 405, 401, 404, 200}},
	{"length 0", get("pubid=u01", "Content-Length: 0") + get("pubid=u02"), []int{200, 200}},
	{"POST without a body", request11("POST", "/api/v1/pubs/", "x-api-key: "+goodSecret) + get("pubid=u02"), []int{405, 200}},
	{"expectation without a body", get("pubid=u01", "Expect: 100-continue") + get("pubid=u02"), []int{200, 200}},
	{"unknown expectation", get("pubid=u01", "Expect: 42") + get("pubid=u02"), []int{200, 200}},
	{"query of 4,096 bytes", get("search=x&y="+strings.Repeat("y", maxQuery-11)) + get("pubid=u02"), []int{200, 200}},
	{"headers of 15 KiB", get("pubid=u01", "X: "+strings.Repeat("x", 15<<10)) + get("pubid=u02"), []int{200, 200}},
	{"1.0, kept alive", strings.Replace(get("pubid=u01", "Connection: keep-alive"), "1.1", "1.0", 1) + get("pubid=u02"), []int{200, 200}},
	{"1.0", strings.Replace(get("pubid=u01"), "1.1", "1.0", 1) + get("pubid=u02"), []int{200}},
	{"bare LF", strings.ReplaceAll(get("pubid=u01"), "\r\n", "\n") + get("pubid=u02"), []int{200, 200}},
	{"empty lines before requests", "\r\n\r\n" + get("pubid=u01") + "\r\n" + get("pubid=u02"), []int{200, 200}},
	{"upgrade", get("pubid=u01", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA") + get("pubid=u02"), []int{200, 200}},
	{"folded header, a space by RFC 9112, section 5.2", get("pubid=u01", "X: y\r\n Content-Length: 5") + get("pubid=u02"), []int{200, 200}},
	{"nothing", "", nil},
}

func TestConnectionStaysOpen(t *testing.T) {
	s, _ := withData(t, LogOff)
	addr := listen(t, s)
	for _, c := range keptAlive {
		var got []int
		for _, a := range answers(t, converse(t, addr, c.sent, true)) {
			got = append(got, a.status)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: sent %.300q: got %v, want %v", c.label, c.sent, got, c.want)
		}
	}
}

func TestTargets(t *testing.T) {
	s, _ := withData(t, LogOff)
	addr := listen(t, s)
	for _, c := range []struct {
		target string
		want   int
	}{
		{"/api/v1/pubs?pubid=u01", 200}, {"/api/v1/pubs/?pubid=u01", 200}, {"http://pubs.test/api/v1/pubs/?pubid=u01", 200},
		{"HTTPS://other.test:8443/api/v1/pubs?pubid=u01", 200}, {"http://pubs.test/api/v1/pubs/", 400}, {"/api/v1/pubs/?pubid=u01#x", 404},
		{"/", 404}, {"/api/v1/pubs/x", 404}, {"/api/v1/pubsx", 404}, {"//api/v1/pubs/", 404}, {"/api//v1/pubs/", 404}, {"/api/v1/pubs//", 404},
		{"/api/v1/./pubs/", 404}, {"/api/v1/x/../pubs/", 404}, {"/API/v1/pubs/", 404}, {"/api/v1/pub%73/", 404}, {"/api/v1/pubs%2F", 404},
		{"/api/v1/pubs/;x", 404}, {"/%zz", 404}, {"/api/v2/pubs/", 404}, {"/metrics", 404}, {"/livez", 404}, {"/debug/pprof/", 404},
		{"http://pubs.test", 404}, {"http://pubs.test?pubid=u01", 404}, {"*", 400}, {"/x/http://pubs.test/api/v1/pubs/", 404},
		{"/?http://pubs.test/api/v1/pubs/", 404},
	} {
		sent := request11("GET", c.target, "x-api-key: "+goodSecret)
		if got := ask(t, addr, sent); got.status != c.want {
			t.Errorf("%s: got %d %s, want %d", c.target, got.status, got.body, c.want)
		}
	}
}

func TestPipelining(t *testing.T) {
	s, _ := withData(t, LogOff)
	addr := listen(t, s)
	var sent strings.Builder
	for i := range 100 {
		sent.WriteString(get(fmt.Sprintf("pubid=u%02d", 1+i%2)))
	}
	list := answers(t, converse(t, addr, sent.String(), true))
	for i, a := range list {
		if want := fmt.Sprintf(`{"results":[{"UID":"u%02d"`, 1+i%2); a.status != 200 || !strings.HasPrefix(a.body, want) {
			t.Errorf("answer %d: got %d %.60s, want %s", i, a.status, a.body, want)
		}
	}
	if len(list) != 100 {
		t.Errorf("got %d answers, want 100", len(list))
	}
}

// Responses of all sizes, with and without a body, are complete and in the order of the requests.
func TestPipeliningOfLargeAnswers(t *testing.T) {
	s := New(Config{})
	s.PublishKeys(testKeys(t))
	corpus, err := bench.NewCorpus(2000)
	if err != nil {
		t.Fatal(err)
	}
	s.Publish(corpus.Snapshot)
	addr := listen(t, s)
	rng := rand.New(rand.NewPCG(1, 1))
	var sent strings.Builder
	var methods, targets []string
	alone := map[string]answer{}
	for range 300 {
		method := []string{"GET", "GET", "GET", "HEAD", "OPTIONS"}[rng.IntN(5)]
		query := fmt.Sprintf("search=*&lat=51.5&lng=-0.1&distance=%d", 1<<rng.IntN(11))
		request := strings.Replace(get(query), "GET", method, 1)
		sent.WriteString(request)
		methods, targets = append(methods, method), append(targets, request)
		if _, known := alone[request]; !known {
			alone[request] = answers(t, converse(t, addr, request, true), method)[0]
		}
	}
	list := answers(t, converse(t, addr, sent.String(), true), methods...)
	largest := 0
	for i, a := range list {
		if want := alone[targets[i]]; a.status != want.status || a.body != want.body {
			t.Fatalf("answer %d: got %d, %d bytes; alone %d, %d bytes", i, a.status, len(a.body), want.status, len(want.body))
		}
		largest = max(largest, len(a.body))
	}
	if len(list) != len(targets) || largest < 10*smallBody {
		t.Errorf("got %d answers of up to %d bytes, want %d and some larger than %d", len(list), largest, len(targets), 10*smallBody)
	}
}

// When a connection ends by a timeout or a reset, a request that has begun is answered and logged. A connection without a request, such as a
// preconnect or a TCP health check, is not.
func TestInterruptedConnections(t *testing.T) {
	for _, c := range []struct {
		label, sent string
		resets      bool
		want        []int // answered and logged
	}{
		{"silent", "", false, nil},
		{"silent, reset", "", true, nil},
		{"half a request", "GET /api/v1/pubs/?pubid=u01 HTTP/1.1\r\nHost: pubs.test\r\n", false, []int{400}},
		{"silent after an answer", get("pubid=u01"), false, []int{200}},
		{"half a request after an answer", get("pubid=u01") + "GET /api", false, []int{200, 400}},
	} {
		t.Run(c.label, func(t *testing.T) {
			s, log := withData(t, LogAll)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			server, done := NewServer(s), make(chan error, 1)
			server.http.ReadTimeout, server.http.IdleTimeout = 300*time.Millisecond, 300*time.Millisecond
			go func() { done <- server.Serve(l) }()
			defer func() { _ = l.Close(); <-done }()
			connection, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			_ = connection.SetDeadline(time.Now().Add(patience))
			if _, err := io.WriteString(connection, c.sent); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { return server.http.GetOpenConnectionsCount() == 1 })
			var received []byte
			if c.resets {
				_ = connection.(*net.TCPConn).SetLinger(0)
				_ = connection.Close()
			} else if received, err = io.ReadAll(connection); err != nil {
				t.Error(err)
			}
			waitFor(t, func() bool { return server.http.GetOpenConnectionsCount() == 0 })
			var got, logged []int
			for _, a := range answers(t, received) {
				got = append(got, a.status)
			}
			for _, line := range log.lines() {
				var entry logLine
				if err := json.Unmarshal([]byte(line), &entry); err != nil {
					t.Errorf("%v in %s", err, line)
				}
				logged = append(logged, entry.Status)
			}
			if !slices.Equal(got, c.want) || !slices.Equal(logged, c.want) {
				t.Errorf("sent %q: answered %v, logged %v, want %v", c.sent, got, logged, c.want)
			}
		})
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("timed out")
		}
	}
}
