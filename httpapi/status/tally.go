package status

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/keys"
	"pubd/httpapi/params"
	"pubd/index"
)

// An Outcome is what became of a text that was searched for.
type Outcome uint8

const (
	NotSearched Outcome = iota
	NothingFound
	Found // by a strict query; each step of a relaxed one follows
)

const OutcomeCount = Found + Outcome(index.StepCount)

// String returns the Outcome as a metric label: the step that found pubs, such as "strict" or "typo", or "none".
func (o Outcome) String() string {
	if o < Found {
		return "none"
	}
	return index.Step(o - Found).String()
}

// A Summary is what metrics and the log record of a request.
type Summary struct {
	Operation params.Operation
	Key       *keys.Key // nil if none was presented or needed
	Fault     fault.Fault
	Outcome   Outcome
}

// A Tally counts requests. Each exchange counts in one of its shards, and exchanges usually stay on a processor, so
// that requests on several processors do not write to the same memory. A report adds up the shards. It is safe for
// concurrent use.
type Tally struct {
	shards []Shard
	next   atomic.Uint32 // the shard of the next exchange
}

// statuses are the statuses of responses; the last stands for all others, of which there should be none.
var statuses = [...]int{200, 204, 206, 301, 304, 400, 401, 403, 404, 405, 410, 412, 413, 414, 416, 421, 429, 431, 500, 503, 505, 0}

// bounds are the upper bounds of the histogram buckets.
var bounds = [...]time.Duration{time.Microsecond, 2500, 5 * time.Microsecond, 10 * time.Microsecond, 25 * time.Microsecond,
	50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond,
	10 * time.Millisecond, 100 * time.Millisecond, time.Second}

// reasons are the reasons why keys are rejected, as reported.
var reasons = [...]struct {
	row    *fault.Row
	reason string
}{{fault.KeyRequired, "required"}, {fault.KeyInvalid, "invalid"}, {fault.RateLimited, "limited"}}

// A Shard is part of the counts of a Tally.
type Shard struct {
	requests [params.OperationCount][len(statuses)]atomic.Uint64
	times    [params.OperationCount][len(bounds) + 1]atomic.Uint64 // by bucket; the last has no bound
	took     [params.OperationCount]atomic.Uint64                  // nanoseconds, of all requests
	rejected [len(reasons)]atomic.Uint64
	outcomes [OutcomeCount]atomic.Uint64
	keys     [keys.MaxLabels]atomic.Uint64 // by the label of the key
	_        [128]byte                     // padding against false sharing
}

// NewTally returns a Tally with several shards per processor, so that exchanges of two processors rarely share one.
func NewTally() *Tally { return &Tally{shards: make([]Shard, 8*runtime.GOMAXPROCS(0))} }

// Shard returns the shard for a new exchange.
func (t *Tally) Shard() *Shard { return &t.shards[int(t.next.Add(1))%len(t.shards)] }

// Count counts a request by its status.
func (s *Shard) Count(done *Summary, status int, took time.Duration) {
	bucket := 0
	for bucket < len(bounds) && took > bounds[bucket] {
		bucket++
	}
	place := slices.Index(statuses[:], status)
	if place < 0 {
		place = len(statuses) - 1
	}
	s.requests[done.Operation][place].Add(1)
	s.times[done.Operation][bucket].Add(1)
	s.took[done.Operation].Add(uint64(max(took, 0)))
	if done.Outcome != NotSearched {
		s.outcomes[done.Outcome].Add(1)
	}
	if done.Key != nil {
		s.keys[done.Key.Label()].Add(1)
	}
	if !done.Fault.IsSet() {
		return
	}
	for i := range reasons {
		if done.Fault.Row == reasons[i].row {
			s.rejected[i].Add(1)
		}
	}
}

// sum adds up a counter over all shards.
func (t *Tally) sum(counter func(s *Shard) *atomic.Uint64) (sum uint64) {
	for i := range t.shards {
		sum += counter(&t.shards[i]).Load()
	}
	return sum
}

// Report adds up the shards, into a report. labels are those of keys.
func (t *Tally) Report(r *Report, labels []string) {
	for operation := range params.OperationCount {
		done := Requests{Operation: operation.String(), Statuses: map[int]uint64{}, Within: map[time.Duration]uint64{}}
		for place, status := range statuses {
			done.Statuses[status] = t.sum(func(s *Shard) *atomic.Uint64 { return &s.requests[operation][place] })
		}
		for bucket := range len(bounds) + 1 {
			done.Count += t.sum(func(s *Shard) *atomic.Uint64 { return &s.times[operation][bucket] })
			if bucket < len(bounds) {
				done.Within[bounds[bucket]] = done.Count
			}
		}
		done.Took = time.Duration(t.sum(func(s *Shard) *atomic.Uint64 { return &s.took[operation] }))
		r.Requests = append(r.Requests, done)
	}
	r.ByKey, r.Rejected, r.Searches = map[string]uint64{}, map[string]uint64{}, map[string]uint64{}
	for i, label := range labels {
		r.ByKey[label] = t.sum(func(s *Shard) *atomic.Uint64 { return &s.keys[i] })
	}
	for i, reason := range reasons {
		r.Rejected[reason.reason] = t.sum(func(s *Shard) *atomic.Uint64 { return &s.rejected[i] })
	}
	for o := NothingFound; o < OutcomeCount; o++ {
		r.Searches[o.String()] = t.sum(func(s *Shard) *atomic.Uint64 { return &s.outcomes[o] })
	}
}
