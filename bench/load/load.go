// Package load sends requests at a steady rate, whether or not earlier ones were answered, and checks every body: a server that falls
// behind is not given time to catch up, and the wait counts. All requests are GET, to loopback.
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

// Limit is how long an answer may take before it counts as failed.
const Limit = 20 * time.Second

// An Answer is a status and the xxHash of a body.
type Answer struct {
	Status int
	Digest uint64
}

// A Snapshot is the right answers to the targets of a load, in their order, as one snapshot gives them. Answers name it in X-Snapshot.
type Snapshot struct {
	ID      string
	Answers []Answer
}

// A Load is what is sent. It may be sent more than once, and copied.
type Load struct {
	Address string // IPv4 and port
	// Rate is in requests a second; 0 sends as fast as the connections allow, each of which waits for its answers.
	Rate        float64
	Duration    time.Duration // 0 goes on until the context is done
	Connections int           // 0 means 64, each with a goroutine
	Key         string
	Once        bool     // each connection serves one request
	Targets     []string // such as /api/v1/pubs/?search=inn, asked in turn
	Snapshots   []*Snapshot
}

// Send sends the load and returns when all its requests are answered. When the context is done, it sends nothing more and waits for
// the answers under way.
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
				answer, err := c.Ask(requests[target])
				took, snapshot := time.Since(due), c.Snapshot()
				counting.Lock()
				if err != nil {
					all.Broken++
					all.problem(err.Error())
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

// sleepUntil reports whether it is that time, rather than the context being done.
func sleepUntil(ctx context.Context, due time.Time) bool {
	if wait := time.Until(due); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// Start sends the load until stop is called, which returns what came of it, each time.
func (l *Load) Start(ctx context.Context) (stop func() *Tally) {
	ctx, cancel := context.WithCancel(ctx)
	sent := make(chan *Tally, 1)
	go func() { sent <- l.Send(ctx) }()
	return sync.OnceValue(func() *Tally {
		cancel()
		return <-sent
	})
}

// A Tally is what came of a load.
type Tally struct {
	Took     time.Duration
	Times    *hdrhistogram.Histogram // of answers, in microseconds since their requests were due
	Statuses map[int]int
	Served   map[string]int // right answers, by snapshot
	// Broken are requests that got no answer, Wrong those whose answer is not that of the snapshot that it names.
	Broken, Wrong int
	First         string // what was wrong with the first of them
}

// NewTally returns one of nothing.
func NewTally() *Tally {
	return &Tally{Times: hdrhistogram.New(1, (2 * Limit).Microseconds(), 3), Statuses: map[int]int{}, Served: map[string]int{}}
}

func (t *Tally) record(took time.Duration) {
	_ = t.Times.RecordValue(min(max(took.Microseconds(), 1), t.Times.HighestTrackableValue()))
}

func (t *Tally) problem(what string) {
	if t.First == "" {
		t.First = what
	}
}

// check counts an answer to a target that names a snapshot.
func (t *Tally) check(got Answer, snapshot string, snapshots []*Snapshot, target int) {
	t.Statuses[got.Status]++
	if got.Status != 200 && snapshot == "" { // rejected before any snapshot was searched
		return
	}
	named := slices.IndexFunc(snapshots, func(s *Snapshot) bool { return s.ID == snapshot })
	switch {
	case named < 0:
		t.Wrong++
		t.problem(fmt.Sprintf("request %d: names snapshot %q, which is not installed", target, snapshot))
	case got != snapshots[named].Answers[target]:
		t.Wrong++
		t.problem(fmt.Sprintf("request %d: got %v from snapshot %s, want %v", target, got, snapshot, snapshots[named].Answers[target]))
	default:
		t.Served[snapshot]++
	}
}

// Add adds what came of other loads and returns t.
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
		t.problem(other.First)
		t.Times.Merge(other.Times)
		t.Took += other.Took
	}
	return t
}

// Sent returns the number of requests.
func (t *Tally) Sent() int { return int(t.Times.TotalCount()) + t.Broken }

// Failed returns the number of requests that were not answered as they should be; 404 is right where it is the snapshot's answer.
func (t *Tally) Failed() int {
	failed := t.Broken + t.Wrong
	for status, n := range t.Statuses {
		if status != 200 && status != 404 {
			failed += n
		}
	}
	return failed
}

// Rate returns the number of answers a second.
func (t *Tally) Rate() float64 { return float64(t.Times.TotalCount()) / t.Took.Seconds() }

// P99 returns the time within which 99 of 100 answers came.
func (t *Tally) P99() time.Duration {
	return time.Duration(t.Times.ValueAtQuantile(99)) * time.Microsecond
}

// String is for a report.
func (t *Tally) String() string {
	text := fmt.Sprintf("%d answers, %d failed", t.Sent(), t.Failed())
	if t.First != "" {
		text += " (" + t.First + ")"
	}
	return text
}
