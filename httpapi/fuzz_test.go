package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pubd/bench/testkit"
)

// A tape is a connection whose peer has sent everything and reads everything.
type tape struct {
	sent     *bytes.Reader
	received bytes.Buffer
	closed   chan struct{}
}

// A player is a listener that accepts tapes.
type player chan *tape

// newPlayer serves a service on a player.
func newPlayer(t testing.TB, s *Service) player {
	p := make(player)
	go func() { _ = newServer(s).Serve(p) }()
	return p
}

func (p player) Accept() (net.Conn, error) { return <-p, nil }
func (p player) Close() error              { return nil }
func (p player) Addr() net.Addr            { return &net.TCPAddr{} }

func (c *tape) Read(p []byte) (int, error)     { return c.sent.Read(p) }
func (c *tape) Write(p []byte) (int, error)    { return c.received.Write(p) }
func (c *tape) Close() error                   { close(c.closed); return nil }
func (*tape) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*tape) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*tape) SetDeadline(time.Time) error      { return nil }
func (*tape) SetReadDeadline(time.Time) error  { return nil }
func (*tape) SetWriteDeadline(time.Time) error { return nil }

// statuses are the statuses of the service.
var statuses = []int{200, 204, 304, 400, 401, 403, 404, 405, 410, 412, 413, 414, 429, 431, 500, 503, 505}

// playback returns the responses to a stream. They must be well formed, with valid JSON bodies or none.
func playback(t *testing.T, on player, stream []byte) []answer {
	t.Helper()
	c := &tape{sent: bytes.NewReader(stream), closed: make(chan struct{})}
	on <- c
	<-c.closed
	list, err := split(c.received.Bytes(), methodsOf(c.received.Bytes())...)
	if err != nil {
		t.Fatalf("sent %q: %v in %q", stream, err, c.received.Bytes())
	}
	for i, a := range list {
		testkit.StopIf(t, !slices.Contains(statuses, a.status) || a.status == 500 || a.closes && i < len(list)-1,
			"sent %q: answer %d of %d: %d, closes %v", stream, i, len(list), a.status, a.closes)
		isJSON := strings.HasPrefix(a.header.Get("Content-Type"), "application/json")
		err := checkJSON(a.body)
		testkit.StopIf(t, isJSON && a.body != "" && err != nil || !utf8.ValidString(a.body),
			"sent %q: answer %d: %v in %s", stream, i, err, a.body)
		var body struct{ Status int }
		err = json.Unmarshal([]byte(a.body), &body)
		testkit.StopIf(t, a.status >= 400 && a.body != "" && (err != nil || body.Status != a.status),
			"sent %q: answer %d: %d with %s", stream, i, a.status, a.body)
		testkit.StopIf(t, a.header.Get("X-Content-Type-Options") != "nosniff",
			"sent %q: answer %d: not written by the service: %v", stream, i, a.header)
	}
	return list
}

// methodsOf infers the method of the request from each response in a stream: HEAD if it has no body, otherwise GET.
func methodsOf(received []byte) (methods []string) {
	for len(received) > 0 {
		head, rest, _ := bytes.Cut(received, []byte("\r\n\r\n"))
		if len(rest) > 0 && !bytes.HasPrefix(rest, []byte("HTTP/1.1 ")) {
			methods = append(methods, "GET")
			_, length, _ := bytes.Cut(head, []byte("\r\nContent-Length: "))
			length, _, _ = bytes.Cut(length, []byte("\r\n"))
			n, _ := strconv.Atoi(string(length))
			rest = rest[min(n, len(rest)):]
			if bytes.Contains(head, []byte("\r\nTransfer-Encoding: chunked")) {
				_, rest, _ = bytes.Cut(rest, []byte("\r\n0\r\n\r\n"))
			}
		} else {
			methods = append(methods, "HEAD")
		}
		if len(head) == 0 {
			return methods
		}
		received = rest
	}
	return methods
}

func FuzzRawHTTP(f *testing.F) {
	for _, c := range faultCases {
		f.Add([]byte(c.sent))
	}
	for _, c := range streams(f, "streams.txt") {
		f.Add([]byte(c.Given))
	}
	for _, sent := range goldenRequests(f) {
		f.Add([]byte(sent + sent))
	}
	s, _ := withData(f, LogAll)
	s.config.Log = s.config.Log.Output(io.Discard)
	server := newPlayer(f, s)
	f.Fuzz(func(t *testing.T, stream []byte) { playback(t, server, stream) })
}
