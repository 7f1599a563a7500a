package wire

import (
	"maps"
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
// ends by itself or by a deadline. It is safe for concurrent use.
type admission struct {
	mu          sync.Mutex // guards what follows
	connections pool       // slots
	responses   pool       // bytes that are held until the kernel has taken them
	free        int        // turns
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
	return &admission{connections: newPool(int64(connections), connectionShare), responses: newPool(bytes, 1), free: turns,
		lines: map[string]*line{}}
}

// A party is whose share of a pool is limited: a key, an address, or an address with a public key.
type party struct {
	key     string
	address netip.Prefix
}

// A pool is shared by parties, of which each may hold a multiple of what it leaves free. If it may hold as much, one
// alone has half of the pool, two have a third each, and so on: there is always room for one more, however many hold
// all they may. This is the rule of dynamic thresholds, by which switches share the memory of their ports (Choudhury
// and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998).
type pool struct {
	limit, held int64
	share       int64 // how many times as much as it leaves free
	accounts    map[party]*account
}

// An account is what a party holds of a pool.
type account struct{ held int64 }

// A claim is on an account, of which so many times as much counts.
type claim struct {
	*account
	weight int64
}

const (
	// connectionShare lets one address alone hold 8 of 9 slots: it may be that of a load balancer.
	connectionShare = 8
	// visitorWeight keeps a client with a public key from taking what all of them share.
	visitorWeight = 8
	// keptAccounts is how many accounts a pool keeps although they are empty.
	keptAccounts = 1000
)

func newPool(limit, share int64) pool { return pool{limit, 0, share, map[party]*account{}} }

// claim returns the claim of a party.
func (p *pool) claim(who party, weight int64) claim {
	a := p.accounts[who]
	if a == nil {
		if len(p.accounts) >= keptAccounts {
			maps.DeleteFunc(p.accounts, func(_ party, a *account) bool { return a.held == 0 })
		}
		a = new(account)
		p.accounts[who] = a
	}
	return claim{a, weight}
}

// fits reports whether so much more may be claimed. The first claim is on what is left of the pool, the next one on what
// that leaves to it. Anything fits into an empty pool: otherwise it never would.
func (p *pool) fits(n int64, claims ...claim) bool {
	rest := p.limit - p.held - n
	isOver := rest < 0
	for _, c := range claims {
		isOver = isOver || c.weight*(c.held+n) > p.share*rest
		rest -= c.held + n
	}
	return !isOver || n == 0 || p.held == 0
}

// add adds to what is claimed, or takes from it.
func (p *pool) add(n int64, claims ...claim) {
	p.held += n
	for _, c := range claims {
		c.held += n
	}
}

// connect reports whether another connection is taken on. That of an address that is not valid counts for nobody.
func (a *admission) connect(address netip.Prefix) (claims []claim, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if address.IsValid() {
		claims = []claim{a.connections.claim(party{address: address}, 1)}
	}
	if !a.connections.fits(1, claims...) {
		a.refused++
		return nil, false
	}
	a.connections.add(1, claims...)
	return claims, true
}

// disconnect ends what connect began.
func (a *admission) disconnect(claims []claim) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.connections.add(-1, claims...)
}

// A grant is what was taken on for a request.
type grant struct {
	demand httpapi.Demand
	claims [2]claim // memory for claim
	bytes  int64    // in responses
	isBusy bool     // it has a turn
}

// claim returns the claims of a grant: that of the key and, with a public key, that of its visitor.
func (a *admission) claim(g *grant) []claim {
	g.claims[0] = a.responses.claim(party{key: g.demand.Key}, 1)
	if !g.demand.Visitor {
		return g.claims[:1]
	}
	g.claims[1] = a.responses.claim(party{g.demand.Key, g.demand.Address}, visitorWeight)
	return g.claims[:]
}

// admit takes on a request, or reports that it is rejected. It may wait for a turn for some time.
func (a *admission) admit(d httpapi.Demand, patience time.Duration) (g grant, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g.demand = d
	ok = a.responses.fits(d.Bytes, a.claim(&g)...)
	if ok && d.Work {
		if a.free > 0 {
			a.free--
		} else if ok = a.await(&d, patience); ok {
			if ok = a.responses.fits(d.Bytes, a.claim(&g)...); !ok {
				a.pass()
			}
		}
	}
	if !ok {
		a.rejected++
		return grant{}, false
	}
	g.isBusy = d.Work
	a.set(&g, d.Bytes)
	return g, true
}

// set sets how many bytes a grant holds. The caller holds a.mu.
func (a *admission) set(g *grant, bytes int64) {
	a.responses.add(bytes-g.bytes, a.claim(g)...)
	g.bytes = bytes
}

// hold sets how many bytes a grant holds: those of the response, once it is there; 0 once it was sent. It ends the turn
// of the grant, if it has one.
func (a *admission) hold(g *grant, bytes int64) {
	if g.bytes == bytes && !g.isBusy {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.set(g, bytes)
	if g.isBusy {
		a.pass()
		g.isBusy = false
	}
}

// A line is the work of a key that waits: what its addresses wait for, each in the order of arrival.
type line struct {
	stamp     uint64 // orders keys: the one whose last turn is longest ago is next
	addresses map[netip.Prefix]*queue
}

// A queue is what waits for an address and a key.
type queue struct {
	stamp uint64 // as in a line
	turns []chan struct{}
}

// await waits for a turn for some time, and reports whether it came. Keys take turns, and so do the addresses of a key:
// who asks for much, or from many addresses, waits for its own work only. The caller holds a.mu, which is released
// meanwhile.
func (a *admission) await(d *httpapi.Demand, patience time.Duration) bool {
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
	key := ""
	for k, l := range a.lines {
		if next := a.lines[key]; next == nil || l.stamp < next.stamp {
			key = k
		}
	}
	l, address := a.lines[key], netip.Prefix{}
	for k, q := range l.addresses {
		if next := l.addresses[address]; next == nil || q.stamp < next.stamp {
			address = k
		}
	}
	q := l.addresses[address]
	q.turns[0] <- struct{}{}
	q.turns = q.turns[1:]
	l.stamp, q.stamp = a.stamp(), a.stamp()
	a.tidy(key, address, l, q)
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
