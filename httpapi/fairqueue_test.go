package httpapi

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// enqueue adds a request to the queue and returns once it is waiting. name is the key of the client and the last byte of its address, if any.
func enqueue(q *fairQueue, name string, entered func(name string)) {
	c := client{key: name[:1]}
	if len(name) > 1 {
		c.address = netip.MustParsePrefix("192.0.2." + name[1:] + "/32")
	}
	size := func() int {
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.waiting[c])
	}
	before := size()
	go func() {
		if q.wait(c) {
			entered(name)
			q.leave()
		}
	}()
	for size() == before {
		time.Sleep(100 * time.Microsecond)
	}
}

// Keys take turns, however many requests and addresses each has. So do the addresses of a key.
func TestFairQueueTakesTurns(t *testing.T) {
	for _, c := range []struct{ sent, want string }{
		{"a a a a b a b c", "a b c a b a a a"},
		{"a1 a2 a3 a4 a1 b1 b1 b1", "a1 b1 a2 b1 a3 b1 a4 a1"},
		{"a1 a1 a1 a2 a3 a2", "a1 a2 a3 a1 a2 a1"},
	} {
		q := newFairQueue(1)
		equal(t, "runs when no other does", q.wait(client{key: "first"}), true)
		var order []string
		var all sync.WaitGroup
		for _, name := range strings.Fields(c.sent) {
			all.Add(1)
			enqueue(q, name, func(name string) { order = append(order, name); all.Done() })
		}
		q.leave()
		all.Wait()
		equal(t, c.sent, strings.Join(order, " "), c.want)
		equal(t, "runs when all others have left", q.wait(client{}), true)
	}
}

// A request waits for a limited time, and leaves nothing behind.
func TestFairQueueGivesUp(t *testing.T) {
	q := newFairQueue(1)
	q.wait(client{key: "first"})
	begun := time.Now()
	equal(t, "a second one runs", q.wait(client{key: "a"}), false)
	if waited := time.Since(begun); waited < maxWait {
		t.Errorf("waited for %v, want at least %v", waited, maxWait)
	}
	equal(t, "left behind", len(q.waiting)+len(q.keys)+len(q.addresses), 0)
	q.leave()
	equal(t, "runs when all others have left", q.wait(client{key: "b"}), true)
}

// However many requests there are, the number running stays within the limit, and each gets its turn.
func TestFairQueueBounds(t *testing.T) {
	const running, requests = 3, 2000
	q := newFairQueue(running)
	var now, over, entered atomic.Int64
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() {
			if !q.wait(client{fmt.Sprint(i % 7), netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(i % 3)}), 32)}) {
				return
			}
			entered.Add(1)
			if now.Add(1) > running {
				over.Add(1)
			}
			now.Add(-1)
			q.leave()
		})
	}
	all.Wait()
	equal(t, "requests that ran", entered.Load(), requests)
	equal(t, "requests beside too many others", over.Load(), 0)
	equal(t, "free slots", q.free, running)
}
