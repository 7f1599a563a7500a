// Package httpapi serves the pub directory over HTTP: parameters, answers, errors and the swap of snapshots.
//
// A [Service] answers a request in three stages, each of which takes values and returns one:
//
//	parse   request      → call       key, parameters, Accept, around, snapshot; nothing later checks or changes them
//	ask     call         → result     the only stage that searches: lookup, search, facets, suggestions
//	encode  call, result → response   copies what is prepared
//
// Whatever a stage decides is tested without HTTP. Only server.go knows the HTTP library: it makes a request of what the library read and
// sends the response; connections are in connection.go. Working memory is passed down as an argument and lent for as short a time as possible: a
// request that waits for its turn holds none, and a response on its way to a slow client holds only its bytes.
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

// AccessLog selects the requests to log.
type AccessLog string

// The values of AccessLog.
const (
	LogOff    AccessLog = "off"
	LogErrors AccessLog = "errors" // those answered with an error
	LogAll    AccessLog = "all"
)

// Config configures a service.
type Config struct {
	// MaxUnpaged is the page size of a distance search without amount; 0 means no limit.
	MaxUnpaged int
	// KeepSnapshots is how many snapshots clients can request by ID, including the current one, and KeepFor how long a replaced one is
	// kept.
	KeepSnapshots int
	KeepFor       time.Duration
	// MaxInFlight is how many bytes of large responses may be in flight, that is, held until the kernel has taken them, and MaxConnections
	// the maximum number of connections; 0 means no limit except file descriptors.
	MaxInFlight    int64
	MaxConnections int
	// TrustedProxies are the networks of the load balancers in front of the service, whose X-Forwarded-For identifies the client.
	TrustedProxies []netip.Prefix
	// Pages are served to anyone, without a key.
	Pages []explorer.File
	// Demo is set if the key is publicly known: then only pages of this server's own origin may read its responses, and the host of a
	// request must be an IP address or localhost.
	Demo bool
	// AccessLog is LogOff if empty.
	AccessLog AccessLog
	// LogEmpty logs the folded text of each search that finds nothing, and nothing of who asked.
	LogEmpty bool
	// Log receives a line for each logged request and each panic. Its writer must not block.
	Log zerolog.Logger
}

// Service answers requests from the last published snapshot and keys. It is safe for concurrent use.
type Service struct {
	config     Config
	documents  map[string]*document     // by path
	settings   atomic.Pointer[document] // the settings of the pages with a public key; nil without one
	view       atomic.Pointer[view]     // nil before the first snapshot
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
	exports         exports
	queue           *fairQueue               // of expensive requests
	listener        atomic.Pointer[listener] // nil before requests are accepted
}

// New returns a service without keys and data.
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

// PublishKeys sets the keys that requests are checked against from now on. Keys that stay keep the state of their rate. Pages offer
// visitors the public key among them, if there is one.
func (s *Service) PublishKeys(set *keys.Set) {
	set.Inherit(s.keys.Load())
	s.keys.Store(set)
	s.settings.Store(settingsOffering(set.Offered(time.Now()), s.config.Pages))
}

// Publish sets the snapshot that requests are answered from. Active requests keep theirs. Publish must not be called concurrently.
func (s *Service) Publish(snapshot *index.Snapshot) {
	fresh := newView(snapshot, s.config.MaxUnpaged, time.Now())
	old := s.view.Load()
	if old != nil { // kept before it is replaced, so that requests always find it
		s.history.add(old, s.config.KeepSnapshots-1, s.config.KeepFor)
	}
	s.view.Store(fresh)
	if old != nil {
		old.replace()
	}
}

// Kept returns the number of snapshots in memory besides the current one: those that clients can request by ID, and those of which an export is
// still being sent.
func (s *Service) Kept() int {
	kept := map[*view]bool{}
	for _, k := range s.history.load().views {
		kept[k.view] = true
	}
	for _, e := range s.exports.list() {
		kept[e.view] = true
	}
	delete(kept, s.view.Load())
	return len(kept)
}

// DropHistory drops the kept snapshots early, to free memory: clients that page through one get an error that says so, and exports of them break
// off.
func (s *Service) DropHistory() {
	s.history.drop()
	for _, e := range s.exports.list() {
		if e.view != s.view.Load() {
			e.dropped.Store(true)
		}
	}
}

// ReportLoading records that a load of "data" or "keys" begins, which ReportReload ends.
func (s *Service) ReportLoading(what string) { s.metrics.loading(what, s.loads.begin(what)) }

// ReportReload records how a load of "data" or "keys" ended: readiness has the reason of the last failure until a load succeeds, and
// metrics count loads and have the last result.
func (s *Service) ReportReload(what string, err error) {
	s.loads.end(what, err) // before it is counted: readers of the count look for the reason
	s.metrics.reloaded(what, err)
}

// loads records how the last load of each part ended, and when the running ones began. It is safe for concurrent use.
type loads struct {
	mu    sync.Mutex
	ended map[string]error     // guarded by mu; nil before the first has ended
	begun map[string]time.Time // guarded by mu
	// Guarded by mu; the values are immutable.
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

// since returns when the oldest running load began; nil if there is none.
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

// failures is "ok", or why the last loads failed; it is "none yet" before the first load of data has ended, unless keys failed.
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

// Drain makes the service report that it is not ready, and close each connection after its next response.
func (s *Service) Drain() { s.draining.Store(true) }
