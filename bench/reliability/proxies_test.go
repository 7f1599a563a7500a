package reliability

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/bench/stage"
	"pubd/bench/testkit"
)

// startProxy starts nginx or HAProxy, and stops it when the test ends.
func startProxy(t testing.TB, name, config string) (address string) {
	t.Helper()
	testkit.Long(t, "runs "+name)
	process, address, err := stage.StartProxy(t.Context(), name, t.TempDir(), config)
	testkit.OK(t, err)
	t.Cleanup(process.Stop)
	return address
}

// What replicas reject because they have too much to do is not asked of them again and again, whether it names a snapshot
// or not.
func TestRejectionsAreNotMultiplied(t *testing.T) {
	testkit.Long(t, "runs haproxy")
	var asked atomic.Int64
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			asked.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(fake.Close)
	api := fake.Listener.Addr().String()
	address := startDeployed(t, "haproxy.cfg", slices.Repeat([]*stage.Server{{API: api, Admin: api}}, 3))
	for _, target := range []string{firstPage, firstPage + "&snapshot=0123456789abcdef"} {
		for _, together := range []int{1, 10, 75} {
			time.Sleep(3 * time.Second) // after which HAProxy tries again
			asked.Store(0)
			var done sync.WaitGroup
			for range together {
				done.Go(func() {
					for range 150 / together {
						status, _, err := get("http://"+address+target, demo)
						testkit.FailIf(t, err != nil || status != http.StatusServiceUnavailable, "%s: got %d, %v", target, status, err)
					}
				})
			}
			done.Wait()
			testkit.FailIf(t, asked.Load() < 150 || asked.Load() > 250, "%s, %d together: 150 requests became %d", target, together, asked.Load())
			t.Logf("%s, %d together: 150 requests became %d", target, together, asked.Load())
		}
	}
}

// visits are requests with the right key, a wrong one and none. If want is 0, the status may be 200 or 404. As each of
// them is the first on some URL that is new to the cache, all orders of two of them occur.
var visits = []struct {
	method, key string
	conditional bool
	want        int
}{
	{http.MethodGet, demo, false, 0},
	{http.MethodGet, "", false, http.StatusUnauthorized},
	{http.MethodHead, "", false, http.StatusUnauthorized},
	{http.MethodGet, "", true, http.StatusUnauthorized},
	{http.MethodHead, demo, false, 0},
	{http.MethodGet, "wrong", false, http.StatusForbidden},
	{http.MethodHead, "wrong", false, http.StatusForbidden},
	{http.MethodGet, "wrong", true, http.StatusForbidden},
}

func TestC1(t *testing.T) {
	row(t, "nginx with proxy_cache, by URL and for an hour, in front", "what was fetched with a key is never served without one, nor a rejection with one; what may be cached is")
	s := usual(t).snapshots[0]
	r := serve(t, s)
	cache := filepath.Join(t.TempDir(), "cache")
	address := startProxy(t, "nginx", stage.NginxConfig(1, 0, fill(testdata(t, "cache.conf"), map[string]string{"api": r.API, "admin": r.Admin, "cache": cache})))
	visit := func(target, method, key, condition string) (status int, cached, etag string) {
		got := testkit.Must(fetch(method, "http://"+address+target, "x-api-key", key, "If-None-Match", condition))(t)
		return got.StatusCode(), string(got.Header.Peek("X-Cache")), string(got.Header.Peek("ETag"))
	}
	// A response that is the same for all clients and forbids nothing shows that the cache works at all.
	visit("/livez", http.MethodGet, "", "")
	_, cached, _ := visit("/livez", http.MethodGet, "", "")
	testkit.FailIf(t, cached != "HIT", "/livez, second request: cache %q, want HIT", cached)
	sent := 0
	for i, target := range s.targets[:pick(50, 1000)] {
		for first := range visits {
			etag := ""
			for step := range visits {
				v := visits[(first+step)%len(visits)]
				condition := ""
				if v.conditional {
					condition = etag
				}
				status, cached, tag := visit(fmt.Sprintf("%s&visit=%d-%d", target, i, first), v.method, v.key, condition)
				sent++
				etag = cmp.Or(tag, etag)
				right := status == v.want || v.want == 0 && (status == http.StatusOK || status == http.StatusNotFound)
				testkit.FailIf(t, !right || cached == "HIT", "%s %s with key %q: status %d, cache %s", v.method, target, v.key, status, cached)
			}
		}
	}
	stored := testkit.Must(os.ReadDir(cache))(t)
	testkit.FailIf(t, len(stored) != 1, "the cache holds %d files, want that of /livez", len(stored))
	figure(t, fmt.Sprintf("%d answers", sent), "0 wrong answers; the cache holds the file of /livez alone, and serves it")
}

// smugglings returns streams that parsers may split in different ways. The hidden request is in what some of them
// consider a body. It must never be answered.
func smugglings(t testing.TB, open, hidden string) (sent []string) {
	t.Helper()
	plain := lookup(hidden)
	values := map[string]string{"plain": plain, "chunked": fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(plain), plain), "ended": "0\r\n\r\n" + plain, "url": pubs + "?pubid=" + open}
	add := func(body string, lines ...string) {
		for _, method := range []string{"GET", "POST", "HEAD", "OPTIONS"} {
			sent = append(sent, fill(wire(method, values["url"], lines...)+body, values))
		}
	}
	const coding, length = "Transfer-Encoding: chunked", "Content-Length: {{len .plain}}"
	for _, row := range table(t, "smugglings.txt") {
		switch row[0] {
		case "raw":
			sent = append(sent, fill(row[1], values))
		case "odd coding":
			add("{{.ended}}", "Content-Length: {{len .ended}}", row[1]) // TE.TE: a parser that does not know the spelling uses the length
			add("{{.chunked}}", "Content-Length: {{len .chunked}}", row[1])
			add("{{.chunked}}", coding, row[1])
		case "odd length":
			add("{{.plain}}", length, row[1])
			add("{{.plain}}", row[1], length)
		default:
			add(row[0], row[1:]...)
		}
	}
	return sent
}

func TestH2(t *testing.T) {
	quickRow(t, "request smuggling: bodies with lengths and codings that parsers read in different ways; bare, through nginx, and through HAProxy",
		"rejected, or one answer; none out of a body, none for another client")
	d := usual(t)
	r := serve(t, d.snapshots[0], built()...)
	open, hidden, other := d.pubs[0].UID, d.pubs[1].UID, d.pubs[2].UID
	streams := smugglings(t, open, hidden)
	ways := 0
	for name, start := range map[string]func(t *testing.T) (address string){
		"bare": func(*testing.T) string { return r.API },
		"nginx": func(t *testing.T) string {
			return startProxy(t, "nginx", stage.NginxConfig(1, 0, fill(testdata(t, "forward.conf"), map[string]string{"api": r.API})))
		},
		"HAProxy": func(t *testing.T) string { return startProxy(t, "haproxy", fill(testdata(t, "sharing.cfg"), r.API)) },
	} {
		t.Run(name, func(t *testing.T) {
			address := start(t)
			ways++
			for _, stream := range streams {
				problem := smuggle(address, stream, hidden, other)
				testkit.FailIf(t, problem != "", "sent %.300q: %s", stream, problem)
				for range 2 { // requests of another client
					got, err := converse(address, lookup(other, "Connection: close"))
					testkit.FailIf(t, !isLookup(got, other), "sent %.300q: the next client got %v %.300q", stream, err, got)
				}
			}
		})
	}
	figure(t, fmt.Sprintf("%d streams, %d ways", len(streams), ways), "0 answered twice, wrongly, or to another client")
}

// smuggle sends a stream and then a request that closes the connection. It returns what is wrong with the responses,
// or "": right are one response followed by that to the second request, a rejection, or nothing.
func smuggle(address, stream, hidden, other string) string {
	got, err := converse(address, stream+lookup(other, "Connection: close"))
	if err != nil {
		return err.Error()
	}
	if bytes.Contains(got, fmt.Appendf(nil, `"UID":%q`, hidden)) || bytes.Contains(got, []byte("\r\nX-Evil:")) {
		return fmt.Sprintf("answered %.300q", got)
	}
	method, _, _ := strings.Cut(stream, " ")
	statuses, err := statusesOf(got, method)
	if err != nil {
		return fmt.Sprintf("%v in %.300q", err, got)
	}
	final := slices.DeleteFunc(statuses, func(status int) bool { return status == 100 })
	if len(final) == 0 || len(final) > 2 || len(final) == 2 && final[1] != 400 && final[1] != 200 || final[0] >= 500 && final[0] != 501 {
		return fmt.Sprintf("answered %v", final)
	}
	return ""
}

// isLookup reports whether a stream is one response to the lookup of a pub.
func isLookup(stream []byte, uid string) bool {
	return bytes.HasPrefix(stream, []byte("HTTP/1.1 200 ")) && bytes.Count(stream, []byte("HTTP/1.1 ")) == 1 &&
		bytes.Contains(stream, fmt.Appendf(nil, `{"results":[{"UID":%q,`, uid))
}
