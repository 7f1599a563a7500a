package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pubd/bench/stage"
)

// floodRows are about clients that ask for large answers and read none of them.
var floodRows = []row{
	{"H4", "clients that ask for large answers and never read: 400 new connections a second, 6,000 at once, 50 a second with a key of that rate, 2,000 in one go; 500 a second through HAProxy and nginx as in deploy",
		"no replica is killed or holds more than 512 MiB; others are answered, at most 1 in 100 later than 2 s; of theirs, only an answer that may be large is refused, with 503", true, floods},
}

// What a replica may take, and what the requests of the floods ask for: up to 1,000 pubs, as short or as long as they get.
const (
	floodMemory  = 512 << 20
	largeQuery   = "search=*&lat=51.5&lng=-0.1&distance=50"
	largestQuery = largeQuery + "&include=rankings,local_rankings,match,label&format=geojson"
)

// A flood is new connections that ask once each and never read.
type flood struct {
	name    string
	start   starter // of what stands in front of the replicas
	query   string
	rate    float64       // new connections a second
	most    int           // open at once; the oldest is closed for a new one
	total   int           // connections, 0 for no limit
	lasts   time.Duration // in the full form
	keyRate int           // of the key that they use, in requests a second, 0 for no limit
	segment int           // the largest that their kernel takes, in bytes, 0 for that of loopback
	// clients is how many clients there are, each with a key and an address of its own. 0 stands for one that has the key and the
	// address of the others, so that nothing tells it apart but what it asks for.
	clients int
}

// ethernet is the size of the segments of most clients, in bytes. With it a server's kernel buffers some hundred kilobytes of an
// answer. Loopback has segments of 64 KiB, with which it buffers more than a megabyte.
const ethernet = 1448

var allFloods = []flood{
	{name: "bare", query: largeQuery, rate: 400, most: 6000, lasts: 30 * time.Second, segment: ethernet, clients: 1},
	{name: "bare, in segments of 64 KiB", query: largestQuery, rate: 400, most: 6000, lasts: 30 * time.Second, clients: 1},
	{name: "bare, with a rate", query: largestQuery, rate: 50, most: 6000, lasts: 40 * time.Second, keyRate: 50, segment: ethernet, clients: 1},
	{name: "bare, in one go", query: largestQuery, rate: 20_000, most: 2000, total: 2000, lasts: 30 * time.Second, segment: ethernet, clients: 1},
	throughFront("HAProxy", (*bed).deployedHAProxy, 1),
	throughFront("HAProxy, 10 keys and addresses", (*bed).deployedHAProxy, 10),
	throughFront("HAProxy, key and address of the others", (*bed).deployedHAProxy, 0),
	throughFront("nginx", (*bed).deployedNginx, 1),
	throughFront("nginx, 10 keys and addresses", (*bed).deployedNginx, 10),
	throughFront("nginx, key and address of the others", (*bed).deployedNginx, 0),
}

func throughFront(name string, start starter, clients int) flood {
	return flood{name: name, start: start, query: largestQuery, rate: 500, most: 6000, lasts: 30 * time.Second, segment: ethernet, clients: clients}
}

// floods runs all floods in turn, each against replicas of its own.
func floods(ctx context.Context, b *bed) (outcome, error) {
	if b.short { // few pubs have no large answers
		full, err := b.sized("full", pubsInBed)
		if err != nil {
			return outcome{}, err
		}
		b = full
	}
	if err := needHandles(6000 + 500); err != nil {
		return outcome{}, err
	}
	e, err := b.edition(ctx, b.editions[0])
	if err != nil {
		return outcome{}, err
	}
	out := outcome{passed: true, sound: b.short}
	asked, answers := 0, 0
	var told []string
	var missing error
	for i, f := range allFloods {
		if b.short && f.start != nil && f.clients != 1 {
			continue
		}
		own, err := b.in(fmt.Sprintf("flood-%d", i))
		if err != nil {
			return outcome{}, err
		}
		got, err := f.run(ctx, own, e)
		if absent, ok := errors.AsType[stage.MissingError](err); ok {
			missing = absent
			continue
		}
		if err != nil {
			return outcome{}, fmt.Errorf("%s: %w", f.name, err)
		}
		asked, answers = asked+got.asked, answers+got.small.sent()+got.large.sent()
		told = append(told, f.name+": "+got.String())
		fmt.Fprintf(b.log, "H4: %s\n", told[len(told)-1])
		out.passed = out.passed && got.stood() && got.inTime()
		out.sound = out.sound && got.stood()
	}
	out.n = fmt.Sprintf("%s connections, %s answers to others", grouped(asked), grouped(answers))
	out.figure = strings.Join(told, "; ")
	if out.passed && missing != nil {
		return outcome{}, missing
	}
	return out, nil
}

// A floodResult is what a flood did.
type floodResult struct {
	asked   int   // requests of the flood
	killed  int   // replicas that ended
	peak    int64 // the most that a replica had resident, in bytes
	sockets int64 // the most that TCP buffered on this machine beyond what it had before, in bytes
	front   int64 // the most that the processes in front had resident, in bytes
	// held is the most that a replica had of large answers in flight, budget what it may have, in bytes.
	held, budget float64
	small, large *tally
}

// stood reports whether all replicas lived within the limit and the others were answered. A cgroup counts what the kernel buffers
// for its sockets, too: of a replica without a front, that is next to all that the machine buffers.
func (r *floodResult) stood() bool {
	held := r.peak
	if r.front == 0 {
		held += r.sockets
	}
	return r.killed == 0 && held <= floodMemory && r.held <= r.budget && r.small.failed() == 0 && r.large.failed() == r.large.statuses[503]
}

// inTime reports whether at most 1 in 100 answers came later than 2 s.
func (r *floodResult) inTime() bool {
	const limit = 2 * time.Second
	return r.small.times.quantile(0.99) <= limit && r.large.times.quantile(0.99) <= limit
}

func (r *floodResult) String() string {
	text := fmt.Sprintf("%s connections, %d replicas ended, at most %d MiB resident, %d MiB in sockets, %.0f of %.0f MiB in flight",
		grouped(r.asked), r.killed, r.peak>>20, r.sockets>>20, r.held/(1<<20), r.budget/(1<<20))
	if r.front > 0 {
		text += fmt.Sprintf(", %d MiB in front", r.front>>20)
	}
	return text + fmt.Sprintf("; others: %v, p99 %v; answers that may be large: %v, of them %d times 503, p99 %v",
		r.small, r.small.times.quantile(0.99), r.large, r.large.statuses[503], r.large.times.quantile(0.99))
}

// run starts replicas and what stands in front of them, and floods them beside other clients.
func (f *flood) run(ctx context.Context, b *bed, e *edition) (got *floodResult, err error) {
	keys := b.path("keys")
	honest, err := b.addKey(ctx, keys, "honest")
	if err != nil {
		return nil, err
	}
	hostile := []string{honest}
	if f.clients > 0 {
		hostile = nil
	}
	for i := range f.clients {
		var rate []string
		if f.keyRate > 0 {
			rate = []string{"--rate", fmt.Sprint(f.keyRate)}
		}
		secret, err := b.addKey(ctx, keys, fmt.Sprintf("hostile-%d", i), rate...)
		if err != nil {
			return nil, err
		}
		hostile = append(hostile, secret)
	}
	replicas, front, err := b.deployed(ctx, f.start, e, "--keys", keys)
	defer func() {
		for _, p := range replicas {
			p.Stop()
		}
		if front != nil {
			front.Stop()
		}
	}()
	if err != nil {
		return nil, err
	}
	got = &floodResult{}
	if got.budget, err = replicas[0].metric(ctx, "pubd_in_flight_limit_bytes "); err != nil {
		return nil, err
	}
	address := replicas[0].api
	if front != nil {
		address = front.address
	}
	watch := watchMemory(ctx, replicas, front, got)
	defer watch()

	small, large := b.honestLoads(address, honest, e)
	fresh := *small
	small.rate, fresh.rate, large.rate = 160, 20, 20
	fresh.once = true
	stopSmall, stopFresh, stopLarge := small.background(ctx), fresh.background(ctx), large.background(ctx)
	defer stopSmall()
	defer stopFresh()
	defer stopLarge()
	during, cancel := context.WithTimeout(ctx, b.lasting(f.lasts, 2*time.Second))
	defer cancel()
	f.flow(during, b, got, address, hostile)
	got.small, got.large = stopSmall(), stopLarge()
	got.small.join(stopFresh())
	watch()
	return got, ctx.Err()
}

// honestLoads are loads on an address of requests whose answers are small, and of those whose answers may be large: circles
// without an amount.
func (b *bed) honestLoads(address, key string, e *edition) (small, large *load) {
	loads := [2]*load{}
	for i := range loads {
		loads[i] = &load{address: address, lasts: untilStopped, connections: 16, key: key, editions: []*edition{{file: e.file, id: e.id}}}
	}
	for i, query := range b.queries {
		l := loads[0]
		if strings.Contains(query, "distance=") && !strings.Contains(query, "amount=") {
			l = loads[1]
		}
		l.queries = append(l.queries, query)
		l.editions[0].answers = append(l.editions[0].answers, e.answers[i])
	}
	return loads[0], loads[1]
}

// flow connects and asks with the keys in turn until ctx is done, or until a replica holds twice what it may.
func (f *flood) flow(ctx context.Context, b *bed, got *floodResult, address string, keys []string) {
	var wait sync.WaitGroup
	open := make(chan net.Conn, b.times(f.most, min(f.most, 300)))
	atOnce := make(chan struct{}, 64)
	var asked atomic.Int64
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	begun := time.Now()
	for sent := 0; ctx.Err() == nil && atomic.LoadInt64(&got.peak) < 2*floodMemory; <-tick.C {
		for ; ctx.Err() == nil && (f.total == 0 || sent < f.total) && float64(sent) < time.Since(begun).Seconds()*f.rate; sent++ {
			atOnce <- struct{}{}
			client := sent % len(keys)
			wait.Go(func() {
				defer func() { <-atOnce }()
				c, err := f.dialer(client).DialContext(ctx, "tcp", address)
				if err != nil {
					return
				}
				if _, err := fmt.Fprintf(c, "GET %s?%s HTTP/1.1\r\nHost: pubd\r\nx-api-key: %s\r\n\r\n", resource, f.query, keys[client]); err == nil {
					asked.Add(1)
				}
				for {
					select {
					case open <- c:
						return
					default:
					}
					select {
					case oldest := <-open:
						_ = oldest.Close()
					default:
					}
				}
			})
		}
	}
	wait.Wait()
	close(open)
	for c := range open {
		_ = c.Close()
	}
	got.asked = int(asked.Load())
}

// dialer dials from the address of a client.
func (f *flood) dialer(client int) *net.Dialer {
	d := &net.Dialer{Timeout: 2 * time.Second, Control: f.littleRoom}
	if f.clients > 0 {
		d.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+client))}
	}
	return d
}

// littleRoom leaves next to all of an answer in the buffers of the server.
func (f *flood) littleRoom(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(handle uintptr) {
		failed = syscall.SetsockoptInt(int(handle), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 2048)
		if failed == nil && f.segment > 0 {
			failed = syscall.SetsockoptInt(int(handle), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, f.segment)
		}
	})
	if err != nil {
		return err
	}
	return failed
}

// watchMemory keeps in got the most that replicas and what is in front of them take, and how many ended, until it is stopped.
func watchMemory(ctx context.Context, replicas []*replica, front *deployedFront, got *floodResult) (stop func()) {
	before := socketMemory()
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for over := false; !over; {
			select {
			case <-done:
				over = true
			case <-time.After(50 * time.Millisecond):
			}
			ended := 0
			for _, r := range replicas {
				peak, err := mostResident(r.ID())
				if err != nil {
					ended++
				}
				atomic.StoreInt64(&got.peak, max(got.peak, peak))
				if held, err := r.metric(ctx, "pubd_in_flight_bytes "); err == nil {
					got.held = max(got.held, held)
				}
			}
			got.killed = ended
			got.sockets = max(got.sockets, socketMemory()-before)
			if front != nil {
				got.front = max(got.front, residentOfGroup(front.ID()))
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		wait.Wait()
	})
}

// socketMemory is what TCP buffers on this machine, in bytes.
func socketMemory() int64 {
	stat, _ := os.ReadFile("/proc/net/sockstat")
	for line := range strings.Lines(string(stat)) {
		var inUse, orphan, waiting, allocated, pages int64
		if _, err := fmt.Sscanf(line, "TCP: inuse %d orphan %d tw %d alloc %d mem %d", &inUse, &orphan, &waiting, &allocated, &pages); err == nil {
			return pages * int64(os.Getpagesize())
		}
	}
	return 0
}

// residentOfGroup is what a process and its children have resident, in bytes.
func residentOfGroup(pid int) int64 {
	sum, _ := residentMemory(pid)
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for _, child := range strings.Fields(string(children)) {
		var id int
		_, _ = fmt.Sscan(child, &id)
		of, _ := residentMemory(id)
		sum += of
	}
	return sum
}
