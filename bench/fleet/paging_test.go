package fleet

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"pubd/bench/load"
)

// A crowd is clients that page through all pubs along the links, over and over.
type crowd struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	mu     sync.Mutex
	// answers counts right answers, failed pagings with an error; first is the first error.
	answers, pagings, failed int
	first                    string
}

// clients is the number of clients for each address.
const clients = 6

func page(t *testing.T, snapshots []*snapshot, addresses ...string) *crowd {
	ctx, cancel := context.WithCancel(t.Context())
	c := &crowd{cancel: cancel}
	known := map[string]*snapshot{}
	for _, s := range snapshots {
		known[s.ID] = s
	}
	for _, address := range addresses {
		for range clients {
			c.done.Go(func() {
				conn := &load.Conn{Address: address}
				defer conn.Close()
				for ctx.Err() == nil {
					c.count(pageOnce(ctx, conn, known))
				}
			})
		}
	}
	t.Cleanup(func() { c.stop() })
	return c
}

// pageOnce reads all pages. Each must be a page of the first one's snapshot.
func pageOnce(ctx context.Context, conn *load.Conn, known map[string]*snapshot) (answers int, whole bool, err error) {
	var of *snapshot
	for target := first; target != ""; target = next(conn) {
		if ctx.Err() != nil {
			return answers, false, nil
		}
		got, err := conn.Ask(request(target))
		switch {
		case err != nil:
			return answers, false, fmt.Errorf("%s: %w", target, err)
		case got.Status != http.StatusOK:
			return answers, false, fmt.Errorf("%s: status %d: %s", target, got.Status, conn.Body())
		case of == nil:
			of = known[conn.Snapshot()]
		}
		if of == nil || conn.Snapshot() != of.ID || answers == len(of.pages) || got != of.pages[answers] {
			return answers, false, fmt.Errorf("%s: not page %d of the first page's snapshot, but a page of %s", target, answers+1, conn.Snapshot())
		}
		answers++
	}
	if answers != len(of.pages) {
		return answers, false, fmt.Errorf("ended after %d of %d pages", answers, len(of.pages))
	}
	return answers, true, nil
}

func (c *crowd) count(answers int, whole bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers += answers
	if whole {
		c.pagings++
	}
	if err != nil {
		c.failed++
		if c.first == "" {
			c.first = err.Error()
		}
	}
}

func (c *crowd) answered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers
}

func (c *crowd) stop() {
	c.cancel()
	c.done.Wait()
}

// right fails the test unless every paging had the pages of exactly one snapshot.
func (c *crowd) right(t *testing.T) {
	t.Helper()
	if c.stop(); c.failed > 0 || c.pagings == 0 {
		t.Errorf("%d pagings whole, %d answers, %d failed, first: %s", c.pagings, c.answers, c.failed, c.first)
	}
}
