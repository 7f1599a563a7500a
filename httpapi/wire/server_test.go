package wire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/httpapi"
	"pubd/httpapi/keys"
	"pubd/httpapi/response"
	"pubd/httpapi/web"
	"pubd/index"
	"pubd/loader"
)

// patience is the time limit for what is immediate when all is well.
const patience = 20 * time.Second

// everything asks for all pubs, or as many as an answer may have.
const everything = "/api/v1/pubs/?search=*&lat=52&lng=-1&distance=20000"

// secret returns the secret of a key.
func secret(name string) string {
	return "pubd_" + strings.Repeat(name+"0123456789abcdefghijklmnopqrstuv", 2)[:32]
}

// generated are the snapshots of newService by the number of their pubs, which no test may release.
var generated = map[int]*index.Snapshot{}

// snapshotOf returns a snapshot of that many generated pubs.
func snapshotOf(t testing.TB, pubs int, seed uint64) *index.Snapshot {
	t.Helper()
	var file bytes.Buffer
	testkit.OK(t, data.Generate(&file, pubs, seed, nil))
	loaded := testkit.Must(loader.Load("pubs.csv", file.Bytes(), loader.Options{}))(t)
	return testkit.Must(index.InMemory(loaded.Directory, index.BuildOptions{Source: sha256.Sum256(file.Bytes())}))(t)
}

// newService returns a service of generated pubs with the keys a and b.
func newService(t testing.TB, pubs int, config httpapi.Config) *httpapi.Service {
	t.Helper()
	var lines bytes.Buffer
	for _, name := range []string{"a", "b"} {
		fmt.Fprintf(&lines, `{"name":%q,"sha256":"%x"}`+"\n", name, sha256.Sum256([]byte(secret(name))))
	}
	s := httpapi.New(config)
	s.ArrangeKeys(testkit.Must(keys.Parse("keys", lines.Bytes()))(t), httpapi.Loads{})
	if generated[pubs] == nil {
		generated[pubs] = snapshotOf(t, pubs, 7)
	}
	s.Arrange(httpapi.Arrangement{Served: generated[pubs]})
	return s
}

// request returns a request with a key.
func request(method, target, key string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: pubs.test\r\nx-api-key: " + secret(key) + "\r\n\r\n"
}

// dial connects from an address of this machine and sends something; a small buffer is the receive buffer in bytes,
// unless it is 0. The connection is closed when the test ends.
func dial(t testing.TB, from, address, sent string, buffer int) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(handle uintptr) {
			if buffer > 0 {
				_ = syscall.SetsockoptInt(int(handle), syscall.SOL_SOCKET, syscall.SO_RCVBUF, buffer)
			}
		})
	}}
	c := testkit.Must(dialer.Dial("tcp", address))(t)
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(c, sent) // fails if the server has closed it
	return c
}

// fetch sends a request on a new connection from an address of this machine, and returns the status and the body of
// its response.
func fetch(t testing.TB, from, address, target, key string) (status int, body string) {
	t.Helper()
	c := dial(t, from, address, request("GET", target, key), 0)
	defer c.Close()
	response := testkit.Must(http.ReadResponse(bufio.NewReader(c), nil))(t)
	content := testkit.Must(io.ReadAll(response.Body))(t)
	return response.StatusCode, string(content)
}

// A load balancer stands for many clients: it may hold all connections.
func TestProxiesHoldAnyNumberOfConnections(t *testing.T) {
	config := httpapi.Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	server := New(newService(t, 500, config), Config{MaxConnections: 20})
	address := testkit.Serve(t, server)
	for range 20 {
		c := dial(t, "127.0.0.2", address, request("GET", everything, "a"), 0)
		testkit.Must(http.ReadResponse(bufio.NewReader(c), nil))(t)
	}
	got := server.Traffic()
	testkit.FailIf(t, got.Connections != 20 || got.Refused != 0, "got %+v, want 20 connections", got)
}

// Whatever clients do, and whenever they go, nothing of it is held in the end, and everyone gets turns.
func TestNothingIsHeldInTheEnd(t *testing.T) {
	service := newService(t, 3000, httpapi.Config{MaxUnpaged: 1000, KeepFor: time.Second})
	snapshot := snapshotOf(t, 3000, 9)
	service.Arrange(httpapi.Arrangement{Served: snapshot})
	snapshot.Release()
	server := New(service, Config{MaxInFlight: 4 << 20, MaxConnections: 60})
	free := freeTurns(server.admission)
	address := testkit.Serve(t, server)
	targets := []string{everything, "/api/v1/export", "/api/v1/export?rated=1&format=ndjson", "/api/v1/pubs/?search=*&facets=location",
		"/api/v1/pubs/?search=*&amount=1", "/no"}
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(n), 5))
			for range 40 {
				var sent string
				for range 1 + rng.IntN(8) {
					r := request([]string{"GET", "GET", "GET", "HEAD", "OPTIONS"}[rng.IntN(5)], targets[rng.IntN(len(targets))], []string{"a", "b"}[rng.IntN(2)])
					if rng.IntN(2) == 0 {
						r = strings.Replace(r, "HTTP/1.1", "HTTP/1.0", 1)
					}
					sent += r
				}
				if rng.IntN(3) == 0 {
					sent = sent[:rng.IntN(len(sent))]
				}
				c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+n%5))}}).Dial("tcp", address)
				if err != nil {
					continue
				}
				_, _ = io.WriteString(c, sent)
				switch _ = c.SetDeadline(time.Now().Add(100 * time.Millisecond)); rng.IntN(3) {
				case 0:
					_, _ = io.CopyN(io.Discard, c, int64(rng.IntN(200_000)))
				case 1:
					_, _ = io.Copy(io.Discard, c)
				}
				_ = c.Close()
			}
		})
	}
	all.Wait()
	testkit.Eventually(t, "nothing held", func() bool { return server.Traffic().Connections == 0 && server.Traffic().InFlight == 0 })
	a := server.admission
	a.mu.Lock()
	testkit.FailIf(t, len(a.responses.by)+len(a.connections.by)+len(a.open)+len(a.turns[httpapi.LongTurn].waiting.by) > 0 || freeTurns(a) != free,
		"left: %v %v, %d connections, %d lines, %v of %v turns", a.responses.by, a.connections.by, len(a.open), len(a.turns[httpapi.LongTurn].waiting.by), freeTurns(a), free)
	a.mu.Unlock()
	service.Arrange(httpapi.Arrangement{})
	testkit.Eventually(t, "the snapshot is released", func() bool {
		if snapshot.Acquire() {
			snapshot.Release()
			return false
		}
		return true
	})
}

// A response that proves large after its admission is admitted again, or rejected: the bytes in flight stay within
// their limit.
func TestLongPubsAreCounted(t *testing.T) {
	const limit = 256 << 10
	var file bytes.Buffer
	file.WriteString("uid,name,address\n")
	for n := range 2000 {
		fmt.Fprintf(&file, "%d,A%d,%s\n", n, n, strings.Repeat("x", 950*(n%100/99)))
	}
	loaded := testkit.Must(loader.Load("pubs.csv", file.Bytes(), loader.Options{}))(t)
	service := newService(t, 10, httpapi.Config{})
	service.Arrange(httpapi.Arrangement{Served: testkit.Must(index.InMemory(loaded.Directory, index.BuildOptions{}))(t)})
	server := New(service, Config{MaxInFlight: limit})
	address := testkit.Serve(t, server)
	const long = "/api/v1/pubs/?pubids=99,199,299,399,499,599,699,799,899,999&include=address"
	for range 50 {
		dial(t, "127.0.0.2", address, strings.Repeat(request("GET", long, "a"), 20), 2<<10)
	}
	testkit.Eventually(t, "some are rejected", func() bool { return server.Traffic().Overloaded > 0 })
	held := server.Traffic().InFlight
	testkit.FailIf(t, held > limit, "%d bytes are in flight, the limit is %d", held, limit)
	status, body := fetch(t, "127.0.0.1", address, long, "b")
	testkit.FailIf(t, status != 200 || len(body) < 10_000, "another key: got %d, %d bytes", status, len(body))
}

// A titledFile is web pages of one file, which each query has copied.
type titledFile struct{ onlyFile }

func (t titledFile) Render([]byte, web.PageRequest, *index.Snapshot, *index.Workspace) web.Page {
	return web.Page{Status: 200, Body: bytes.Clone(t.Body)}
}

// What a response really holds counts for its key, although it was too small to be asked about, and so does that of a
// page without one.
func TestSmallDemandsAreCounted(t *testing.T) {
	page := titledFile{onlyFile{web.File{Path: "/", Body: make([]byte, smallDemand)}}}
	for target, key := range map[string]string{"/api/v1/pubs/?search=*&amount=36": "a", "/?search=lion": ""} {
		server := New(newService(t, 500, httpapi.Config{WebPages: page}), Config{})
		dial(t, "127.0.0.1", testkit.Serve(t, server), strings.Repeat(request("GET", target, "a"), 100), 2<<10)
		testkit.Eventually(t, target+" holds bytes", func() bool {
			a := server.admission
			a.mu.Lock()
			defer a.mu.Unlock()
			return a.responses.by[tenant{key: key}] > 0
		})
	}
}

// While bytes are to be saved, what a slow client keeps of a small response is at most twice its length, also after
// large ones, whose memory is reused.
func TestRepliesHoldLittle(t *testing.T) {
	server := New(newService(t, 5000, httpapi.Config{MaxUnpaged: 1000}), Config{})
	c, r, in := &connection{server: server}, new(reply), server.inputs.Get().(*input)
	for range 10 {
		for _, target := range []string{everything, "/api/v1/pubs/?search=*&lat=52&lng=-1&distance=100&amount=40"} {
			testkit.OK(t, in.read(bufio.NewReader(strings.NewReader(request("GET", target, "a")))))
			c.grant = grant{}
			x := server.service.AcquireExchange()
			in.fill(&x.Request, c)
			x.Handle(c)
			c.grant.isTight = true
			held := r.prepare(c, x, in, time.Now())
			x.Release()
			length := int64(len(r.body))
			testkit.FailIf(t, length == 0 || held > 2*length, "%s: holds %d bytes for %d", target, held, length)
			server.admission.finish(&c.grant, 0)
			server.deliveries.Put(r.delivery)
		}
	}
}

// A client that does not take its response in time is reset, and the kernel keeps nothing for it.
func TestStalledClientsAreReset(t *testing.T) {
	server := New(newService(t, 5000, httpapi.Config{MaxUnpaged: 1000}), Config{})
	server.timeouts.write = 300 * time.Millisecond
	c := dial(t, "127.0.0.1", testkit.Serve(t, server), request("GET", everything, "a"), 2<<10)
	testkit.Eventually(t, "sending", func() bool { return server.Traffic().InFlight > 0 })
	testkit.Eventually(t, "closed", func() bool { return server.Traffic().Connections == 0 && server.Traffic().InFlight == 0 })
	_, err := io.Copy(io.Discard, c)
	testkit.FailIf(t, !errors.Is(err, syscall.ECONNRESET), "got %v, want a reset", err)
}

// An export continues with its snapshot after a reload, and holds two chunks.
func TestExportToSlowReader(t *testing.T) {
	service := newService(t, 20_000, httpapi.Config{KeepFor: patience})
	server := New(service, Config{})
	address := testkit.Serve(t, server)
	_, want := fetch(t, "127.0.0.1", address, "/api/v1/export", "a")
	testkit.Eventually(t, "nothing of it in flight", func() bool { return server.Traffic().InFlight == 0 })
	c := dial(t, "127.0.0.1", address, request("GET", "/api/v1/export", "a"), 2<<10)
	got := testkit.Must(http.ReadResponse(bufio.NewReader(c), nil))(t)
	held := server.Traffic().InFlight
	service.Arrange(httpapi.Arrangement{Served: snapshotOf(t, 10, 8)})
	received, err := io.ReadAll(got.Body)
	testkit.FailIf(t, err != nil || string(received) != want,
		"while another snapshot is published: got %d bytes, %v, want %d", len(received), err, len(want))
	testkit.FailIf(t, held != 2*response.ChunkSize,
		"held %d bytes during the export, want %d", held, 2*response.ChunkSize)
	testkit.Eventually(t, "nothing in flight", func() bool { return server.Traffic().InFlight == 0 })
}

// Why an export is cut short is counted and logged. If it cannot even begin, its response is an error.
func TestExportsSayWhyTheyEnd(t *testing.T) {
	var log testkit.Output
	service := newService(t, 20_000, httpapi.Config{AccessLog: httpapi.LogErrors, Log: zerolog.New(&log)})
	server := New(service, Config{})
	server.timeouts.write = 300 * time.Millisecond
	address := testkit.Serve(t, server)
	dial(t, "127.0.0.1", address, request("GET", "/api/v1/export", "a"), 2<<10)
	testkit.Eventually(t, "nothing in flight", func() bool { return service.Report().Cut == 1 && server.Traffic().InFlight == 0 })
	testkit.Contains(t, "log", log.String(), `"key":"a","bytes":`, "i/o timeout", `"message":"export cut short"`)
	server.admission.mu.Lock()
	server.admission.turns[httpapi.LongTurn].free = 0
	server.admission.mu.Unlock()
	status, body := fetch(t, "127.0.0.1", address, "/api/v1/export", "a")
	testkit.Equal(t, "without a turn", fmt.Sprint(status, " ", body, server.Traffic().InFlight, service.Report().Cut),
		`503 {"error":"Too many large answers in flight","code":"overloaded","status":503}0 1`)
	testkit.Contains(t, "log", log.String(), `"operation":"export","status":503`)
}

// A client must read an export at the minimum rate on average, and one that was fast must not stall for long.
func TestDeadlinesOfExports(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		label string
		ago   time.Duration // since the export began
		sent  int64
		want  time.Duration // until the deadline; 0 if it is over
	}{
		{"at the beginning", 0, 0, writeTimeout},
		{"after a terabyte in a minute", time.Minute, 1 << 40, writeTimeout},
		{"at the minimum rate", time.Minute, 60 * minRate, writeTimeout},
		{"slower", time.Minute, 50 * minRate, writeTimeout - 10*time.Second},
		{"too slow", time.Minute, 40 * minRate, 0},
	} {
		c1 := &connection{server: New(httpapi.New(httpapi.Config{}), Config{})}
		by, err := (&stream{connection: c1, started: now.Add(-c.ago), sent: c.sent}).deadline(now)
		testkit.FailIf(t, (err == errSlow) != (c.want == 0) || c.want != 0 && by.Sub(now).Round(time.Millisecond) != c.want,
			"%s: got %v, %v, want %v", c.label, by.Sub(now), err, c.want)
	}
}

// HEAD of an export generates nothing of it, in HTTP/1.0 either, where a GET sends all until the connection ends. What
// is generated counts against the rate of the key.
func TestHeadOfExportGeneratesNothing(t *testing.T) {
	for _, version := range []string{"HTTP/1.0", "HTTP/1.1"} {
		for method, want := range map[string]int{"HEAD": 200, "GET": 429} {
			service := newService(t, 5000, httpapi.Config{MaxUnpaged: 1000})
			service.ArrangeKeys(testkit.Must(keys.Parse("keys", fmt.Appendf(nil, `{"name":"a","sha256":"%x","rate":10}`, sha256.Sum256([]byte(secret("a"))))))(t), httpapi.Loads{})
			address := testkit.Serve(t, New(service, Config{}))
			sent := strings.Replace(request(method, "/api/v1/export?search=*&rated=1", "a"), "HTTP/1.1\r\n", version+"\r\nConnection: close\r\n", 1)
			received := testkit.Must(io.ReadAll(dial(t, "127.0.0.1", address, sent, 0)))(t)
			_, body, _ := strings.Cut(string(received), "\r\n\r\n")
			testkit.FailIf(t, !strings.HasPrefix(string(received), "HTTP/1.1 200") || (method == "HEAD") != (body == ""),
				"%s %s: got %.100q, and %d bytes", method, version, received, len(body))
			status, _ := fetch(t, "127.0.0.1", address, "/api/v1/pubs/?search=*&amount=1", "a")
			testkit.FailIf(t, status != want, "after %s in %s: got %d, want %d", method, version, status, want)
		}
	}
}

// When a connection ends by a timeout or a reset, a request that has begun is answered and logged. A connection
// without a request, such as a preconnect or a TCP health check, is not.
func TestInterruptedConnections(t *testing.T) {
	lookup := request("GET", "/api/v1/pubs/?search=*&amount=1", "a")
	const short = 300 * time.Millisecond
	reading, waiting := timeouts{short, patience, time.Hour}, timeouts{time.Hour, patience, short} // which of them ends it
	for _, c := range []struct {
		label, sent, later string // later is sent after an answer
		timeouts           timeouts
		resets             bool
		want               string // answered and logged
	}{
		{"silent", "", "", reading, false, ""},
		{"silent, reset", "", "", reading, true, ""},
		{"line ends", "\r\n\r\n", "", reading, false, ""},
		{"half a request", "GET /api/v1/pubs/?pubid=u01 HTTP/1.1\r\nHost: pubs.test\r\n", "", reading, false, "400"},
		{"silent after an answer", lookup, "", waiting, false, "200"},
		{"half a request after an answer", lookup + "GET /api", "", reading, false, "200 400"},
		{"half a request later", lookup, "GET /api", reading, false, "200 400"},
	} {
		t.Run(c.label, func(t *testing.T) {
			var log testkit.Output
			server := New(newService(t, 10, httpapi.Config{AccessLog: httpapi.LogAll, Log: zerolog.New(&log)}), Config{})
			server.timeouts = c.timeouts
			connection := dial(t, "127.0.0.1", testkit.Serve(t, server), c.sent, 0)
			testkit.Eventually(t, "open", func() bool { return server.Traffic().Connections == 1 })
			if c.later != "" {
				testkit.Eventually(t, "answered", func() bool { return log.String() != "" })
				testkit.Must(io.WriteString(connection, c.later))(t)
			}
			var received []byte
			if c.resets {
				_ = connection.(*net.TCPConn).SetLinger(0)
				_ = connection.Close()
			} else {
				received = testkit.Must(io.ReadAll(connection))(t)
			}
			testkit.Eventually(t, "closed", func() bool { return server.Traffic().Connections == 0 })
			for what, found := range map[string][][]string{"answered": regexp.MustCompile(`HTTP/1.1 (\d+)`).FindAllStringSubmatch(string(received), -1),
				"logged": regexp.MustCompile(`"status":(\d+)`).FindAllStringSubmatch(log.String(), -1)} {
				var got []string
				for _, one := range found {
					got = append(got, one[1])
				}
				testkit.FailIf(t, strings.Join(got, " ") != c.want, "%s %v, want %s", what, got, c.want)
			}
		})
	}
}

// An onlyFile is web pages of one file.
type onlyFile struct{ web.File }

func (f onlyFile) Files(string, *index.Snapshot) []web.File {
	return []web.File{f.File}
}

func (onlyFile) Render([]byte, web.PageRequest, *index.Snapshot, *index.Workspace) web.Page {
	return web.Page{Status: 404}
}

// A request that gets no turn of its kind says so, and when to try again, and is counted.
func TestOverloaded(t *testing.T) {
	const overloaded = `{"error":"Too many large answers in flight","code":"overloaded","status":503}`
	file := web.File{Path: "/large", Large: &web.LargeFile{ReaderAt: strings.NewReader("a"), Size: 1, ETag: `"1"`}}
	for turn, target := range [httpapi.TurnCount]string{httpapi.ShortTurn: "/api/v1/pubs/?search=lion", httpapi.LongTurn: "/api/v1/pubs/?search=lion&facets=location",
		httpapi.FileTurn: "/large"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			server := New(newService(t, 10, httpapi.Config{WebPages: onlyFile{file}}), Config{})
			server.admission.turns[turn].free = 0
			c := dial(t, "127.0.0.1", testkit.Serve(t, server), strings.Replace(request("GET", target, "a"), "\r\n", "\r\nRange: bytes=0-\r\n", 1), 0)
			response := testkit.Must(http.ReadResponse(bufio.NewReader(c), nil))(t)
			body := testkit.Must(io.ReadAll(response.Body))(t)
			testkit.FailIf(t, response.StatusCode != 503 || response.Header.Get("Retry-After") != "1" || string(body) != overloaded || server.Traffic().Overloaded != 1,
				"got %d, Retry-After %q, %s, counted %d, want %s", response.StatusCode, response.Header.Get("Retry-After"), body, server.Traffic().Overloaded, overloaded)
		})
	}
}

// A shutdown closes connections that wait for another request, and waits for those that may still send their first.
func TestShutdown(t *testing.T) {
	server := New(newService(t, 10, httpapi.Config{}), Config{})
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	served, shut := make(chan error, 1), make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	lookup := request("GET", "/api/v1/pubs/?search=*&amount=1", "a")
	used, unused := dial(t, "127.0.0.1", l.Addr().String(), lookup, 0), dial(t, "127.0.0.1", l.Addr().String(), "", 0)
	reader := bufio.NewReader(used)
	response := testkit.Must(http.ReadResponse(reader, nil))(t)
	testkit.Must(io.Copy(io.Discard, response.Body))(t)
	testkit.Eventually(t, "both taken on", func() bool { return server.Traffic().Connections == 2 })
	go func() { shut <- server.Shutdown(t.Context()) }()
	rest, err := io.ReadAll(reader)
	testkit.FailIf(t, err != nil || len(rest) > 0, "the used connection: got %q, %v, want its end", rest, err)
	testkit.Must(io.WriteString(unused, lookup))(t)
	if last := string(testkit.Must(io.ReadAll(unused))(t)); !strings.HasPrefix(last, "HTTP/1.1 200") || !strings.Contains(last, "\r\nConnection: close\r\n") {
		t.Errorf("the other: got %q, want an answer and Connection: close", last)
	}
	testkit.OK(t, errors.Join(<-shut, <-served))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server.running.Add(1)
	err = server.Shutdown(ctx)
	testkit.FailIf(t, !errors.Is(err, context.Canceled),
		"while a connection is answered: got %v, want %v", err, context.Canceled)
}

// Several lines of Accept are one list, and so are those of Accept-Encoding.
func TestLinesOfLists(t *testing.T) {
	const sent = "GET / HTTP/1.1\r\nAccept: a\r\nAccept-Encoding: gzip;q=0\r\nAccept: b, c\r\nHost: d\r\nAccept-Encoding:\r\nAccept: e\r\n\r\n"
	in, r := new(input), new(httpapi.Request)
	testkit.OK(t, in.read(bufio.NewReader(strings.NewReader(sent))))
	in.fill(r, new(connection))
	testkit.Equal(t, "lists", fmt.Sprintf("%s %s %s", r.Accept, r.Encodings, r.Host), "a,b, c,e gzip;q=0, d")
}

// A deadline that is set stands for a later one up to a 64th of the timeout, and never for an earlier one.
func TestStands(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		set  time.Time
		want bool
	}{
		{time.Time{}, false},
		{now.Add(-time.Second - 1), false},
		{now.Add(-time.Second), true},
		{now, true},
		{now.Add(1), false},
	} {
		testkit.Equal(t, fmt.Sprintf("%v before", now.Sub(c.set)), stands(c.set, now, 64*time.Second), c.want)
	}
}

// The first of several lines of a header counts, also an empty one, for which the library has nil or not.
func TestFirstValueCounts(t *testing.T) {
	var kept []byte
	first(&kept, nil)
	first(&kept, []byte("https"))
	testkit.Equal(t, "kept", string(kept), "")
}
