package main

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// idleRows are about connections that do nothing.
var idleRows = []row{
	{"L3", "10,000 idle connections beside 0.5 of the capacity", "at most 200 MB more; p99 within 20 % of that without them; all still open", true, idleConnections},
}

// idleLimit is how long a connection may be idle.
const idleLimit = 75 * time.Second

// idleConnections compares the times of answers of a replica that has idle connections with those of one that has none, in
// many short rounds, of which the median counts: the machine is not the same from one second to the next. A connection that is
// idle for idleLimit is closed, so each asks once in half of that.
func idleConnections(ctx context.Context, b *bed) (outcome, error) {
	many := b.times(10_000, 1000)
	if err := needHandles(many + 500); err != nil {
		return outcome{}, err
	}
	crowded, e, capacity, err := b.serveMeasured(ctx, "l3-crowded")
	if err != nil {
		return outcome{}, err
	}
	defer crowded.Stop()
	plain, err := b.serve(ctx, "l3-plain", e.file)
	if err != nil {
		return outcome{}, err
	}
	defer plain.Stop()
	lasts := b.lasting(3*time.Second, 500*time.Millisecond)
	failed := 0
	for _, r := range []*replica{plain, crowded} { // as warm as it will be
		failed += b.load(r, capacity/2, lasts, e).send(ctx).failed()
	}
	before, err := residentMemory(crowded.ID())
	if err != nil {
		return outcome{}, err
	}
	idle := make([]caller, many)
	for i := range idle {
		idle[i].address = crowded.api
		defer idle[i].close()
	}
	failed += b.askOnce(ctx, idle, e)
	round, asked, closed := 0, time.Now(), 0
	without, with, rounds, err := b.inRounds(ctx, b.times(11, 1), windowLength, func() (without, with *tally, err error) {
		if time.Since(asked) > idleLimit/2 {
			closed += b.askOnce(ctx, idle, e)
			asked = time.Now()
		}
		send := func(r *replica) *tally { return b.load(r, capacity/2, lasts, e).sendInWindows(ctx) }
		if round++; round%2 == 0 { // so that neither is always first
			with = send(crowded)
			return send(plain), with, nil
		}
		without = send(plain)
		return without, send(crowded), nil
	})
	if err != nil {
		return outcome{}, err
	}
	after, err := residentMemory(crowded.ID())
	if err != nil {
		return outcome{}, err
	}
	closed += b.askOnce(ctx, idle, e)
	failed += without.failed() + with.failed() + closed
	return outcome{
		n: fmt.Sprintf("%s connections, %s answers", grouped(many), grouped(without.sent()+with.sent())),
		figure: fmt.Sprintf("%d MB before, %d MB with them: %.1f kB each; p99 %v without, %v with them, %v, at %.0f requests a second; %d were closed; %d failed",
			before/1e6, after/1e6, float64(after-before)/1e3/float64(many), b.own(&without).p99(), b.own(&with).p99(),
			rounds, capacity/2, closed, failed),
		passed: failed == 0 && after-before <= 200e6 && rounds.median() <= 1.2,
		sound:  failed == 0 && after-before <= 200e6 && b.short,
	}, nil
}

// askOnce sends one request on each connection and gives the number of those without the right answer.
func (b *bed) askOnce(ctx context.Context, callers []caller, e *edition) (failed int) {
	for i := range callers {
		place := i % len(b.queries)
		a, err := callers[i].ask(fmt.Appendf(nil, "GET %s?%s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\n\r\n", resource, b.queries[place], demo))
		if err != nil || e.answers[place] != (expected{a.status, a.digest}) {
			failed++
		}
		if ctx.Err() != nil {
			return failed
		}
	}
	return failed
}

// needHandles tells whether this program may open so many files. A server that it starts may open as many: both are in
// Go, which raises the soft limit to the hard one.
func needHandles(many int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Cur < uint64(many) {
		return fmt.Errorf("%d file handles are needed and %d allowed: raise the hard limit, such as with ulimit -Hn %d", many, limit.Cur, many)
	}
	return nil
}
