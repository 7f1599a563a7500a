package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"pubd/bench/stage"
)

// frontRows are about caches in front of pubd.
var frontRows = []row{
	{"C1", "nginx with proxy_cache, by URL and for an hour, in front", "what was fetched with a key is never served without one, nor a refusal with one; what may be cached is", false, cacheInFront},
}

// nginxConfig has what every nginx of a row needs; a server follows. Each worker has one pool of connections to pubd.
const nginxConfig = `%s
daemon off;
worker_processes %[5]d;
pid %[2]s/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
	access_log off;
	client_body_temp_path %[2]s/body;
	proxy_temp_path %[2]s/proxy;
	fastcgi_temp_path %[2]s/fastcgi;
	uwsgi_temp_path %[2]s/uwsgi;
	scgi_temp_path %[2]s/scgi;
	proxy_http_version 1.1;
	proxy_set_header Connection "";
	upstream api { server %[3]s; keepalive 1; }
	%[4]s
}
`

// nginx starts nginx, in front of a replica, with so many workers and a configuration of its http block.
func (b *bed) nginx(ctx context.Context, dir string, workers int, r *replica, address, config string) (*stage.Process, error) {
	program, err := stage.Tool("nginx", "nginx")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	account := ""
	if os.Geteuid() == 0 {
		account = "user root;"
	}
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, nginxConfig, account, dir, r.api, config, workers), 0o644); err != nil {
		return nil, err
	}
	return stage.Start(ctx, stage.Command(ctx, nil, program, "-e", "stderr", "-p", dir, "-c", file), syscall.SIGTERM, stage.Listening(address))
}

// cacheConfig caches what may be cached, even where pubd does not say for how long.
const cacheConfig = `
	proxy_cache_path %[1]s/cache keys_zone=cache:1m;
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

// cacheInFront asks for the same URLs with a key, without, and with a wrong one, in turn and in all orders of the first.
// That the cache works at all is seen on what names no client and forbids nothing.
func cacheInFront(ctx context.Context, b *bed) (outcome, error) {
	r, err := b.serve(ctx, "c1", b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	address, err := stage.FreeAddress()
	if err != nil {
		return outcome{}, err
	}
	dir := b.path("c1-nginx")
	front, err := b.nginx(ctx, dir, 1, r, address, fmt.Sprintf(cacheConfig, dir, address, r.admin))
	if err != nil {
		return outcome{}, err
	}
	defer front.Stop()
	hits := 0
	for range 2 {
		_, cached, err := askCache(ctx, "http://"+address+"/livez", http.MethodGet, "", "")
		if err != nil {
			return outcome{}, err
		}
		if cached == "HIT" {
			hits++
		}
	}
	asked, wrong, first, err := askAllOrders(ctx, "http://"+address+resource, b.queries[:b.times(len(b.queries), 50)])
	if err != nil {
		return outcome{}, err
	}
	stored, err := countFiles(filepath.Join(dir, "cache"))
	if err != nil {
		return outcome{}, err
	}
	return outcome{
		n:      grouped(asked) + " answers",
		figure: fmt.Sprintf("%d wrong answers%s; the cache holds %d files, of /livez, which it served %d times", wrong, first, stored, hits),
		passed: wrong == 0 && stored == 1 && hits == 1,
	}, nil
}

// A visit is a request to the cache; an answer with status 0 may have any below 400.
type visit struct {
	method, key string
	conditional bool
	want        int
}

// visits are by clients with the right key, a wrong one and none. Where each begins on a URL that is new to the cache, all
// orders of two of them occur.
var visits = []visit{
	{http.MethodGet, demo, false, 0},
	{http.MethodGet, "", false, http.StatusUnauthorized},
	{http.MethodHead, "", false, http.StatusUnauthorized},
	{http.MethodGet, "", true, http.StatusUnauthorized},
	{http.MethodHead, demo, false, 0},
	{http.MethodGet, "wrong", false, http.StatusForbidden},
	{http.MethodHead, "wrong", false, http.StatusForbidden},
	{http.MethodGet, "wrong", true, http.StatusForbidden},
}

// askAllOrders makes all visits to each URL, beginning with another of them each time, and counts answers that are not
// the visitor's.
func askAllOrders(ctx context.Context, base string, queries []string) (asked, wrong int, first string, err error) {
	for i, query := range queries {
		for begin := range visits {
			target := fmt.Sprintf("%s?%s&visit=%d-%d", base, query, i, begin)
			etag := ""
			for step := range visits {
				v := visits[(begin+step)%len(visits)]
				condition := ""
				if v.conditional {
					condition = etag
				}
				got, cached, err := askCache(ctx, target, v.method, v.key, condition)
				if err != nil {
					return asked, wrong, first, err
				}
				asked++
				if tag := got.Header.Get("ETag"); tag != "" {
					etag = tag
				}
				good := got.StatusCode == v.want || v.want == 0 && (got.StatusCode == http.StatusOK || got.StatusCode == http.StatusNotFound)
				if !good || cached == "HIT" {
					wrong++
					first = fmt.Sprintf(" (%s %s with key %q: status %d, cache %s)", v.method, target, v.key, got.StatusCode, cached)
				}
			}
		}
	}
	return asked, wrong, first, nil
}

// askCache gives an answer, whose body was read, and what the cache had to do with it.
func askCache(ctx context.Context, target, method, key, condition string) (got *http.Response, cached string, err error) {
	request, err := http.NewRequestWithContext(ctx, method, target, nil)
	if err != nil {
		return nil, "", err
	}
	for name, value := range map[string]string{"x-api-key": key, "If-None-Match": condition} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	if got, err = web.Do(request); err != nil {
		return nil, "", err
	}
	defer got.Body.Close()
	if _, err := io.Copy(io.Discard, got.Body); err != nil {
		return nil, "", err
	}
	return got, got.Header.Get("X-Cache"), nil
}

func countFiles(dir string) (files int, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
		}
		return err
	})
	return files, err
}
