package wire

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	"pubd/httpapi"
)

// maxWait is how long work waits for its turn before it is rejected.
const maxWait = time.Second

// An admission decides what is taken on: connections, large responses, and work that takes a turn. What it took on
// ends by itself or by a deadline; only idle connections may be closed for others. It is safe for concurrent use.
type admission struct {
	mu          sync.Mutex // guards what follows
	connections pool       // slots
	open        map[*connection]struct{}
	responses   pool // bytes that are held until the kernel has taken them
	free        int  // turns
	lines       map[string]*line
	stamps      uint64
	rejected    uint64 // requests
	refused     uint64 // connections
}

// newAdmission allows that many connections, bytes in flight, and turns at a time; 0 bytes mean no limit.
func newAdmission(connections int, bytes int64, turns int) *admission {
	if bytes == 0 {
		bytes = math.MaxInt64 / 16
	}
	return &admission{connections: newPool(int64(connections), connectionShare), open: map[*connection]struct{}{},
		responses: newPool(bytes, 1), free: turns, lines: map[string]*line{}}
}

// A party is whose share of a pool is limited: a key, an address, or an address with a public key.
type party struct {
	key     string
	address netip.Prefix
}

// A share is the part of a pool that a party may hold; the weight multiplies what it holds.
type share struct {
	party
	weight int64
}

// A pool is shared by parties, of which each may hold a multiple of what it leaves free. If it may hold as much, one
// alone has half of the pool, two have a third each, and so on: there is always room for one more, however many hold
// all they may. This is the rule of dynamic thresholds, by which switches share the memory of their ports (Choudhury
// and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998).
type pool struct {
	limit, held int64
	multiple    int64
	by          map[party]int64 // of those that hold anything
}

const (
	// connectionShare lets one address alone hold 8 of 9 slots: it may be that of a load balancer.
	connectionShare = 8
	// visitorWeight keeps a client with a public key from taking what all of them share.
	visitorWeight = 8
)

func newPool(limit, multiple int64) pool { return pool{limit, 0, multiple, map[party]int64{}} }

// tightShare is the fraction of bytes in flight, an eighth, from which on they are saved at the cost of time.
const tightShare = 8

// fits reports whether so much more may be held. The first share is of what is left of the pool, the next one of what
// that leaves to it. Anything fits into an empty pool: otherwise it never would.
func (p *pool) fits(n int64, shares []share) bool {
	rest := p.limit - p.held - n
	isOver := rest < 0
	for _, s := range shares {
		held := p.by[s.party] + n
		isOver = isOver || s.weight*held > p.multiple*rest
		rest -= held
	}
	return !isOver || n == 0 || p.held == 0
}

// add adds to what is held, or takes from it.
func (p *pool) add(n int64, shares []share) {
	p.held += n
	for _, s := range shares {
		if held := p.by[s.party] + n; held == 0 {
			delete(p.by, s.party)
		} else {
			p.by[s.party] = held
		}
	}
}

const (
	// idleGrace is how long a connection may be idle before it can be closed for another one.
	idleGrace = 100 * time.Millisecond
	// fewSlots is the fraction of slots, one in 32, up to which an address has idle connections of others closed for
	// its own, and of connections that are closed at once, so that finding them is rare.
	fewSlots = 32
)

// connect reports whether a connection is taken on. If there is no slot for an address with few connections, idle ones
// are closed.
func (a *admission) connect(c *connection) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	few := a.connections.limit/fewSlots + 1
	fits := a.connections.fits(1, c.shares)
	if !fits && a.heldBy(c) < few {
		fits = a.closeIdle(int(few), time.Now())
	}
	if !fits {
		a.refused++
		return false
	}
	a.connections.add(1, c.shares)
	a.open[c] = struct{}{}
	return true
}

// closeIdle closes at most n idle connections, those of the addresses with the most first, and of each those that have
// been idle for longest. It reports whether there were any. The caller holds a.mu.
func (a *admission) closeIdle(n int, now time.Time) bool {
	type candidate struct {
		*connection
		held, since int64
	}
	var idle []candidate
	for c := range a.open {
		if since := c.idle.Load(); since != 0 && clock(now)-since > int64(idleGrace) {
			idle = append(idle, candidate{c, a.heldBy(c), since})
		}
	}
	slices.SortFunc(idle, func(x, y candidate) int { return cmp.Or(cmp.Compare(y.held, x.held), cmp.Compare(x.since, y.since)) })
	for _, c := range idle[:min(n, len(idle))] {
		a.forget(c.connection)
		_ = c.Conn.Close() // its reader fails
	}
	return len(idle) > 0
}

// closeWaiting closes the connections that wait for another request.
func (a *admission) closeWaiting() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range a.open {
		if c.waiting.CompareAndSwap(true, false) {
			_ = c.Conn.Close() // its reader fails
		}
	}
}

// heldBy returns how many slots the address of a connection holds; 0 for a load balancer. The caller holds a.mu.
func (a *admission) heldBy(c *connection) int64 {
	if len(c.shares) == 0 {
		return 0
	}
	return a.connections.by[c.shares[0].party]
}

// disconnect ends what connect began.
func (a *admission) disconnect(c *connection) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forget(c)
}

// forget frees the slot of a connection, once. The caller holds a.mu.
func (a *admission) forget(c *connection) {
	if _, isOpen := a.open[c]; isOpen {
		delete(a.open, c)
		a.connections.add(-1, c.shares)
	}
}

// A grant is what was taken on for a request.
type grant struct {
	demand  httpapi.Demand
	bytes   int64    // in responses
	hasTurn bool     // until it ends
	isTight bool     // bytes are to be saved
	memory  [2]share // for shares
}

// shares returns whose shares a grant counts in: that of the key and, with a public key, that of the visitor.
func (g *grant) shares() []share {
	g.memory[0] = share{party{key: g.demand.Key}, 1}
	if !g.demand.Visitor {
		return g.memory[:1]
	}
	g.memory[1] = share{party{g.demand.Key, g.demand.Address}, visitorWeight}
	return g.memory[:]
}

// admit takes on a request, or reports that it is rejected. It may wait for a turn for some time.
func (a *admission) admit(d httpapi.Demand, patience time.Duration) (g grant, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g.demand = d
	ok = a.responses.fits(d.Bytes, g.shares())
	if ok && d.Work {
		if ok = a.turn(&d, patience); ok && !a.responses.fits(d.Bytes, g.shares()) {
			a.pass()
			ok = false
		}
	}
	if !ok {
		a.rejected++
		return grant{}, false
	}
	g.hasTurn, g.isTight = d.Work, a.responses.held > a.responses.limit/tightShare
	a.set(&g, d.Bytes)
	return g, true
}

// set sets how many bytes a grant holds. The caller holds a.mu.
func (a *admission) set(g *grant, bytes int64) {
	if bytes != g.bytes {
		a.responses.add(bytes-g.bytes, g.shares())
		g.bytes = bytes
	}
}

// settle ends the turn of a grant, if it has one, and sets how many bytes it holds: those of the response, once it is
// there; 0 once it was sent.
func (a *admission) settle(g *grant, bytes int64) {
	if g.bytes == bytes && !g.hasTurn {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.set(g, bytes)
	if g.hasTurn {
		a.pass()
		g.hasTurn = false
	}
}

// takeTurn waits for a turn for some time, and reports whether it came. If it did, endTurn ends it.
func (a *admission) takeTurn(d httpapi.Demand, patience time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turn(&d, patience)
}

func (a *admission) endTurn() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pass()
}

// A line is the work of a key that waits: what its addresses wait for, each in the order of arrival.
type line struct {
	stamp     uint64 // orders keys: the one whose last turn or, if it came anew, arrival is longest ago is next
	addresses map[netip.Prefix]*queue
}

// A queue is what waits for an address and a key.
type queue struct {
	stamp uint64 // as in a line
	turns []chan struct{}
}

// turn waits for a turn for some time, and reports whether it came. Keys take turns, and so do the addresses of a key:
// who asks for much, or from many addresses, waits for its own work only. The caller holds a.mu, which is released
// meanwhile.
func (a *admission) turn(d *httpapi.Demand, patience time.Duration) bool {
	if a.free > 0 {
		a.free--
		return true
	}
	l := a.lines[d.Key]
	if l == nil {
		l = &line{a.stamp(), map[netip.Prefix]*queue{}}
		a.lines[d.Key] = l
	}
	q := l.addresses[d.Address]
	if q == nil {
		q = &queue{stamp: a.stamp()}
		l.addresses[d.Address] = q
	}
	turn := make(chan struct{}, 1)
	q.turns = append(q.turns, turn)
	a.mu.Unlock()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-turn:
	case <-timeout.C:
	}
	a.mu.Lock()
	if at := slices.Index(q.turns, turn); at >= 0 {
		q.turns = slices.Delete(q.turns, at, at+1)
		a.tidy(d.Key, d.Address, l, q)
		return false
	}
	return true // perhaps in the last moment
}

// stamp returns a number higher than all before.
func (a *admission) stamp() uint64 {
	a.stamps++
	return a.stamps
}

// pass gives the turn of somebody to the next one that waits. The caller holds a.mu.
func (a *admission) pass() {
	if len(a.lines) == 0 {
		a.free++
		return
	}
	key := oldest(a.lines, func(l *line) uint64 { return l.stamp })
	l := a.lines[key]
	address := oldest(l.addresses, func(q *queue) uint64 { return q.stamp })
	q := l.addresses[address]
	q.turns[0] <- struct{}{}
	q.turns = q.turns[1:]
	l.stamp, q.stamp = a.stamp(), a.stamp()
	a.tidy(key, address, l, q)
}

// oldest returns the key of the value with the lowest stamp.
func oldest[K comparable, V any](values map[K]V, stamp func(V) uint64) (key K) {
	lowest := uint64(math.MaxUint64)
	for k, v := range values {
		if at := stamp(v); at < lowest {
			key, lowest = k, at
		}
	}
	return key
}

// tidy forgets who waits for nothing.
func (a *admission) tidy(key string, address netip.Prefix, l *line, q *queue) {
	if len(q.turns) == 0 {
		delete(l.addresses, address)
	}
	if len(l.addresses) == 0 {
		delete(a.lines, key)
	}
}
