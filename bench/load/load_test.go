package load_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"pubd/bench/load"
	"pubd/bench/testkit"
)

// snapshot returns a snapshot whose answer to each target is the target itself.
func snapshot(id string, targets ...string) *load.Snapshot {
	s := &load.Snapshot{ID: id}
	for _, target := range targets {
		s.Answers = append(s.Answers, load.Answer{Status: 200, Digest: xxhash.Sum64String(target)})
	}
	return s
}

func TestLoad(t *testing.T) {
	var received atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("x-snapshot", "one") // any case
		body := r.URL.String()
		switch received.Add(1) {
		case 7:
			body = "wrong"
		case 8:
			w.Header().Set("x-snapshot", "unknown")
		case 9:
			w.Header().Del("x-snapshot")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 10:
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	targets := []string{"/a", "/b?c=d"}
	l := load.Load{Address: strings.TrimPrefix(server.URL, "http://"), Rate: 1000, Duration: 200 * time.Millisecond, Connections: 4, Targets: targets,
		Snapshots: []*load.Snapshot{snapshot("one", targets...)}}
	got := l.Send(t.Context())
	if got.Sent() != 200 || got.Served["one"] != 196 || got.Wrong != 2 || got.Broken != 1 || got.Statuses[503] != 1 || got.Failed() != 4 {
		t.Errorf("got %v: %+v, want 200 answers: 2 wrong, 1 broken, 1 with status 503", got, got)
	}
	testkit.FailIf(t, got.Took < 190*time.Millisecond, "took %v, want the 200 ms that the rate needs", got.Took)

	// While a server stalls, the latency of requests counts from when they are due.
	var stalled atomic.Bool
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stalled.CompareAndSwap(false, true) {
			time.Sleep(300 * time.Millisecond)
		}
		w.Header().Set("X-Snapshot", "one")
		_, _ = w.Write([]byte(r.URL.String()))
	}))
	defer slow.Close()
	l.Address, l.Connections, l.Duration = strings.TrimPrefix(slow.URL, "http://"), 1, 400*time.Millisecond
	if got = l.Send(t.Context()); got.Failed() > 0 || got.Sent() != 400 || got.Times.ValueAtQuantile(50) < 50_000 {
		t.Errorf("got %v with a median of %d µs, want 400 answers, half of them later than 50 ms", got, got.Times.ValueAtQuantile(50))
	}

	// Without a rate, it sends until it is stopped, here with a new connection for each request.
	l.Rate, l.Duration, l.Once = 0, 0, true
	stop := l.Start(context.Background())
	time.Sleep(50 * time.Millisecond)
	if got := stop(); got.Failed() > 0 || got.Sent() == 0 || got != stop() {
		t.Errorf("got %v, want answers and no failure", got)
	}
	sum := load.NewTally().Add(got, got)
	testkit.FailIf(t, sum.Sent() != 2*got.Sent() || sum.Took != 2*got.Took, "sum is %v of %v", sum, got)
}

func TestConn(t *testing.T) {
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/last" {
			w.Header().Set("Connection", "close")
		}
		body := strings.Repeat(r.URL.Path, 10_000)
		if r.URL.Path != "/chunked" {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		_, _ = w.Write([]byte(body))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c := load.Conn{Address: strings.TrimPrefix(server.URL, "http://")}
	defer c.Close()
	for _, path := range []string{"/a", "/b", "/last", "/c"} {
		got, err := c.Send([]byte("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"))
		if want := (load.Answer{Status: 200, Digest: xxhash.Sum64String(strings.Repeat(path, 10_000))}); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", path, got, err, want)
		}
	}
	if got := connections.Load(); got != 2 {
		t.Errorf("%d connections, want 2", got)
	}
	if got, err := c.Send([]byte("GET /chunked HTTP/1.1\r\nHost: x\r\n\r\n")); err == nil || !strings.Contains(err.Error(), "without a length") {
		t.Errorf("an answer in chunks: got %v, %v, want an error", got, err)
	}
}
