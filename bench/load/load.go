// Package load sends GET requests to a server and checks every response. [Load.Send] is the entry point, [Load.Start]
// does the same in the background; both give a [Tally] of times, statuses and failures.
//
// With a rate, requests are due at constant intervals, whether or not earlier ones were answered, and latency counts
// from when a request is due. A server that falls behind gets no time to catch up: the p99 contains the wait for a
// free connection, too. Without a rate, each connection sends its next request when it has a response.
//
// The caller says what is right: a [Snapshot] has the status and the xxHash of the body for each target. A response
// must be that of the snapshot that it names in X-Snapshot, so that an answer from two snapshots is found, even during
// a reload. A Load is only read while it is sent; a Tally serves one goroutine. Times are in an HDR histogram, whose
// size does not depend on the number of requests. A [Conn] is one connection, for tests that need headers or bodies.
package load

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Limit is the timeout of a request.
const Limit = 20 * time.Second

// An Answer is a status and the xxHash of a body.
type Answer struct {
	Status int
	Digest uint64
}

// A Snapshot has a snapshot's right answers to the targets of a load, in their order. Responses name it in X-Snapshot.
type Snapshot struct {
	ID      string
	Answers []Answer
}

// A Load describes requests. It may be sent more than once, and copied.
type Load struct {
	Address string // IPv4 and port
	// Rate is in requests per second. With 0, each connection sends its next request when it has a response.
	Rate        float64
	Duration    time.Duration // 0 lasts until the context is done
	Connections int           // 0 means 64
	Key         string
	Once        bool     // a new connection for each request
	Targets     []string // such as /api/v1/pubs/?search=inn, requested in turn
	Snapshots   []*Snapshot
}

// Send sends the load and returns when all its requests are answered. Once the context is done, it sends no more and
// only waits for the remaining responses.
func (l *Load) Send(ctx context.Context) *Tally {
	last := ""
	if l.Once {
		last = "Connection: close\r\n"
	}
	var requests [][]byte
	for _, target := range l.Targets {
		requests = append(requests, fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: localhost\r\nx-api-key: %s\r\n%s\r\n", target, l.Key, last))
	}
	all := NewTally()
	begun, sent := time.Now(), atomic.Int64{}
	var counting sync.Mutex // guards all
	var wait sync.WaitGroup
	for range cmp.Or(l.Connections, 64) {
		wait.Go(func() {
			c := &Conn{Address: l.Address}
			defer c.Close()
			for ctx.Err() == nil {
				number := int(sent.Add(1) - 1)
				due := time.Now()
				if l.Rate > 0 {
					due = begun.Add(time.Duration(float64(number) / l.Rate * float64(time.Second)))
				}
				if l.Duration > 0 && due.Sub(begun) >= l.Duration || !sleepUntil(ctx, due) {
					return
				}
				target := number % len(requests)
				answer, err := c.Send(requests[target])
				took, snapshot := time.Since(due), c.Snapshot()
				counting.Lock()
				if err != nil {
					all.Broken++
					all.First = cmp.Or(all.First, err.Error())
				} else {
					all.record(took)
					all.check(answer, snapshot, l.Snapshots, target)
				}
				counting.Unlock()
			}
		})
	}
	wait.Wait()
	all.Took = time.Since(begun)
	return all
}

// sleepUntil returns at a time, or earlier with false if the context is done.
func sleepUntil(ctx context.Context, due time.Time) bool {
	if wait := time.Until(due); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// Start sends the load until stop is called. Every call of stop returns the same tally.
func (l *Load) Start(ctx context.Context) (stop func() *Tally) {
	ctx, cancel := context.WithCancel(ctx)
	sent := make(chan *Tally, 1)
	go func() { sent <- l.Send(ctx) }()
	return sync.OnceValue(func() *Tally {
		cancel()
		return <-sent
	})
}

// A Tally is the result of a load.
type Tally struct {
	Took     time.Duration
	Times    *hdrhistogram.Histogram // microseconds from when requests were due to their answers
	Statuses map[int]int
	Served   map[string]int // right answers, by snapshot
	// Broken is the number of requests without an answer, Wrong that of answers that are not the named snapshot's.
	Broken, Wrong int
	First         string // the first problem
}

// NewTally returns an empty tally.
func NewTally() *Tally {
	return &Tally{Times: hdrhistogram.New(1, (2 * Limit).Microseconds(), 3), Statuses: map[int]int{}, Served: map[string]int{}}
}

func (t *Tally) record(took time.Duration) {
	_ = t.Times.RecordValue(min(max(took.Microseconds(), 1), t.Times.HighestTrackableValue()))
}

// check counts an answer to a target. The response named a snapshot, or none.
func (t *Tally) check(got Answer, snapshot string, snapshots []*Snapshot, target int) {
	t.Statuses[got.Status]++
	if got.Status != 200 && snapshot == "" { // rejected before any snapshot was searched
		return
	}
	named := slices.IndexFunc(snapshots, func(s *Snapshot) bool { return s.ID == snapshot })
	switch {
	case named < 0:
		t.Wrong++
		t.First = cmp.Or(t.First, fmt.Sprintf("request %d: names snapshot %q, which is not installed", target, snapshot))
	case got != snapshots[named].Answers[target]:
		t.Wrong++
		want := snapshots[named].Answers[target]
		t.First = cmp.Or(t.First, fmt.Sprintf("request %d: got %v from snapshot %s, want %v", target, got, snapshot, want))
	default:
		t.Served[snapshot]++
	}
}

// Add adds the tallies of other loads and returns t.
func (t *Tally) Add(others ...*Tally) *Tally {
	for _, other := range others {
		for status, n := range other.Statuses {
			t.Statuses[status] += n
		}
		for id, n := range other.Served {
			t.Served[id] += n
		}
		t.Broken += other.Broken
		t.Wrong += other.Wrong
		t.First = cmp.Or(t.First, other.First)
		t.Times.Merge(other.Times)
		t.Took += other.Took
	}
	return t
}

// Sent returns the number of requests.
func (t *Tally) Sent() int { return int(t.Times.TotalCount()) + t.Broken }

// Failed returns the number of requests without a right answer. The status of a right answer is 200 or 404.
func (t *Tally) Failed() int {
	failed := t.Broken + t.Wrong
	for status, n := range t.Statuses {
		if status != 200 && status != 404 {
			failed += n
		}
	}
	return failed
}

// Rate returns the number of answers per second.
func (t *Tally) Rate() float64 { return float64(t.Times.TotalCount()) / t.Took.Seconds() }

// P99 returns the 99th percentile of the latency.
func (t *Tally) P99() time.Duration {
	return time.Duration(t.Times.ValueAtQuantile(99)) * time.Microsecond
}

// String returns a summary for reports.
func (t *Tally) String() string {
	text := fmt.Sprintf("%d answers, %d failed", t.Sent(), t.Failed())
	if t.Failed() > 0 {
		text += fmt.Sprintf(" (by status %v, %d broken, %d wrong: %s)", t.Statuses, t.Broken, t.Wrong, t.First)
	}
	return text
}
