package reliability

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"pubd/bench/proof"
	"pubd/bench/stage"
	"pubd/data/lane"
)

// startProxy starts nginx or HAProxy, and stops it when the test ends.
func startProxy(t testing.TB, name, config string) (address string) {
	t.Helper()
	lane.Long(t, "runs "+name)
	process, address, err := stage.StartProxy(t.Context(), name, t.TempDir(), config)
	ok(t, err)
	t.Cleanup(process.Stop)
	return address
}

// toAPI makes nginx forward requests to pubd over one keep-alive connection.
const toAPI = `
	proxy_http_version 1.1;
	proxy_set_header Connection "";
	upstream api { server %s; keepalive 1; }
	%s
`

// cacheConfig caches all that may be cached, even if pubd does not say for how long.
const cacheConfig = `
	proxy_cache_path %s keys_zone=cache:1m;
	server {
		listen {address};
		proxy_cache cache;
		proxy_cache_key $request_uri;
		proxy_cache_valid any 1h;
		add_header X-Cache $upstream_cache_status always;
		location /api/ { proxy_pass http://api; proxy_set_header Host $host; }
		location /livez { proxy_pass http://%s; }
	}
`

// visits are requests with the right key, a wrong one and none. If want is 0, the status may be 200 or 404. As each of them is the first on
// some URL that is new to the cache, all orders of two of them occur.
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
	address := startProxy(t, "nginx", stage.NginxConfig(1, 0, fmt.Sprintf(toAPI, r.API, fmt.Sprintf(cacheConfig, cache, r.Admin))))
	visit := func(target, method, key, condition string) (status int, cached, etag string) {
		got := must(ask(method, "http://"+address+target, "x-api-key", key, "If-None-Match", condition))(t)
		return got.StatusCode(), string(got.Header.Peek("X-Cache")), string(got.Header.Peek("ETag"))
	}
	// A response that is the same for all clients and forbids nothing shows that the cache works at all.
	visit("/livez", http.MethodGet, "", "")
	_, cached, _ := visit("/livez", http.MethodGet, "", "")
	failIf(t, cached != "HIT", "/livez, second request: cache %q, want HIT", cached)
	asked := 0
	for i, target := range s.targets[:proof.Pick(50, 1000)] {
		for first := range visits {
			etag := ""
			for step := range visits {
				v := visits[(first+step)%len(visits)]
				condition := ""
				if v.conditional {
					condition = etag
				}
				status, cached, tag := visit(fmt.Sprintf("%s&visit=%d-%d", target, i, first), v.method, v.key, condition)
				asked++
				etag = cmp.Or(tag, etag)
				right := status == v.want || v.want == 0 && (status == http.StatusOK || status == http.StatusNotFound)
				failIf(t, !right || cached == "HIT", "%s %s with key %q: status %d, cache %s", v.method, target, v.key, status, cached)
			}
		}
	}
	stored := must(os.ReadDir(cache))(t)
	failIf(t, len(stored) != 1, "the cache holds %d files, want that of /livez", len(stored))
	proof.Figure(t, fmt.Sprintf("%d answers", asked), "0 wrong answers; the cache holds the file of /livez alone, and serves it")
}
