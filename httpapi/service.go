// Package httpapi serves the pub directory over HTTP: parameters, answers, errors and the swap of snapshots.
//
// A [Service] answers a request in three stages, each of which takes values and returns one:
//
//	parse   request      → call       key, parameters, Accept, around, snapshot; nothing later checks or changes them
//	ask     call         → result     the only stage that searches: lookup, search, facets, suggestions
//	encode  call, result → response   copies what is prepared
//
// Whatever a stage decides is tested without HTTP. Only server.go knows the HTTP library: it makes a request of what the library read and
// sends the response; connections are in connection.go. Working memory is passed down as an argument and lent for as short as possible: a
// request that waits for its turn holds none, and a response that is on its way to a slow client holds its bytes only.
//
// Everything that must agree within an answer is behind one pointer, which a request loads once. Publishing a snapshot replaces it; requests
// under way finish with the one they began with, which is released with the last of them.
package httpapi

import (
	"cmp"
	"errors"
	"math"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"pubd/httpapi/explorer"
	"pubd/httpapi/keys"
	"pubd/index"
)

// AccessLog is which requests are logged.
type AccessLog string

// The access logs.
const (
	LogOff    AccessLog = "off"
	LogErrors AccessLog = "errors" // those answered with an error
	LogAll    AccessLog = "all"
)

// Config is what an operator chooses.
type Config struct {
	// MaxUnpaged is the page size of a distance search without amount; 0 is no limit.
	MaxUnpaged int
	// KeepSnapshots is how many snapshots can be asked for by name, the one that is served among them, and KeepFor how
	// long one stays after it was replaced.
	KeepSnapshots int
	KeepFor       time.Duration
	// MaxInFlight is how many bytes of large answers may be in flight, held for clients until the kernel has taken
	// them, and MaxConnections how many connections may be open; 0 is no limit but that of file descriptors.
	MaxInFlight    int64
	MaxConnections int
	// TrustedProxies are the networks of the load balancers in front of the service, whose X-Forwarded-For tells who asks.
	TrustedProxies []netip.Prefix
	// Pages are sent to anyone, without a key.
	Pages []explorer.File
	// Demo is set where the key is publicly known: then only pages of this server's own origin may read its answers, and the host
	// of a request must be an IP address or localhost.
	Demo bool
	// AccessLog is LogOff when empty.
	AccessLog AccessLog
	// Log takes a line for each logged request and each panic. Its writer must not block.
	Log zerolog.Logger
}

// Service answers requests from the snapshot and the keys that were published last. It is safe for concurrent use.
type Service struct {
	config     Config
	documents  map[string]*document     // by path
	settings   atomic.Pointer[document] // those of the pages, with a public key instead; nil without one
	view       atomic.Pointer[view]     // nil until the first snapshot
	history    history
	keys       atomic.Pointer[keys.Set]
	draining   atomic.Bool
	loads      loads
	metrics    *metrics
	pool       sync.Pool // of *exchange
	workspaces sync.Pool // of *workspace
	deliveries sync.Pool // of *delivery
	// smallDeliveries are those whose buffer is never large.
	smallDeliveries sync.Pool
	budget          *budget
	queue           *fairQueue               // of expensive requests
	listener        atomic.Pointer[listener] // nil until requests are accepted
}

// New makes a service that knows no key and has no data yet.
func New(config Config) *Service {
	s := &Service{config: config, documents: documentsOf(config.Pages),
		budget: newBudget(cmp.Or(config.MaxInFlight, math.MaxInt64)), queue: newFairQueue(runtime.GOMAXPROCS(0))}
	s.keys.Store(new(keys.Set))
	s.metrics = newMetrics(s)
	s.pool.New = func() any { return new(exchange) }
	s.workspaces.New = func() any { return new(workspace) }
	s.deliveries.New = func() any { return &delivery{pool: &s.deliveries} }
	s.smallDeliveries.New = func() any { return &delivery{pool: &s.smallDeliveries} }
	return s
}

// PublishKeys makes a set of keys the one that requests from now on are checked against. Keys that stay keep the state
// of their rate. Pages offer visitors the public key among them, if there is one.
func (s *Service) PublishKeys(set *keys.Set) {
	set.Inherit(s.keys.Load())
	s.keys.Store(set)
	s.settings.Store(settingsOffering(set.Offered(time.Now()), s.config.Pages))
}

// Publish makes a snapshot the one that requests from now on are answered from. Requests under way keep theirs. One goroutine
// publishes snapshots.
func (s *Service) Publish(snapshot *index.Snapshot) {
	fresh := newView(snapshot, s.config.MaxUnpaged, time.Now())
	if old := s.view.Load(); old != nil { // kept before it is replaced, so that no request looks for it in vain
		s.history.add(old, s.config.KeepSnapshots-1, s.config.KeepFor)
	}
	s.view.Store(fresh)
}

// Kept returns how many snapshots are kept beside the one that is served.
func (s *Service) Kept() int { return s.history.len() }

// DropHistory drops the kept snapshots before their time, to free memory: clients that page through one get an error that says so.
func (s *Service) DropHistory() { s.history.drop() }

// ReportLoading tells operators that a load of "data" or "keys" begins, which ReportReload ends.
func (s *Service) ReportLoading(what string) { s.metrics.loading(what, s.loads.begin(what)) }

// ReportReload tells operators how a load of "data" or "keys" ended: readiness gives the reason of what failed last,
// until it succeeds, and metrics count both and tell the last one.
func (s *Service) ReportReload(what string, err error) {
	s.loads.end(what, err) // before it is counted: who sees the count looks for the reason
	s.metrics.reloaded(what, err)
}

// loads holds how the last load of each part ended, and when those began that are under way. It is safe for concurrent use.
type loads struct {
	mu    sync.Mutex
	ended map[string]error     // guarded by mu; nil before the first has ended
	begun map[string]time.Time // guarded by mu
	// Guarded by mu, and immutable each.
	failed  *time.Time
	sources map[string]Source
	fleet   *Fleet
}

func (l *loads) begin(what string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun == nil {
		l.begun = map[string]time.Time{}
	}
	l.begun[what] = time.Now()
	return l.begun[what]
}

func (l *loads) end(what string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended == nil {
		l.ended = map[string]error{}
	}
	l.ended[what] = err
	if err != nil {
		now := time.Now().UTC()
		l.failed = &now
	}
	delete(l.begun, what)
}

// since returns when the oldest load under way began; nil when there is none.
func (l *loads) since() *time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	var oldest *time.Time
	for _, begun := range l.begun {
		if oldest == nil || begun.Before(*oldest) {
			oldest = &begun
		}
	}
	return oldest
}

// failures is "ok", or why the last loads failed; before the first load of data has ended it is "none yet", unless keys failed.
func (l *loads) failures() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := errors.Join(l.ended["data"], l.ended["keys"]); err != nil {
		return err.Error()
	}
	if _, ended := l.ended["data"]; !ended {
		return "none yet"
	}
	return "ok"
}

// Drain makes the service report that it is not ready, and end each connection with its next answer.
func (s *Service) Drain() { s.draining.Store(true) }
