package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"pubd/loader"
)

// processRows are about processes that end and come back.
var processRows = []row{
	{"P1", "SIGKILL at random moments under load, half of them while reloading", "it starts again without cleaning and gives the same answers", false, killAtRandom},
	{"P2", "rolling restart of 3 replicas behind HAProxy under load", "the client sees no failure, of 1,000,000 requests and more", false, rollingRestart},
	{"P3", "rolling change of the snapshot of 3 replicas behind HAProxy under load, while clients page through all pubs", "each full paging is exactly one snapshot's set", false, rollingChange},
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
	clients, err := pageThroughout(ctx, f.address, pair[:])
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

// reading is how long a client takes between pages.
const reading = 10 * time.Millisecond

// clients page through all pubs, again and again, and begin again when another snapshot answers.
type clients struct {
	sets map[string][]string // UIDs in order, by snapshot
	stop func()

	mu           sync.Mutex
	last         []string // by client: the snapshot of its last whole paging
	whole, again int      // pagings
	wrong        error    // the first thing that was not as it must be
}

// pageThroughout sets four clients going, until they are stopped or see something wrong.
func pageThroughout(ctx context.Context, address string, editions []*edition) (*clients, error) {
	c := &clients{sets: map[string][]string{}, last: make([]string, 4)}
	for _, e := range editions {
		content, err := loader.ReadFile(e.file)
		if err != nil {
			return nil, err
		}
		loaded, err := loader.Load(e.file, content, loader.Options{})
		if err != nil {
			return nil, err
		}
		for _, pub := range loaded.Directory.Pubs {
			c.sets[e.id] = append(c.sets[e.id], pub.UID)
		}
		slices.Sort(c.sets[e.id])
	}
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	for i := range c.last {
		wait.Go(func() {
			for c.page(ctx, address, i) {
			}
		})
	}
	c.stop = func() {
		cancel()
		wait.Wait()
	}
	return c, nil
}

// page gets all pages of one snapshot and compares. It tells whether the client goes on.
func (c *clients) page(ctx context.Context, address string, client int) bool {
	var id string
	var uids []string
	again := 0
	for number, pages := 1, 1; number <= pages; number++ {
		time.Sleep(reading)
		got, err := getPage(ctx, address, number)
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			return c.add(client, "", again, err)
		}
		if number > 1 && got.snapshot != id {
			again++
			number, uids = 0, nil
			continue
		}
		id, pages = got.snapshot, got.Pages
		for _, pub := range got.Results {
			uids = append(uids, pub.UID)
		}
	}
	slices.Sort(uids)
	if want := c.sets[id]; !slices.Equal(uids, want) {
		return c.add(client, "", again, fmt.Errorf("a paging of snapshot %q has %d UIDs that are not its %d", id, len(uids), len(want)))
	}
	return c.add(client, id, again, nil)
}

func (c *clients) add(client int, id string, again int, err error) (goesOn bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[client] = id
	c.again += again
	if err == nil {
		c.whole++
	} else if c.wrong == nil {
		c.wrong = err
	}
	return err == nil
}

// havePaged tells whether the last whole paging of each client was of a snapshot, or waiting for it is in vain.
func (c *clients) havePaged(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wrong != nil || !slices.ContainsFunc(c.last, func(last string) bool { return last != id })
}

// A page is one of all pubs, and the snapshot that it is of.
type page struct {
	snapshot string
	Pages    int `json:"total_pages"`
	Results  []struct{ UID string }
}

func getPage(ctx context.Context, address string, number int) (p page, err error) {
	url := fmt.Sprintf("http://%s%s?search=*&amount=100&page=%d", address, resource, number)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return page{}, err
	}
	request.Header.Set("x-api-key", demo)
	answer, err := web.Do(request)
	if err != nil {
		return page{}, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return page{}, fmt.Errorf("%s: status %d", url, answer.StatusCode)
	}
	p.snapshot = answer.Header.Get("X-Snapshot")
	return p, json.NewDecoder(answer.Body).Decode(&p)
}
