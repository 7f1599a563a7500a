package httpapi

import (
	"bytes"
	"net/netip"
	"regexp"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/keys"
	"pubd/httpapi/params"
	"pubd/index/hours"
)

// maxQuery is the maximum length of a query string in bytes.
const maxQuery = 4096

// A Request is what a server has read. Its slices must be valid until the exchange is released.
type Request struct {
	Method, Path, Query  []byte
	Keys                 [][]byte   // values of x-api-key
	Authorizes           bool       // it has a header Authorization, which is not read
	IfMatch, IfNoneMatch [][]byte   // values of If-Match and If-None-Match
	Range, IfRange       []byte     // values of Range and If-Range
	Accept               []byte     // values of Accept, separated by commas
	IDs                  [][]byte   // values of X-Request-Id
	Forwarded            [][]byte   // values of X-Forwarded-For, which are consumed
	Encodings            []byte     // values of Accept-Encoding, separated by commas
	Scheme               []byte     // value of X-Forwarded-Proto, from a trusted proxy
	Peer                 netip.Addr // the other end of the connection: the client, or a proxy
	address              netip.Addr // of the client, from peer and forwarded
	client               keys.Client
	Host                 []byte // value of Host
	HasBody              bool
	UnsupportedVersion   bool // of HTTP
	Received             time.Time
}

// isRead reports whether the request only reads: all others except preflight requests are rejected.
func (r *Request) isRead() bool { return string(r.Method) == "GET" || string(r.Method) == "HEAD" }

// checkRead returns a fault unless the request reads with a query, as all requests for data do.
func (r *Request) checkRead() fault.Fault {
	switch {
	case !r.isRead():
		return fault.Fault{Row: fault.MethodNotAllowed}
	case r.HasBody:
		return fault.Fault{Row: fault.BodyTooLarge}
	case len(r.Query) > maxQuery:
		return fault.Fault{Row: fault.QueryTooLarge}
	}
	return fault.Fault{}
}

// A call is a parsed and checked request. Later stages fold the values of its filters and change nothing else. Whether
// a rendered page exists, and so its preconditions, is checked when it is rendered.
type call struct {
	operation params.Operation
	preflight bool
	// Of the preconditions: the client already has the response, or wants only another one.
	unchanged, preconditionFailed bool

	document *document // the requested document; nil for operations on the index
	part     part      // of it, if it is a large file
	key      *keys.Key // nil if none is needed

	page []byte // the path of a rendered page, without a final slash

	// For operations on the index: the view to answer from, the parameters, and the entity tag of the response.
	view   *view
	params *params.Params
	etag   etag
}

// skipsBody reports whether the preconditions leave nothing to send, unless there is a fault.
func (c *call) skipsBody() bool { return c.unchanged || c.preconditionFailed }

// A resource is a path of the service, without a final slash. Search stands for lookups and distance searches, too.
type resource struct {
	path      string
	operation params.Operation
}

var resources = []resource{
	{"/api/v1/pubs", params.Search},
	{"/api/v1/suggest", params.Suggest},
	{"/api/v1/stats", params.Stats},
	{"/api/v1/points", params.Points},
	{"/api/v1/export", params.Export},
}

// at returns the resource or the document at a path, or neither. Every path is answered with and without a final slash,
// and not redirected: a redirect would cost a round trip, and clients need not follow it.
func (s *Service) at(path []byte) (*resource, *document) {
	path = withoutSlash(path)
	for i := range resources {
		if string(path) == resources[i].path {
			return &resources[i], nil
		}
	}
	return nil, (*s.documents.Load())[string(path)]
}

// withoutSlash returns a path without its final slash, if it has one and something before it.
func withoutSlash(path []byte) []byte {
	if n := len(path); n > 1 && path[n-1] == '/' && path[n-2] != '/' {
		return path[:n-1]
	}
	return path
}

// parse is the first stage of a request. The order of its checks hides everything about data and parameters from
// clients without a valid key. After a fault, the call has the operation and the key as far as they are known. p is
// memory for the call. The caller must be a reader of the arrangement until the call ends.
func (s *Service) parse(a *arrangement, r *Request, p *params.Params) (c call, f fault.Fault) {
	if r.UnsupportedVersion {
		return call{}, fault.Fault{Row: fault.UnsupportedVersion}
	}
	if s.config.Demo && !HostAllowed(r.Host, nil) {
		return call{}, fault.Fault{Row: fault.Misdirected}
	}
	s.withdrawKey(r.Received)
	resource, document := s.at(r.Path)
	if page := withoutSlash(r.Path); resource == nil && pagePath(page) != "" && s.showsData(r) {
		return s.parsePage(a, r, page)
	}
	switch {
	case resource == nil && document == nil:
		return call{}, fault.Fault{Row: fault.NotFound, Hint: hintAt(r.Path)}
	case string(r.Method) == "OPTIONS":
		return call{preflight: true}, fault.Fault{}
	case document != nil:
		return s.titled(a, document, r).parse(r)
	}
	isUnmetered := resource.operation == params.Points && len(r.Query) == 0 // its response is prepared
	if c.key, f = s.authenticate(r, isUnmetered); f.IsSet() {
		return c, f
	}
	if f = r.checkRead(); f.IsSet() {
		return c, f
	}
	if a.served == nil {
		return c, fault.Fault{Row: fault.NotReady}
	}
	if resource.operation == params.Export {
		p = new(params.Params) // which outlives the exchange
	}
	f = p.Parse(resource.operation, r.Query, r.Accept, s.config.MaxUnpaged, a)
	if c.params, c.operation = p, p.Operation; f.IsSet() {
		return c, f
	}
	if c.view, f = a.find(p.Snapshot); f.IsSet() {
		return c, f
	}
	if p.Query.At.Zone = s.config.TimeZone; !p.Query.At.IsWall && p.Query.At.Instant.IsZero() {
		always := p.Query.At.Always
		p.Query.At = s.momentOf(r)
		p.Query.At.Always = always
	}
	p.Query.Vocabulary = s.config.Features
	if f = c.view.checkFeatures(p); f.IsSet() {
		return c, f
	}
	if p.Around != nil {
		ordinal, ok := c.view.snapshot.Lookup(p.Around)
		if !ok {
			return c, fault.Fault{Row: fault.PubNotFound}
		}
		if f := p.Center(c.view.snapshot.Point(ordinal)); f.IsSet() {
			return c, f
		}
	}
	c.etag = c.view.etag(r.Query, s.seed+c.view.variant(p))
	c.preconditionFailed = r.failsPrecondition(c.etag[:])
	c.unchanged = !c.preconditionFailed && r.isUnchanged(c.etag[:])
	return c, fault.Fault{}
}

// momentOf returns when the pubs of a response may be open: at the time of its request.
func (s *Service) momentOf(r *Request) hours.Moment {
	return hours.Moment{Instant: r.Received, Zone: s.config.TimeZone, IsNow: true}
}

// keyName matches what other APIs call a key in a query string.
var keyName = regexp.MustCompile(`(?i)(^|&)(x[-_])?(api[-_]?|access[-_]?)?(key|token)=`)

// howToSendKey is a hint for who sends the key elsewhere. The header of every 401 has it, too.
const howToSendKey = "send the key in a header, x-api-key: KEY"

// authenticate returns the key of a request; together with a fault if the key has reached its limit. All invalid keys
// take the same time. Unmetered requests are limited only by the bytes in flight.
func (s *Service) authenticate(r *Request, isUnmetered bool) (*keys.Key, fault.Fault) {
	var presented []byte
	if len(r.Keys) > 0 {
		presented = r.Keys[0]
	}
	if len(r.Keys) < 2 && len(bytes.TrimSpace(presented)) == 0 {
		f := fault.Fault{Row: fault.KeyRequired}
		if r.Authorizes || keyName.Match(r.Query) {
			f.Hint = howToSendKey
		}
		return nil, f
	}
	key, ok := s.keys.Load().Check(presented, r.Received)
	if !ok || len(r.Keys) > 1 {
		return nil, fault.Fault{Row: fault.KeyInvalid}
	}
	if isUnmetered {
		return key, fault.Fault{}
	}
	if ok, wait := key.Allow(r.Received, r.client); !ok {
		return key, fault.Fault{Row: fault.RateLimited, RetryAfter: uint32(wait / time.Second)}
	}
	return key, fault.Fault{}
}
