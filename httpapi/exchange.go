package httpapi

import (
	"bytes"
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
	retryAfter int // seconds, where more than 0
	allow      bool
	challenge  bool // asks for a key
	preflight  bool
	close      bool
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
	outgoing  outgoing
	pool      *sync.Pool // where it comes from
}

// isResource tells the one path of the service, with and without its last slash.
func isResource(path []byte) bool {
	return string(path) == "/api/v1/pubs/" || string(path) == "/api/v1/pubs"
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
	if !isResource(x.path) {
		return fault{row: notFound}
	}
	if string(x.method) == "OPTIONS" {
		x.status, x.preflight = 204, true
		return fault{}
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
	f := x.arguments.parse(x.query, s.config.MaxUnpaged)
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

// respond answers a valid request from a view.
func (s *Service) respond(x *exchange, v *view) fault {
	a := &x.arguments
	var ordinal uint32
	if a.operation == opLookup {
		var ok bool
		if ordinal, ok = v.snapshot.Lookup(a.pubid); !ok {
			return fault{row: pubNotFound}
		}
	}
	x.snapshot = v.idBytes
	x.etags = v.appendETag(x.etags[:0], x.query)
	x.etag = x.etags
	if len(x.noneMatch) > 0 && matchesAny(x.noneMatch, x.etag) {
		x.status = 304
		return fault{}
	}
	x.status = 200
	x.ignores = a.values.appendIgnored(x.ignores[:0])
	x.ignored = x.ignores
	if a.operation == opLookup {
		x.body = v.appendLookup(x.body, ordinal)
		return fault{}
	}
	v.snapshot.Search(&a.query, &x.answer)
	x.body = v.appendSearch(x.body, a, &x.answer)
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
		s.config.Log.Error().Interface("panic", cause).Bytes("stack", debug.Stack()).Msg("request failed")
		x.answer, x.arguments = index.Answer{}, arguments{}
		s.refuse(x, fault{row: internalError})
	}
}
