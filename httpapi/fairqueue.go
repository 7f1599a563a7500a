package httpapi

import (
	"net/netip"
	"slices"
	"sync"
	"time"
)

// maxWait is how long an expensive request waits for its turn before it is rejected.
const maxWait = time.Second

// A client is one that a server is shared with: a key at an address.
type client struct {
	key     string
	address netip.Prefix
}

// A fairQueue bounds how many expensive requests run at once. The others wait, and clients take turns: one that sends
// many waits for its own. So at most as many large answers are being written as there are processors, and a request
// that is not expensive finds them busy for a few milliseconds at most. It is safe for concurrent use.
type fairQueue struct {
	mu      sync.Mutex // guards what follows
	free    int        // requests that may run beside those that do
	waiting map[client][]chan struct{}
	turns   []client // those with waiting requests, the next one first
}

func newFairQueue(running int) *fairQueue {
	return &fairQueue{free: running, waiting: map[client][]chan struct{}{}}
}

// tryEnter reports whether a request may run at once. If so, it must leave.
func (q *fairQueue) tryEnter() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free == 0 {
		return false
	}
	q.free--
	return true
}

// wait waits for the turn of a client's request and reports whether it came within maxWait. If so, the request must leave.
func (q *fairQueue) wait(c client) bool {
	q.mu.Lock()
	if q.free > 0 {
		q.free--
		q.mu.Unlock()
		return true
	}
	turn := make(chan struct{}, 1)
	if len(q.waiting[c]) == 0 {
		q.turns = append(q.turns, c)
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
	if len(q.turns) == 0 {
		q.free++
		return
	}
	c := q.turns[0]
	q.turns = q.turns[1:]
	turn := q.waiting[c][0]
	if rest := q.waiting[c][1:]; len(rest) > 0 {
		q.waiting[c] = rest
		q.turns = append(q.turns, c)
	} else {
		delete(q.waiting, c)
	}
	turn <- struct{}{}
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
		at = slices.Index(q.turns, c)
		q.turns = slices.Delete(q.turns, at, at+1)
	}
	return true
}
