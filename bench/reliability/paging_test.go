package reliability

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"pubd/bench"
	"pubd/bench/load"
)

// The first page, small enough that few pubs have many pages.
const firstPage = bench.Pubs + "?search=*&amount=20"

// A crowd is clients that page through all pubs, over and over. They either follow the links to the next page, which name the snapshot, or
// number the pages and begin again when another snapshot answers.
type crowd struct {
	numbers bool
	pause   time.Duration // before each page but the first

	cancel context.CancelFunc
	done   sync.WaitGroup
	known  map[string]*edition

	mu sync.Mutex // guards what follows
	// answers counts right answers, failed pagings with an error, again those that began again; first is the first error.
	answers, failed, again int
	whole                  map[string]int // pagings, by snapshot
	first                  string
}

// clients is the number of clients for each address.
const clients = 6

// start starts the clients of each address, which page until the crowd is stopped or the test ends.
func (c *crowd) start(t *testing.T, editions []*edition, addresses ...string) *crowd {
	ctx, cancel := context.WithCancel(t.Context())
	c.cancel, c.known, c.whole = cancel, map[string]*edition{}, map[string]int{}
	for _, e := range editions {
		c.known[e.ID] = e
	}
	for _, address := range addresses {
		for range clients {
			c.done.Go(func() {
				conn := &load.Conn{Address: address}
				defer conn.Close()
				for ctx.Err() == nil {
					if err := c.pageOnce(ctx, conn); err != nil {
						c.mu.Lock()
						c.failed++
						c.first = cmp.Or(c.first, err.Error())
						c.mu.Unlock()
					}
				}
			})
		}
	}
	t.Cleanup(c.stop)
	return c
}

// pageOnce reads all pages. Each must be a page of the first one's snapshot.
func (c *crowd) pageOnce(ctx context.Context, conn *load.Conn) error {
	var of *edition
	number, again := 0, 0
	for target := firstPage; target != "" && (of == nil || number < len(of.Answers)); target = c.next(conn, number) {
		if ctx.Err() != nil {
			return nil
		}
		got, err := conn.Ask(request(target))
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", target, err)
		case got.Status != http.StatusOK:
			return fmt.Errorf("%s: status %d: %s", target, got.Status, conn.Body())
		case number == 0:
			of = c.known[conn.Snapshot()]
		case c.numbers && conn.Snapshot() != of.ID:
			number, again = 0, again+1
			continue
		}
		if of == nil || conn.Snapshot() != of.ID || got != of.Answers[number] {
			return fmt.Errorf("%s: not page %d of the first page's snapshot, but a page of %s", target, number+1, conn.Snapshot())
		}
		number++
	}
	if number != len(of.Answers) || !c.numbers && nextPage(conn) != "" {
		return fmt.Errorf("ended after %d of %d pages, or not there", number, len(of.Answers))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers, c.again = c.answers+number, c.again+again
	c.whole[of.ID]++
	return nil
}

// next returns the target after a number of pages, or "" after the last link.
func (c *crowd) next(conn *load.Conn, number int) string {
	time.Sleep(c.pause)
	if c.numbers {
		return pageTarget(number + 1)
	}
	return nextPage(conn)
}

func pageTarget(number int) string { return fmt.Sprintf("%s&page=%d", firstPage, number) }

// nextPage returns the target of the link to the next page, or "" on the last page.
func nextPage(conn *load.Conn) string {
	if query := conn.NextPage(); query != "" {
		return bench.Pubs + query
	}
	return ""
}

// pagings returns the number of whole pagings, of one snapshot or of all.
func (c *crowd) pagings(ids ...string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, whole := range c.whole {
		if len(ids) == 0 || id == ids[0] {
			n += whole
		}
	}
	return n
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
	c.stop()
	failIf(t, c.failed > 0 || c.pagings() == 0, "%d pagings whole, %d answers, %d failed, first: %s", c.pagings(), c.answers, c.failed, c.first)
}
