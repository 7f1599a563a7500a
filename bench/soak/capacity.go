package main

import (
	"context"
	"fmt"
	"time"
)

// slow is the 99th percentile at which a server is at its capacity.
const slow = 50 * time.Millisecond

// connections are so many that a server has something to do while the load sleeps, reads and writes.
const connections = 64

// load is one on a replica that checks every answer against some editions.
func (b *bed) load(r *replica, rate float64, lasts time.Duration, editions ...*edition) *load {
	return &load{address: r.api, rate: rate, lasts: lasts, connections: connections, key: demo, queries: b.queries, editions: editions}
}

// measureCapacity is the highest steady rate that a replica serves with a 99th percentile of at most slow, to a twentieth
// of it: it doubles the rate until that is too much, then halves the rates between. A rate is too much when it was twice,
// since the machine may have been busy with something else. What holds for seconds may do so in a good moment of the
// machine, and what holds for a minute in a good minute: steady is what holds in each of three minutes, one after another.
// It is measured once a run, and not at all where the host of the machine does not let it.
func (b *bed) measureCapacity(ctx context.Context, r *replica, e *edition) (float64, error) {
	if b.found.capacity > 0 {
		return b.found.capacity, nil
	}
	const lowest = 1000
	moment := b.lasting(5*time.Second, 300*time.Millisecond)
	low, high := 0.0, 0.0
	for high == 0 || high-low > low/20 {
		rate := (low + high) / 2
		if high == 0 {
			rate = max(2*low, lowest)
		}
		holds, err := b.holds(ctx, r, e, rate, moment)
		switch {
		case err != nil:
			return 0, err
		case holds:
			low = rate
		case rate == lowest && b.short: // whose figures are not held against pubd
			low, high = lowest, lowest
		case rate == lowest:
			return 0, fmt.Errorf("the 99th percentile is above %v at %v requests a second", slow, rate)
		default:
			high = rate
		}
	}
	for minutes := 0; !b.short && minutes < 3; {
		steady, err := b.held(ctx, r, e, low, time.Minute)
		switch {
		case err != nil:
			return 0, err
		case steady:
			minutes++
		default:
			low -= low / 20
			minutes = 0
		}
	}
	b.found.capacity = low
	fmt.Fprintf(b.log, "capacity %.0f requests a second\n", low)
	return low, nil
}

// keepsUp is the share of the requests due in a time that must be answered in it. The last ones never are, but a server that
// is a twentieth too slow has hardly a slow answer within half a second.
const keepsUp = 0.95

// holds tells whether a replica serves a rate: not after two misses.
func (b *bed) holds(ctx context.Context, r *replica, e *edition, rate float64, lasts time.Duration) (bool, error) {
	for range 2 {
		if held, err := b.held(ctx, r, e, rate, lasts); held || err != nil {
			return held, err
		}
	}
	return false, nil
}

// held tells whether a replica served a rate: fast enough, and all that was due. What is still due when half as long
// again is over is not sent.
func (b *bed) held(ctx context.Context, r *replica, e *edition, rate float64, lasts time.Duration) (bool, error) {
	sum, own, err := b.untilTold(ctx, max(2*windowLength, lasts/6), func() *tally {
		during, cancel := context.WithTimeout(ctx, lasts+lasts/2)
		defer cancel()
		return b.load(r, rate, lasts, e).sendInWindows(during)
	})
	switch {
	case err != nil:
		return false, fmt.Errorf("the capacity, at %.0f requests a second: %w", rate, err)
	case sum.failed() > 0:
		return false, fmt.Errorf("measuring the capacity: %v", sum)
	}
	fmt.Fprintf(b.log, "at %.0f requests a second for %v: %.0f answers, p99 %v\n", rate, own.lasted.Round(time.Second), own.rate(), own.p99())
	return own.p99() <= slow && own.rate() >= keepsUp*rate, nil
}
