package reliability

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/loader"
)

func TestP1(t *testing.T) {
	row(t, "SIGKILL at random moments under load, half of them while reloading", "it starts again without cleaning and gives the same answers")
	d := usual(t)
	r := prepare(t, copied(t, d.snapshots[0].file))
	begun := time.Now()
	r.start(nil)
	starts := time.Since(begun)
	random := rand.New(rand.NewPCG(1, 0))
	before, after := load.NewTally(), load.NewTally()
	var slowest time.Duration
	kills := pick(3, 200)
	for i := range kills {
		installed := d.snapshots[1-i/2%2]
		before.Add(during(t, r.load(2000, d.snapshots[:]...), func() {
			if i%2 == 0 {
				install(t, installed.file, r.Data)
				r.hangUp()
			}
			time.Sleep(time.Duration(random.Float64() * 2 * float64(starts)))
			ok(t, r.Signal(syscall.SIGKILL))
			<-r.Ended()
		}))
		begun := time.Now()
		r.start(nil)
		slowest = max(slowest, time.Since(begun))
		after.Add(lasting(r.load(5000, installed), time.Duration(len(d.targets))*time.Second/5000).Send(t.Context()))
	}
	if wrong := before.Failed() - before.Broken; wrong > 0 { // those that the kills broke off have no answer
		t.Errorf("before the kills %d wrong answers: %v", wrong, before)
	}
	noFailure(t, after)
	figure(t, fmt.Sprintf("%d kills, %d answers", kills, before.Sent()-before.Broken+after.Sent()), "before the kills 0 wrong; of those started again, in %v at most: %v", slowest.Round(time.Millisecond), after)
}

// haproxyConfig asks each replica five times a second whether it is ready, and believes it at once. An answer that is slow is no reason to
// leave a replica out. A request is sent again only where no connection could be made.
const haproxyConfig = `global
    maxconn 1000
    stats socket %s mode 600 level user
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
    bind %s
    default_backend pubd
backend pubd
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter 200ms fall 1 rise 1
`

// A fleet is three replicas behind HAProxy.
type fleet struct {
	replicas        []*replica
	address, socket string // of the API, and of HAProxy's statistics
}

func newFleet(t testing.TB, s *snapshot, flags ...string) *fleet {
	t.Helper()
	haproxy := tool(t, "haproxy", "haproxy")
	address, err := stage.FreeAddress()
	ok(t, err)
	dir := t.TempDir()
	f := &fleet{address: address, socket: filepath.Join(dir, "sock")}
	config := fmt.Sprintf(haproxyConfig, f.socket, address)
	for range 3 {
		r := serve(t, s, flags...)
		f.replicas = append(f.replicas, r)
		_, port, _ := net.SplitHostPort(r.Admin)
		config += fmt.Sprintf("    server %s %s port %s\n", r.API, r.API, port)
	}
	file := filepath.Join(dir, "haproxy.conf")
	write(t, file, []byte(config))
	process, err := stage.Start(t.Context(), stage.Command(t.Context(), nil, haproxy, "-f", file), syscall.SIGTERM, func() bool {
		return !slices.ContainsFunc(f.replicas, func(r *replica) bool { return !f.sendsTo(r) })
	})
	ok(t, err)
	t.Cleanup(process.Stop)
	return f
}

// sendsTo reports whether HAProxy considers a replica ready.
func (f *fleet) sendsTo(r *replica) bool {
	c, err := net.Dial("unix", f.socket)
	if err != nil {
		return false
	}
	defer c.Close()
	if _, err := fmt.Fprintln(c, "show stat"); err != nil {
		return false
	}
	table, err := csv.NewReader(c).ReadAll()
	if err != nil || len(table) == 0 {
		return false
	}
	name, status := slices.Index(table[0], "svname"), slices.Index(table[0], "status")
	return slices.ContainsFunc(table, func(line []string) bool { return line[name] == r.API && line[status] == "UP" })
}

// load is one on HAProxy.
func (f *fleet) load(rate float64, snapshots ...*snapshot) *load.Load {
	l := f.replicas[0].load(rate, snapshots...)
	l.Address = f.address
	return l
}

func TestP2(t *testing.T) {
	row(t, "rolling restart of 3 replicas behind HAProxy under load", "the client sees no failure, of 1,000,000 requests and more")
	takesLong(t, "drains three replicas")
	s := usual(t).snapshots[0]
	flags := []string{"--drain-delay", pick(time.Second, 2*time.Second).String()}
	f := newFleet(t, s, flags...)
	requests, rate, restarts := pick(1000, 1_000_000), pick(5000.0, 8000.0), 0
	got := during(t, f.load(rate, s), func() {
		long := time.Duration(1.01 * float64(requests) / rate * float64(time.Second))
		for begun := time.Now(); restarts < pick(3, 60) || time.Since(begun) < long; restarts++ {
			r := f.replicas[restarts%3]
			ok(t, r.Signal(syscall.SIGTERM))
			select {
			case <-r.Ended():
			case <-time.After(patience):
				t.Fatalf("replica still runs %v after SIGTERM", patience)
			}
			r.start(nil, flags...)
			eventually(t, "HAProxy sends requests to the replica again", func() bool { return f.sendsTo(r) })
		}
	})
	noFailure(t, got)
	if got.Sent() < requests {
		t.Errorf("%d requests, want %d", got.Sent(), requests)
	}
	figure(t, fmt.Sprintf("%d answers, %d restarts", got.Sent(), restarts), "%v; p99 %v", got, got.P99())
}

func TestP3(t *testing.T) {
	row(t, "rolling change of the snapshot of 3 replicas behind HAProxy under load, while clients page through all pubs", "each full paging is exactly one snapshot's set")
	d := usual(t)
	f := newFleet(t, d.snapshots[0])
	c := pageThroughout(t, f.address, false, d)
	changes := pick(2, 20)
	got := during(t, f.load(500, d.snapshots[:]...), func() {
		for i := range changes + 1 {
			s := d.snapshots[i%2]
			for _, r := range f.replicas {
				r.reload(s)
			}
			eventually(t, "all clients page through snapshot "+s.ID, func() bool { return c.havePaged(s.ID) })
		}
	})
	c.stop()
	noFailure(t, got)
	if c.wrong != nil || c.again == 0 {
		t.Errorf("%v; begun again %d times, want some at the changes", c.wrong, c.again)
	}
	figure(t, fmt.Sprintf("%d pagings of %d pubs, %d changes", c.whole, len(d.pubs), changes), "each of exactly one snapshot's pubs, %d begun again at a change; beside them %v", c.again, got)
}

func TestP5(t *testing.T) {
	row(t, "1,000 full pagings along the links to the next page, while another snapshot is installed every second", "each is exactly one snapshot's set, and none breaks off")
	d := directoryOf(t, fewPubs)
	r := serve(t, d.snapshots[0])
	c := pageThroughout(t, r.API, true, d)
	reloads := 0
	for second := time.Tick(pick(300*time.Millisecond, time.Second)); !c.havePagings(pick(8, 1000)) || reloads < 2; reloads++ { // so that a paging has met one
		<-second
		r.reload(d.snapshots[1-reloads%2])
	}
	c.stop()
	if c.wrong != nil {
		t.Error(c.wrong)
	}
	figure(t, fmt.Sprintf("%d pagings of %d pubs, %d reloads", c.whole, len(d.pubs), reloads), "each of exactly one snapshot's pubs, none begun again")
}

// clients page through all pubs, again and again. They follow the links to the next page, which name the snapshot, or else begin again
// when another one answers.
type clients struct {
	sets    map[string][]string // UIDs in order, by snapshot
	follows bool                // links
	stop    func()

	mu           sync.Mutex
	last         []string // by client: the snapshot of its last whole paging
	whole, again int      // pagings
	wrong        error    // the first thing that was not as it must be
}

// pageThroughout lets four clients page until they are stopped or see something wrong.
func pageThroughout(t testing.TB, address string, follows bool, d *directory) *clients {
	t.Helper()
	c := &clients{follows: follows, sets: map[string][]string{}, last: make([]string, 4)}
	for _, s := range d.snapshots {
		loaded, err := loader.LoadFile(s.file, loader.Options{})
		ok(t, err)
		for _, pub := range loaded.Directory.Pubs {
			c.sets[s.ID] = append(c.sets[s.ID], pub.UID)
		}
		slices.Sort(c.sets[s.ID])
	}
	stopped := make(chan struct{})
	var wait sync.WaitGroup
	for i := range c.last {
		wait.Go(func() {
			for goesOn := true; goesOn; {
				select {
				case <-stopped:
					return
				default:
					goesOn = c.page(address, i)
				}
			}
		})
	}
	c.stop = sync.OnceFunc(func() {
		close(stopped)
		wait.Wait()
	})
	t.Cleanup(c.stop)
	return c
}

// page gets all pages of one snapshot and compares. It reports whether the client goes on.
func (c *clients) page(address string, client int) bool {
	var id string
	var uids []string
	again, next := 0, ""
	for number, pages := 1, 1; number <= pages; number++ {
		time.Sleep(10 * time.Millisecond) // of reading
		query := fmt.Sprintf("?search=*&amount=100&page=%d", number)
		if c.follows && number > 1 {
			query = next
		}
		got, err := getPage("http://" + address + pubs + query)
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

// havePaged reports whether the last whole paging of each client was of a snapshot, or waiting for it is in vain.
func (c *clients) havePaged(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wrong != nil || !slices.ContainsFunc(c.last, func(last string) bool { return last != id })
}

// havePagings reports whether there were n whole pagings, or waiting for them is in vain.
func (c *clients) havePagings(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wrong != nil || c.whole >= n
}

// A page is one of all pubs, the snapshot that it is of, and the link to the next.
type page struct {
	snapshot, next string
	Pages          int `json:"total_pages"`
	Results        []struct{ UID string }
}

func getPage(url string) (p page, err error) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
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
		if target, isNext := strings.CutSuffix(link, `>; rel="next"`); isNext {
			p.next = strings.TrimPrefix(target, "<")
		}
	}
	return p, json.NewDecoder(answer.Body).Decode(&p)
}
