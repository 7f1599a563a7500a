// Package httpapi serves the pub directory over HTTP: parameters, answers, errors and the swap of snapshots.
//
// A [Service] answers a request in three stages, each of which takes values and returns one:
//
//	parse   request      → call       key, parameters, Accept, around, snapshot; nothing later changes them
//	ask     call         → result     the only stage that searches: lookup, search, facets, suggestions
//	encode  call, result → response   copies what is prepared
//
// A server, such as that of package wire, fills an [Exchange] with what it read, has it handled, and sends its
// response. Between parse and ask, the exchange says what answering takes, its [Demand], and the server's [Admission]
// says whether it is answered. Whatever a stage decides is tested without HTTP.
//
// Working memory is passed down as an argument and used for as short a time as possible: a request that waits for its
// admission holds none, and a response on its way to a slow client holds only its bytes.
//
// Everything that must agree within an answer is behind one pointer, which a request loads once. An [Arrangement]
// replaces it; requests under way finish with the one they began with, and the last of them releases the snapshots
// that are no longer needed.
package httpapi

import (
	"cmp"
	"compress/gzip"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"pubd/httpapi/keys"
	"pubd/index"
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
	MaxExported int64
	// TrustedProxies are the networks of the load balancers in front of the service, whose X-Forwarded-For identifies
	// the client.
	TrustedProxies []netip.Prefix
	// WebPages are served to anyone, without a key; nil for none.
	WebPages WebPages
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

// Service answers requests from the last arrangement of snapshots and keys. It is safe for concurrent use.
type Service struct {
	config      Config
	seed        uint64                               // of entity tags, by what of config changes responses
	log         Log                                  // of the lines of requests, within a budget
	failures    Log                                  // of panics and files that cannot be read, within another one
	documents   atomic.Pointer[map[string]*document] // by path
	errors      map[errorKey]*document               // pages
	arranging   sync.Mutex                           // held while the documents follow the keys or the arrangement
	arrangement atomic.Pointer[arrangement]
	departed    []*view         // no longer arranged, and perhaps exported, oldest first; only Arrange uses it
	unusable    *index.Snapshot // the last one that Arrange could not prepare, so that it is logged once
	keys        atomic.Pointer[keyring]
	draining    atomic.Bool
	answered    *tally
	cut         atomic.Uint64        // exports that ended early
	pool        sync.Pool            // of *Exchange
	workspaces  [TurnCount]sync.Pool // of *workspace
	packers     sync.Pool            // of *gzip.Writer
}

// New returns a service without keys and data.
func New(config Config) *Service {
	config.MaxExported = cmp.Or(config.MaxExported, math.MaxInt64)
	s := &Service{config: config, log: budgeted(config.Log), failures: budgeted(config.Log), answered: newTally()}
	s.seed = seedOf(config)
	documents := s.documentsOf(nil, "", nil)
	s.documents.Store(&documents)
	s.errors = errorPages(config.WebPages)
	empty := new(arrangement)
	empty.readers.Store(1)
	s.arrangement.Store(empty)
	s.keys.Store(&keyring{Set: new(keys.Set)})
	s.pool.New = func() any { return &Exchange{service: s} }
	initWorkspaces(&s.workspaces)
	s.packers.New = func() any {
		packer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a valid level
		return packer
	}
	return s
}

// Drain makes the service report that it is not ready, and close each connection after its next response.
func (s *Service) Drain() { s.draining.Store(true) }
