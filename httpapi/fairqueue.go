package httpapi

import (
	"net/netip"
	"slices"
	"sync"
	"time"
)

// maxWait is how long an expensive request waits for its turn before it is rejected.
const maxWait = time.Second

// A client is a unit of fairness: a key at an address.
type client struct {
	key     string
	address netip.Prefix
}

// A fairQueue bounds how many expensive requests run at once. The others wait. Keys take turns, and so do the addresses that use a key: a
// client that sends many requests, or from many addresses, waits only for its own. So at most as many large responses are being computed as
// there are processors, and a request that is not expensive waits for a few milliseconds at most. It is safe for concurrent use.
type fairQueue struct {
	mu      sync.Mutex // guards what follows
	free    int        // requests that may run in addition
	waiting map[client][]chan struct{}
	// Keys with waiting requests, in order of turn, and the addresses of each key.
	keys      []string
	addresses map[string][]netip.Prefix
}

func newFairQueue(running int) *fairQueue {
	return &fairQueue{free: running, waiting: map[client][]chan struct{}{}, addresses: map[string][]netip.Prefix{}}
}

// wait waits for the turn of a client's request and reports whether it came within maxWait. If it did, the request must leave. It does not
// allocate if no request waits.
func (q *fairQueue) wait(c client) bool {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return true
	}
	turn := make(chan struct{}, 1)
	if len(q.waiting[c]) == 0 {
		q.enqueue(c)
	}
	q.waiting[c] = append(q.waiting[c], turn)
	q.mu.Unlock()

	timeout := time.NewTimer(maxWait)
	defer timeout.Stop()
	select {
	case <-turn:
		return true
	case <-timeout.C:
		return !q.withdraw(c, turn)
	}
}

// leave ends a request that entered, and lets the next one in.
func (q *fairQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.keys) == 0 {
		q.free++
		return
	}
	c := client{q.keys[0], q.addresses[q.keys[0]][0]}
	turn := q.waiting[c][0]
	rest := q.waiting[c][1:]
	q.remove(c)
	if len(q.addresses[c.key]) > 0 { // behind the other keys
		q.keys = append(slices.Delete(q.keys, 0, 1), c.key)
	}
	if len(rest) > 0 {
		q.waiting[c] = rest
		q.enqueue(c)
	} else {
		delete(q.waiting, c)
	}
	turn <- struct{}{}
}

// enqueue puts a client behind the others of its key, and a new key behind the others. The caller holds q.mu.
func (q *fairQueue) enqueue(c client) {
	if len(q.addresses[c.key]) == 0 {
		q.keys = append(q.keys, c.key)
	}
	q.addresses[c.key] = append(q.addresses[c.key], c.address)
}

// remove takes a client out of the queue, and its key if it was the last one. The caller holds q.mu.
func (q *fairQueue) remove(c client) {
	addresses := q.addresses[c.key]
	at := slices.Index(addresses, c.address)
	if addresses = slices.Delete(addresses, at, at+1); len(addresses) > 0 {
		q.addresses[c.key] = addresses
		return
	}
	delete(q.addresses, c.key)
	at = slices.Index(q.keys, c.key)
	q.keys = slices.Delete(q.keys, at, at+1)
}

// withdraw takes a request out of the queue and reports whether it was still there: its turn may just have come.
func (q *fairQueue) withdraw(c client, turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting[c], turn)
	if at < 0 {
		return false
	}
	if q.waiting[c] = slices.Delete(q.waiting[c], at, at+1); len(q.waiting[c]) == 0 {
		delete(q.waiting, c)
		q.remove(c)
	}
	return true
}
