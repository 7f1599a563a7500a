package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"pubd/bench/stage"
)

// reloadRows are about snapshots that are swapped under load.
var reloadRows = []row{
	{"R2", "p99 while reloading, at half the capacity, of source files and of index files",
		"at most 3 times the p99 without, 1.8 times with index files, and at most 0.1 s of the server's CPU a reload", true, reloadLatency},
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

// indexed is a pair as index files.
func (b *bed) indexed(ctx context.Context, pair [2]*edition) (indexed [2]*edition, err error) {
	for i, e := range pair {
		file := b.path(fmt.Sprintf("edition-%d.idx", i+1))
		if _, err := stage.Output(exec.CommandContext(ctx, b.program, "build", "--force", e.file, file)); err != nil {
			return indexed, err
		}
		indexed[i] = &edition{file: file, id: e.id, answers: e.answers, bytes: e.bytes}
	}
	return indexed, nil
}

// reloadLatency compares the times of answers while snapshots are swapped one after the other with those before and after, in
// many short rounds, of which the median counts: first of source files, which a process beside the server builds, then of index files.
// What a reload costs the server is measured on one that does nothing else.
func reloadLatency(ctx context.Context, b *bed) (outcome, error) {
	sources, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	files, err := b.indexed(ctx, sources)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "r2", sources[0].file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	capacity, err := b.measureCapacity(ctx, r, sources[0])
	if err != nil {
		return outcome{}, err
	}
	all, reloads, passed := &tally{}, 0, true
	var figures []string
	for _, form := range []struct {
		name  string
		pair  [2]*edition
		limit float64
	}{{"source files", sources, 3}, {"index files", files, 1.8}} {
		cost, err := b.reloadCost(ctx, r, form.pair)
		if err != nil {
			return outcome{}, err
		}
		lasts := b.lasting(6*time.Second, time.Second)
		quiet, busy, rounds, err := b.inRounds(ctx, b.times(11, 1), time.Second, func() (without, with *tally, err error) {
			without = b.load(r, capacity/2, lasts, form.pair[:]...).sendInWindows(ctx)
			during, cancel := context.WithCancel(ctx)
			var wait sync.WaitGroup
			wait.Go(func() {
				for during.Err() == nil && err == nil {
					if err = r.reload(ctx, form.pair[1-reloads%2]); err == nil {
						reloads++
					}
				}
			})
			with = b.load(r, capacity/2, lasts, form.pair[:]...).sendInWindows(ctx)
			cancel()
			wait.Wait()
			return without, with, err
		})
		if err != nil {
			return outcome{}, err
		}
		all.join(&quiet)
		all.join(&busy)
		figures = append(figures, fmt.Sprintf("%s: p99 %v without, %v while reloading, %v, %v of CPU a reload", form.name,
			b.own(&quiet).p99(), b.own(&busy).p99(), rounds, cost.Round(time.Millisecond)))
		passed = passed && rounds.median() <= form.limit && cost <= 100*time.Millisecond
	}
	sound := all.failed() == 0
	return outcome{
		n:      fmt.Sprintf("%s answers, %d reloads", grouped(all.sent()), reloads),
		figure: fmt.Sprintf("%s; at %.0f requests a second; %s", strings.Join(figures, "; "), capacity/2, all.failures()),
		passed: sound && passed,
		sound:  sound && b.short,
	}, nil
}

// reloadCost is the processor time of a replica for a reload, while it does nothing else. Its snapshot is the first of the pair afterwards.
func (b *bed) reloadCost(ctx context.Context, r *replica, pair [2]*edition) (time.Duration, error) {
	times := b.times(10, 2)
	before := stage.ProcessorTime(r.ID())
	for i := range times {
		if err := r.reload(ctx, pair[1-i%2]); err != nil {
			return 0, err
		}
	}
	return (stage.ProcessorTime(r.ID()) - before) / time.Duration(times), nil
}
