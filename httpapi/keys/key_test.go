package keys

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/bench/testkit"
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
			testkit.Equal(t, fmt.Sprint("retry time of rate ", c.rate), wait, want)
		}
		testkit.Equal(t, fmt.Sprintf("rate %v: accepted of 60 at once", c.rate), passed, c.burst)
	}
}

// Requests at the same time are accepted as often as the rate allows, that of the key or that of a client.
func TestAllowConcurrently(t *testing.T) {
	for name, key := range map[string]*Key{"key": limited(100), "client": perClient(t, 100)} {
		var passed atomic.Int64
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 1000 {
					if allows(key, noon, anyone) {
						passed.Add(1)
					}
				}
			})
		}
		group.Wait()
		testkit.Equal(t, name+": accepted at once", passed.Load(), 100)
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
		key, label := limited(c.rate), fmt.Sprintf("rate %v, charged %d", c.rate, c.charged)
		key.Allow(noon, anyone)
		key.Charge(noon, anyone, c.charged)
		allowed, wait := key.Allow(noon, anyone)
		testkit.FailIf(t, allowed != (c.wait == 0) || !allowed && wait > c.wait,
			"%s: got %v, retry after %v, want %v", label, allowed, wait, c.wait)
		if c.wait > time.Second {
			testkit.Equal(t, label+": a second too early", allows(key, noon.Add(c.wait-time.Second), anyone), false)
		}
		testkit.Equal(t, label+": after the wait", allows(key, noon.Add(c.wait), anyone), true)
	}
	unlimited := limited(0)
	unlimited.Charge(noon, anyone, 1<<30)
	testkit.Equal(t, "a key without a rate", allows(unlimited, noon, anyone), true)
}
