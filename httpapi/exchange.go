package httpapi

import (
	"bytes"
	"fmt"
	"net/netip"
	"runtime"
	"runtime/debug"
	"time"

	"pubd/httpapi/keys"
	"pubd/index"
)

// The limit of a query string in bytes.
const maxQuery = 4096

// A request is what the HTTP server hands on. Its slices are valid until the answer is sent.
type request struct {
	method, path, query []byte
	keys                [][]byte     // values of x-api-key
	noneMatch           [][]byte     // values of If-None-Match
	accept              []byte       // value of Accept
	address             netip.Prefix // that stands for the client's
	host                []byte       // value of Host
	hasBody             bool
	unsupportedVersion  bool // of HTTP
	received            time.Time
}

// A response is what the HTTP server sends. It takes body and strings over only until the exchange is released.
type response struct {
	status     int
	body       []byte
	etag       []byte
	snapshot   []byte
	ignored    []byte
	links      []byte
	total      []byte // number of results, where the body does not say it
	format     format
	document   *document // that is sent instead of the body
	retryAfter int       // seconds, where more than 0
	allow      bool
	challenge  bool // asks for a key
	preflight  bool
	close      bool
}

// content is what is sent as the body.
func (r *response) content() []byte {
	switch {
	case r.document == nil:
		return r.body
	case r.status == 200:
		return r.document.body
	}
	return nil
}

// An exchange is a request with its response and the working memory in between. It is reused.
type exchange struct {
	request
	response
	operation operation
	key       *keys.Key
	fault     fault

	arguments arguments
	workspace *index.Workspace
	result    index.Result // in its memory, or ordinals
	delivery  *delivery    // whose buffer the body grows in
	etags     []byte
	ignores   []byte
	linked    []byte
	hit       hit
	totals    []byte

	ordinals []uint32 // of the pubs that were looked up
	missing  [][]byte // UIDs that no pub has
}

// client is who asks, once the key is known.
func (x *exchange) client() client {
	c := client{address: x.address}
	if x.key != nil {
		c.key = x.key.Name()
	}
	return c
}

// equip gives an exchange what answering takes.
func (s *Service) equip(x *exchange) {
	if x.workspace == nil {
		x.workspace = s.workspaces.Get().(*index.Workspace)
	}
	if x.delivery == nil {
		x.delivery = s.deliveries.Get().(*delivery)
	}
	x.body = x.delivery.buffer[:0]
}

// strip takes back what equip gave, all but what is on its way to a client.
func (s *Service) strip(x *exchange) {
	s.workspaces.Put(x.workspace)
	if x.delivery != nil {
		s.deliveries.Put(x.delivery)
	}
	x.workspace, x.result, x.delivery, x.body = nil, index.Result{}, nil, nil
}

// A resource is one that the service offers.
type resource struct {
	path  string
	parse func(a *arguments, query []byte, maxUnpaged int) fault
}

// resources are the paths of the service.
var resources = []resource{
	{"/api/v1/pubs/", (*arguments).parse},
	{"/api/v1/pubs", (*arguments).parse},
	{"/api/v1/suggest", func(a *arguments, query []byte, _ int) fault { return a.parseSuggest(query) }},
	{"/api/v1/stats", func(a *arguments, query []byte, _ int) fault { return a.parseStats(query) }},
}

// resourceAt is the resource of a path, or nil.
func resourceAt(path []byte) *resource {
	for i := range resources {
		if string(path) == resources[i].path {
			return &resources[i]
		}
	}
	return nil
}

// handle answers the request of an exchange. The order of checks keeps everything about data and parameters from whom
// has no valid key.
func (s *Service) handle(x *exchange) {
	debug.SetPanicOnFault(true) // the memory of a mapped file is there only as long as nobody truncates it
	defer s.recoverInto(x)
	x.response = response{close: s.draining.Load() || x.hasBody}
	s.equip(x)
	x.operation, x.key, x.fault = opNone, nil, fault{}
	if f := s.check(x); f.isSet() {
		s.refuse(x, f)
	}
	x.delivery.buffer = x.body
}

// check answers a request, or gives what is wrong with it.
func (s *Service) check(x *exchange) fault {
	if x.unsupportedVersion {
		return fault{row: unsupportedVersion}
	}
	if s.config.Demo && !hostList(nil).allows(x.host) {
		return fault{row: misdirected}
	}
	resource := resourceAt(x.path)
	var document *document
	if resource == nil {
		document = s.documents[string(x.path)]
	}
	if resource == nil && document == nil {
		return fault{row: notFound}
	}
	if string(x.method) == "OPTIONS" {
		x.status, x.preflight = 204, true
		return fault{}
	}
	if document != nil {
		return document.respond(x)
	}
	if f := s.authenticate(x); f.isSet() {
		return f
	}
	if string(x.method) != "GET" && string(x.method) != "HEAD" {
		return fault{row: methodNotAllowed}
	}
	if x.hasBody {
		return fault{row: bodyTooLarge}
	}
	if len(x.query) > maxQuery {
		return fault{row: queryTooLarge}
	}
	v := s.view.Load()
	if v == nil {
		return fault{row: notReady}
	}
	f := resource.parse(&x.arguments, x.query, s.config.MaxUnpaged)
	x.operation = x.arguments.operation
	if f.isSet() {
		return f
	}
	return s.respond(x, v)
}

// authenticate finds the key of a request. Whatever is wrong with a key takes the same time.
func (s *Service) authenticate(x *exchange) fault {
	var presented []byte
	if len(x.keys) > 0 {
		presented = x.keys[0]
	}
	if len(x.keys) < 2 && len(bytes.TrimSpace(presented)) == 0 {
		return fault{row: keyRequired}
	}
	key, ok := s.keys.Load().Check(presented, x.received)
	if !ok || len(x.keys) > 1 {
		return fault{row: keyInvalid}
	}
	x.key = key
	if ok, wait := key.Allow(x.received); !ok {
		x.retryAfter = int(wait / time.Second)
		return fault{row: rateLimited}
	}
	return fault{}
}

// requestSize is how many bytes of an answer a request from a key's rate pays for: a page of 50 pubs.
const requestSize = 16 << 10

// respond answers a valid request from the view that is served, or from one that is kept.
func (s *Service) respond(x *exchange, v *view) fault {
	a := &x.arguments
	if a.snapshot != nil && string(a.snapshot) != v.id {
		if v = s.history.find(a.snapshot); v == nil {
			return fault{row: snapshotGone}
		}
	}
	if a.operation.hasPubs() && !a.values.has(paramFormat) && len(x.accept) > 0 {
		if a.format = formatAccepted(x.accept); a.format != formatJSON {
			a.plain = false
		}
	}
	defer runtime.KeepAlive(v)
	var found uint32
	switch {
	case a.pubid != nil:
		var ok bool
		if found, ok = v.snapshot.Lookup(a.pubid); !ok {
			return fault{row: pubNotFound}
		}
	case a.around != nil:
		if f := a.settleAround(v.snapshot); f.isSet() {
			return f
		}
	}
	x.snapshot = v.idBytes
	x.etags = v.appendETag(x.etags[:0], x.query, v.variant(a))
	x.etag = x.etags
	if len(x.noneMatch) > 0 && matchesAny(x.noneMatch, x.etag) {
		x.status = 304
		return fault{}
	}
	if a.isExpensive() {
		if unpaged := a.query.Amount == 0 || a.query.Amount > maxAmount; unpaged && !s.budget.expect(x.client(), x.received) {
			return fault{row: overloaded}
		}
		if !s.queue.tryEnter() {
			s.strip(x) // what waits must not hold memory
			entered := s.queue.wait(x.client())
			s.equip(x)
			if !entered {
				return fault{row: overloaded}
			}
		}
		defer s.queue.leave()
	}
	x.status = 200
	x.ignores = a.values.appendIgnored(x.ignores[:0])
	x.ignored = x.ignores
	switch a.operation {
	case opSuggest:
		x.body = v.appendSuggestions(x.body, x)
	case opStats:
		x.body = append(x.body, v.stats...)
	case opLookup:
		x.ordinals = x.ordinals[:0]
		if a.pubid != nil {
			x.ordinals = append(x.ordinals, found)
		}
		v.answerLookup(x)
	default:
		x.result = v.snapshot.Search(&a.query, x.workspace)
		v.answerSearch(x)
	}
	x.key.Charge(x.received, len(x.body)/requestSize)
	return fault{}
}

// retrySoon is after how many seconds a client may hope for data, or for room.
const retrySoon = 1

// refuse answers with an error.
func (s *Service) refuse(x *exchange, f fault) {
	x.fault = f
	x.response = response{status: f.row.status, body: appendFault(x.body[:0], f), retryAfter: x.retryAfter,
		allow: f.row == methodNotAllowed, challenge: f.row == keyRequired, close: x.close || f.row.close}
	if f.row == notReady || f.row == overloaded {
		x.retryAfter = retrySoon
	}
}

// recoverInto turns a panic into an error 500, and writes its stack into the log only.
func (s *Service) recoverInto(x *exchange) {
	if cause := recover(); cause != nil {
		s.config.Log.Error().Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("request failed")
		x.workspace, x.result, x.arguments = new(index.Workspace), index.Result{}, arguments{}
		s.refuse(x, fault{row: internalError})
	}
}
