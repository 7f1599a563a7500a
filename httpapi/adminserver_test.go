package httpapi

import (
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

// Slow and idle connections are closed by the timeouts, and those that waited meanwhile are served.
func TestAdminTimeouts(t *testing.T) {
	s, _ := withData(t, LogOff)
	a := NewAdminServer(s, AdminConfig{})
	for _, limit := range []time.Duration{a.http.ReadHeaderTimeout, a.http.ReadTimeout, a.http.WriteTimeout, a.http.IdleTimeout} {
		failIf(t, limit == 0 || limit > 10*time.Second, "a timeout of %v, want at most 10 s", limit)
	}
	a.http.ReadHeaderTimeout, a.http.IdleTimeout = 200*time.Millisecond, 200*time.Millisecond
	addr := listenOn(t, a.Serve, a.Close)
	begun := time.Now()
	var held []net.Conn
	for i := range 2 * adminConnections {
		held = append(held, dial(t, addr, []string{"", "GET /livez HTTP/1.1\r\nHo", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"}[i%3]))
	}
	equal(t, "after they were closed", ask(t, addr, toAdmin("localhost", "/livez")).status, 200)
	failIf(t, time.Since(begun) < 300*time.Millisecond, "a connection was accepted beside %d others", len(held))
	for _, c := range held {
		must(io.ReadAll(c))(t)
	}
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
