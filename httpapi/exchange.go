package httpapi

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"pubd/httpapi/keys"
	"pubd/index"
)

// The limit of a query string in bytes.
const maxQuery = 4096

// A request is what the HTTP server hands on. Its slices are valid until the answer is sent.
type request struct {
	method, path, query []byte
	keys                [][]byte // values of x-api-key
	noneMatch           [][]byte // values of If-None-Match
	accept              []byte   // value of Accept
	hasBody             bool
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
	answer    index.Answer
	etags     []byte
	ignores   []byte
	linked    []byte
	hit       hit
	totals    []byte

	missing     [][]byte // UIDs that no pub has
	suggestions []index.Suggestion
	counts      []index.Count
	outgoing    outgoing
	served      uint64     // number of the view that was asked last
	pool        *sync.Pool // where it comes from
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
	defer s.recoverInto(x)
	x.response = response{body: x.body[:0], close: s.draining.Load() || x.hasBody}
	x.operation, x.key, x.fault = opNone, nil, fault{}
	if f := s.check(x); f.isSet() {
		s.refuse(x, f)
	}
}

// check answers a request, or gives what is wrong with it.
func (s *Service) check(x *exchange) fault {
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
	if x.served != v.number { // which is not to keep the one before in memory
		x.served, x.suggestions, x.counts = v.number, nil, nil
		x.answer.LetGo()
	}
	x.answer.Reset()
	switch {
	case a.pubid != nil:
		ordinal, ok := v.snapshot.Lookup(a.pubid)
		if !ok {
			return fault{row: pubNotFound}
		}
		x.answer.Pubs = append(x.answer.Pubs, ordinal)
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
	x.status = 200
	x.ignores = a.values.appendIgnored(x.ignores[:0])
	x.ignored = x.ignores
	switch a.operation {
	case opSuggest:
		x.body = v.appendSuggestions(x.body, x)
	case opStats:
		x.body = append(x.body, v.stats...)
	case opLookup:
		v.answerLookup(x)
	default:
		v.snapshot.Search(&a.query, &x.answer)
		v.answerSearch(x)
	}
	return fault{}
}

// retryUnready is after how many seconds a client may hope for data.
const retryUnready = 1

// refuse answers with an error.
func (s *Service) refuse(x *exchange, f fault) {
	x.fault = f
	x.response = response{status: f.row.status, body: appendFault(x.body[:0], f), retryAfter: x.retryAfter,
		allow: f.row == methodNotAllowed, challenge: f.row == keyRequired, close: x.close || f.row.close}
	if f.row == notReady {
		x.retryAfter = retryUnready
	}
}

// recoverInto turns a panic into an error 500, and writes its stack into the log only.
func (s *Service) recoverInto(x *exchange) {
	if cause := recover(); cause != nil {
		s.config.Log.Error().Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("request failed")
		x.answer, x.arguments = index.Answer{}, arguments{}
		s.refuse(x, fault{row: internalError})
	}
}
