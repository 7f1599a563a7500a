package httpapi

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A tally counts requests. Each exchange counts in one of its shards, and exchanges usually stay on a processor, so that requests on
// several processors do not write to the same memory. The shards are added up when metrics are collected. It is safe for concurrent use.
type tally struct {
	shards []tallyShard
	next   atomic.Uint32 // the shard of the next exchange
}

// tallyStatuses are the statuses of responses, tallyPlaces their indexes.
var (
	tallyStatuses = [...]int{200, 204, 304, 400, 401, 403, 404, 405, 410, 412, 413, 414, 421, 429, 431, 500, 503, 505}
	tallyPlaces   = func() (places [600]uint8) {
		for place, status := range tallyStatuses {
			places[status] = uint8(place)
		}
		return places
	}()
)

// tallyBounds are the upper bounds of the histogram buckets.
var tallyBounds = [...]time.Duration{time.Microsecond, 2500, 5 * time.Microsecond, 10 * time.Microsecond, 25 * time.Microsecond,
	50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond,
	10 * time.Millisecond, 100 * time.Millisecond, time.Second}

// tallyReasons are the reasons why keys are rejected, as metric labels.
var tallyReasons = [...]struct {
	row    *faultRow
	reason string
}{{keyRequired, "required"}, {keyInvalid, "invalid"}, {rateLimited, "limited"}}

// A tallyShard is part of the counts of a tally.
type tallyShard struct {
	requests [operationCount][len(tallyStatuses)]atomic.Uint64
	times    [operationCount][len(tallyBounds) + 1]atomic.Uint64 // by bucket; the last has no bound
	took     [operationCount]atomic.Uint64                       // nanoseconds, of all requests
	rejected [len(tallyReasons)]atomic.Uint64
	outcomes [outcomeCount]atomic.Uint64
	_        [128]byte // padding against false sharing
}

// newTally returns a tally with several shards per processor, so that exchanges of two processors rarely share one.
func newTally() *tally { return &tally{shards: make([]tallyShard, 8*runtime.GOMAXPROCS(0))} }

// shard returns the shard for a new exchange.
func (t *tally) shard() *tallyShard { return &t.shards[int(t.next.Add(1))%len(t.shards)] }

// count counts a request by its status.
func (s *tallyShard) count(of *summary, status int, took time.Duration) {
	bucket := 0
	for bucket < len(tallyBounds) && took > tallyBounds[bucket] {
		bucket++
	}
	s.requests[of.operation][tallyPlaces[status]].Add(1)
	s.times[of.operation][bucket].Add(1)
	s.took[of.operation].Add(uint64(max(took, 0)))
	if of.outcome != notSearched {
		s.outcomes[of.outcome].Add(1)
	}
	if !of.fault.isSet() {
		return
	}
	for i := range tallyReasons {
		if of.fault.row == tallyReasons[i].row {
			s.rejected[i].Add(1)
		}
	}
}

// sum adds up a counter over all shards.
func (t *tally) sum(of func(s *tallyShard) *atomic.Uint64) (sum uint64) {
	for i := range t.shards {
		sum += of(&t.shards[i]).Load()
	}
	return sum
}

var (
	requestsDesc = prometheus.NewDesc("pubd_requests_total",
		"Requests answered, by operation (none: rejected before it was known) and status.", []string{"operation", "status"}, nil)
	secondsDesc = prometheus.NewDesc("pubd_request_seconds",
		"Time from reading a request to having its response ready, by operation.", []string{"operation"}, nil)
	rejectionsDesc = prometheus.NewDesc("pubd_key_rejections_total",
		"Requests rejected for their key: required, invalid (unknown, revoked, expired, sent twice) or limited.", []string{"reason"}, nil)
	searchesDesc = prometheus.NewDesc("pubd_searches_total",
		"Searches for a text, by the step that found pubs: strict, those of a relaxed search, or none if nothing was found.", []string{"step"}, nil)
)

// Describe implements prometheus.Collector.
func (t *tally) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{requestsDesc, secondsDesc, rejectionsDesc, searchesDesc} {
		descs <- desc
	}
}

// Collect implements prometheus.Collector.
func (t *tally) Collect(metrics chan<- prometheus.Metric) {
	for operation := range operationCount {
		for place, status := range tallyStatuses {
			sum := t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.requests[operation][place] })
			metrics <- prometheus.MustNewConstMetric(requestsDesc, prometheus.CounterValue, float64(sum), operation.String(), strconv.Itoa(status))
		}
		atMost, buckets := uint64(0), map[float64]uint64{}
		for bucket, bound := range tallyBounds {
			atMost += t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.times[operation][bucket] })
			buckets[bound.Seconds()] = atMost
		}
		all := atMost + t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.times[operation][len(tallyBounds)] })
		took := t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.took[operation] })
		metrics <- prometheus.MustNewConstHistogram(secondsDesc, all, time.Duration(took).Seconds(), buckets, operation.String())
	}
	for i := range tallyReasons {
		sum := t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.rejected[i] })
		metrics <- prometheus.MustNewConstMetric(rejectionsDesc, prometheus.CounterValue, float64(sum), tallyReasons[i].reason)
	}
	for o := nothingFound; o < outcomeCount; o++ {
		sum := t.sum(func(s *tallyShard) *atomic.Uint64 { return &s.outcomes[o] })
		metrics <- prometheus.MustNewConstMetric(searchesDesc, prometheus.CounterValue, float64(sum), o.String())
	}
}
