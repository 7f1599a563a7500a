package httpapi

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"pubd/index"
)

// inFlight returns a delivery to a client that stalled that long ago, if at all, and has taken some bytes since.
func inFlight(key, address string, size int64, stalled time.Duration, taken int64) *delivery {
	d := &delivery{client: client{key, netip.MustParsePrefix(address)}, size: size, connection: &connection{Conn: new(net.TCPConn)}}
	if stalled > 0 {
		d.connection.stalled.Store(clock(testTime.Add(-stalled)))
		d.connection.taken.Store(taken)
	}
	return d
}

func TestBudget(t *testing.T) {
	const a, b, limit = "192.0.2.1/32", "2001:db8::/64", 1600
	for _, c := range []struct {
		label   string
		held    []*delivery
		next    *delivery
		want    bool
		dropped []int // indexes into held
	}{
		{"nothing in flight, however large", nil, inFlight("k", a, 1<<30, 0, 0), true, nil},
		{"fits", []*delivery{inFlight("k", a, 300, 0, 0)}, inFlight("k", a, 100, 0, 0), true, nil},
		{"over the share of a key", []*delivery{inFlight("k", a, 300, 0, 0)}, inFlight("k", b, 101, 0, 0), false, nil},
		{"over the share of an address", []*delivery{inFlight("k", a, 400, 0, 0), inFlight("l", a, 300, 0, 0)}, inFlight("m", a, 101, 0, 0), false, nil},
		{"another key and address", []*delivery{inFlight("k", a, 400, 0, 0), inFlight("l", a, 400, 0, 0)}, inFlight("m", b, 400, 0, 0), true, nil},
		{"over the limit of all", []*delivery{inFlight("k", a, 400, 0, 0), inFlight("l", a, 400, 0, 0), inFlight("m", b, 400, 0, 0), inFlight("n", b, 399, 0, 0)},
			inFlight("o", "198.51.100.7/32", 2, 0, 0), false, nil},
		{"over the share of a visitor", []*delivery{inFlight("k", b, 300, 0, 0), visitor(inFlight("p", a, 10, 0, 0))}, visitor(inFlight("p", a, limit/visitorShare-9, 0, 0)), false, nil},
		{"another visitor", []*delivery{inFlight("k", b, 300, 0, 0), visitor(inFlight("p", a, limit/visitorShare, 0, 0))}, visitor(inFlight("p", "198.51.100.7/32", limit/visitorShare, 0, 0)), true, nil},
		{"stalled for less than the grace", []*delivery{inFlight("k", a, 400, stallGrace, 0)}, inFlight("k", a, 1, 0, 0), false, nil},
		{"stalled for longer", []*delivery{inFlight("k", a, 400, stallGrace+1, 0)}, inFlight("k", a, 1, 0, 0), true, []int{0}},
		{"at the minimum rate", []*delivery{inFlight("k", a, 1<<20, 2*time.Second, 2*minRate)}, inFlight("k", a, 1, 0, 0), false, nil},
		{"just below the minimum rate", []*delivery{inFlight("k", a, 1<<20, 2*time.Second, 2*minRate-1)}, inFlight("k", a, 1, 0, 0), true, []int{0}},
		{"the largest of the slow ones", []*delivery{inFlight("k", a, 100, 3*time.Second, 0), inFlight("k", a, 300, 2*time.Second, 0)}, inFlight("k", a, 200, 0, 0), true, []int{1}},
		{"the slowest of equal size", []*delivery{inFlight("k", a, 200, 2*time.Second, 0), inFlight("k", a, 200, 3*time.Second, 0)}, inFlight("k", a, 100, 0, 0), true, []int{1}},
		{"not those of another key", []*delivery{inFlight("k", a, 400, 0, 0), inFlight("l", a, 300, time.Minute, 0)}, inFlight("k", b, 100, 0, 0), false, nil},
		{"dropping all slow ones is not enough", []*delivery{inFlight("k", a, 390, 0, 0), inFlight("k", a, 10, time.Minute, 0)}, inFlight("k", a, 100, 0, 0), false, []int{1}},
	} {
		budget := newBudget(limit)
		for i, d := range c.held {
			if d.size > limit/keyShare {
				budget.limit = 4 * d.size
			}
			if !budget.acquire(d, testTime) {
				t.Fatalf("%s: delivery %d is not admitted", c.label, i)
			}
			budget.stall(d)
		}
		equal(t, c.label+": admitted", budget.acquire(c.next, testTime), c.want)
		var dropped []int
		for i, d := range c.held {
			if _, kept := budget.answers[d]; !kept {
				dropped = append(dropped, i)
			}
			budget.release(d)
		}
		equal(t, c.label+": disconnected", dropped, c.dropped)
		if c.want {
			budget.release(c.next)
		}
		if budget.held.Load() != 0 || len(budget.answers)+len(budget.byKey)+len(budget.byAddress) > 0 {
			t.Errorf("%s: after releasing all: %d bytes held, %v, %v, %v", c.label, budget.held.Load(), budget.answers, budget.byKey, budget.byAddress)
		}
	}
}

// Whatever is admitted, dropped and released, the accounts match what is in flight, and no key exceeds its share.
func TestBudgetBalances(t *testing.T) {
	const limit = 1 << 20
	rng := rand.New(rand.NewPCG(3, 4))
	b, now := newBudget(limit), testTime
	var held []*delivery
	for range 100_000 {
		now = now.Add(time.Duration(rng.IntN(int(50 * time.Millisecond))))
		if rng.IntN(2) == 0 || len(held) == 0 {
			d := inFlight(fmt.Sprint("key", rng.IntN(6)), fmt.Sprintf("192.0.2.%d/32", rng.IntN(4)), 1+rng.Int64N(limit/5), 0, 0)
			if rng.IntN(2) == 0 {
				d.connection.stalled.Store(clock(now))
			}
			if b.acquire(d, now) {
				b.stall(d)
				held = append(held, d)
			}
		} else {
			i := rng.IntN(len(held))
			b.release(held[i])
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
		}
		sum, byKey, byAddress := int64(0), map[string]int64{}, map[netip.Prefix]int64{}
		for d := range b.answers {
			sum, byKey[d.client.key], byAddress[d.client.address] = sum+d.size, byKey[d.client.key]+d.size, byAddress[d.client.address]+d.size
		}
		if sum != b.held.Load() || sum > limit || fmt.Sprint(byKey) != fmt.Sprint(b.byKey) || fmt.Sprint(byAddress) != fmt.Sprint(b.byAddress) {
			t.Fatalf("%d bytes, %v, %v are in flight; the budget has %d, %v, %v", sum, byKey, byAddress, b.held.Load(), b.byKey, b.byAddress)
		}
		for key, size := range byKey {
			if size > limit/keyShare {
				t.Fatalf("%s holds %d bytes, want at most %d", key, size, limit/keyShare)
			}
		}
	}
	if report := b.report(); report.dropped == 0 || report.rejected == 0 {
		t.Errorf("got %+v, want some dropped and some rejected", report)
	}
}

// everywhere returns a query for all pubs around one, and its large response.
func everywhere(t *testing.T, addr string, pub *index.Pub, format string) (query, body string) {
	t.Helper()
	query = fmt.Sprintf("search=*&lat=%v&lng=%v&distance=20000&format=%s", pub.Latitude, pub.Longitude, format)
	body = ask(t, addr, get(query)).body
	if len(body) < 100<<10 {
		t.Fatalf("the answer has %d bytes, want at least 100 KiB", len(body))
	}
	return query, body
}

// A client that does not read its responses is disconnected when others need the memory. One that reads gets everything.
func TestStalledClientMakesRoom(t *testing.T) {
	s, pub := generated(t)
	const limit = 4 << 20
	s.budget = newBudget(limit)
	addr := listen(t, s)
	query, want := everywhere(t, addr, pub, "json")
	var stalled []net.Conn
	for range limit / keyShare / len(want) { // all with one key
		stalled = append(stalled, stall(t, addr, get(query)))
	}
	deadline := time.Now().Add(promptly)
	served := 0
	for ; served == 0 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		switch got := ask(t, addr, get(query)); {
		case got.status == 200 && got.body == want && s.budget.report().dropped > 0:
			served++
		case got.status == 503 && !strings.Contains(got.body, `"code":"overloaded"`), got.status == 503 && got.header.Get("Retry-After") != "1":
			t.Fatalf("got %d %s, Retry-After %q", got.status, got.body, got.header.Get("Retry-After"))
		}
		if held := s.budget.report().held; held > limit/keyShare+limit/openShare {
			t.Fatalf("%d bytes in flight with one key, want at most %d", held, limit/keyShare+limit/openShare)
		}
		stalled = append(stalled, stall(t, addr, get(query)))
	}
	failIf(t, served == 0, "no answer within %v; %+v", promptly, s.budget.report())
	equal(t, "a lookup", ask(t, addr, get("pubid="+pub.UID)).status, 200)
	for _, c := range stalled {
		_ = c.Close()
	}
	for time.Now().Before(deadline) && s.budget.report().held > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	equal(t, "bytes in flight after all connections closed", s.budget.report().held, 0)
}

// A client that does not even read response headers holds little memory, however large the answers computed for it were.
func TestUnreadHeadersHoldLittleMemory(t *testing.T) {
	s, pub := generated(t)
	addr := listen(t, s)
	query, want := everywhere(t, addr, pub, "geojson")
	head := strings.Replace(get(query+"&"+strings.Repeat("é", 1900)), "GET", "HEAD", 1) // the names of ignored parameters fill the header
	const clients = 64
	before := heap()
	for range clients {
		defer stall(t, addr, strings.Repeat(head, 30)).Close()
	}
	waitFor(t, func() bool { return stalledOf(s) == clients })
	if held, most := heap()-before, int64(clients*len(want)/4); held > most {
		t.Errorf("%d clients that read no header of an answer of %d bytes hold %d bytes, want at most %d", clients, len(want), held, most)
	}
}

// heap returns the number of live bytes on the heap. The second collection empties the pools.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}

// stalledOf returns the number of connections that wait for clients to read.
func stalledOf(s *Service) (count int) {
	l := s.listener.Load()
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		if c.stalled.Load() > 0 {
			count++
		}
	}
	return count
}

// stall sends a request on a new connection with a small buffer, and reads nothing.
func stall(t *testing.T, addr, sent string) net.Conn {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(handle uintptr) {
			_ = syscall.SetsockoptInt(int(handle), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 2<<10)
		})
	}}
	c := must(dialer.Dial("tcp", addr))(t)
	must(io.WriteString(c, sent))(t)
	return c
}

// When all slots are taken, a new client is still accepted: an idle connection of the client with the most connections is closed.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	s, addr := serveFew(t)
	kept := dialFrom(t, "127.0.0.2", addr, "")
	for range 100 {
		dial(t, addr, "")
	}
	begun := time.Now()
	equal(t, "a new client", ask(t, addr, get("pubid=u01")).status, 200)
	if took := time.Since(begun); took > promptly {
		t.Errorf("a new client waited for %v", took)
	}
	if got := s.Traffic(); got.Connections > 20 || got.ClosedIdle < 80 {
		t.Errorf("%d connections are open and %d were closed, want at most 20 and at least 80", got.Connections, got.ClosedIdle)
	}
	must(io.WriteString(kept, get("pubid=u02", "Connection: close")))(t)
	if got, err := io.ReadAll(kept); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200") {
		t.Errorf("the only connection of another client: got %.100q, %v, want an answer", got, err)
	}
}

// A client that keeps all slots busy does not keep others out.
func TestBusyConnectionsMakeRoom(t *testing.T) {
	s, addr := serveFew(t)
	s.queue.free = 0 // every expensive request waits for maxWait and is rejected
	for range 60 {
		dial(t, addr, strings.Repeat(get("search=a&facets=trading"), 20))
	}
	for range 5 {
		begun := time.Now()
		c := dialFrom(t, "127.0.0.2", addr, get("pubid=u01", "Connection: close"))
		ok(t, c.SetDeadline(begun.Add(2*time.Second)))
		if got, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200") {
			t.Fatalf("another client, after %v: got %.100q, %v, want an answer", time.Since(begun), got, err)
		}
		ok(t, c.Close())
	}
	if closed := s.Traffic().ClosedIdle; closed > 60 {
		t.Errorf("%d connections were closed to make room, want at most 60, each once", closed)
	}
}

// serveFew serves ten pubs to at most 20 connections at once.
func serveFew(t *testing.T) (s *Service, addr string) {
	s, _ = withData(t, LogOff)
	s.config.MaxConnections = 20
	return s, listen(t, s)
}

// visitor returns a delivery to a client with a public key.
func visitor(d *delivery) *delivery {
	d.visitor = true
	return d
}
