package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serveAdmin serves the admin address of ten pubs until the test ends.
func serveAdmin(t *testing.T, config AdminConfig) (a *AdminServer, addr string) {
	t.Helper()
	s, _ := withData(t, LogOff)
	a = NewAdminServer(s, config)
	return a, listenOn(t, a.Serve, a.Close)
}

// toAdmin returns a request to an admin host, after which the server closes the connection.
func toAdmin(host, path string) string {
	return strings.Replace(request11("GET", path, "Connection: close"), "pubs.test", host, 1)
}

func (a *AdminServer) open() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.connections)
}

// A reload is requested by programs of the same machine, and by no web page.
func TestWhoRequestsReloads(t *testing.T) {
	s, _ := withData(t, LogOff)
	for _, c := range []struct {
		from, query, header string
		status              int
		asked               string
	}{
		{"127.0.0.1:9", "", "", 202, "false"},
		{"[::1]:9", "?accept-shrink=true", "", 202, "true"},
		{"[::ffff:127.0.0.1]:9", "", "", 202, "false"},
		{"127.0.0.1:9", "?accept-shrink=yes", "", 400, ""},
		{"127.0.0.1:9", "", "Origin", 403, ""},
		{"127.0.0.1:9", "", "Sec-Fetch-Site", 403, ""},
		{"192.0.2.1:9", "", "", 403, ""},
		{"[2001:db8::1]:9", "", "X-Forwarded-For", 403, ""},
		{"", "", "", 403, ""},
	} {
		asked := ""
		handler := s.admin(AdminConfig{Reload: func(acceptShrink bool) { asked = fmt.Sprint(acceptShrink) }})
		r := httptest.NewRequest("POST", "http://127.0.0.1/-/reload"+c.query, nil)
		r.RemoteAddr = c.from
		if c.header != "" {
			r.Header.Set(c.header, "127.0.0.1")
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		failIf(t, w.Code != c.status || asked != c.asked, "from %q, %q %s: got %d, asked %q; want %d, %q", c.from, c.query, c.header, w.Code, asked, c.status, c.asked)
	}
}

// A probe is accepted, however many connections are open. Those with a request in progress are closed last.
func TestAdminConnectionsAreLimited(t *testing.T) {
	a, addr := serveAdmin(t, AdminConfig{Pprof: true})
	profile := dial(t, addr, toAdmin("localhost", "/debug/pprof/trace?seconds=1"))
	waitFor(t, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, c := range a.connections {
			if c.answering {
				return true
			}
		}
		return false
	})
	for i := range 300 {
		c := dial(t, addr, []string{"", "GET /livez HTTP/1.1\r\nHo", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"}[i%3])
		if i%3 == 2 {
			answered := must(readAnswer(bufio.NewReader(c), "GET"))(t)
			equal(t, fmt.Sprint("connection ", i), answered.status, 200)
		}
		if open := a.open(); open >= adminConnections {
			t.Fatalf("after connection %d: got %d open, want less than %d", i, open, adminConnections)
		}
	}
	if got, err := readAnswer(bufio.NewReader(profile), "GET"); err != nil || got.status != 200 || len(got.body) == 0 {
		t.Errorf("profile: got %d, %d bytes, %v, want 200 and all of it", got.status, len(got.body), err)
	}
}

func TestAdminTimeouts(t *testing.T) {
	s, _ := withData(t, LogOff)
	a := NewAdminServer(s, AdminConfig{})
	if a.http.ReadHeaderTimeout == 0 || a.http.ReadTimeout == 0 || a.http.WriteTimeout == 0 || a.http.IdleTimeout == 0 {
		t.Fatalf("got %v, %v, %v, %v, want each set", a.http.ReadHeaderTimeout, a.http.ReadTimeout, a.http.WriteTimeout, a.http.IdleTimeout)
	}
	a.http.ReadHeaderTimeout, a.http.IdleTimeout = 100*time.Millisecond, 100*time.Millisecond
	addr := listenOn(t, a.Serve, a.Close)
	for _, sent := range []string{"", "GET /livez HTTP/1.1\r\nHo", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"} {
		must(io.ReadAll(dial(t, addr, sent)))(t)
	}
	waitFor(t, func() bool { return a.open() == 0 })
}

func TestAdminHosts(t *testing.T) {
	_, addr := serveAdmin(t, AdminConfig{Hosts: []string{"Pubd-Admin"}, Pprof: true})
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/debug/pprof/cmdline", "/none"} {
		for host, rejected := range map[string]bool{"evil.example": true, "127.0.0.1.evil.example:8081": true, "pubd-admin:8081": false, "pubd.default.svc:8081": false, "pubd.svc.cluster.local": false, "svc.evil.example": true, "evil.local.example": true, "local.": true, addr: false, "localhost": false} {
			got := ask(t, addr, toAdmin(host, path))
			if (got.status == http.StatusMisdirectedRequest) != rejected || rejected && !strings.Contains(got.body, "a name without dots") {
				t.Errorf("%s of %s: got %d %s, want rejected %v", path, host, got.status, got.body, rejected)
			}
			if got.header.Get("Access-Control-Allow-Origin") != "" || got.header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("%s of %s: got %v, want no access for other origins", path, host, got.header)
			}
			if rejected {
				ok(t, checkJSON(got.body))
			}
		}
	}
}

func TestProfilesAreOffByDefault(t *testing.T) {
	_, off := serveAdmin(t, AdminConfig{})
	_, on := serveAdmin(t, AdminConfig{Pprof: true})
	for path, want := range map[string]int{"": 200, "cmdline": 200, "symbol": 200, "heap?debug=1": 200, "trace?seconds=0.1": 200,
		"trace?seconds=31": 400, "trace?seconds=1e9": 400, "trace?seconds=NaN": 400, "trace?seconds=-1": 400, "profile?seconds=31": 400,
		"profile?seconds=many": 400, "heap?seconds=31": 400, "goroutine?seconds=99999999999999999999": 400} {
		for addr, status := range map[string]int{off: 404, on: want} {
			got := ask(t, addr, toAdmin("localhost", "/debug/pprof/"+path))
			if got.status != status || status == 400 && !strings.Contains(got.body, "must be a number from 0 to 30") {
				t.Errorf("/debug/pprof/%s: got %d %.200s, want %d", path, got.status, got.body, status)
			}
		}
	}
}

// The write timeout is added to the seconds of a profile.
func TestWriteTimeoutDoesNotCutProfile(t *testing.T) {
	s, _ := withData(t, LogOff)
	a := NewAdminServer(s, AdminConfig{Pprof: true})
	a.http.WriteTimeout = time.Second
	addr := listenOn(t, a.Serve, a.Close)
	for _, path := range []string{"trace?seconds=1.2", "heap?seconds=2"} {
		got := answers(t, converse(t, addr, toAdmin("localhost", "/debug/pprof/"+path), false))[0] // net/http would end a profile when the client closes its side
		failIf(t, got.status != 200 || len(got.body) == 0, "%s: got %d, %d bytes, want all of it", path, got.status, len(got.body))
	}
}

func TestAdminServerLogsAsJSON(t *testing.T) {
	s, log := withData(t, LogOff)
	a := NewAdminServer(s, AdminConfig{})
	a.http.ErrorLog.Printf("http: Accept error: %v", io.EOF)
	lines := log.lines()
	failIf(t, len(lines) != 1 || checkJSON(lines[0]) != nil || !strings.Contains(lines[0], `"error":"http: Accept error: EOF"`), "got %q, want a line of JSON", lines)
}

// If one address opens connections faster than requests are read, its own connections are closed, not a probe's.
func TestAdminFloodSparesOthers(t *testing.T) {
	_, addr := serveAdmin(t, AdminConfig{})
	probe := dial(t, addr, "GET /livez HTTP/1.1\r\nHost: localhost\r\n")
	var flood []net.Conn
	for range 4 * adminConnections {
		c := dialFrom(t, "127.0.0.2", addr, "")
		ok(t, c.SetDeadline(time.Now().Add(promptly)))
		flood = append(flood, c)
	}
	for _, c := range flood[:3*adminConnections] { // wait until they have been closed to make room
		_, _ = c.Read(make([]byte, 1))
	}
	must(io.WriteString(probe, "Connection: close\r\n\r\n"))(t)
	if got, err := io.ReadAll(probe); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200") {
		t.Errorf("got %.100q, %v, want an answer", got, err)
	}
}
