package keys

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// limited returns a key with a rate.
func limited(rate float64) *Key { return newKey(&record{Entry: Entry{Name: "k", Rate: rate}}, nil) }

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
		key, passed := limited(c.rate), 0
		for range 60 {
			allowed, wait := key.Allow(noon, anyone)
			want := c.wait
			if allowed {
				passed, want = passed+1, 0
			}
			equal(t, fmt.Sprint("retry time of rate ", c.rate), wait, want)
		}
		equal(t, fmt.Sprintf("rate %v: accepted of 60 at once", c.rate), passed, c.burst)
	}
}

// A request after the returned wait is accepted, however many were rejected before, and the long-term rate is never
// exceeded.
func TestAllowAfterWaiting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := limited(rapid.Float64Range(1e-4, 1e3).Draw(t, "rate"))
		now := noon
		passed := 0.0
		for _, step := range rapid.SliceOfN(rapid.Int64Range(0, 3000), 1, 50).Draw(t, "milliseconds") {
			now = now.Add(time.Duration(step) * time.Millisecond)
			allowed, wait := key.Allow(now, anyone)
			if !allowed {
				if wait < time.Second || wait%time.Second != 0 {
					t.Fatalf("retry after %v, want whole seconds", wait)
				}
				now = now.Add(wait)
				if allowed, again := key.Allow(now, anyone); !allowed {
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

// passedAtOnce returns how many of 8,000 calls on many goroutines return true.
func passedAtOnce(try func(n int) bool) int64 {
	var passed atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for n := range 1000 {
				if try(n) {
					passed.Add(1)
				}
			}
		})
	}
	group.Wait()
	return passed.Load()
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
		key, label := limited(c.rate), fmt.Sprintf("rate %v, charged %d", c.rate, c.charged)
		key.Allow(noon, anyone)
		key.Charge(noon, anyone, c.charged)
		allowed, wait := key.Allow(noon, anyone)
		if allowed != (c.wait == 0) || !allowed && wait > c.wait {
			t.Errorf("%s: got %v, retry after %v, want %v", label, allowed, wait, c.wait)
		}
		if c.wait > time.Second {
			equal(t, label+": a second too early", allows(key, noon.Add(c.wait-time.Second), anyone), false)
		}
		equal(t, label+": after the wait", allows(key, noon.Add(c.wait), anyone), true)
	}
	unlimited := limited(0)
	unlimited.Charge(noon, anyone, 1<<30)
	equal(t, "a key without a rate", allows(unlimited, noon, anyone), true)
}
