package reliability

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pubd/bench"
	"pubd/bench/load"
	"pubd/bench/stage"
	"pubd/bench/testkit"
)

// pubd's timeouts for reading a header and for writing a response, and what a busy machine may add.
const (
	headerLimit  = 5 * time.Second
	writingLimit = 15 * time.Second
	allowance    = 2 * time.Second
)

// spareHandles is how many file descriptors a server may open or close for other reasons.
const spareHandles = 10

func TestH1(t *testing.T) {
	timedRow(t, "2,000 connections that send a header byte by byte, and 2,000 that read their answers so or not at all", "closed 5 s and 15 s later; p99 of others at most twice that without")
	many := pick(200, 2000)
	needHandles(t, 2*many+500)
	s := usual(t).snapshots[0]
	r := serve(t, s)
	l := lasting(r.load(1000, s), pick(500*time.Millisecond, 2*time.Second))
	own, open := handlesOf(r.ID()), 2*many
	noFailure(t, l.Send(t.Context())) // warms up
	var header, answer time.Duration
	all, said := compare(t, 3, 2, func() (without, with *load.Tally) {
		without = l.Send(t.Context())
		begun := time.Now()
		end := openSlow(t, r.API, many)
		defer end()
		lasting(l, 500*time.Millisecond).Send(t.Context()) // until the socket buffers of clients that do not read are full
		open = min(open, handlesOf(r.ID())-own)
		with = l.Send(t.Context())
		header = max(header, r.closedAfter(own+many+spareHandles, begun, headerLimit))
		if full() {
			answer = max(answer, r.closedAfter(own+spareHandles, begun, writingLimit))
		}
		return without, with
	})
	testkit.FailIf(t, open < 2*many-spareHandles, "%d connections were open, want %d", open, 2*many)
	testkit.FailIf(t, header > headerLimit+allowance && full() || answer > writingLimit+allowance,
		"closed after %v (headers) and %v (answers), want %v and %v", header, answer, headerLimit, writingLimit)
	figure(t, fmt.Sprintf("%d connections, %d answers", 2*many, all.Sent()), "%d open; closed after at most %.1f s (headers) and %.1f s (answers); %s", open, header.Seconds(), answer.Seconds(), said)
}

// openSlow connects clients: many that send slowly, and as many that read slowly, half of which never read. end closes
// them.
func openSlow(t *testing.T, address string, many int) (end func()) {
	// More answers than fit into small socket buffers.
	requests := strings.Repeat(wire("GET", pubs+"?search=*&amount=100"), 20)
	dialer := net.Dialer{Timeout: patience, Control: smallBuffer(4096, 536)}
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for i := range 2 * many {
		c := testkit.Must(dialer.DialContext(ctx, "tcp", address))(t)
		first := requests
		if i%2 == 0 {
			first = "GET " + pubs + " HTTP/1.1\r\nX: "
		}
		testkit.Must(io.WriteString(c, first))(t)
		wait.Go(func() {
			defer c.Close()
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(rand.N(2 * time.Second)): // one step per client and second, evenly spread
				}
				switch i % 4 {
				case 0, 2:
					_, _ = c.Write([]byte("x"))
				case 1:
					_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
					_, _ = c.Read(make([]byte, 1))
				}
			}
		})
	}
	return func() {
		stop()
		wait.Wait()
	}
}

// smallBuffer returns a net.Dialer's Control that sets the receive buffer, and the maximum segment size unless it is
// 0.
func smallBuffer(buffer, segment int) func(_, _ string, raw syscall.RawConn) error {
	return func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(handle uintptr) {
			failed = syscall.SetsockoptInt(int(handle), syscall.SOL_SOCKET, syscall.SO_RCVBUF, buffer)
			if failed == nil && segment > 0 {
				failed = syscall.SetsockoptInt(int(handle), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, segment)
			}
		})
		return errors.Join(err, failed)
	}
}

// closedAfter waits until a server has at most n open file descriptors, or it is too late, and returns the time since
// begun.
func (r *replica) closedAfter(n int, begun time.Time, within time.Duration) time.Duration {
	for handlesOf(r.ID()) > n && time.Since(begun) < within+2*allowance {
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(begun)
}

// handlesOf returns the number of a process's file descriptors.
func handlesOf(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}

// A demand is a request and the status of its response.
type demand struct {
	sent string
	want int
}

// demands returns unusual and invalid requests.
func demands(t testing.TB, uid string) (list []demand) {
	t.Helper()
	for _, row := range table(t, "demands.txt") {
		for i := range row {
			row[i] = fill(row[i], uid)
		}
		d := demand{row[2], testkit.Must(strconv.Atoi(row[0]))(t)}
		if method, keyless := strings.CutPrefix(row[1], "-"); method != "" {
			d.sent = wire(method, row[2], row[3:]...)
			if keyless {
				d.sent = strings.Replace(d.sent, "x-api-key: "+demo+"\r\n", "", 1)
			}
		}
		list = append(list, d)
	}
	return list
}

const deep = 1000 // pipelined requests

func TestH3(t *testing.T) {
	quickRow(t, "odd headers, paths and methods; 1,000 requests in one piece; bodies of 1 KB to 10 MB, bare and through HAProxy",
		"the statuses of the contract, none lost to a reset; memory at most doubles, as the collector lets it")
	d := usual(t)
	r := serve(t, d.snapshots[0], built()...)
	list := demands(t, d.pubs[0].UID)
	pipeline := strings.Repeat(lookup(d.pubs[0].UID), deep-1) + lookup(d.pubs[0].UID, "Connection: close")
	sent := 0
	var before, after int64
	for round := range testkit.Pick(2, pick(3, 200)) {
		for _, d := range list {
			method, _, _ := strings.Cut(d.sent, " ")
			got, err := converse(r.API, d.sent+wire("GET", "/", "Connection: close"))
			statuses, broken := statusesOf(got, method)
			testkit.FailIf(t, err != nil || broken != nil || len(statuses) == 0 || statuses[0] != d.want || len(statuses) > 2,
				"%.200q: got %v %v %v, want %d", d.sent, statuses, err, broken, d.want)
		}
		got, err := converse(r.API, pipeline)
		statuses, broken := statusesOf(got, http.MethodGet)
		testkit.FailIf(t, err != nil || broken != nil || len(statuses) != deep || slices.ContainsFunc(statuses, func(status int) bool { return status != http.StatusOK }),
			"%d in one piece: %d answers, %v %v", deep, len(statuses), err, broken)
		sent += len(list) + deep
		if after, _ = r.memory(); round == 0 {
			before = after
		}
	}
	testkit.FailIf(t, after > 2*before, "%d MB after the first round, %d MB at the end", before/1e6, after/1e6)
	bodies := 0
	for _, front := range []string{"", "haproxy.cfg"} {
		t.Run(cmp.Or(front, "bare"), func(t *testing.T) { bodies += sendBodies(t, r, front, d.pubs[0].UID) })
	}
	figure(t, fmt.Sprintf("%d requests, %d bodies", sent, bodies), "all as in the contract; %d MB after the first round, %d MB at the end", before/1e6, after/1e6)
}

// sendBodies sends requests with bodies to a replica, or to the proxy in front of it, each on a connection of its own,
// and wants a whole response and then the end of the connection. front is the configuration in deploy of the proxy, or
// "". It returns their number.
func sendBodies(t *testing.T, r *replica, front, uid string) (sent int) {
	address := r.API
	if front != "" {
		testkit.Long(t, "runs a proxy")
		address = startDeployed(t, front, []*stage.Server{r.Server, r.Server, r.Server})
		testkit.Eventually(t, "the proxy reaches the replica", func() bool {
			status, _, err := get("http://"+address+pubs+"?pubid="+uid, demo)
			return err == nil && status == http.StatusOK
		})
	}
	for _, size := range []int{1e3, 1e4, 1e5, 1e6, 1e7} {
		body := strings.Repeat("x", size)
		for method, want := range map[string]int{"GET": 413, "POST": 405, "PUT": 405} {
			request := wire(method, pubs+"?pubid="+uid, fmt.Sprint("Content-Length: ", size), "Connection: close") + body
			var clients sync.WaitGroup
			each := pick(1, 10)
			for range 10 { // at a time: more would keep a busy machine's HAProxy from its work until its own timeouts
				clients.Go(func() {
					for range each {
						got, err := converse(address, request)
						statuses, broken := statusesOf(got, method)
						testkit.FailIf(t, err != nil || broken != nil || !slices.Equal(statuses, []int{want}), "%s with %d bytes: got %v %v %v, want %d", method, size, statuses, err, broken, want)
					}
				})
			}
			clients.Wait()
			sent += 10 * each
		}
	}
	return sent
}

func lookup(uid string, lines ...string) string { return wire("GET", pubs+"?pubid="+uid, lines...) }

// statusesOf returns the statuses of all responses in a stream. The first answers a request of a method, the others
// GET requests.
func statusesOf(stream []byte, method string) (statuses []int, err error) {
	r := bufio.NewReader(bytes.NewReader(stream))
	for {
		if _, err := r.Peek(1); err == io.EOF {
			return statuses, nil
		}
		response, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			return statuses, fmt.Errorf("answer %d: %w", len(statuses)+1, err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return statuses, fmt.Errorf("body of answer %d: %w", len(statuses)+1, err)
		}
		statuses = append(statuses, response.StatusCode)
		// A server that rejects a request before it has parsed the method HEAD sends a body.
		if next, _ := r.Peek(5); method == http.MethodHead && response.StatusCode >= 400 && len(next) > 0 && string(next) != "HTTP/" {
			return statuses, nil
		}
		if response.StatusCode != 100 {
			method = http.MethodGet
		}
	}
}

// converse sends bytes and returns what the server sends until it closes the connection.
func converse(address, sent string) ([]byte, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(load.Limit))
	_, _ = io.WriteString(c, sent) // fails if the server closes first
	return io.ReadAll(c)
}

// The memory that a replica may use, and the queries of the floods: up to 1,000 pubs, in the shortest and in the
// longest form.
const (
	floodMemory  = 512 << 20
	largeQuery   = "search=*&lat=51.5&lng=-0.1&distance=50"
	largestQuery = largeQuery + "&include=rankings,local_rankings,match,label&format=geojson"
)

// A flood is connections that each send one request and never read.
type flood struct {
	name    string
	front   string // the configuration in deploy of the proxy in front of three replicas; "" for one replica without a proxy
	query   string
	rate    float64 // new connections per second
	most    int     // open at once; then a new connection replaces the oldest
	total   int     // connections; 0 for no limit
	keyRate int     // limit of their key, in requests per second; 0 for no limit
	segment int     // TCP's maximum segment size in bytes; 0 for that of loopback
	// clients is the number of clients, each with its own key and address. 0 is one client with the key and the
	// address of the other traffic, which differs only in its requests.
	clients int
	public  bool // all clients, and the others, have one public key
	unpaged int  // --max-unpaged of the replicas; 0 for the default, above which a proxy does not hold whole answers
}

// ethernet is most clients' maximum segment size in bytes, with which a server's kernel buffers some hundred kilobytes
// of a response. Loopback has segments of 64 KiB, with which it buffers more than a megabyte.
const ethernet = 1448

var floods = []flood{
	{name: "bare", query: largeQuery, rate: 400, most: 6000, segment: ethernet, clients: 1},
	{name: "bare in segments of 64 KiB", query: largestQuery, rate: 400, most: 6000, clients: 1},
	{name: "bare with a rate", query: largestQuery, rate: 50, most: 6000, keyRate: 50, segment: ethernet, clients: 1},
	{name: "bare in one go", query: largestQuery, rate: 20_000, most: 2000, total: 2000, segment: ethernet, clients: 1},
	{name: "bare with a public key, which the others have, and 10 addresses", query: largestQuery, rate: 500, most: 6000, segment: ethernet, clients: 10, public: true},
	{name: "bare with 10 keys and addresses", query: largestQuery, rate: 500, most: 6000, segment: ethernet, clients: 10},
	behind("HAProxy", "haproxy.cfg", 1),
	behind("HAProxy with 10 keys and addresses", "haproxy.cfg", 10),
	behind("HAProxy with the key and address of the others", "haproxy.cfg", 0),
	behind("nginx", "nginx.conf", 1),
	{name: "nginx with longer answers than it holds, so that all replicas answer 503", front: "nginx.conf", query: largestQuery, rate: 500, most: 6000, segment: ethernet, clients: 1, unpaged: 8000},
	behind("nginx with 10 keys and addresses", "nginx.conf", 10),
	behind("nginx with the key and address of the others", "nginx.conf", 0),
}

func behind(name, front string, clients int) flood {
	return flood{name: name, front: front, query: largestQuery, rate: 500, most: 6000, segment: ethernet, clients: clients}
}

func TestH4(t *testing.T) {
	timedRow(t, "clients that ask for large answers and never read, 6,000 at once or 2,000 in one go, bare and through HAProxy and nginx as in deploy; 1,500 expensive requests of a million pubs at once",
		"no replica is killed or holds more than 512 MiB; at most 1 in 100 answers to others is later than 2 s; only large ones get 503, if they share the key or, behind a proxy, its limits")
	needHandles(t, 6000+500)
	s := directoryOf(t, manyPubs).snapshots[0] // few pubs have no large answers
	var all *floodResult
	for i, f := range floods {
		if !full() && i != 0 && i != 3 && (f.front == "" || f.clients != 1) {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			got := f.run(t, s)
			for attempt := 1; attempt < attempts && full() && got.late(); attempt++ {
				t.Log(got)
				got = f.run(t, s)
			}
			t.Log(got)
			got.judge(t)
			all = got.with(all)
		})
	}
	var answers int
	var expensive string
	t.Run("expensive requests", func(t *testing.T) { answers, expensive = floodExpensive(t) })
	if all != nil { // nil if -run names none
		figure(t, fmt.Sprintf("%d connections, %d answers to others", all.sent, all.small.Sent()+all.large.Sent()+answers), "%v; %s", all, expensive)
	}
}

// heavy are requests that take milliseconds of CPU and megabytes of memory at a million pubs.
var heavy = []struct{ method, target string }{
	{"GET", pubs + "?search=the&sort=relevance&facets=location,trading,common_category&lat=52&lng=-1&distance=1000&amount=100"},
	{"GET", "/api/v1/suggest?search=the&near=60,25"},
	{"HEAD", "/api/v1/suggest?search=the&near=60,25"},
	{"GET", "/places"},
	{"HEAD", "/sitemaps/pubs-1.xml"},
}

// floodExpensive has one client send 1,500 expensive requests at once to a replica of a million pubs. Others must get
// their answers, also to expensive searches, and its memory must stay bounded.
func floodExpensive(t *testing.T) (answers int, said string) {
	const grows = 256 << 20
	source, file := filepath.Join(t.TempDir(), "pubs.csv"), filepath.Join(t.TempDir(), "keys")
	testkit.OK(t, bench.WriteDirectory(source, pick(manyPubs, 1_000_000)))
	honest, hostile := addKey(t, file, "honest"), addKey(t, file, "hostile")
	r := serveUnder(t, nil, source, "--keys", file, "--public-pages")
	s := r.answersTo(t, source, honest, []string{pubs + "?search=anchor&amount=3", pubs + "?search=arms&sort=relevance&facets=location"})
	load := func(rate float64, target string) (stop func() *load.Tally) {
		l := r.load(rate, s.only(func(one string) bool { return one == target }))
		l.Key, l.Connections = honest, 16
		return l.Start(t.Context())
	}
	before, _ := r.memory()
	stopCheap, stopCostly := load(160, s.targets[0]), load(5, s.targets[1])
	for n := range pick(300, 1500) {
		one := heavy[n%len(heavy)]
		c := testkit.Must((&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).Dial("tcp", r.API))(t)
		defer c.Close()
		testkit.Must(io.WriteString(c, strings.ReplaceAll(wire(one.method, one.target), demo, hostile)))(t)
	}
	time.Sleep(pick(time.Second, 10*time.Second)) // for the load to go on beside them
	cheap, costly := stopCheap(), stopCostly()
	_, peak := r.memory()
	testkit.FailIf(t, cheap.Failed()+costly.Failed() > 0 || peak-before > grows || full() && max(cheap.P99(), costly.P99()) > 2*time.Second,
		"others: %v, p99 %v; expensive ones: %v, p99 %v; %d MiB more, want all answered within 2 s, and at most %d MiB", cheap, cheap.P99(), costly, costly.P99(), (peak-before)>>20, grows>>20)
	return cheap.Sent() + costly.Sent(), fmt.Sprintf("1,500 expensive requests at once, of a million pubs: others: %v, p99 %v; their expensive ones: %v, p99 %v; %d MiB more resident",
		cheap, cheap.P99(), costly, costly.P99(), (peak-before)>>20)
}

// A floodResult is the effect of a flood. Sizes are in bytes.
type floodResult struct {
	sent    int   // requests of the flood
	peak    int64 // peak resident memory of any replica
	killed  int   // replicas that ended
	sockets int64 // peak growth of TCP's buffers on this machine
	alone   bool  // one replica without a proxy
	shared  bool  // the others share the key of the flood, or the limits of a proxy
	// held is the peak of large answers in flight of any replica, budget its limit.
	held, budget float64
	small, large *load.Tally
}

// judge fails the test unless all replicas survived within the limits and the other clients got their answers. A
// cgroup's memory includes socket buffers. Without a proxy, nearly all of them belong to the replica.
func (r *floodResult) judge(t *testing.T) {
	held := r.peak
	if r.alone {
		held += r.sockets
	}
	rejected := 0
	if r.shared {
		rejected = r.large.Statuses[503]
	}
	testkit.FailIf(t, r.killed > 0 || held > floodMemory || r.held > r.budget || r.small.Failed() > 0 || r.large.Failed() > rejected ||
		full() && r.late(),
		"got %v; want none killed, at most %d MiB, within the budget, and the others answered within 2 s", r, floodMemory>>20)
}

// with returns what two floods did together, and the worst of either; other may be nil.
func (r *floodResult) with(other *floodResult) *floodResult {
	if other == nil {
		return r
	}
	both := floodResult{sent: r.sent + other.sent, peak: max(r.peak, other.peak), killed: r.killed + other.killed,
		sockets: max(r.sockets, other.sockets), held: max(r.held, other.held), budget: r.budget}
	both.small, both.large = r.small.Add(other.small), r.large.Add(other.large)
	return &both
}

// late reports whether more than 1 in 100 answers to other clients took more than 2 s.
func (r *floodResult) late() bool { return max(r.small.P99(), r.large.P99()) > 2*time.Second }

func (r *floodResult) String() string {
	return fmt.Sprintf("%d connections, %d replicas ended, at most %d MiB resident, %d MiB in sockets, %.0f of %.0f MiB in flight; others: %v, p99 %v; answers that may be large: %v, of them %d times 503, p99 %v",
		r.sent, r.killed, r.peak>>20, r.sockets>>20, r.held/(1<<20), r.budget/(1<<20), r.small, r.small.P99(), r.large, r.large.Statuses[503], r.large.P99())
}

// run floods replicas, through a proxy if there is one, while other clients send requests.
func (f *flood) run(t *testing.T, s *snapshot) *floodResult {
	file := filepath.Join(t.TempDir(), "keys")
	var hostile, flags []string
	if f.public {
		flags = []string{"--public", "--rate-per-client", "1000000"}
	}
	honest := addKey(t, file, "honest", flags...)
	if f.keyRate > 0 {
		flags = []string{"--rate", fmt.Sprint(f.keyRate)}
	}
	for i := range f.clients {
		if f.public {
			hostile = append(hostile, honest)
			continue
		}
		hostile = append(hostile, addKey(t, file, fmt.Sprint("hostile-", i), flags...))
	}
	if f.clients == 0 {
		hostile = []string{honest}
	}
	start := func() *replica {
		flags := append(builtOnce(), "--keys", file)
		if f.unpaged > 0 {
			flags = append(flags, "--max-unpaged", fmt.Sprint(f.unpaged))
		}
		return serveUnder(t, limited(floodMemory), s.file, flags...)
	}
	replicas := []*replica{start()}
	address := replicas[0].API
	if f.front != "" {
		replicas = append(replicas, start(), start())
		address = startDeployed(t, f.front, []*stage.Server{replicas[0].Server, replicas[1].Server, replicas[2].Server})
	}
	got := &floodResult{alone: f.front == "", shared: f.clients == 0 || f.unpaged > 0 || f.front != "" && f.clients > 1, budget: replicas[0].seriesSum("pubd_in_flight_limit_bytes ")}
	honestly := func(rate float64, large bool) *load.Load {
		l := replicas[0].load(rate, s.only(func(target string) bool { return mayBeLarge(target) == large }))
		l.Address, l.Key, l.Connections = address, honest, 16
		return l
	}
	small, fresh, large := honestly(160, false), honestly(20, false), honestly(20, true)
	fresh.Once = true
	stopSmall, stopFresh, stopLarge := small.Start(t.Context()), fresh.Start(t.Context()), large.Start(t.Context())
	during, cancel := context.WithTimeout(t.Context(), pick(1500*time.Millisecond, 15*time.Second))
	defer cancel()
	sent := make(chan int, 1)
	go func() { sent <- f.flow(during, address, hostile) }()
	if f.front != "" && f.clients == 1 {
		testkit.Eventually(t, "who is above the limit of "+f.front+" is told so", func() bool {
			status, body, err := get("http://"+address+pubs+"?"+f.query, hostile[0])
			return err == nil && status == http.StatusServiceUnavailable && strings.Contains(string(body), `"overloaded"`)
		})
	}
	got.watch(during, replicas)
	cancel()
	got.sent = <-sent
	got.small, got.large = stopSmall().Add(stopFresh()), stopLarge()
	return got
}

// mayBeLarge reports whether the answer to a request may be large: to a circle without an amount.
func mayBeLarge(target string) bool {
	return strings.Contains(target, "distance=") && !strings.Contains(target, "amount=")
}

// flow opens connections and sends a request on each, with the keys in turn, until ctx is done. It returns the number
// of requests.
func (f *flood) flow(ctx context.Context, address string, keys []string) int {
	var wait sync.WaitGroup
	var mu sync.Mutex // guards requests and open
	var requests int
	var open []net.Conn
	most := pick(min(f.most, 300), f.most)
	atOnce := make(chan struct{}, 64)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	begun := time.Now()
	for sent := 0; ctx.Err() == nil; <-tick.C {
		for ; ctx.Err() == nil && (f.total == 0 || sent < f.total) && float64(sent) < time.Since(begun).Seconds()*f.rate; sent++ {
			atOnce <- struct{}{}
			client := sent % len(keys)
			wait.Go(func() {
				defer func() { <-atOnce }()
				dialer := net.Dialer{Timeout: 2 * time.Second, Control: smallBuffer(2048, f.segment)}
				if f.clients > 0 {
					dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+client))}
				}
				c, err := dialer.DialContext(ctx, "tcp", address)
				if err != nil {
					return
				}
				_, err = fmt.Fprintf(c, "GET %s?%s HTTP/1.1\r\nHost: pubd\r\nx-api-key: %s\r\n\r\n", pubs, f.query, keys[client])
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					requests++
				}
				if open = append(open, c); len(open) > most {
					_ = open[0].Close()
					open = open[1:]
				}
			})
		}
	}
	wait.Wait()
	for _, c := range open {
		_ = c.Close()
	}
	return requests
}

// watch records the memory of replicas until ctx is done or one exceeds twice its limit.
func (r *floodResult) watch(ctx context.Context, replicas []*replica) {
	for before := socketMemory(); ctx.Err() == nil && r.peak < 2*floodMemory; time.Sleep(50 * time.Millisecond) {
		r.killed = 0
		for _, replica := range replicas {
			_, peak, err := stage.Memory(replica.ID())
			if err != nil {
				r.killed++
			}
			r.peak = max(r.peak, peak)
			if _, exported, err := get("http://"+replica.Admin+"/metrics", ""); err == nil {
				if held, err := seriesSumIn(exported, "pubd_in_flight_bytes "); err == nil {
					r.held = max(r.held, held)
				}
			}
		}
		r.sockets = max(r.sockets, socketMemory()-before)
	}
}

// socketMemory returns the size of all TCP buffers on this machine.
func socketMemory() int64 {
	stat, _ := os.ReadFile("/proc/net/sockstat")
	for line := range strings.Lines(string(stat)) {
		var inUse, orphan, waiting, allocated, memoryPages int64
		if _, err := fmt.Sscanf(line, "TCP: inuse %d orphan %d tw %d alloc %d mem %d", &inUse, &orphan, &waiting, &allocated, &memoryPages); err == nil {
			return memoryPages * int64(os.Getpagesize())
		}
	}
	return 0
}

// startDeployed starts HAProxy or nginx with a configuration in deploy, in front of three replicas, and stops it when
// the test ends.
func startDeployed(t *testing.T, name string, servers []*stage.Server) (address string) {
	t.Helper()
	process, address, err := stage.StartDeployed(t.Context(), "../../deploy", name, t.TempDir(), servers)
	testkit.OK(t, err)
	t.Cleanup(process.Stop)
	return address
}
