package httpapi

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/keys"
	"pubd/httpapi/params"
)

// A tally counts requests. Each exchange counts in one of its shards, and exchanges usually stay on a processor, so
// that requests on several processors do not write to the same memory. A report adds up the shards. It is safe for
// concurrent use.
type tally struct {
	shards []tallyShard
	next   atomic.Uint32 // the shard of the next exchange
}

// tallyStatuses are the statuses of responses; the last stands for all others, of which there should be none.
var tallyStatuses = [...]int{200, 204, 206, 301, 304, 400, 401, 403, 404, 405, 410, 412, 413, 414, 416, 421, 429, 431, 500, 503, 505, 0}

// tallyBounds are the upper bounds of the histogram buckets.
var tallyBounds = [...]time.Duration{time.Microsecond, 2500, 5 * time.Microsecond, 10 * time.Microsecond, 25 * time.Microsecond,
	50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond,
	10 * time.Millisecond, 100 * time.Millisecond, time.Second}

// tallyReasons are the reasons why keys are rejected, as reported.
var tallyReasons = [...]struct {
	row    *fault.Row
	reason string
}{{fault.KeyRequired, "required"}, {fault.KeyInvalid, "invalid"}, {fault.RateLimited, "limited"}}

// A tallyShard is part of the counts of a tally.
type tallyShard struct {
	requests [params.OperationCount][len(tallyStatuses)]atomic.Uint64
	times    [params.OperationCount][len(tallyBounds) + 1]atomic.Uint64 // by bucket; the last has no bound
	took     [params.OperationCount]atomic.Uint64                       // nanoseconds, of all requests
	rejected [len(tallyReasons)]atomic.Uint64
	outcomes [outcomeCount]atomic.Uint64
	keys     [keys.MaxLabels]atomic.Uint64 // by the label of the key
	_        [128]byte                     // padding against false sharing
}

// newTally returns a tally with several shards per processor, so that exchanges of two processors rarely share one.
func newTally() *tally { return &tally{shards: make([]tallyShard, 8*runtime.GOMAXPROCS(0))} }

// shard returns the shard for a new exchange.
func (t *tally) shard() *tallyShard { return &t.shards[int(t.next.Add(1))%len(t.shards)] }

// count counts a request by its status.
func (s *tallyShard) count(done *summary, status int, took time.Duration) {
	bucket := 0
	for bucket < len(tallyBounds) && took > tallyBounds[bucket] {
		bucket++
	}
	place := slices.Index(tallyStatuses[:], status)
	if place < 0 {
		place = len(tallyStatuses) - 1
	}
	s.requests[done.operation][place].Add(1)
	s.times[done.operation][bucket].Add(1)
	s.took[done.operation].Add(uint64(max(took, 0)))
	if done.outcome != notSearched {
		s.outcomes[done.outcome].Add(1)
	}
	if done.key != nil {
		s.keys[done.key.Label()].Add(1)
	}
	if !done.fault.IsSet() {
		return
	}
	for i := range tallyReasons {
		if done.fault.Row == tallyReasons[i].row {
			s.rejected[i].Add(1)
		}
	}
}

// sum adds up a counter over all shards.
func (t *tally) sum(counter func(s *tallyShard) *atomic.Uint64) (sum uint64) {
	for i := range t.shards {
		sum += counter(&t.shards[i]).Load()
	}
	return sum
}

// byLabel adds up the requests with a valid key, by the labels of keys.
func (t *tally) byLabel(labels []string) map[string]uint64 {
	counts := map[string]uint64{}
	for i, label := range labels {
		counts[label] = t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.keys[i] })
	}
	return counts
}

// report adds up the shards: the requests of each operation, those rejected for their key by reason, and the searches
// by step.
func (t *tally) report() (requests []Requests, rejected, searches map[string]uint64) {
	for operation := range params.OperationCount {
		r := Requests{Operation: operation.String(), Statuses: map[int]uint64{}, Within: map[time.Duration]uint64{}}
		for place, status := range tallyStatuses {
			r.Statuses[status] = t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.requests[operation][place] })
		}
		for bucket := range len(tallyBounds) + 1 {
			r.Count += t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.times[operation][bucket] })
			if bucket < len(tallyBounds) {
				r.Within[tallyBounds[bucket]] = r.Count
			}
		}
		r.Took = time.Duration(t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.took[operation] }))
		requests = append(requests, r)
	}
	rejected, searches = map[string]uint64{}, map[string]uint64{}
	for i, reason := range tallyReasons {
		rejected[reason.reason] = t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.rejected[i] })
	}
	for o := nothingFound; o < outcomeCount; o++ {
		searches[o.String()] = t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.outcomes[o] })
	}
	return requests, rejected, searches
}
