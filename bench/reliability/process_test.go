package reliability

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/testkit"
)

func TestP1(t *testing.T) {
	row(t, "SIGKILL at random moments under load, half of them while reloading", "it starts again without cleaning and gives the same answers")
	d := usual(t)
	begun := time.Now()
	r := serve(t, d.snapshots[0])
	starts := time.Since(begun)
	random := rand.New(rand.NewPCG(1, 0))
	before, after := load.NewTally(), load.NewTally()
	var slowest time.Duration
	kills := pick(3, 200)
	for i := range kills {
		installed := d.snapshots[1-i/2%2]
		stop := r.load(2000, d.snapshots[:]...).Start(t.Context())
		if i%2 == 0 {
			install(t, installed.file, r.Data)
			r.hangUp()
		}
		time.Sleep(time.Duration(random.Float64() * 2 * float64(starts)))
		testkit.OK(t, r.Signal(syscall.SIGKILL))
		<-r.Ended()
		before.Add(stop())
		begun := time.Now()
		r.start(nil)
		slowest = max(slowest, time.Since(begun))
		after.Add(lasting(r.load(5000, installed), time.Duration(len(d.targets))*time.Second/5000).Send(t.Context()))
	}
	testkit.FailIf(t, before.Failed() > before.Broken, "before the kills %d wrong answers: %v", before.Failed()-before.Broken, before) // a kill breaks requests in progress
	noFailure(t, after)
	figure(t, fmt.Sprintf("%d kills, %d answers", kills, before.Sent()-before.Broken+after.Sent()), "before the kills 0 wrong; of those started again, in %v at most: %v", slowest.Round(time.Millisecond), after)
}

// serveBehindHAProxy starts three replicas behind HAProxy.
func serveBehindHAProxy(t *testing.T, s *snapshot, flags ...string) (replicas []*replica, address string) {
	t.Helper()
	config := testdata(t, "replicas.cfg")
	for range 3 {
		r := serve(t, s, flags...)
		replicas = append(replicas, r)
		_, port, _ := net.SplitHostPort(r.Admin)
		config += fmt.Sprintf("    server %s %s port %s\n", r.API, r.API, port)
	}
	return replicas, startProxy(t, "haproxy", config)
}

func TestP2(t *testing.T) {
	row(t, "rolling restart of 3 replicas behind HAProxy under load", "the client sees no failure, of 1,000,000 requests and more")
	s := usual(t).snapshots[0]
	flags := []string{"--drain-delay", pick(time.Second, 2*time.Second).String()}
	replicas, address := serveBehindHAProxy(t, s, flags...)
	requests, rate, restarts := pick(1000, 1_000_000), pick(1000.0, 4000.0), 0
	l := replicas[0].load(rate, s)
	l.Address = address
	got := during(t, l, func() {
		long := time.Duration(1.01 * float64(requests) / rate * float64(time.Second))
		for begun := time.Now(); restarts < pick(3, 60) || time.Since(begun) < long; restarts++ {
			r := replicas[restarts%3]
			testkit.OK(t, r.Signal(syscall.SIGTERM))
			select {
			case <-r.Ended():
			case <-time.After(patience):
				t.Fatalf("replica still running %v after SIGTERM", patience)
			}
			r.start(nil, flags...)
			testkit.Eventually(t, "HAProxy sends requests to the replica again", func() bool { return r.seriesSum("pubd_requests_total{") > 0 })
		}
	})
	testkit.FailIf(t, got.Sent() < requests, "%d requests, want %d", got.Sent(), requests)
	figure(t, fmt.Sprintf("%d answers, %d restarts", got.Sent(), restarts), "%v; p99 %v", got, got.P99())
}

func TestP3(t *testing.T) {
	row(t, "rolling change of the snapshot of 3 replicas behind HAProxy under load, while clients page through all pubs", "each full paging is exactly one snapshot's set")
	snapshots := makeEditions(t, 2)
	replicas, address := serveBehindHAProxy(t, snapshots[0])
	c := (&crowd{numbers: true, pause: 10 * time.Millisecond}).start(t, snapshots, address)
	changes := pick(2, 20)
	l := replicas[0].load(500, snapshots...)
	l.Address = address
	got := during(t, l, func() {
		for i := range changes + 1 {
			s := snapshots[i%2]
			for _, r := range replicas {
				r.reload(s)
			}
			before := c.pagings(s.ID)
			testkit.Eventually(t, "clients page through the snapshot", func() bool { return c.pagings(s.ID) >= before+2*clients })
		}
	})
	c.right(t)
	testkit.FailIf(t, c.again == 0, "no paging was restarted, want some at the changes")
	figure(t, fmt.Sprintf("%d pagings of %d pubs, %d changes", c.pagings(), allPubs, changes), "each of exactly one snapshot's pubs, %d begun again at a change; beside them %v", c.again, got)
}

// The first page, small enough that few pubs have many pages.
const (
	pageSize  = 20
	firstPage = bench.Pubs + "?search=*&amount=20"
)

// A crowd is clients that page through all pubs, over and over. They either follow the links to the next page, which
// name the snapshot, or number the pages and begin again when another snapshot answers.
type crowd struct {
	numbers bool
	pause   time.Duration // before each page but the first

	cancel context.CancelFunc
	done   sync.WaitGroup
	known  map[string]*snapshot

	mu sync.Mutex // guards what follows
	// answers counts right answers, failed pagings with an error, again those that began again; first is the first
	// error.
	answers, failed, again int
	whole                  map[string]int // pagings, by snapshot
	first                  string
}

// clients is the number of clients for each address.
const clients = 6

// start starts the clients of each address, which page until the crowd is stopped or the test ends.
func (c *crowd) start(t *testing.T, snapshots []*snapshot, addresses ...string) *crowd {
	ctx, cancel := context.WithCancel(t.Context())
	c.cancel, c.known, c.whole = cancel, map[string]*snapshot{}, map[string]int{}
	for _, s := range snapshots {
		c.known[s.ID] = s
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
	var edition *snapshot
	number, again := 0, 0
	for target := firstPage; target != "" && (edition == nil || number < len(edition.Answers)); target = c.next(conn, edition, number) {
		if ctx.Err() != nil {
			return nil
		}
		got, err := conn.Send(request(target))
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", target, err)
		case got.Status != http.StatusOK:
			return fmt.Errorf("%s: status %d: %s", target, got.Status, conn.Body())
		case number == 0:
			edition = c.known[conn.Snapshot()]
		case c.numbers && conn.Snapshot() != edition.ID:
			number, again = 0, again+1
			continue
		}
		if edition == nil || conn.Snapshot() != edition.ID || got != edition.Answers[number] {
			return fmt.Errorf("%s: not page %d of the first page's snapshot, but a page of %s", target, number+1, conn.Snapshot())
		}
		number++
	}
	if number != len(edition.Answers) || !c.numbers && nextPage(conn) != "" {
		return fmt.Errorf("ended after %d of %d pages, or not there", number, len(edition.Answers))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers, c.again = c.answers+number, c.again+again
	c.whole[edition.ID]++
	return nil
}

// next returns the target after a number of pages of a snapshot, or "" after the last one.
func (c *crowd) next(conn *load.Conn, of *snapshot, number int) string {
	time.Sleep(c.pause)
	if c.numbers && number < len(of.targets) {
		return of.targets[number]
	}
	return nextPage(conn)
}

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
	testkit.FailIf(t, c.failed > 0 || c.pagings() == 0, "%d pagings whole, %d answers, %d failed, first: %s", c.pagings(), c.answers, c.failed, c.first)
}
