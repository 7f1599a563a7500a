package wire

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	"pubd/httpapi"
	"pubd/httpapi/keys"
)

// maxWait is how long work waits for its turn before it is rejected.
const maxWait = time.Second

// An admission decides what is taken on: connections, large responses, and the turns of requests. What it took on
// ends by itself or by a deadline; only idle connections may be closed for others. It is safe for concurrent use.
type admission struct {
	mu          sync.Mutex // guards what follows
	connections pool       // slots
	open        map[*connection]struct{}
	responses   pool // bytes that are held until the kernel has taken them
	turns       [httpapi.TurnCount]turns
	rejected    uint64 // requests
	refused     uint64 // connections
}

// Turns limit how many requests of a class run at a time: the others wait in a fair queue.
type turns struct {
	free    int
	waiting queue // of keys, then of the sites of a key, then of the addresses of a site
}

// newAdmission allows that many connections, bytes in flight, and turns at a time; 0 bytes mean no limit.
func newAdmission(connections int, bytes int64, limits [httpapi.TurnCount]int) *admission {
	if bytes == 0 {
		bytes = math.MaxInt64 / 16
	}
	a := &admission{connections: newPool(int64(connections), connectionShare), open: map[*connection]struct{}{}, responses: newPool(bytes, 1)}
	for turn, limit := range limits {
		a.turns[turn] = turns{limit, queue{by: map[tenant]*queue{}}}
	}
	return a
}

// A tenant has a share of a pool, or takes turns: a key, or a site or an address with a key or without.
type tenant struct {
	key    string
	client netip.Prefix
}

// clientShares appends the shares of a client: that of its site, and within that the one of its address.
func clientShares(list []share, key string, c keys.Client, weight int64) []share {
	list = append(list, share{tenant{key, c.Site}, weight})
	if c.Address != c.Site {
		list = append(list, share{tenant{key, c.Address}, 1})
	}
	return list
}

// A share is the part of a pool that a tenant may hold; the weight multiplies what it holds.
type share struct {
	tenant
	weight int64
}

// A pool is shared by tenants, of which each may hold a multiple of what it leaves free. If it may hold as much, one
// alone has half of the pool, two have a third each, and so on: there is always room for one more, however many hold
// all they may. What a tenant may hold is in turn a pool that the tenants within it share: the sites of a key, the
// addresses of a site. This is the rule of dynamic thresholds, by which switches share the memory of their ports (Choudhury
// and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998).
type pool struct {
	limit, held int64
	multiple    int64
	by          map[tenant]int64 // of those that hold anything
}

const (
	// connectionShare lets one site alone hold 8 of 9 slots: it may be that of a load balancer.
	connectionShare = 8
	// visitorWeight keeps a client with a public key from taking what all of them share.
	visitorWeight = 8
)

func newPool(limit, multiple int64) pool { return pool{limit, 0, multiple, map[tenant]int64{}} }

// tightShare is the fraction of bytes in flight, an eighth, from which on they are saved at the cost of time.
const tightShare = 8

// fits reports whether so much more may be held. The first share is of what is left of the pool, the next one of what
// the one before leaves of itself. Anything fits into an empty pool: otherwise it never would.
func (p *pool) fits(n int64, shares []share) bool {
	rest := p.limit - p.held - n
	isOver := rest < 0
	for _, s := range shares {
		rest = p.multiple*rest/s.weight - p.by[s.tenant] - n
		isOver = isOver || rest < 0
	}
	return !isOver || p.held == 0
}

// add adds to what is held, or takes from it.
func (p *pool) add(n int64, shares []share) {
	p.held += n
	for _, s := range shares {
		if held := p.by[s.tenant] + n; held == 0 {
			delete(p.by, s.tenant)
		} else {
			p.by[s.tenant] = held
		}
	}
}

const (
	// idleGrace is how long a connection may be idle before it can be closed for another one.
	idleGrace = 100 * time.Millisecond
	// fewSlots is the fraction of slots, one in 32, up to which a site has idle connections of others closed for its own.
	// As many are closed at once, so that they are rarely looked for.
	fewSlots = 32
)

// connect reports whether a connection is taken on. If there is no slot for a site with few connections, idle ones
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

// closeIdle closes at most n idle connections, those of the sites with the most first, and of each those that have
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

// heldBy returns how many slots the site of a connection holds; 0 for a load balancer. The caller holds a.mu.
func (a *admission) heldBy(c *connection) int64 {
	if len(c.shares) == 0 {
		return 0
	}
	return a.connections.by[c.shares[0].tenant]
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
	bytes   int64 // in responses
	hasTurn bool  // until it ends
	isTight bool  // bytes are to be saved
}

// sharesOf returns whose shares a demand counts in: that of the key and, with a public key, those of the visitor.
func sharesOf(d *httpapi.Demand, memory *[3]share) []share {
	list := append(memory[:0], share{tenant{key: d.Key}, 1})
	if !d.Visitor {
		return list
	}
	return clientShares(list, d.Key, d.Client, visitorWeight)
}

// admit takes on a request, or reports that it is rejected. It may wait for its turn for some time.
func (a *admission) admit(d httpapi.Demand, patience time.Duration) (g grant, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fits := func() bool { return d.Bytes == 0 || a.responses.fits(d.Bytes, sharesOf(&d, new([3]share))) }
	ok = fits() && a.turn(&d, patience)
	if ok && !fits() {
		a.pass(d.Turn)
		ok = false
	}
	if !ok {
		a.rejected++
		return grant{}, false
	}
	g.demand, g.hasTurn = d, true
	g.isTight = a.responses.held > a.responses.limit/tightShare
	a.set(&g, d.Bytes)
	return g, true
}

// set sets how many bytes a grant holds. The caller holds a.mu.
func (a *admission) set(g *grant, bytes int64) {
	if bytes != g.bytes {
		a.responses.add(bytes-g.bytes, sharesOf(&g.demand, new([3]share)))
		g.bytes = bytes
	}
}

// finish ends the turn of a grant, if it has one, and sets how many bytes it holds: those of the response, once it is
// there; 0 once it was sent.
func (a *admission) finish(g *grant, bytes int64) {
	if g.bytes == bytes && !g.hasTurn {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.set(g, bytes)
	if g.hasTurn {
		a.pass(g.demand.Turn)
		g.hasTurn = false
	}
}

// takeTurn waits for another turn of what was admitted, and reports whether it came: nothing is rejected, and no bytes
// are added. If it came, endTurn ends it.
func (a *admission) takeTurn(d *httpapi.Demand, patience time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turn(d, patience)
}

func (a *admission) endTurn(turn httpapi.Turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pass(turn)
}

// A queue has the turns that are waited for, in a tree of tenants. The tenants of a queue take turns, and what waits
// for one of them does so in the order of arrival: who asks for much, or from many addresses, waits for its own work
// only.
type queue struct {
	tenant tenant
	queues []*queue          // of the tenants, the next one first
	by     map[tenant]*queue // the same
	turns  []chan struct{}   // of a tenant without tenants
}

// turn waits for the turn of a demand for some time, and reports whether it came. The caller holds a.mu, which is
// released meanwhile.
func (a *admission) turn(d *httpapi.Demand, patience time.Duration) bool {
	t := &a.turns[d.Turn]
	if t.free > 0 {
		t.free--
		return true
	}
	path, turn := [...]tenant{{key: d.Key}, {client: d.Client.Site}, {client: d.Client.Address}}, make(chan struct{}, 1)
	t.waiting.join(path[:], turn)
	a.mu.Unlock()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-turn:
		a.mu.Lock()
		return true
	case <-timeout.C:
		a.mu.Lock()
		return !t.waiting.leave(path[:], turn) // it may have come in the last moment
	}
}

// pass gives the turn of somebody to the next one that waits. The caller holds a.mu.
func (a *admission) pass(turn httpapi.Turn) {
	t := &a.turns[turn]
	if t.waiting.isEmpty() {
		t.free++
		return
	}
	t.waiting.next() <- struct{}{}
}

func (l *queue) isEmpty() bool { return len(l.queues) == 0 && len(l.turns) == 0 }

// join adds a turn to the queue of a path of tenants.
func (l *queue) join(path []tenant, turn chan struct{}) {
	if len(path) == 0 {
		l.turns = append(l.turns, turn)
		return
	}
	inner := l.by[path[0]]
	if inner == nil {
		inner = &queue{tenant: path[0], by: map[tenant]*queue{}}
		l.queues, l.by[inner.tenant] = append(l.queues, inner), inner
	}
	inner.join(path[1:], turn)
}

// next removes the turn that is next.
func (l *queue) next() (turn chan struct{}) {
	if len(l.turns) > 0 {
		turn, l.turns = l.turns[0], l.turns[1:]
		return turn
	}
	inner := l.queues[0]
	turn = inner.next()
	if l.queues = l.queues[1:]; inner.isEmpty() {
		delete(l.by, inner.tenant)
	} else {
		l.queues = append(l.queues, inner)
	}
	return turn
}

// leave removes a turn from the queue of a path, and reports whether it was there.
func (l *queue) leave(path []tenant, turn chan struct{}) (left bool) {
	if len(path) == 0 {
		before := len(l.turns)
		l.turns = slices.DeleteFunc(l.turns, func(one chan struct{}) bool { return one == turn })
		return len(l.turns) < before
	}
	inner := l.by[path[0]]
	if inner == nil {
		return false
	}
	if left = inner.leave(path[1:], turn); inner.isEmpty() {
		delete(l.by, inner.tenant)
		l.queues = slices.DeleteFunc(l.queues, func(one *queue) bool { return one == inner })
	}
	return left
}
