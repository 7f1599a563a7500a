package main

import (
	"context"
	"fmt"
	"time"
)

// slow is the 99th percentile at which a server is at its capacity.
const slow = 50 * time.Millisecond

// connections are so many that a server is busy while the load reads and writes.
const connections = 64

// load is one on a replica that checks every answer against some editions.
func (b *bed) load(r *replica, rate float64, lasts time.Duration, editions ...*edition) *load {
	return &load{address: r.api, rate: rate, lasts: lasts, connections: connections, key: demo, queries: b.queries, editions: editions}
}

// capacity is the highest steady rate that a replica serves with a 99th percentile of at most slow, to a twentieth of it.
// It halves the rates between one that is too much and one that is not.
func (b *bed) capacity(ctx context.Context, r *replica, e *edition) (float64, error) {
	low, high := 0.0, 400_000.0
	for low == 0 || high-low > low/20 {
		rate := (low + high) / 2
		if low == 0 {
			rate = high / 2
		}
		t := b.load(r, rate, b.lasting(2*time.Second, 300*time.Millisecond), e).send(ctx)
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case t.failed() > 0:
			return 0, fmt.Errorf("measuring the capacity: %v", t)
		case t.times.quantile(0.99) <= slow:
			low = rate
		default:
			high = rate
		}
		if high < 100 {
			return 0, fmt.Errorf("the 99th percentile is above %v at %v requests a second", slow, high)
		}
	}
	fmt.Fprintf(b.log, "capacity %.0f requests a second\n", low)
	return low, nil
}
