package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"pubd/bench/stage"
)

// reloadRows are about snapshots that are swapped under load.
var reloadRows = []row{
	{"R2", "p99 while reloading, at half the capacity", "at most 3 times the p99 without, and under 1.5 s of CPU a rebuild", true, reloadLatency},
}

// pair gives both editions with their answers.
func (b *bed) pair(ctx context.Context) (pair [2]*edition, err error) {
	for i, file := range b.editions {
		if pair[i], err = b.edition(ctx, file); err != nil {
			return pair, err
		}
	}
	return pair, nil
}

// reloadLatency compares the times of answers while snapshots are swapped one after the other with those before and after, in
// many short rounds, of which the median counts.
// What rebuilding costs is measured on a replica that does nothing else.
func reloadLatency(ctx context.Context, b *bed) (outcome, error) {
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "r2", pair[0].file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()

	rebuilds := b.times(10, 2)
	before := stage.ProcessorTime(r.ID())
	for i := range rebuilds {
		if err := r.reload(ctx, pair[1-i%2]); err != nil {
			return outcome{}, err
		}
	}
	cost := (stage.ProcessorTime(r.ID()) - before) / time.Duration(rebuilds)

	capacity, err := b.measureCapacity(ctx, r, pair[0])
	if err != nil {
		return outcome{}, err
	}
	lasts := b.lasting(6*time.Second, time.Second)
	reloads := 0
	quiet, busy, rounds, err := b.inRounds(ctx, b.times(11, 1), time.Second, func() (without, with *tally, err error) {
		without = b.load(r, capacity/2, lasts, pair[:]...).sendInWindows(ctx)
		during, cancel := context.WithCancel(ctx)
		var wait sync.WaitGroup
		wait.Go(func() {
			for during.Err() == nil && err == nil {
				if err = r.reload(ctx, pair[1-reloads%2]); err == nil {
					reloads++
				}
			}
		})
		with = b.load(r, capacity/2, lasts, pair[:]...).sendInWindows(ctx)
		cancel()
		wait.Wait()
		return without, with, err
	})
	if err != nil {
		return outcome{}, err
	}
	sum := &tally{}
	sum.join(&quiet)
	sum.join(&busy)
	return outcome{
		n: fmt.Sprintf("%s answers, %d reloads", grouped(sum.sent()), reloads),
		figure: fmt.Sprintf("p99 %v without, %v while reloading, %v, at %.0f requests a second; %v of CPU a rebuild; %s",
			b.own(&quiet).p99(), b.own(&busy).p99(), rounds, capacity/2, cost.Round(time.Millisecond), sum.failures()),
		passed: sum.failed() == 0 && rounds.median() <= 3 && cost < 1500*time.Millisecond,
		sound:  sum.failed() == 0 && b.short,
	}, nil
}
