package ops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/httpapi"
	"pubd/httpapi/status"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
)

// newService returns a service of one pub.
func newService(t *testing.T) *httpapi.Service {
	t.Helper()
	directory := corpus.Directory{Pubs: []schema.Pub{{UID: "u01", Name: "Red Lion"}}}
	snapshot := testkit.Must(index.InMemory(directory, index.BuildOptions{}))(t)
	service := httpapi.New(httpapi.Config{})
	service.Arrange(httpapi.Arrangement{Served: snapshot})
	return service
}

// newServer returns the server of a service without data.
func newServer(config Config) *Server {
	service := httpapi.New(httpapi.Config{})
	config.Traffic = noTraffic
	return New(service, config)
}

// send handles a request without a connection.
func send(s *Server, method, path string) *httptest.ResponseRecorder {
	return answerTo(s, httptest.NewRequest(method, "http://localhost"+path, nil))
}

func answerTo(s *Server, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(w, r)
	return w
}

func TestHealth(t *testing.T) {
	service := newService(t)
	s := New(service, Config{Traffic: noTraffic})
	for _, step := range []struct {
		label  string
		change func()
		status int
	}{
		{"serving", func() {}, 200},
		{"a reload failed", func() { service.ArrangeKeys(nil, httpapi.Loads{Error: errors.New("no"), Failed: 1}) }, 200},
		{"draining", service.Drain, 503},
	} {
		step.change()
		got := send(s, "GET", "/readyz")
		var said status.Readiness
		testkit.OK(t, json.Unmarshal(got.Body.Bytes(), &said, json.RejectUnknownMembers(true)))
		want := service.Readiness()
		*said.LoadedAt, *want.LoadedAt = time.Time{}, time.Time{}
		testkit.Equal(t, step.label, said, want)
		testkit.Equal(t, step.label+": status", got.Code, step.status)
		testkit.Equal(t, "headers", got.Header(), http.Header{
			"Content-Type": {"application/json; charset=utf-8"}, "Cache-Control": {"no-store"},
			"X-Content-Type-Options": {"nosniff"}, "Cross-Origin-Resource-Policy": {"same-origin"}})
		live := send(s, "GET", "/livez")
		testkit.Equal(t, step.label+": /livez", fmt.Sprint(live.Code, " ", live.Body), "200 ok\n")
	}
	testkit.Equal(t, "before data", send(newServer(Config{}), "GET", "/readyz").Code, 503)
}

func TestNoOtherPaths(t *testing.T) {
	service := newService(t)
	s := New(service, Config{Pprof: true, Traffic: noTraffic})
	for _, path := range []string{"/api/v1/pubs/?pubid=u01", "/api/v1/pubs?pubid=u01", "/", "/readyz/", "/metrics/x"} {
		got := send(s, "GET", path)
		body := got.Body.String()
		testkit.FailIf(t, got.Code != 404 || strings.Contains(body, "Red Lion"), "%s: got %d %s, want 404", path, got.Code, body)
	}
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		testkit.Equal(t, "POST "+path, send(s, "POST", path).Code, 405)
	}
}

// A reload is requested by programs of the same machine, and by no web page.
func TestWhoRequestsReloads(t *testing.T) {
	for _, c := range []struct {
		from, query, header string
		status              int
		accepted            string
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
		accepted := ""
		r := httptest.NewRequest("POST", "http://127.0.0.1/-/reload"+c.query, nil)
		r.RemoteAddr = c.from
		if c.header != "" {
			r.Header.Set(c.header, "127.0.0.1")
		}
		s := newServer(Config{Reload: func(acceptShrink bool) { accepted = fmt.Sprint(acceptShrink) }})
		got := answerTo(s, r)
		testkit.FailIf(t, got.Code != c.status || accepted != c.accepted, "from %q, %q %s: got %d, asked %q; want %d, %q",
			c.from, c.query, c.header, got.Code, accepted, c.status, c.accepted)
	}
}

func TestHosts(t *testing.T) {
	s := newServer(Config{Hosts: []string{"Pubd-Admin"}, Pprof: true})
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/debug/pprof/cmdline", "/none"} {
		for host, rejected := range map[string]bool{
			"evil.example": true, "127.0.0.1.evil.example:8081": true, "svc.evil.example": true, "evil.local.example": true,
			"local.": true, "pubd-admin:8081": false, "pubd.default.svc:8081": false, "pubd.svc.cluster.local": false,
			"127.0.0.1:8081": false, "localhost": false} {
			r := httptest.NewRequest("GET", path, nil)
			r.Host = host
			got := answerTo(s, r)
			said := strings.Contains(got.Body.String(), "a name without dots")
			testkit.FailIf(t, (got.Code == http.StatusMisdirectedRequest) != rejected || said != rejected,
				"%s of %s: got %d %.300s, want rejected %v", path, host, got.Code, got.Body, rejected)
			testkit.Equal(t, path, got.Header().Get("Cross-Origin-Resource-Policy"), "same-origin")
			testkit.FailIf(t, rejected && !strings.HasSuffix(got.Body.String(), `","code":"misdirected","status":421}`+"\n"),
				"%s of %s: got %s", path, host, got.Body)
		}
	}
}

func TestProfilesAreOffByDefault(t *testing.T) {
	off, on := newServer(Config{}), newServer(Config{Pprof: true})
	for path, want := range map[string]int{
		"": 200, "cmdline": 200, "symbol": 200, "goroutine?debug=1": 200, "trace?seconds=0.1": 200,
		"trace?seconds=31": 400, "trace?seconds=1e9": 400, "trace?seconds=NaN": 400, "trace?seconds=-1": 400,
		"profile?seconds=31": 400, "profile?seconds=many": 400, "heap?seconds=31": 400,
		"goroutine?seconds=99999999999999999999": 400} {
		testkit.Equal(t, path+" without --pprof", send(off, "GET", "/debug/pprof/"+path).Code, 404)
		got := send(on, "GET", "/debug/pprof/"+path)
		said := strings.Contains(got.Body.String(), "must be a number from 0 to 30")
		testkit.FailIf(t, got.Code != want || said != (want == 400), "/debug/pprof/%s: got %d %.200s, want %d",
			path, got.Code, got.Body, want)
	}
}

func TestLogIsJSON(t *testing.T) {
	var log bytes.Buffer
	newServer(Config{Log: zerolog.New(&log)}).http.ErrorLog.Printf("http: Accept error: %v", io.EOF)
	testkit.Equal(t, "log", log.String(), `{"level":"warn","error":"http: Accept error: EOF","message":"admin server"}`+"\n")
}

func noTraffic() status.Traffic { return status.Traffic{} }
