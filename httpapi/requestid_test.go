package httpapi

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// A response has the id of the request, or a new one if that is invalid. For a request without an id, only the log has one.
func TestRequestID(t *testing.T) {
	s, log := withData(t, LogAll)
	addr := listen(t, s)
	random := regexp.MustCompile(`^[0-9a-f]{32}$`)
	seen := map[string]bool{}
	for _, c := range []struct {
		sent []string
		want string // empty for a random one
	}{
		{nil, ""},
		{[]string{"X-Request-Id: abc"}, "abc"},
		{[]string{"x-request-id: 4bf92f35-77b3.4da6/a3ce:929d0e0e=47@36+1~_"}, "4bf92f35-77b3.4da6/a3ce:929d0e0e=47@36+1~_"},
		{[]string{"X-Request-Id: " + strings.Repeat("a", 128)}, strings.Repeat("a", 128)},
		{[]string{"X-Request-Id: " + strings.Repeat("a", 129)}, ""},
		{[]string{"X-Request-Id: " + strings.Repeat("a", 10_000)}, ""},
		{[]string{"X-Request-Id:"}, ""},
		{[]string{"X-Request-Id: a", "X-Request-Id: a"}, ""},
		{[]string{"X-Request-Id: a b"}, ""},
		{[]string{"X-Request-Id: a,b"}, ""},
		{[]string{`X-Request-Id: a"b`}, ""},
		{[]string{`X-Request-Id: a\nb`}, ""},
		{[]string{"X-Request-Id: a\tb"}, ""},
		{[]string{"X-Request-Id: é"}, ""},
		{[]string{"X-Request-Id: <script>"}, ""},
		{[]string{"X-Request-Id: " + goodSecret}, ""},
		{[]string{"X-Request-Id: id-" + goodSecret}, ""},
	} {
		for _, sent := range []string{get("pubid=u01", c.sent...), get("pubid=no", c.sent...), get("page=1", c.sent...), request11("DELETE", "/api/v1/stats", c.sent...),
			request11("GET", "/openapi.json", c.sent...), request11("OPTIONS", "/api/v1/pubs/", c.sent...), request11("POST", "/", c.sent...),
			get("pubid=u01", append(c.sent, "If-None-Match: *")...)} {
			list := answers(t, converse(t, addr, sent, true))
			if len(list) != 1 {
				t.Fatalf("sent %.300q: got %d answers", sent, len(list))
			}
			got := list[0].header.Values("X-Request-Id")
			lines := log.lines()
			last := lines[len(lines)-1]
			if len(c.sent) == 0 {
				if len(got) > 0 || !strings.Contains(last, `"request_id":"`) {
					t.Errorf("sent %.300q: got %q, log %s, want an id only in the log", sent, got, last)
				}
				continue
			}
			switch {
			case len(got) != 1:
				t.Errorf("sent %.300q: got %q, want one id", sent, got)
				continue
			case c.want != "" && got[0] != c.want:
				t.Errorf("sent %.300q: got %q, want %q", sent, got, c.want)
			case c.want == "" && (!random.MatchString(got[0]) || seen[got[0]]):
				t.Errorf("sent %.300q: got %q, want a random one", sent, got)
			}
			seen[got[0]] = true
			if !strings.Contains(last, `"request_id":"`+got[0]+`"`) {
				t.Errorf("sent %.300q: log %s", sent, last)
			}
		}
	}
	broken, _ := broken(t, LogOff)
	for sent, addr := range map[string]string{strings.Replace(get("pubid=u01"), "HTTP/1.1", "HTTP/2.0", 1): addr, get("pubid=u01"): listen(t, broken)} {
		if got := ask(t, addr, sent); !random.MatchString(got.header.Get("X-Request-Id")) || got.status < http.StatusInternalServerError {
			t.Errorf("sent %.100q: got %d with %q", sent, got.status, got.header.Get("X-Request-Id"))
		}
	}
	if text := log.String(); strings.Contains(text, goodSecret) || strings.Contains(text, "\x1b") {
		t.Errorf("log: %.500s", text)
	}
}

func TestRequestIDDoesNotAllocate(t *testing.T) {
	memory := make([]byte, 0, maxRequestID)
	chosen := [][]byte{[]byte("4bf92f3577b34da6a3ce929d0e0e4736")}
	for _, values := range [][][]byte{nil, chosen} {
		if n := testing.AllocsPerRun(100, func() { memory = appendRequestID(memory[:0], values) }); n > 0 {
			t.Errorf("%q: got %v allocations, want 0", values, n)
		}
	}
}
