package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"pubd/httpapi"
)

// A client that sends more than is read gets the last response whole, and then the end of the connection, not a reset.
func TestLastResponseIsReceived(t *testing.T) {
	lookup := request("GET", "/api/v1/pubs/?search=*&amount=1", "a")
	with := func(method, line string) string {
		return strings.Replace(request(method, "/api/v1/pubs/?search=*&amount=1", "a"), "\r\n", "\r\n"+line+"\r\n", 1)
	}
	drained := newService(t, 10, httpapi.Config{})
	drained.Drain()
	service := newService(t, 10, httpapi.Config{})
	for _, c := range []struct {
		label, sent string // and a megabyte after it
		service     *httpapi.Service
		want        int
	}{
		{"body", with("GET", "Content-Length: 1000000"), service, 413},
		{"body in chunks", with("GET", "Transfer-Encoding: chunked"), service, 413},
		{"body of another method", with("POST", "Content-Length: 1000000"), service, 405},
		{"body that awaits 100 Continue", with("PUT", "Content-Length: 1000000\r\nExpect: 100-continue"), service, 405},
		{"body without a key", "POST / HTTP/1.1\r\nHost: pubs.test\r\nContent-Length: 1000000\r\n\r\n", service, 404},
		{"malformed", "GET\r\n\r\n", service, 400},
		{"long header", lookup[:len(lookup)-2] + "X: ", service, 431},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", service, 505},
		{"more after the last request", with("GET", "Connection: close"), service, 200},
		{"more after a request in HTTP/1.0", strings.Replace(lookup, "HTTP/1.1", "HTTP/1.0", 1), service, 200},
		{"more after an export in HTTP/1.0", strings.Replace(request("GET", "/api/v1/export", "a"), "HTTP/1.1", "HTTP/1.0", 1), service, 200},
		{"more while the server drains", lookup, drained, 200},
	} {
		t.Run(c.label, func(t *testing.T) {
			address := listen(t, New(c.service, Config{}))
			for range 10 {
				client := dial(t, "127.0.0.1", address, c.sent, 0)
				go func() { _, _ = io.WriteString(client, strings.Repeat("x", 1_000_000)) }()
				received := bufio.NewReader(client)
				response := must(http.ReadResponse(received, nil))(t)
				body, err := io.ReadAll(response.Body)
				if rest, last := io.ReadAll(received); response.StatusCode != c.want || len(body) == 0 || len(rest) > 0 || errors.Join(err, last) != nil {
					t.Fatalf("got %d, %d bytes, %q, %v, %v, want %d, a body and the end", response.StatusCode, len(body), rest, err, last, c.want)
				}
				_ = client.Close()
			}
		})
	}
}

// A connection whose client goes on sending ends nevertheless, and gives way to others before.
func TestLingeringEnds(t *testing.T) {
	server := New(newService(t, 10, httpapi.Config{}), Config{MaxConnections: 20})
	address := listen(t, server)
	for n := range 20 {
		dial(t, fmt.Sprintf("127.0.1.%d", n), address, "GET\r\n\r\n", 0)
	}
	time.Sleep(2 * idleGrace)
	if status, _ := fetch(t, "127.0.0.1", address, "/api/v1/pubs/?search=*&amount=1", "b"); status != 200 {
		t.Errorf("another client got %d, want 200", status)
	}
	last := dial(t, "127.0.0.1", address, "GET\r\n\r\n", 0)
	waitFor(t, "the end of the connection", func() bool {
		_, err := last.Write([]byte("x"))
		return err != nil
	})
	waitFor(t, "the end of all", func() bool { return server.Traffic().Connections == 0 })
}
