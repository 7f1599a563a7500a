package keys

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAllow(t *testing.T) {
	cases := []struct {
		rate  float64
		burst int
		wait  time.Duration
	}{
		{1, 1, time.Second},
		{0.5, 1, 2 * time.Second},
		{0.3, 1, 4 * time.Second},
		{1.0 / 3600, 1, time.Hour},
		{2, 2, time.Second},
		{2.5, 3, time.Second},
		{50, 50, time.Second},
		{1e-300, 1, longestWait * time.Second},
		{math.SmallestNonzeroFloat64, 1, longestWait * time.Second},
	}
	for _, c := range cases {
		key, passed := newKey(&record{Entry: Entry{Name: "k", Rate: c.rate}}, nil), 0
		for range 60 {
			ok, wait := key.Allow(noon, anyone)
			if ok {
				passed++
			}
			if !ok && wait != c.wait || ok && wait != 0 {
				t.Errorf("rate %v: retry after %v, want %v", c.rate, wait, c.wait)
			}
		}
		if passed != c.burst {
			t.Errorf("rate %v: %d of 60 at once are accepted, want %d", c.rate, passed, c.burst)
		}
	}
}

// A request after the returned wait is accepted, however many were rejected before, and the long-term rate is never exceeded.
func TestAllowAfterWaiting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := newKey(&record{Entry: Entry{Name: "k", Rate: rapid.Float64Range(1e-4, 1e3).Draw(t, "rate")}}, nil)
		now := noon
		passed := 0.0
		for _, step := range rapid.SliceOfN(rapid.Int64Range(0, 3000), 1, 50).Draw(t, "milliseconds") {
			now = now.Add(time.Duration(step) * time.Millisecond)
			ok, wait := key.Allow(now, anyone)
			if !ok {
				if wait < time.Second || wait%time.Second != 0 {
					t.Fatalf("retry after %v, want whole seconds", wait)
				}
				now = now.Add(wait)
				if ok, again := key.Allow(now, anyone); !ok {
					t.Fatalf("rejected for %v more after waiting %v", again, wait)
				}
			}
			passed++
		}
		rate := float64(key.limiter.Limit())
		if limit := math.Ceil(rate) + rate*now.Sub(noon).Seconds() + 0.001; passed > limit {
			t.Fatalf("%v requests were accepted, want at most %v", passed, limit)
		}
	})
}

func TestAllowConcurrently(t *testing.T) {
	s := mustParse(t, line("limited", `,"rate":100`))
	var passed atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				key, _ := s.Check([]byte("limited"), noon)
				if ok, _ := key.Allow(noon, anyone); ok {
					passed.Add(1)
				}
			}
		})
	}
	group.Wait()
	if got := passed.Load(); got != 100 {
		t.Errorf("%d of 800 at once are accepted, want 100", got)
	}
}

// The cost of a response beyond one request delays the requests that follow.
func TestCharge(t *testing.T) {
	for _, c := range []struct {
		rate    float64
		charged int
		wait    time.Duration // from the charged request until the next is accepted
	}{
		{50, 0, 0}, {50, 49, time.Second}, {50, 99, 2 * time.Second}, {2, 1, time.Second}, {2, 9, 5 * time.Second}, {0.5, 3, 8 * time.Second},
	} {
		key := newKey(&record{Entry: Entry{Name: "k", Rate: c.rate}}, nil)
		key.Allow(noon, anyone)
		key.Charge(noon, anyone, c.charged)
		ok, wait := key.Allow(noon, anyone)
		if ok != (c.wait == 0) || !ok && wait > c.wait {
			t.Errorf("rate %v, charged %d: got %v, retry after %v, want %v", c.rate, c.charged, ok, wait, c.wait)
		}
		if ok, _ := key.Allow(noon.Add(c.wait-time.Second), anyone); ok && c.wait > time.Second {
			t.Errorf("rate %v, charged %d: accepted a second too early", c.rate, c.charged)
		}
		if ok, again := key.Allow(noon.Add(c.wait), anyone); !ok {
			t.Errorf("rate %v, charged %d: rejected for %v more after %v", c.rate, c.charged, again, c.wait)
		}
	}
	unlimited := newKey(&record{Entry: Entry{Name: "k"}}, nil)
	unlimited.Charge(noon, anyone, 1<<30)
	if ok, _ := unlimited.Allow(noon, anyone); !ok {
		t.Error("a key without a rate is rejected")
	}
}
