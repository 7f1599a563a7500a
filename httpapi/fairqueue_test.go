package httpapi

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// enqueue lets a request of a client wait, and returns when it does.
func enqueue(q *fairQueue, key string, entered func(key string)) {
	c := client{key: key}
	size := func() int {
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.waiting[c])
	}
	before := size()
	go func() {
		if q.wait(c) {
			entered(key)
			q.leave()
		}
	}()
	for size() == before {
		time.Sleep(100 * time.Microsecond)
	}
}

// Clients take turns, whoever sends more.
func TestFairQueueTakesTurns(t *testing.T) {
	q := newFairQueue(1)
	if !q.wait(client{key: "first"}) {
		t.Fatal("nobody runs, and a request waits")
	}
	var order []string
	var all sync.WaitGroup
	for _, key := range strings.Fields("a a a a b a b c") {
		all.Add(1)
		enqueue(q, key, func(key string) { order = append(order, key); all.Done() })
	}
	q.leave()
	all.Wait()
	if got, want := strings.Join(order, " "), "a b c a b a a a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !q.wait(client{}) {
		t.Error("nobody runs any more, and a request waits")
	}
}

// A request waits for a while only, and leaves nothing behind.
func TestFairQueueGivesUp(t *testing.T) {
	q := newFairQueue(1)
	q.wait(client{key: "first"})
	begun := time.Now()
	if q.wait(client{key: "a"}) {
		t.Error("two run, want one")
	}
	if waited := time.Since(begun); waited < maxWait {
		t.Errorf("it waited for %v, want %v", waited, maxWait)
	}
	if len(q.waiting) > 0 || len(q.turns) > 0 {
		t.Errorf("left behind: %v, %v", q.waiting, q.turns)
	}
	q.leave()
	if !q.wait(client{key: "b"}) {
		t.Error("nobody runs any more, and a request waits")
	}
}

// However many requests there are, of whomever, no more run than may, and each has its turn.
func TestFairQueueBounds(t *testing.T) {
	const running, requests = 3, 2000
	q := newFairQueue(running)
	var mu sync.Mutex
	now, most, entered := 0, 0, 0
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() {
			if !q.wait(client{key: fmt.Sprint(i % 7)}) {
				return
			}
			mu.Lock()
			now, entered = now+1, entered+1
			most = max(most, now)
			mu.Unlock()
			mu.Lock()
			now--
			mu.Unlock()
			q.leave()
		})
	}
	all.Wait()
	if most > running || entered != requests || q.free != running {
		t.Errorf("%d of %d entered, %d at once, %d may run; want all, at most %d at once", entered, requests, most, q.free, running)
	}
}
