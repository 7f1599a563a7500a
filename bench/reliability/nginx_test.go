package reliability

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"testing"

	"pubd/bench/proof"
	"pubd/bench/stage"
)

// startNginx starts nginx, which listens on an address. http is the rest of its http block.
func startNginx(t testing.TB, workers int, address, http string) {
	t.Helper()
	dir := t.TempDir()
	startProxy(t, "nginx", dir, address, stage.NginxConfig(dir, workers, 0, http))
}

// startProxy starts nginx or HAProxy, and stops it when the test ends.
func startProxy(t testing.TB, name, dir, address, config string) {
	t.Helper()
	process, err := stage.StartProxy(t.Context(), name, dir, address, config)
	ok(t, err)
	t.Cleanup(process.Stop)
}

func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := stage.FreeAddress()
	ok(t, err)
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
	proxy_cache_path %[1]s keys_zone=cache:1m;
	server {
		listen %[2]s;
		proxy_cache cache;
		proxy_cache_key $request_uri;
		proxy_cache_valid any 1h;
		add_header X-Cache $upstream_cache_status always;
		location /api/ { proxy_pass http://api; proxy_set_header Host $host; }
		location /livez { proxy_pass http://%[3]s; }
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
	address := freeAddress(t)
	startNginx(t, 1, address, fmt.Sprintf(toAPI, r.API, fmt.Sprintf(cacheConfig, cache, address, r.Admin)))
	ask := func(target, method, key, condition string) *http.Response {
		request, err := http.NewRequest(method, "http://"+address+target, nil)
		ok(t, err)
		for name, value := range map[string]string{"x-api-key": key, "If-None-Match": condition} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		got, err := web.Do(request)
		ok(t, err)
		defer got.Body.Close()
		_, err = io.Copy(io.Discard, got.Body)
		ok(t, err)
		return got
	}
	// A response that is the same for all clients and forbids nothing shows that the cache works at all.
	ask("/livez", http.MethodGet, "", "")
	if got := ask("/livez", http.MethodGet, "", "").Header.Get("X-Cache"); got != "HIT" {
		t.Errorf("/livez, second request: cache %q, want HIT", got)
	}
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
				got := ask(fmt.Sprintf("%s&visit=%d-%d", target, i, first), v.method, v.key, condition)
				asked++
				if tag := got.Header.Get("ETag"); tag != "" {
					etag = tag
				}
				right := got.StatusCode == v.want || v.want == 0 && (got.StatusCode == http.StatusOK || got.StatusCode == http.StatusNotFound)
				if cached := got.Header.Get("X-Cache"); !right || cached == "HIT" {
					t.Errorf("%s %s with key %q: status %d, cache %s", v.method, target, v.key, got.StatusCode, cached)
				}
			}
		}
	}
	stored := 0
	ok(t, filepath.WalkDir(cache, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			stored++
		}
		return err
	}))
	if stored != 1 {
		t.Errorf("the cache holds %d files, want that of /livez", stored)
	}
	proof.Figure(t, fmt.Sprintf("%d answers", asked), "0 wrong answers; the cache holds the file of /livez alone, and serves it")
}
