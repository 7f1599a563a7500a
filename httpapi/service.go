// Package httpapi serves the pub directory over HTTP: parameters, answers, errors and the swap of snapshots.
//
// A [Service] answers a request in stages, each of which takes values and returns one, most from a room to the next:
//
//	parse   request.Request → call               key, query.Params, the view, preconditions; nothing later changes them
//	demand  call            → Demand             what answering takes; the server's Admission says whether to go on
//	ask     call            → response.Result    the only stage that searches: lookup, search, facets, suggestions
//	encode  call, Result    → response.Response  copies what is prepared
//
// Documents and rendered pages have their response from package web. A server, such as that of package wire, fills an
// [Exchange] with what it read, has it handled, and sends its response. Whatever a stage decides is tested without HTTP.
//
// Working memory is passed down as an argument and used for as short a time as possible: a request that waits for its
// admission holds none, and a response on its way to a slow client holds only its bytes.
//
// Everything that must agree within an answer is behind one pointer, which a request loads once: a views.Generation. An
// [Arrangement] replaces it; requests under way finish with the one they began with.
package httpapi

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"pubd/httpapi/keys"
	"pubd/httpapi/request"
	"pubd/httpapi/status"
	"pubd/httpapi/views"
	"pubd/httpapi/web"
	"pubd/index/features"
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
	// KeepFor is how long an export goes on after its snapshot has left the arrangement.
	KeepFor time.Duration
	// MaxExported is how many bytes of snapshots may be in memory for exports alone; 0 means no limit.
	MaxExported    int64
	TrustedProxies request.Proxies
	// WebPages are served to anyone, without a key; nil for none.
	WebPages web.Pages
	// PublicPages lets visitors see the rendered pages although there is no public key.
	PublicPages bool
	// PublicURL is the scheme and the host of absolute links to this service, such as https://pubs.example.org; if it is
	// empty, they are those of a request.
	PublicURL string
	// Features knows which words of queries wish for features; nil means the built-in vocabulary.
	Features *features.Vocabulary
	// TimeZone is that of the opening hours of pubs that have none; nil means UTC.
	TimeZone *time.Location
	// Demo is set if the key is publicly known: then only pages of this server's own origin may read its responses,
	// and the host of a request must be an IP address or localhost.
	Demo bool
	// AccessLog is LogOff if empty.
	AccessLog AccessLog
	// LogEmpty logs the folded text of each search that finds nothing, and nothing of who asked.
	LogEmpty bool
	// Log receives a line for each logged request and each panic, within a budget but for LogAll. Its writer must not
	// block.
	Log Log
}

// What a service answers from, and how it was loaded.
type (
	Arrangement = views.Arrangement
	Loads       = status.Loads
)

// Service answers requests from the last arrangement of snapshots and keys. It is safe for concurrent use.
type Service struct {
	config     Config
	seed       uint64     // of entity tags, by what of config changes responses
	log        Log        // of the lines of requests, within a budget
	failures   Log        // of panics and files that cannot be read, within another one
	arranging  sync.Mutex // held while the site follows the keys or the views
	views      *views.Views
	site       *web.Site
	keys       atomic.Pointer[keyring]
	draining   atomic.Bool
	answered   *status.Tally
	cut        atomic.Uint64        // exports that ended early
	pool       sync.Pool            // of *Exchange
	workspaces [TurnCount]sync.Pool // of *workspace
}

// New returns a service without keys and data.
func New(config Config) *Service {
	config.AccessLog = cmp.Or(config.AccessLog, LogOff)
	s := &Service{config: config, log: budgeted(config.Log), failures: budgeted(config.Log), answered: status.NewTally()}
	s.seed = xxhash.Sum64String(fmt.Sprint(config.MaxUnpaged, config.Features)) // not the time zone, which is in moments
	s.views = views.NewViews(cmp.Or(config.MaxExported, math.MaxInt64), s.logUnusable)
	s.site = web.NewSite(config.WebPages, openAPIOf, s.logUnusable)
	s.keys.Store(&keyring{Set: new(keys.Set)})
	s.pool.New = func() any { return &Exchange{service: s} }
	initWorkspaces(&s.workspaces)
	return s
}

// Drain makes the service report that it is not ready, and close each connection after its next response.
func (s *Service) Drain() { s.draining.Store(true) }

// TrustsProxy reports whether an address is that of one of Config.TrustedProxies.
func (s *Service) TrustsProxy(address netip.Addr) bool { return s.config.TrustedProxies.Has(address) }
