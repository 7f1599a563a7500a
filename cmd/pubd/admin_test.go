package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/data/lane"
	"pubd/testkit"
)

// raw sends the bytes of a request and returns the response with its body.
func raw(t *testing.T, address, sent string) (*http.Response, string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	testkit.OK(t, err)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(testkit.Patience))
	_, err = io.WriteString(c, sent)
	testkit.OK(t, err)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	testkit.StopIf(t, err != nil, "%q: %v", sent, err)
	body, err := io.ReadAll(response.Body)
	testkit.StopIf(t, err != nil, "%q: %v", sent, err)
	return response, string(body)
}

// If a client holds 300 connections to the admin address of a server with 128 file descriptors, the API still answers
// and reloads. The timeouts close them, and then the admin address answers.
func TestHeldAdminConnections(t *testing.T) {
	t.Parallel()
	file := write(t, "pubs.csv", pubs(3, "a"))
	p := start(t, inShell(pubd(anywhere("--data", file, "--max-shrink=100")...), `ulimit -n 128 && exec "$0" "$@"`))
	p.await()
	var held []net.Conn
	for i := range 300 {
		c, err := net.Dial("tcp", p.admin)
		testkit.OK(t, err)
		defer c.Close()
		held = append(held, c)
		_, _ = io.WriteString(c, []string{"", "GET /livez HTTP/1.1\r\nHost: local", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"}[i%3])
	}
	for _, want := range []string{"b", "c", "a", "b"} {
		replace(t, file, pubs(3, want))
		before := p.stderr.count("data loaded")
		p.signal(syscall.SIGHUP)
		testkit.Eventually(t, "reload", func() bool { return p.stderr.count("data loaded") > before })
		testkit.Equal(t, "generation", generation(p, "demo"), want)
	}
	for text := range strings.Lines(p.stderr.String()) {
		testkit.FailIf(t, !strings.HasPrefix(text, "{"), "log: got %q, want JSON", text)
	}
	// The admin address serves 16 at a time. Those without a complete request are closed after 5 s, idle ones after 10
	// s: all take two minutes.
	seen := lane.Pick(16, len(held))
	for i, c := range held[:seen] {
		_ = c.SetReadDeadline(time.Now().Add(testkit.Patience))
		_, err := io.Copy(io.Discard, c)
		testkit.StopIf(t, err != nil && err.(net.Error).Timeout(), "connection %d: not closed within %v", i, testkit.Patience)
	}
	for _, c := range held[seen:] {
		testkit.OK(t, c.Close())
	}
	ready := p.readiness(200)
	testkit.FailIf(t, ready.LastReload != "ok" || ready.Pubs != 3, "/readyz: got %+v, want 3 pubs and ok", ready)
}

// A page of another origin, or of a name that resolves to loopback, can read neither the demo server nor the admin
// address.
func TestPagesOfOtherOriginsReadNothing(t *testing.T) {
	t.Parallel()
	p := startServer(t, "--data", write(t, "pubs.csv", pubs(3, "a")))
	api := []string{"/", "/explorer/settings.json", "/openapi.json", "/docs", "/api/v1/pubs/?search=*", "/api/v1/stats"}
	admin := []string{"/livez", "/readyz", "/metrics", "/debug/pprof/cmdline"}
	request := func(address, method, path, host, headers string) (*http.Response, string) {
		return raw(t, address, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nx-api-key: demo\r\n%sConnection: close\r\n\r\n", method, path, host, headers))
	}
	for address, paths := range map[string][]string{p.api: api, p.admin: admin} {
		_, port, _ := net.SplitHostPort(address)
		for _, path := range paths {
			for _, host := range []string{"evil.example:" + port, "127.0.0.1.evil.example"} {
				got, body := request(address, "GET", path, host, "")
				testkit.FailIf(t, got.StatusCode != 421 || strings.Contains(body, "demo"), "%s of %s: got %d %.200s, want 421", path, host, got.StatusCode, body)
			}
			for _, method := range []string{"GET", "OPTIONS"} {
				for _, origin := range []string{"http://evil.example", "null", "http://localhost:3000"} {
					got, _ := request(address, method, path, address,
						"Origin: "+origin+"\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: x-api-key\r\n")
					testkit.Equal(t, fmt.Sprintf("%s %s from %s", method, path, origin), got.Header.Get("Access-Control-Allow-Origin"), "")
				}
			}
		}
	}
	_, port, _ := net.SplitHostPort(p.api)
	got, body := request(p.api, "GET", "/explorer/settings.json", "localhost:"+port, "Origin: http://localhost:"+port+"\r\n")
	testkit.FailIf(t, got.StatusCode != 200 || !strings.Contains(body, "demo"), "settings for the own page: got %d %s", got.StatusCode, body)
	for host, want := range map[string]int{"pubd-admin": 200, "pubd.prod.svc:1": 200, "[::1]": 200, "localhost": 200, "10.0.0.7:8081": 200, "pubd.example": 421} {
		got, body := request(p.admin, "GET", "/readyz", host, "")
		explains := want != 421 || strings.Contains(body, "a name without dots")
		testkit.FailIf(t, got.StatusCode != want || !explains, "/readyz of %s: got %d %s, want %d", host, got.StatusCode, body, want)
	}
}
