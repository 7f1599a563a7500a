package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"
)

// processRows are about processes that end and come back.
var processRows = []row{
	{"P1", "SIGKILL at random moments under load, half of them while reloading", "it starts again without cleaning and gives the same answers", false, killAtRandom},
	{"P2", "rolling restart of 3 replicas behind HAProxy under load", "the client sees no failure, of 1,000,000 requests and more", false, rollingRestart},
	{"P3", "rolling change of the snapshot of 3 replicas behind HAProxy under load, while clients page through all pubs", "each full paging is exactly one snapshot's set", false, rollingChange},
	{"P5", "1,000 full pagings along the links to the next page, while another snapshot is installed every second", "each is exactly one snapshot's set, and none breaks off", false, pinnedPaging},
}

// untilStopped is longer than any row takes.
const untilStopped = 24 * time.Hour

// background sends a load until it is stopped, which gives what came of it.
func (l *load) background(ctx context.Context) (stop func() *tally) {
	ctx, cancel := context.WithCancel(ctx)
	sent := make(chan *tally, 1)
	go func() { sent <- l.send(ctx) }()
	return sync.OnceValue(func() *tally {
		cancel()
		return <-sent
	})
}

// killAtRandom kills a replica up to twice the time after a signal to reload that it takes to start, and asks everything
// of the one that is started after it.
func killAtRandom(ctx context.Context, b *bed) (outcome, error) {
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.prepare("p1", pair[0].file)
	if err != nil {
		return outcome{}, err
	}
	begun := time.Now()
	if err := b.start(ctx, r); err != nil {
		return outcome{}, err
	}
	defer func() { r.Stop() }()
	starts := time.Since(begun)

	random := rand.New(rand.NewPCG(1, 0))
	var before, after tally
	var slowest time.Duration
	kills := b.times(200, 3)
	for i := range kills {
		installed := pair[1-i/2%2]
		stop := b.load(r, 2000, untilStopped, pair[:]...).background(ctx)
		killed := r.kill(installed, i%2 == 0, time.Duration(random.Float64()*2*float64(starts)))
		before.join(stop())
		if killed != nil {
			return outcome{}, killed
		}
		begun := time.Now()
		if err := b.start(ctx, r); err != nil {
			return outcome{}, err
		}
		slowest = max(slowest, time.Since(begun))
		after.join(b.load(r, 5000, time.Duration(len(b.queries))*time.Second/5000, installed).send(ctx))
	}
	wrong := before.failed() - before.broken // those that the kills broke off have no answer
	return outcome{
		n: fmt.Sprintf("%d kills, %s answers", kills, grouped(before.sent()-before.broken+after.sent())),
		figure: fmt.Sprintf("before the kills %d wrong; of those started again, in %v at most: %v",
			wrong, slowest.Round(time.Millisecond), &after),
		passed: wrong == 0 && after.failed() == 0,
	}, nil
}

// kill kills the replica after a while, which begins with an edition being installed and the signal to reload it where
// reloads is set.
func (r *replica) kill(e *edition, reloads bool, while time.Duration) error {
	if reloads {
		if err := errors.Join(install(e.file, r.data), r.Signal(syscall.SIGHUP)); err != nil {
			return err
		}
	}
	time.Sleep(while)
	err := r.Signal(syscall.SIGKILL)
	<-r.Ended()
	return err
}

// rollingRestart lasts until there have been as many rounds, and as much time, as it takes.
func rollingRestart(ctx context.Context, b *bed) (outcome, error) {
	e, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	f, err := b.fleet(ctx, "p2", e, "--drain-delay", b.lasting(2*time.Second, time.Second).String())
	if err != nil {
		return outcome{}, err
	}
	defer f.stop()

	rounds, requests := b.times(20, 1), b.times(1_000_000, 1000)
	const rate = 5000
	stop := f.load(b, rate, e).background(ctx)
	defer stop()
	begun := time.Now()
	done := 0
	for ; done < rounds || time.Since(begun).Seconds() < 1.01*float64(requests)/rate; done++ {
		if err := f.restart(ctx, b); err != nil {
			return outcome{}, err
		}
	}
	t := stop()
	return outcome{
		n:      fmt.Sprintf("%s answers, %d restarts", grouped(t.sent()), done*len(f.replicas)),
		figure: fmt.Sprintf("%v; p99 %v", t, t.times.quantile(0.99)),
		passed: t.failed() == 0 && t.sent() >= requests,
	}, nil
}

// rollingChange installs the editions in turn, each on one replica after the other, and each once every client has paged
// through the one before.
func rollingChange(ctx context.Context, b *bed) (outcome, error) {
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	f, err := b.fleet(ctx, "p3", pair[0])
	if err != nil {
		return outcome{}, err
	}
	defer f.stop()
	clients, err := pageThroughout(ctx, f.address, false, pair[:])
	if err != nil {
		return outcome{}, err
	}
	defer clients.stop()
	stop := f.load(b, 500, pair[:]...).background(ctx)
	defer stop()

	changes := b.times(20, 2)
	for i := range changes + 1 {
		e := pair[i%2]
		for _, r := range f.replicas {
			if err := r.reload(ctx, e); err != nil {
				return outcome{}, err
			}
		}
		if err := eventually(ctx, "all clients page through snapshot "+e.id, func() (bool, error) { return clients.havePaged(e.id), nil }); err != nil {
			return outcome{}, err
		}
	}
	clients.stop()
	t := stop()
	figure := fmt.Sprintf("each of exactly one snapshot's pubs, %d begun again at a change; beside them %v", clients.again, t)
	if clients.wrong != nil {
		figure = clients.wrong.Error() + "; " + figure
	}
	return outcome{
		n:      fmt.Sprintf("%s pagings of %s pubs, %d changes", grouped(clients.whole), grouped(len(clients.sets[pair[0].id])), changes),
		figure: figure,
		passed: clients.wrong == nil && clients.again > 0 && t.failed() == 0,
	}, nil
}
