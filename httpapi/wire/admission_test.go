package wire

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/httpapi"
	"pubd/httpapi/keys"
)

// clientNo returns the client at an IPv4 address for a number, or at an IPv6 one for the numbers of site and subnet,
// such as "1.2"; or for "-" who has no address.
func clientNo(number string) keys.Client {
	var n, subnet int
	if number == "-" {
		return keys.ClientAt(netip.Addr{})
	}
	_, _ = fmt.Sscanf(number, "%d.%d", &n, &subnet)
	if !strings.Contains(number, ".") {
		return keys.ClientAt(netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}))
	}
	return keys.ClientAt(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, byte(n), byte(subnet >> 8), byte(subnet)}))
}

// demandOf returns a demand of "key", "key client" or "key client visitor", with a client as clientNo takes it.
func demandOf(name string, bytes int64) httpapi.Demand {
	d, parts := httpapi.Demand{Bytes: bytes}, strings.Fields(name)
	d.Key, d.Visitor = parts[0], len(parts) > 2
	if len(parts) > 1 {
		d.Client = clientNo(parts[1])
	}
	return d
}

// expensive returns a demand that takes a turn.
func expensive(name string, bytes int64) httpapi.Demand {
	d := demandOf(name, bytes)
	d.Turn = httpapi.LongTurn
	return d
}

// long returns limits with that many long turns, and short ones that never run out.
func long(turns int) [httpapi.TurnCount]int {
	return [...]int{httpapi.ShortTurn: 1 << 20, httpapi.LongTurn: turns, httpapi.FileTurn: 1}
}

// freeTurns returns how many turns of each kind are free.
func freeTurns(a *admission) (free [httpapi.TurnCount]int) {
	for turn := range free {
		free[turn] = a.turns[turn].free
	}
	return free
}

// A key may hold as much as is left free, and a visitor an eighth of that.
func TestShares(t *testing.T) {
	const limit = 1000
	for _, c := range []struct {
		label string
		held  []string // who=bytes, in order
		who   string
		bytes int64
		want  bool
	}{
		{"nothing in flight, however large", nil, "a 1", 1 << 30, true},
		{"half of all", []string{"a 1=400"}, "a 1", 100, true},
		{"more than half", []string{"a 1=400"}, "a 1", 101, false},
		{"more than half, of several addresses", []string{"a 1=400"}, "a 2", 101, false},
		{"as much with another key", []string{"a 1=400"}, "b 1", 300, true},
		{"another key and address", []string{"a 1=500"}, "b 2", 250, true},
		{"more than is left", []string{"a 1=500"}, "b 2", 251, false},
		{"a third one", []string{"a 1=500", "b 2=250"}, "c 3", 125, true},
		{"no bytes", []string{"a 1=500"}, "a 1", 0, true},
		{"over the limit of all", []string{"a 1=1001"}, "b 2", 1, false},
		{"a visitor", []string{"a 1=1"}, "p 2 visitor", 99, true},
		{"more than a tenth for a visitor", []string{"a 1=1"}, "p 2 visitor", 100, false},
		{"another visitor", []string{"p 2 visitor=99"}, "p 3 visitor", 80, true},
		{"too much for another visitor", []string{"p 2 visitor=99"}, "p 3 visitor", 81, false},
		{"a visitor without an address", []string{"p - visitor=50"}, "p - visitor", 50, true},
		{"too much for one", []string{"p - visitor=50"}, "p - visitor", 51, false},
		{"half of an eighth for an address of a site", []string{"a 1=1"}, "p 1.1 visitor", 55, true},
		{"more", []string{"a 1=1"}, "p 1.1 visitor", 56, false},
		{"another address of a site", []string{"p 1.1 visitor=55"}, "p 1.2 visitor", 25, true},
		{"too much for another address of a site", []string{"p 1.1 visitor=55"}, "p 1.2 visitor", 26, false},
		{"another site", []string{"p 1.1 visitor=55", "p 1.2 visitor=25"}, "p 2.1 visitor", 40, true},
	} {
		a := newAdmission(1, limit, long(1))
		for _, held := range c.held {
			who, size, _ := strings.Cut(held, "=")
			bytes, _ := strconv.ParseInt(size, 10, 64)
			g, ok := a.admit(demandOf(who, bytes), 0)
			testkit.StopIf(t, !ok || g.bytes != bytes, "%s: %s is not admitted", c.label, who)
		}
		_, got := a.admit(demandOf(c.who, c.bytes), 0)
		testkit.FailIf(t, got != c.want, "%s: got %v, want %v", c.label, got, c.want)
	}
}

// However many clients hold all they may, there is room for one more.
func TestSharesLeaveRoom(t *testing.T) {
	const limit, size = 1 << 20, 64
	a := newAdmission(1, limit, long(1))
	for n := range 30 {
		held := int64(0)
		for {
			if _, ok := a.admit(demandOf(fmt.Sprint("key", n, " ", n), size), 0); !ok {
				break
			}
			held += size
		}
		// By the rule, the first holds 1/2, the second 1/4, and so on, as none gives anything back.
		want := int64(limit) >> (n + 1)
		testkit.FailIf(t, n < 10 && (held > want || held < want-2*size),
			"client %d holds %d bytes, want %d", n, held, want)
	}
	a = newAdmission(1, limit, long(1))
	fill(a, size, 9, "key%d %[1]d")
	for p, held := range a.responses.by {
		testkit.FailIf(t, held < limit/10-2*size || held > limit/10+size,
			"one of nine, %v, holds %d bytes, want a tenth of %d", p, held, limit)
	}
	if _, ok := a.admit(demandOf("new 100", limit/20), 0); !ok {
		t.Error("no room for one more")
	}
	a = newAdmission(1, limit, long(1))
	fill(a, size, 200, "public %d visitor")
	for _, who := range []string{"public 250 visitor", "private 1"} {
		_, ok := a.admit(demandOf(who, size), 0)
		testkit.FailIf(t, !ok, "beside 200 visitors, no room for %s", who)
	}
}

// fill admits bytes to clients in turn, whose names a format makes of numbers, until none of them gets any more.
func fill(a *admission, bytes int64, clients int, format string) {
	for isFull := false; !isFull; {
		isFull = true
		for n := range clients {
			_, ok := a.admit(demandOf(fmt.Sprintf(format, n), bytes), 0)
			isFull = isFull && !ok
		}
	}
}

// Whatever is admitted, measured and sent, the pools have what is in flight.
func TestAdmissionBalances(t *testing.T) {
	const limit = 1 << 20
	rng := rand.New(rand.NewPCG(3, 4))
	a := newAdmission(1, limit, long(1<<20))
	var grants []*grant
	rejected := 0
	for range 100_000 {
		if i := rng.IntN(1 + len(grants)); i == len(grants) || rng.IntN(2) == 0 {
			client := []string{"%d", "%d.1", "1.%d"}[rng.IntN(3)]
			d := demandOf(fmt.Sprintf("key%d "+client+"%s", rng.IntN(6), rng.IntN(4), []string{"", " visitor"}[rng.IntN(2)]), 1+rng.Int64N(limit/5))
			d.Turn = httpapi.Turn(rng.IntN(2))
			g, ok := a.admit(d, 0)
			if !ok {
				rejected++
				continue
			}
			a.finish(&g, rng.Int64N(limit/50))
			grants = append(grants, &g)
		} else {
			a.finish(grants[i], 0)
			grants[i] = grants[len(grants)-1]
			grants = grants[:len(grants)-1]
		}
		sum, by := int64(0), map[tenant]int64{}
		for _, g := range grants {
			sum += g.bytes
			by[tenant{key: g.demand.Key}] += g.bytes
			if d := g.demand; d.Visitor {
				by[tenant{d.Key, d.Client.Site}] += g.bytes
				if d.Client.Address != d.Client.Site {
					by[tenant{d.Key, d.Client.Address}] += g.bytes
				}
			}
		}
		testkit.StopIf(t, sum != a.responses.held, "%d bytes are in flight, the pool has %d", sum, a.responses.held)
		maps.DeleteFunc(by, func(_ tenant, bytes int64) bool { return bytes == 0 })
		testkit.StopIf(t, !maps.Equal(by, a.responses.by), "%v are in flight, the pool has %v", by, a.responses.by)
	}
	for _, g := range grants {
		a.finish(g, 0)
	}
	testkit.FailIf(t, rejected == 0 || a.rejected != uint64(rejected) || a.turns[httpapi.LongTurn].free != 1<<20 || a.responses.held != 0,
		"%d of %d rejected, %d turns, %d bytes held", a.rejected, rejected, a.turns[httpapi.LongTurn].free, a.responses.held)
}

// work admits work of a client and returns once it waits.
func work(a *admission, name string, entered func(name string)) {
	waiting := func() int {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.turns[httpapi.LongTurn].waiting.length()
	}
	before := waiting()
	go func() {
		if g, ok := a.admit(expensive(name, 0), time.Minute); ok {
			entered(strings.ReplaceAll(name, " ", ""))
			a.finish(&g, 0)
		}
	}()
	for waiting() == before {
		time.Sleep(100 * time.Microsecond)
	}
}

// length returns how many turns are waited for.
func (l *queue) length() (turns int) {
	for _, inner := range l.queues {
		turns += inner.length()
	}
	return turns + len(l.turns)
}

// Keys take turns, however much work and how many addresses each has. So do the sites of a key, and the addresses of a
// site.
func TestTurns(t *testing.T) {
	for _, c := range []struct{ sent, want string }{
		{"a a a a b a b c", "a b c a b a a a"},
		{"a1 a2 a3 a4 a1 b1 b1 b1", "a1 b1 a2 b1 a3 b1 a4 a1"},
		{"a1 a1 a1 a2 a3 a2", "a1 a2 a3 a1 a2 a1"},
		{"a1.1 a1.2 a1.3 a1.1 a2.1 a2.1 a3", "a1.1 a2.1 a3 a1.2 a2.1 a1.3 a1.1"},
	} {
		a := newAdmission(1, 0, long(1))
		first, ok := a.admit(expensive("first", 0), 0)
		testkit.StopIf(t, !ok, "nothing else runs, and it does not")
		var order []string
		var all sync.WaitGroup
		for _, name := range strings.Fields(c.sent) {
			all.Add(1)
			work(a, strings.TrimSpace(name[:1]+" "+name[1:]), func(name string) { order = append(order, name); all.Done() })
		}
		a.finish(&first, 0)
		all.Wait()
		testkit.Equal(t, c.sent, strings.Join(order, " "), c.want)
	}
}

// Work waits for a limited time, and leaves nothing behind.
func TestTurnsEnd(t *testing.T) {
	a := newAdmission(1, 0, long(1))
	first, _ := a.admit(expensive("first", 0), 0)
	_, ok := a.admit(expensive("a", 0), time.Millisecond)
	testkit.FailIf(t, ok || len(a.turns[httpapi.LongTurn].waiting.by) > 0,
		"a second one: got %v, left %v", ok, a.turns[httpapi.LongTurn].waiting.by)
	again := expensive("first", 0)
	testkit.FailIf(t, a.takeTurn(&again, time.Millisecond) || a.rejected != 1,
		"another turn of the first: got one, or %d were rejected, want 1", a.rejected)
	a.finish(&first, 0)
	a.finish(&first, 0) // once is enough
	_, ok = a.admit(expensive("b", 0), 0)
	testkit.FailIf(t, !ok || a.turns[httpapi.LongTurn].free != 0,
		"after the first: got %v, %d free", ok, a.turns[httpapi.LongTurn].free)
}

// However much work there is, no more runs at once than may, and each gets its turn.
func TestTurnsAreBounded(t *testing.T) {
	const running, requests = 3, 2000
	a := newAdmission(1, 0, long(running))
	var now, over, entered atomic.Int64
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() {
			g, ok := a.admit(expensive(fmt.Sprint(i%7, " ", i%3), 0), time.Minute)
			if !ok {
				return
			}
			entered.Add(1)
			if now.Add(1) > running {
				over.Add(1)
			}
			now.Add(-1)
			a.finish(&g, 0)
		})
	}
	all.Wait()
	testkit.FailIf(t, entered.Load() != requests || over.Load() > 0 || a.turns[httpapi.LongTurn].free != running || len(a.turns[httpapi.LongTurn].waiting.by) > 0,
		"%d of %d ran, %d beside too many others; %d turns are free, want %d", entered.Load(), requests, over.Load(), a.turns[httpapi.LongTurn].free, running)
}

// What does not fit once its turn has come is rejected, and its turn passed on.
func TestTurnWithoutRoom(t *testing.T) {
	a := newAdmission(1, 1000, long(1))
	first, _ := a.admit(expensive("first", 10), 0)
	rejected := make(chan bool)
	go func() {
		_, ok := a.admit(expensive("a", 400), time.Minute)
		rejected <- !ok
	}()
	for isWaiting := false; !isWaiting; {
		a.mu.Lock()
		isWaiting = len(a.turns[httpapi.LongTurn].waiting.queues) > 0
		a.mu.Unlock()
	}
	_, ok := a.admit(httpapi.Demand{Key: "b", Bytes: 400}, 0)
	testkit.StopIf(t, !ok, "what has a short turn is not admitted")
	a.finish(&first, 10)
	testkit.FailIf(t, !<-rejected || a.turns[httpapi.LongTurn].free != 1 || a.rejected != 1,
		"400 bytes more than fit were admitted, or %d turns are free and %d were rejected", a.turns[httpapi.LongTurn].free, a.rejected)
}

// A site has no more slots for all its addresses than one address has, and none that another site has to wait for.
func TestSitesShareSlots(t *testing.T) {
	const slots = 512
	for _, c := range []struct{ label, format string }{{"addresses of a site", "1.%d"}, {"one address", "1.1"}, {"an IPv4 address", "1"}} {
		a := newAdmission(slots, 0, long(1))
		connect := func(client string) bool {
			connection := &connection{shares: clientShares(nil, "", clientNo(client), 1)}
			return a.connect(connection)
		}
		held := 0
		for n := range 1 << 14 {
			client := c.format
			if strings.Contains(client, "%") {
				client = fmt.Sprintf(client, n)
			}
			if connect(client) {
				held++
			}
		}
		testkit.FailIf(t, held < slots/2 || held > slots*connectionShare/(connectionShare+1),
			"%s: has %d of %d slots", c.label, held, slots)
		for n := range 40 {
			testkit.FailIf(t, !connect(fmt.Sprintf("%d.1", 2+n)),
				"%s: another site, number %d, gets no slot", c.label, n)
		}
	}
}

// The connections that have been idle for longest give way, those of the sites with most first.
func TestIdleConnectionsGiveWay(t *testing.T) {
	a, now := newAdmission(100, 0, long(1)), time.Now()
	var open []*connection // the first three give way in turn, the others do not
	for _, c := range []struct {
		client string
		idle   time.Duration
	}{{"1.1", 3 * time.Second}, {"1.2", 2 * time.Second}, {"2.1", time.Minute}, {"1.3", idleGrace / 2}, {"1.4", 0}} {
		accepted, _ := net.Pipe()
		one := &connection{Conn: accepted, shares: clientShares(nil, "", clientNo(c.client), 1)}
		if c.idle > 0 {
			one.wait(now.Add(-c.idle))
		}
		testkit.StopIf(t, !a.connect(one), "%s is refused", c.client)
		open = append(open, one)
	}
	for n := range 4 {
		closed := a.closeIdle(1, now)
		_, isOpen := a.open[open[n]]
		testkit.FailIf(t, closed != (n < 3) || isOpen != (n == 3) || len(a.open) != max(2, 4-n),
			"time %d: closed %v, %s is open: %v, %d are open", n, closed, open[n].shares[0].client, isOpen, len(a.open))
	}
}
