package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"pubd/loader"
)

// pinnedPaging has clients page through one snapshot while others are installed.
func pinnedPaging(ctx context.Context, b *bed) (outcome, error) {
	b, err := b.sized("p5", fewPubs)
	if err != nil {
		return outcome{}, err
	}
	pair, err := b.pair(ctx)
	if err != nil {
		return outcome{}, err
	}
	r, err := b.serve(ctx, "p5", pair[0].file)
	if err != nil {
		return outcome{}, err
	}
	defer r.Stop()
	clients, err := pageThroughout(ctx, r.api, true, pair[:])
	if err != nil {
		return outcome{}, err
	}
	defer clients.stop()
	reloads := 0
	const fewest = 2 // so that a paging has met one, however fast the clients are
	for second := time.NewTicker(time.Second); clients.haveWhole() < b.times(1000, 8) || reloads < fewest; reloads++ {
		select {
		case <-ctx.Done():
			return outcome{}, ctx.Err()
		case <-second.C:
		}
		if err := r.reload(ctx, pair[1-reloads%2]); err != nil {
			return outcome{}, err
		}
		if clients.haveFailed() {
			break
		}
	}
	clients.stop()
	figure := fmt.Sprintf("each of exactly one snapshot's pubs, over %d reloads", reloads)
	if clients.wrong != nil {
		figure = clients.wrong.Error()
	}
	return outcome{
		n:      fmt.Sprintf("%s pagings of %s pubs, %d reloads", grouped(clients.whole), grouped(len(clients.sets[pair[0].id])), reloads),
		figure: figure,
		passed: clients.wrong == nil,
	}, nil
}

// reading is how long a client takes between pages.
const reading = 10 * time.Millisecond

// clients page through all pubs, again and again. They follow the links to the next page, which name the snapshot, or else
// begin again when another one answers.
type clients struct {
	sets    map[string][]string // UIDs in order, by snapshot
	follows bool                // links
	stop    func()

	mu           sync.Mutex
	last         []string // by client: the snapshot of its last whole paging
	whole, again int      // pagings
	wrong        error    // the first thing that was not as it must be
}

// pageThroughout sets four clients going, until they are stopped or see something wrong.
func pageThroughout(ctx context.Context, address string, follows bool, editions []*edition) (*clients, error) {
	c := &clients{follows: follows, sets: map[string][]string{}, last: make([]string, 4)}
	for _, e := range editions {
		loaded, err := loader.LoadFile(e.file, loader.Options{})
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
	next := ""
	for number, pages := 1, 1; number <= pages; number++ {
		time.Sleep(reading)
		query := fmt.Sprintf("?search=*&amount=100&page=%d", number)
		if c.follows && number > 1 {
			query = next
		}
		got, err := getPage(ctx, address, query)
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			return c.add(client, "", again, err)
		}
		if number > 1 && got.snapshot != id && !c.follows {
			again++
			number, uids = 0, nil
			continue
		}
		id, pages, next = got.snapshot, got.Pages, got.next
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

// haveFailed tells whether something was wrong.
func (c *clients) haveFailed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wrong != nil
}

// haveWhole tells how many whole pagings there were.
func (c *clients) haveWhole() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.whole
}

// A page is one of all pubs, the snapshot that it is of, and the link to the next.
type page struct {
	snapshot string
	next     string
	Pages    int `json:"total_pages"`
	Results  []struct{ UID string }
}

func getPage(ctx context.Context, address, query string) (p page, err error) {
	url := "http://" + address + resource + query
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
	for link := range strings.SplitSeq(answer.Header.Get("Link"), ", ") {
		if target, ok := strings.CutSuffix(link, `>; rel="next"`); ok {
			p.next = strings.TrimPrefix(target, "<")
		}
	}
	return p, json.NewDecoder(answer.Body).Decode(&p)
}
