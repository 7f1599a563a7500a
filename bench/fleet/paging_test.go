package fleet

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"pubd/bench/load"
)

// A crowd is clients that page through all pubs along the links, again and again.
type crowd struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	mu     sync.Mutex
	// answers are those that were right; failed the others, and first is what was wrong with the first.
	answers, pagings, failed int
	first                    string
}

// clients is how many page through each address.
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

// pageOnce reads all pages. Each must be that page of the snapshot of the first.
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
			return answers, false, fmt.Errorf("%s: not page %d of the snapshot that answered first, but one of %s", target, answers+1, conn.Snapshot())
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

// right fails the test unless every paging was exactly one snapshot's.
func (c *crowd) right(t *testing.T) {
	t.Helper()
	if c.stop(); c.failed > 0 || c.pagings == 0 {
		t.Errorf("%d pagings whole, %d answers, %d failed, first: %s", c.pagings, c.answers, c.failed, c.first)
	}
}
