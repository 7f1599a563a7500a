package httpapi

import (
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"runtime/pprof"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pubd/bench/testkit"
)

// varying are the members of a log line that differ between runs.
var varying = regexp.MustCompile(`"(?:(request_id)":"[0-9a-f]{32}"|(remote)":"127\.0\.0\.1:\d+"|(us)":\d{1,8}\b)`)

func TestAccessLog(t *testing.T) {
	for label, c := range streams(t, "access_log.txt") {
		for _, access := range []AccessLog{"", LogOff, LogErrors, LogAll} {
			s, log := withData(t, access)
			send(t, listen(t, s), c.Given)
			want := ""
			if access == LogAll || access == LogErrors && strings.Contains(c.Want, `"code"`) {
				want = c.Want + "\n"
				testkit.OK(t, checkJSON(log.String()))
			}
			got := varying.ReplaceAllString(log.String(), `"$1$2$3":0`)
			testkit.Equal(t, fmt.Sprintf("%s, log %q", label, access), got, want)
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
		send(t, addr, get(query))
	}
	send(t, addr, get("search=zzz&relax=0", "If-None-Match: *"))
	want := []string{`{"level":"info","query":"","message":"nothing found"}`, `{"level":"info","query":"quaffer","message":"nothing found"}`,
		`{"level":"info","query":"pubd x","message":"nothing found"}`, `{"level":"info","query":"zzz","message":"nothing found"}`}
	testkit.Equal(t, "log", logLines(log), want)
	testkit.Equal(t, "steps", s.Report().Searches,
		map[string]uint64{"strict": 1, "none": 4, "typo": 1, "words": 0, "place": 0, "infix": 0, "partial": 0})
}

func TestPanicIsAnswered(t *testing.T) {
	for _, access := range []AccessLog{LogOff, LogAll} {
		s, log := broken(t, access)
		addr := listen(t, s)
		const want = `{"error":"Internal server error","code":"internal","status":500}`
		for _, query := range []string{"pubid=u01", "search=lion", "search=*&lat=1&lng=1&distance=1"} {
			list := answers(t, converse(t, addr, get(query)+get(query), true))
			testkit.FailIf(t, len(list) != 2 || list[0].status != 500 || list[0].body != want || list[1].body != want, "?%s: got %v, want two of %s", query, list, want)
		}
		text := log.String()
		testkit.FailIf(t, !strings.Contains(text, `"panic":"runtime error: invalid memory address`) || !strings.Contains(text, `exchange.go`) || strings.Contains(text, goodSecret),
			"log: %.1000s", text)
		got := strings.Count(text, `"message":"request"}`)
		testkit.FailIf(t, (got == 6) != (access == LogAll),
			"access log %q: got %d lines of errors in %.2000s", access, got, text)
		s.Arrange(Arrangement{Served: build(t, tenPubs())})
		testkit.Equal(t, "after the panics", send(t, addr, get("pubid=u01")).status, 200)
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	for where, c := range streams(t, "secrets.txt") {
		for _, on := range []func(testing.TB, AccessLog) (*Service, *testkit.Output){withData, broken} {
			s, log := on(t, LogAll)
			send(t, listen(t, s), c.Given)
			s.Arrange(Arrangement{Served: build(t, tenPubs())})
			var stacks strings.Builder
			testkit.OK(t, pprof.Lookup("goroutine").WriteTo(&stacks, 2))
			shown := fmt.Sprintf("%s %+v %s", log, s.Report(), &stacks)
			for _, secret := range []string{goodSecret, revokedSecret, expiredSecret, limitedSecret} {
				at := strings.Index(shown, secret)
				testkit.FailIf(t, at >= 0,
					"%s: got %q, which has the secret %q", where, shown[max(0, at-150):min(len(shown), at+len(secret)+20)], secret)
			}
		}
	}
}

// What clients cause does not fill the log: lines beyond a budget are counted. Errors have their own budget.
func TestLogHasBudget(t *testing.T) {
	const requests = linesAtOnce + 500
	for _, c := range []struct {
		label  string
		on     func(testing.TB, AccessLog) (*Service, *testkit.Output)
		access AccessLog
		change func(x *Exchange)
		each   int // lines of a request
		want   int // lines of all
	}{
		{"unknown paths without a key", withData, LogErrors, func(x *Exchange) { x.Request.Path, x.Request.Keys = []byte("/no"), nil }, 1, linesAtOnce},
		{"HEAD of them", withData, LogErrors, func(x *Exchange) { x.Request.Path, x.Request.Method = []byte("/no"), []byte("HEAD") }, 1, linesAtOnce},
		{"no key", withData, LogErrors, func(x *Exchange) { x.Request.Keys = nil }, 1, linesAtOnce},
		{"no data", withoutData, LogErrors, func(*Exchange) {}, 1, linesAtOnce},
		{"panics, with a line of each", broken, LogErrors, func(*Exchange) {}, 2, 2 * linesAtOnce},
		{"panics", broken, LogOff, func(*Exchange) {}, 1, linesAtOnce},
		{"all requests are wanted", withData, LogAll, func(x *Exchange) { x.Request.Keys = nil }, 1, requests},
		{"nothing is found", withData, LogOff, func(x *Exchange) { x.Request.Query = []byte("search=zzz&relax=0") }, 1, linesAtOnce},
	} {
		t.Run(c.label, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log := c.on(t, c.access)
				s.config.LogEmpty = true
				send := func() {
					x := newExchange("pubid=u01")
					c.change(x)
					handle(s, x)
					x.Observe(&net.TCPAddr{}, time.Now())
				}
				for range requests {
					send()
				}
				testkit.Equal(t, "lines", len(logLines(log)), c.want)
				time.Sleep(betweenCounts)
				synctest.Wait()
				last, suppressed := logLines(log)[c.want:], 0
				for _, line := range last {
					var said struct {
						Message string
						Lines   int
					}
					testkit.OK(t, json.Unmarshal([]byte(line), &said))
					testkit.Equal(t, "after the flood", said.Message, "log lines suppressed")
					suppressed += said.Lines
				}
				testkit.Equal(t, "lines and suppressed ones", c.want+suppressed, c.each*requests)
				send()
				testkit.Equal(t, "lines later", len(logLines(log)), c.want+len(last)+c.each)
			})
		})
	}
}
