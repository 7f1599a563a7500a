package httpapi

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// A response has the id of the request, or a new one if that is invalid. For a request without an id, only the log has
// one.
func TestRequestID(t *testing.T) {
	s, log := withData(t, LogAll)
	addr := listen(t, s)
	random := regexp.MustCompile(`^[0-9a-f]{32}$`)
	seen := map[string]bool{}
	valid := []string{"abc", "4bf92f35-77b3.4da6/a3ce:929d0e0e=47@36+1~_", strings.Repeat("a", 128)}
	invalid := []string{strings.Repeat("a", 129), strings.Repeat("a", 10_000), "", "a\r\nX-Request-Id: a", "a b", "a,b", `a"b`, `a\nb`, "a\tb", "é", "<script>",
		goodSecret, "id-" + goodSecret}
	for i, id := range slices.Concat([]string{"none"}, valid, invalid) {
		var headers []string
		if i > 0 {
			headers = []string{[]string{"X-Request-Id: ", "x-request-id: "}[i%2] + id}
		}
		for _, sent := range []string{get("pubid=u01", headers...), get("pubid=no", headers...), get("page=1", headers...), request11("DELETE", "/api/v1/stats", headers...),
			request11("GET", "/openapi.json", headers...), request11("OPTIONS", "/api/v1/pubs/", headers...), request11("POST", "/", headers...),
			get("pubid=u01", append(headers, "If-None-Match: *")...)} {
			list := answers(t, converse(t, addr, sent, true))
			testkit.Equal(t, fmt.Sprintf("answers to %.300q", sent), len(list), 1)
			got := list[0].header.Values("X-Request-Id")
			lines := logLines(log)
			last := lines[len(lines)-1]
			if len(headers) == 0 {
				testkit.FailIf(t, len(got) > 0 || !strings.Contains(last, `"request_id":"`), "sent %.300q: got %q, log %s, want an id only in the log", sent, got, last)
				continue
			}
			if isRandom := len(got) == 1 && random.MatchString(got[0]) && !seen[got[0]]; i > len(valid) && !isRandom || i <= len(valid) && !slices.Equal(got, []string{id}) {
				t.Fatalf("sent %.300q: got %q, want it if it is valid, and a random one otherwise", sent, got)
			}
			seen[got[0]] = true
			testkit.FailIf(t, !strings.Contains(last, `"request_id":"`+got[0]+`"`), "sent %.300q: log %s", sent, last)
		}
	}
	broken, _ := broken(t, LogOff)
	for sent, addr := range map[string]string{strings.Replace(get("pubid=u01"), "HTTP/1.1", "HTTP/2.0", 1): addr, get("pubid=u01"): listen(t, broken)} {
		if got := send(t, addr, sent); !random.MatchString(got.header.Get("X-Request-Id")) || got.status < http.StatusInternalServerError {
			t.Errorf("sent %.100q: got %d with %q", sent, got.status, got.header.Get("X-Request-Id"))
		}
	}
	text := log.String()
	testkit.FailIf(t, strings.Contains(text, goodSecret) || strings.Contains(text, "\x1b"), "log: %.500s", text)
}
