package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"pubd/bench/stage"
)

// scarcityRows are about a system that gives less than is asked for.
var scarcityRows = []row{
	{"X1", "500 connections held open where pubd may have 128 file handles", "it answers within 2 s of their release; the admin address answers all the while", false, fewHandles},
	{"X2", "reloading under load where memory is limited to 3.2 times the heap of one snapshot", "never more resident than that, and no failed request", false, littleMemory},
}

// serveUnder is serve for a program that another sets limits for and then becomes.
func (b *bed) serveUnder(ctx context.Context, limiter []string, name, snapshot string, flags ...string) (*replica, error) {
	r, err := b.prepare(name, snapshot)
	if err != nil {
		return nil, err
	}
	return r, b.startUnder(ctx, limiter, r, flags...)
}

// onceEach asks on a connection of its own each time, and not for long.
var onceEach = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 2 * time.Second}

// alive tells whether the admin address answers a new connection.
func (r *replica) alive() bool {
	answer, err := onceEach.Get("http://" + r.admin + "/readyz")
	return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}

// fewHandles holds more connections than a replica may have, each of them after a request.
func fewHandles(ctx context.Context, b *bed) (outcome, error) {
	prlimit, err := stage.Tool("prlimit", "util-linux")
	if err != nil {
		return outcome{}, err
	}
	e, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serveUnder(ctx, []string{prlimit, "--nofile=128:128"}, "x1", e.file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()

	const held = 500
	release, err := hold(r.api, held, b.queries[0])
	defer release()
	if err != nil {
		return outcome{figure: err.Error()}, nil
	}
	asked, silent := 0, 0
	for until := time.Now().Add(b.lasting(20*time.Second, time.Second)); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		if asked++; !r.alive() {
			silent++
		}
	}
	release()
	begun := time.Now()
	if err := eventually(ctx, "an answer after the release", func() (bool, error) {
		return b.load(r, 100, 10*time.Millisecond, e).send(ctx).failed() == 0, nil
	}); err != nil {
		return outcome{figure: fmt.Sprintf("the admin address did not answer %d of %d times; %v", silent, asked, err)}, nil
	}
	recovered := time.Since(begun)
	t := b.load(r, 1000, b.lasting(10*time.Second, time.Second), e).send(ctx)
	return outcome{
		n:      fmt.Sprintf("%d connections, %s answers after them", held, grouped(t.sent())),
		figure: fmt.Sprintf("answers %v after the release; the admin address did not answer %d of %d times; afterwards %v", recovered.Round(time.Millisecond), silent, asked, t),
		passed: recovered <= 2*time.Second && silent == 0 && t.failed() == 0,
	}, nil
}

// hold makes connections and sends a request on each, which may never be answered.
func hold(address string, connections int, query string) (release func(), err error) {
	var held []net.Conn
	release = func() {
		for _, c := range held {
			_ = c.Close()
		}
	}
	for i := range connections {
		c, err := net.DialTimeout("tcp", address, patience)
		if err != nil {
			return release, fmt.Errorf("after %d connections: %w", i, err)
		}
		held = append(held, c)
		if _, err := fmt.Fprintf(c, "GET %s?%s HTTP/1.1\r\nHost: pubd\r\nx-api-key: %s\r\n\r\n", resource, query, demo); err != nil {
			return release, fmt.Errorf("on connection %d: %w", i+1, err)
		}
	}
	return release, nil
}

// littleMemory tells pubd a limit, as it takes one from its cgroup, and reads the most that the kernel counted for it: a
// cgroup of this limit would have had to kill it above.
func littleMemory(ctx context.Context, b *bed) (outcome, error) {
	reloads := b.times(200, 2)
	if b.short { // of few pubs, what every program needs is more than their heap
		full, err := b.sized("full", pubsInBed)
		if err != nil {
			return outcome{}, err
		}
		b = full
	}
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	heap, err := b.heapOf(ctx, pair[0])
	if err != nil {
		return outcome{}, err
	}
	limit := int64(3.2 * heap)
	const told = 0.85 // of its cgroup's limit pubd keeps this for Go
	r, err := b.serveUnder(ctx, []string{"env", fmt.Sprintf("GOMEMLIMIT=%d", int64(told*float64(limit)))}, "x2", pair[0].file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	stop := b.load(r, 1000, untilStopped, pair[:]...).background(ctx)
	defer stop()
	for i := range reloads {
		if err := r.reload(ctx, pair[1-i%2]); err != nil {
			return outcome{}, err
		}
	}
	t := stop()
	peak, err := mostResident(r.ID())
	if err != nil {
		return outcome{}, err
	}
	const mib = 1 << 20
	return outcome{
		n: fmt.Sprintf("%d reloads, %s answers", reloads, grouped(t.sent())),
		figure: fmt.Sprintf("heap of a snapshot %.0f MiB, limit %d MiB (by GOMEMLIMIT, without a cgroup), most resident %d MiB; %v",
			heap/mib, limit/mib, peak/mib, t),
		passed: peak <= limit && t.failed() == 0,
	}, nil
}

// heapOf is what a replica that serves an edition has on its heap once it is collected, in bytes.
func (b *bed) heapOf(ctx context.Context, e *edition) (float64, error) {
	r, err := b.serve(ctx, "heap", e.file)
	if err != nil {
		return 0, err
	}
	defer r.Stop()
	// The profile is not needed: making it collects the garbage.
	if _, _, err := get(ctx, "http://"+r.admin+"/debug/pprof/heap?gc=1", ""); err != nil {
		return 0, err
	}
	return r.metric(ctx, "go_memstats_heap_alloc_bytes ")
}
