package httpapi

import (
	"strings"
	"testing"

	"pubd/bench/testkit"
)

// The demo server serves only its own origin: no response allows another origin, and requests with other host names,
// which may resolve to this address, are rejected on every path.
func TestDemoAnswersOwnOriginOnly(t *testing.T) {
	s, _ := demo(t, LogOff)
	addr := listen(t, s)
	for _, target := range []string{"/", "/docs", "/explorer/settings.json", "/openapi.json", "/api/v1/pubs/?search=*", "/api/v1/suggest?search=r", "/api/v1/stats", "/none"} {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST"} {
			send := func(host, origin string) answer {
				sent := request11(method, target, "x-api-key: demo", "Origin: "+origin, "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: x-api-key")
				list := answers(t, converse(t, addr, strings.Replace(sent, "pubs.test", host, 1), true), method)
				testkit.StopIf(t, len(list) != 1, "%s %s: got %d answers", method, target, len(list))
				return list[0]
			}
			for _, host := range []string{"evil.example", "127.0.0.1.evil.example:80"} {
				got := send(host, "http://"+host)
				testkit.FailIf(t, got.status != 421 || strings.Contains(got.body, "demo"), "%s %s of %s: got %v, want 421", method, target, host, got)
			}
			for _, origin := range []string{"http://evil.example", "null", "http://localhost:1"} {
				got := send(addr, origin)
				testkit.FailIf(t, got.status == 421 || got.header.Get("Access-Control-Allow-Origin") != "" || got.header.Get("Cross-Origin-Resource-Policy") != "same-origin",
					"%s %s from %q: got %d %v, want an answer without access for other origins", method, target, origin, got.status, got.header)
			}
		}
	}
	s, _ = withData(t, LogOff)
	got := send(t, listen(t, s), get("pubid=u01", "Origin: http://evil.example"))
	testkit.FailIf(t, got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != "*", "with keys: got %d %v, want an answer for all origins", got.status, got.header)
}
