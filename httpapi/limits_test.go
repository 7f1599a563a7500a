package httpapi

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"pubd/bench"
)

// streams returns the streams of requests of a file in testdata by label; streams.txt explains the notation.
func streams(t testing.TB, file string) map[string]testCase {
	list := map[string]testCase{}
	for _, c := range cases(t, file) {
		label, sent, _ := strings.Cut(c.given, ": ")
		failIf(t, list[label] != testCase{}, "%s: %s: is there twice", file, label)
		plain := must(strconv.Unquote(`"` + strings.ReplaceAll(sent, `"`, `\"`) + `"`))(t)
		const host, key = "HTTP/1.1\r\nHost: pubs.test\r\n", "x-api-key: " + goodSecret + "\r\n"
		names := strings.NewReplacer("{hidden}", get("pubid=u02"), "{u01}", "GET /api/v1/pubs/?pubid=u01 "+host+key, "{host}", host, "{key}", host+key, "{secret}", goodSecret)
		c.given = names.Replace(plain)
		list[label] = c
	}
	return list
}

// After "close", the connection ends, whatever follows.
func TestStreams(t *testing.T) {
	_, addr := serve(t)
	for label, c := range streams(t, "streams.txt") {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			method, _, _ := strings.Cut(c.given, " ")
			stays := !strings.HasSuffix(c.want, "close")
			received := converse(t, addr, c.given, stays)
			if stays {
				method = "GET"
			}
			list, err := split(received, method)
			got := statusesOf(list)
			if len(list) > 0 && list[len(list)-1].closes && !stays {
				got += " close"
			}
			failIf(t, err != nil || got != c.want, "sent %.300q\n got %s, %v: %.600q\nwant %s", c.given, got, err, received, c.want)
		})
	}
}

// statusesOf returns the statuses of responses, such as "200 404".
func statusesOf(list []answer) string {
	var all []int
	for _, a := range list {
		all = append(all, a.status)
	}
	return strings.Trim(fmt.Sprint(all), "[]")
}

// Responses of all sizes, with and without a body, are complete and in the order of the requests.
func TestPipelining(t *testing.T) {
	s := New(Config{})
	s.ArrangeKeys(testKeys(t), Loads{})
	corpus := must(bench.NewCorpus(2000))(t)
	s.Arrange(Arrangement{Served: corpus.Snapshot})
	addr := listen(t, s)
	rng := rand.New(rand.NewPCG(1, 1))
	var sent strings.Builder
	var methods, targets []string
	alone := map[string]answer{}
	for range 300 {
		method := []string{"GET", "GET", "GET", "HEAD", "OPTIONS"}[rng.IntN(5)]
		query := fmt.Sprintf("search=*&lat=51.5&lng=-0.1&distance=%d", 1<<rng.IntN(11))
		request := strings.Replace(get(query), "GET", method, 1)
		sent.WriteString(request)
		methods, targets = append(methods, method), append(targets, request)
		if _, known := alone[request]; !known {
			alone[request] = answers(t, converse(t, addr, request, true), method)[0]
		}
	}
	list := answers(t, converse(t, addr, sent.String(), true), methods...)
	largest := 0
	for i, a := range list {
		if want := alone[targets[i]]; a.status != want.status || a.body != want.body {
			t.Fatalf("answer %d: got %d, %d bytes; alone %d, %d bytes", i, a.status, len(a.body), want.status, len(want.body))
		}
		largest = max(largest, len(a.body))
	}
	if len(list) != len(targets) || largest < 80<<10 {
		t.Errorf("got %d answers of up to %d bytes, want %d and some larger than %d", len(list), largest, len(targets), 80<<10)
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("timed out")
		}
	}
}
