package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// logLine is a line of the access log, with members in order.
type logLine struct {
	Level                         string
	RequestID                     string `json:"request_id"`
	Remote, Client                string
	Method, Path, Operation       string
	Status, Bytes                 int
	US                            int64
	Key, Code, Parameter, Message string
}

func TestAccessLog(t *testing.T) {
	for _, c := range []struct {
		sent string
		want logLine
	}{
		{get("pubid=u01"), logLine{"info", "", "", "", "GET", "/api/v1/pubs/", "lookup", 200, 383, 0, "good", "", "", "request"}},
		{get("search=quaffer&relax=0"), logLine{"info", "", "", "", "GET", "/api/v1/pubs/", "search", 200, 120, 0, "good", "", "", "request"}},
		{get("search=lion&lat=-0&lng=0&distance=0"), logLine{"info", "", "", "", "GET", "/api/v1/pubs/", "distance", 200, 144, 0, "good", "", "", "request"}},
		{get("pubid=u01", "If-None-Match: *"), logLine{"info", "", "", "", "GET", "/api/v1/pubs/", "lookup", 304, 0, 0, "good", "", "", "request"}},
		{request11("OPTIONS", "/api/v1/pubs"), logLine{"info", "", "", "", "OPTIONS", "/api/v1/pubs", "none", 204, 0, 0, "", "", "", "request"}},
		{get("pubid=no"), logLine{"info", "", "", "", "GET", "/api/v1/pubs/", "lookup", 404, 61, 0, "good", "pub_not_found", "", "request"}},
		{get("search=x&page=0"), logLine{"info", "", "", "", "GET", "/api/v1/pubs/", "search", 400, 123, 0, "good", "invalid_parameter", "page", "request"}},
		{request11("GET", "/a\"b?pubid=u01"), logLine{"info", "", "", "", "GET", "other", "none", 404, 53, 0, "", "not_found", "", "request"}},
		{request11("GET", "/api/v1/pubs/"), logLine{"info", "", "", "", "GET", "/api/v1/pubs/", "none", 401, 67, 0, "", "api_key_required", "", "request"}},
		{request11("GET", "/api/v1/pubs/", "x-api-key: "+revokedSecret), logLine{"info", "", "", "", "GET", "/api/v1/pubs/", "none", 403, 76, 0, "", "api_key_invalid", "", "request"}},
		{"GET\r\n\r\n", logLine{"info", "", "", "", "", "", "none", 400, 69, 0, "", "malformed_request", "", "request"}},
	} {
		for _, access := range []AccessLog{"", LogOff, LogErrors, LogAll} {
			s, log := withData(t, access)
			ask(t, listen(t, s), c.sent)
			lines := log.lines()
			if wanted := access == LogAll || access == LogErrors && c.want.Code != ""; !wanted {
				if len(lines) > 0 {
					t.Errorf("%q: sent %.100q: got %q, want no line", access, c.sent, lines)
				}
				continue
			}
			if len(lines) != 1 {
				t.Errorf("%q: sent %.100q: got %q, want a line", access, c.sent, lines)
				continue
			}
			var got logLine
			decoder := json.NewDecoder(strings.NewReader(lines[0]))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&got); err != nil {
				t.Errorf("%q: sent %.100q: %v in %s", access, c.sent, err, lines[0])
			}
			if !strings.HasPrefix(got.Remote, "127.0.0.1:") || got.US < 0 || got.US > patience.Microseconds() {
				t.Errorf("%q: sent %.100q: remote %q, %d µs", access, c.sent, got.Remote, got.US)
			}
			if len(got.RequestID) != 32 {
				t.Errorf("%q: sent %.100q: request_id %q", access, c.sent, got.RequestID)
			}
			got.Remote, got.RequestID, got.US = "", "", 0
			if err := checkJSON(lines[0]); err != nil || got != c.want {
				t.Errorf("%q: sent %.100q: %v\n got %+v\nwant %+v", access, c.sent, err, got, c.want)
			}
		}
	}
}

// Each search for a text counts by what found pubs. The log has those that found nothing, without key and address.
func TestSearchesAreCounted(t *testing.T) {
	s, log := withData(t, LogOff)
	s.config.LogEmpty = true
	addr := listen(t, s)
	for _, query := range []string{"search=lion", "search=*", "search=+%21", "search=Qu%C3%A4ffer%22%0A&relax=0", "search=" + goodSecret + "+x&relax=0",
		"search=zzz&lat=0&lng=0&distance=1", "search=lyon", "pubid=no", "search=x&page=0"} {
		ask(t, addr, get(query))
	}
	ask(t, addr, get("search=zzz&relax=0", "If-None-Match: *"))
	want := []string{`{"level":"info","query":"","message":"nothing found"}`, `{"level":"info","query":"quaffer","message":"nothing found"}`,
		`{"level":"info","query":"pubd x","message":"nothing found"}`, `{"level":"info","query":"zzz","message":"nothing found"}`}
	if got := log.lines(); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	counts := samples(scrape(t, s)["pubd_searches_total"])
	for step, want := range map[string]float64{"strict": 1, "none": 4, "typo": 1, "words": 0, "place": 0, "infix": 0, "partial": 0} {
		equal(t, "step "+step, counts["step="+step], want)
	}
}

func TestPanicIsAnswered(t *testing.T) {
	for _, access := range []AccessLog{LogOff, LogAll} {
		s, log := broken(t, access)
		addr := listen(t, s)
		const want = `{"error":"Internal server error","code":"internal","status":500}`
		for _, query := range []string{"pubid=u01", "search=lion", "search=*&lat=1&lng=1&distance=1"} {
			list := answers(t, converse(t, addr, get(query)+get(query), true))
			if len(list) != 2 || list[0].status != 500 || list[0].body != want || list[1].body != want {
				t.Errorf("?%s: got %v, want two of %s", query, list, want)
			}
		}
		text := log.String()
		if !strings.Contains(text, `"panic":"runtime error: invalid memory address`) || !strings.Contains(text, `exchange.go`) || strings.Contains(text, goodSecret) {
			t.Errorf("log: %.1000s", text)
		}
		if got := strings.Count(text, `"message":"request"}`); (got == 6) != (access == LogAll) {
			t.Errorf("access log %q: got %d lines of errors in %.2000s", access, got, text)
		}
		s.Publish(build(t, tenPubs()))
		if got := ask(t, addr, get("pubid=u01")); got.status != 200 {
			t.Errorf("after the panics: got %d %s, want 200", got.status, got.body)
		}
	}
}

// The response to a malformed request must not contain traces of earlier requests.
func TestMalformedRequestInheritsNothing(t *testing.T) {
	s, log := withData(t, LogAll)
	s.pool.New = func() any {
		x := newExchange("search=x&page=0&unknown=1")
		s.handle(x)
		x.response = response{status: 429, body: append(x.response.body, "rest"...), retryAfter: 1000, allow: true, challenge: true, preflight: true}
		return x
	}
	const want = `{"error":"Malformed request","code":"malformed_request","status":400}`
	got := ask(t, listen(t, s), "GET\r\n\r\n")
	if got.status != 400 || got.body != want {
		t.Errorf("got %d %s, want 400 %s", got.status, got.body, want)
	}
	for _, name := range []string{"Retry-After", "Allow", "WWW-Authenticate", "Access-Control-Max-Age", "X-Ignored-Params", "ETag"} {
		if value := got.header.Get(name); value != "" {
			t.Errorf("%s: got %q, want none", name, value)
		}
	}
	if text := log.String(); strings.Contains(text, `"key"`) || strings.Contains(text, "search") {
		t.Errorf("log: %s", text)
	}
}

// planted are requests with a secret in places where a client may put it by mistake.
var planted = map[string]string{
	"as the key":            get("pubid=u01"),
	"twice":                 get("pubid=u01", "x-api-key: "+goodSecret),
	"revoked":               request11("GET", "/api/v1/pubs/?pubid=u01", "x-api-key: "+revokedSecret),
	"expired":               request11("GET", "/api/v1/pubs/?pubid=u01", "x-api-key: "+expiredSecret),
	"limited":               strings.Repeat(request11("GET", "/api/v1/pubs/?pubid=u01", "x-api-key: "+limitedSecret), 3),
	"in Authorization":      request11("GET", "/api/v1/pubs/?pubid=u01", "Authorization: Bearer "+goodSecret),
	"as a parameter":        get("pubid=u01&x-api-key=" + goodSecret),
	"as a parameter's name": get("search=lion&" + goodSecret + "=1"),
	"as a wrong value":      get("search=lion&amount=" + goodSecret),
	"as a pub":              get("pubid=" + goodSecret),
	"in a broken query":     get("search=%zz" + goodSecret),
	"in a broken header":    get("pubid=u01", goodSecret),
	"in a header's name":    get("pubid=u01", goodSecret+": 1"),
	"in a large header":     get("pubid=u01", "X: "+strings.Repeat(goodSecret, 1000)),
	"in a broken target":    request11("GET", goodSecret),
	"in a body":             get("pubid=u01", "Content-Length: 37") + goodSecret,
	"as a request's id":     get("pubid=u01", "X-Request-Id: "+goodSecret),
	"as a client":           get("pubid=u01", "X-Forwarded-For: "+goodSecret),
	"as a strict name":      get("search=lion&strict=true&" + goodSecret + "=1"),
	"as a host":             "GET / HTTP/1.1\r\nHost: " + goodSecret + "\r\n\r\n",
	"as a user":             request11("GET", "http://"+goodSecret+"@pubs.test/api/v1/pubs/?pubid=u01"),
	"in the path":           request11("GET", "/api/v1/pubs/"+goodSecret),
	"as a method":           request11(goodSecret, "/api/v1/pubs/?pubid=u01"),
}

func TestSecretsAreNotShown(t *testing.T) {
	for where, sent := range planted {
		for _, on := range []func(testing.TB, AccessLog) (*Service, *logBuffer){withData, broken} {
			s, log := on(t, LogAll)
			ask(t, listen(t, s), sent)
			s.Publish(build(t, tenPubs()))
			admin := httptest.NewServer(s.admin(AdminConfig{Pprof: true}))
			shown := log.String()
			for _, path := range []string{"/metrics", "/readyz", "/debug/pprof/goroutine?debug=2", "/debug/pprof/cmdline"} {
				response, err := http.Get(admin.URL + path)
				ok(t, err)
				body, err := io.ReadAll(response.Body)
				ok(t, err)
				_ = response.Body.Close()
				shown += string(body)
			}
			admin.Close()
			for _, secret := range []string{goodSecret, revokedSecret, expiredSecret, limitedSecret} {
				if at := strings.Index(shown, secret); at >= 0 {
					t.Errorf("%s: got %q, which has the secret %q", where, shown[max(0, at-150):min(len(shown), at+len(secret)+20)], secret)
				}
			}
		}
	}
}
