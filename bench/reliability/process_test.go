package reliability

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/proof"
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
	kills := proof.Pick(3, 200)
	for i := range kills {
		installed := d.snapshots[1-i/2%2]
		stop := r.load(2000, d.snapshots[:]...).Start(t.Context())
		if i%2 == 0 {
			install(t, installed.file, r.Data)
			r.hangUp()
		}
		time.Sleep(time.Duration(random.Float64() * 2 * float64(starts)))
		ok(t, r.Signal(syscall.SIGKILL))
		<-r.Ended()
		before.Add(stop())
		begun := time.Now()
		r.start(nil)
		slowest = max(slowest, time.Since(begun))
		after.Add(lasting(r.load(5000, installed), time.Duration(len(d.targets))*time.Second/5000).Send(t.Context()))
	}
	if wrong := before.Failed() - before.Broken; wrong > 0 { // a kill breaks requests in progress
		t.Errorf("before the kills %d wrong answers: %v", wrong, before)
	}
	noFailure(t, after)
	proof.Figure(t, fmt.Sprintf("%d kills, %d answers", kills, before.Sent()-before.Broken+after.Sent()), "before the kills 0 wrong; of those started again, in %v at most: %v", slowest.Round(time.Millisecond), after)
}

// haproxyConfig checks the readiness of each replica five times a second and acts on each result. A slow response does not take a replica
// out of service. A request is retried only if no connection could be made.
const haproxyConfig = `global
    maxconn 1000
defaults
    mode http
    timeout connect 1s
    timeout client 60s
    timeout server 20s
    timeout check 2s
    retries 3
    option redispatch
    http-reuse safe
frontend api
    bind {address}
    default_backend pubd
backend pubd
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter 200ms fall 1 rise 1
`

// serveBehindHAProxy starts three replicas behind HAProxy.
func serveBehindHAProxy(t *testing.T, s *snapshot, flags ...string) (replicas []*replica, address string) {
	t.Helper()
	config := haproxyConfig
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
	flags := []string{"--drain-delay", proof.Pick(time.Second, 2*time.Second).String()}
	replicas, address := serveBehindHAProxy(t, s, flags...)
	requests, rate, restarts := proof.Pick(1000, 1_000_000), proof.Pick(1000.0, 4000.0), 0
	l := replicas[0].load(rate, s)
	l.Address = address
	got := during(t, l, func() {
		long := time.Duration(1.01 * float64(requests) / rate * float64(time.Second))
		for begun := time.Now(); restarts < proof.Pick(3, 60) || time.Since(begun) < long; restarts++ {
			r := replicas[restarts%3]
			ok(t, r.Signal(syscall.SIGTERM))
			select {
			case <-r.Ended():
			case <-time.After(proof.Patience):
				t.Fatalf("replica still running %v after SIGTERM", proof.Patience)
			}
			r.start(nil, flags...)
			proof.Eventually(t, "HAProxy sends requests to the replica again", func() bool { return r.metric("pubd_requests_total{") > 0 })
		}
	})
	if got.Sent() < requests {
		t.Errorf("%d requests, want %d", got.Sent(), requests)
	}
	proof.Figure(t, fmt.Sprintf("%d answers, %d restarts", got.Sent(), restarts), "%v; p99 %v", got, got.P99())
}

func TestP3(t *testing.T) {
	row(t, "rolling change of the snapshot of 3 replicas behind HAProxy under load, while clients page through all pubs", "each full paging is exactly one snapshot's set")
	d := usual(t)
	replicas, address := serveBehindHAProxy(t, d.snapshots[0])
	c := pageThroughout(t, address, false, d)
	changes := proof.Pick(2, 20)
	l := replicas[0].load(500, d.snapshots[:]...)
	l.Address = address
	got := during(t, l, func() {
		for i := range changes + 1 {
			s := d.snapshots[i%2]
			for _, r := range replicas {
				r.reload(s)
			}
			for c.last != [4]string{s.ID, s.ID, s.ID, s.ID} {
				c.receive()
			}
		}
	})
	if c.again == 0 {
		t.Error("no paging was restarted, want some at the changes")
	}
	proof.Figure(t, fmt.Sprintf("%d pagings of %d pubs, %d changes", c.whole, len(d.pubs), changes), "each of exactly one snapshot's pubs, %d begun again at a change; beside them %v", c.again, got)
}

func TestP5(t *testing.T) {
	row(t, "1,000 full pagings along the links to the next page, while another snapshot is installed every second", "each is exactly one snapshot's set, and none breaks off")
	d := directoryOf(t, fewPubs)
	r := serve(t, d.snapshots[0])
	c := pageThroughout(t, r.API, true, d)
	reloads := 0
	for begun := time.Now(); c.whole < proof.Pick(8, 1000) || len(c.seen) < 2; c.receive() {
		if time.Since(begun) > time.Duration(reloads)*proof.Pick(300*time.Millisecond, time.Second) {
			r.reload(d.snapshots[1-reloads%2])
			reloads++
		}
	}
	proof.Figure(t, fmt.Sprintf("%d pagings of %d pubs, %d reloads", c.whole, len(d.pubs), reloads), "each of exactly one snapshot's pubs, none begun again")
}

// A paging is the result of reading all pages of one snapshot.
type paging struct {
	client   int
	snapshot string
	restarts int // because another snapshot answered
	err      error
}

// A crowd is clients that page through all pubs, over and over. They either follow the links to the next page, which name the snapshot, or
// number the pages and start again when another snapshot answers.
type crowd struct {
	t       testing.TB
	sets    map[string][]string // sorted UIDs, by snapshot
	follows bool                // links
	pagings chan paging
	last    [4]string       // snapshot of each client's last paging
	whole   int             // pagings received
	again   int             // restarts
	seen    map[string]bool // the snapshots of the pagings received
}

// pageThroughout starts four clients, which page until the test ends.
func pageThroughout(t testing.TB, address string, follows bool, d *directory) *crowd {
	t.Helper()
	c := &crowd{t: t, follows: follows, sets: map[string][]string{}, seen: map[string]bool{}}
	c.pagings = make(chan paging, 10_000) // clients do not wait for receive
	for i, s := range d.snapshots {
		for _, pub := range d.pubs[:len(d.pubs)-i] { // the second lacks the last
			c.sets[s.ID] = append(c.sets[s.ID], pub.UID)
		}
		slices.Sort(c.sets[s.ID])
	}
	for i := range c.last {
		go func() {
			conn := &load.Conn{Address: address}
			defer conn.Close()
			for t.Context().Err() == nil {
				p := c.page(conn)
				p.client = i
				select {
				case c.pagings <- p:
				case <-t.Context().Done():
				}
			}
		}()
	}
	return c
}

// receive waits for the next paging, which must be right.
func (c *crowd) receive() {
	c.t.Helper()
	p := <-c.pagings
	ok(c.t, p.err)
	c.last[p.client], c.seen[p.snapshot] = p.snapshot, true
	c.whole, c.again = c.whole+1, c.again+p.restarts
}

// page reads all pages of one snapshot and compares their UIDs with the snapshot's.
func (c *crowd) page(conn *load.Conn) (p paging) {
	var uids []string
	for number, pages := 1, 1; number <= pages; number++ {
		time.Sleep(10 * time.Millisecond) // for reading
		query := fmt.Sprintf("?search=*&amount=100&page=%d", number)
		if c.follows && number > 1 {
			query = conn.NextPage()
		}
		answer, err := conn.Ask(request(pubs + query))
		if err != nil || answer.Status != http.StatusOK {
			p.err = fmt.Errorf("%s: status %d, %v", query, answer.Status, err)
			return p
		}
		if number > 1 && conn.Snapshot() != p.snapshot && !c.follows {
			p.restarts++
			number, uids = 0, nil
			continue
		}
		var got struct {
			Pages   int `json:"total_pages"`
			Results []struct{ UID string }
		}
		if p.err = json.Unmarshal(conn.Body(), &got); p.err != nil {
			return p
		}
		p.snapshot, pages = conn.Snapshot(), got.Pages
		for _, pub := range got.Results {
			uids = append(uids, pub.UID)
		}
	}
	slices.Sort(uids)
	if want := c.sets[p.snapshot]; !slices.Equal(uids, want) {
		p.err = fmt.Errorf("a paging of snapshot %q has %d UIDs that are not its %d", p.snapshot, len(uids), len(want))
	}
	return p
}
