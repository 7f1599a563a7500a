package httpapi

import (
	"fmt"
	"runtime/debug"

	"pubd/httpapi/keys"
)

// A response is what the HTTP server sends. Its slices are valid until the exchange is released.
type response struct {
	status     int
	body       []byte
	etag       []byte
	snapshot   []byte
	ignored    []byte
	links      []byte
	total      []byte // number of results, if the body does not have it
	format     format
	document   *document // sent instead of the body
	retryAfter uint32    // seconds; 0 means absent
	// For an export: what is sent instead of the body, and the suggested file name; headless is CSV without a header line.
	stream      *export
	disposition []byte
	headless    bool

	allow     bool
	challenge bool // requests a key
	preflight bool
	close     bool
}

// content returns the body to send.
func (r *response) content() []byte {
	switch {
	case r.document == nil:
		return r.body
	case r.status == 200:
		return r.document.body
	}
	return nil
}

// A summary is what metrics and the log record of a request.
type summary struct {
	operation operation
	key       *keys.Key // nil if none was presented or needed
	fault     fault
	outcome   outcome
}

// An exchange is a request, its response, and the memory of the stages in between. It is reused.
type exchange struct {
	request  request
	response response
	summary  summary

	params  params
	headers headerMemory
	tally   *tallyShard // shard that counts the request; nil before the first
	// workspace and delivery, in whose buffer the body grows, are nil while the request waits for its turn.
	workspace *workspace
	delivery  *delivery
}

// headerMemory is the memory for the values of response headers.
type headerMemory struct{ id, etag, ignored, links, total, disposition []byte }

// client returns the client, once the key is known.
func (x *exchange) client() client {
	c := client{address: x.request.address}
	if x.summary.key != nil {
		c.key = x.summary.key.Name()
	}
	return c
}

// equip lends an exchange what asking and encoding need.
func (s *Service) equip(x *exchange) {
	if x.workspace == nil {
		x.workspace = s.workspaces.Get().(*workspace)
	}
	s.lendDelivery(x)
}

// lendDelivery lends an exchange only a delivery.
func (s *Service) lendDelivery(x *exchange) {
	if x.delivery == nil {
		x.delivery = s.deliveries.Get().(*delivery)
	}
}

// lendChunk lends an exchange the delivery of an export, whose buffer is no larger than the budget assumes: the export holds it for as long
// as its client reads, and a buffer left by a large response may have the size of all pubs.
func (s *Service) lendChunk(x *exchange) {
	s.lendDelivery(x)
	if cap(x.delivery.buffer) > 2*exportChunk {
		s.deliveries.Put(x.delivery)
		x.delivery = &delivery{pool: &s.deliveries}
	}
}

// release takes back what was lent, except what is on its way to a client.
func (s *Service) release(x *exchange) {
	if x.workspace != nil {
		s.workspaces.Put(x.workspace)
	}
	if x.delivery != nil {
		s.deliveries.Put(x.delivery)
	}
	x.workspace, x.delivery, x.response.body, x.response.stream = nil, nil, nil, nil
}

// handle responds to the request of an exchange: parse, ask, encode.
func (s *Service) handle(x *exchange) {
	defer s.recoverPanic(x)
	a := s.acquire()
	defer a.release()           // the response has been copied, and an export is a reader itself
	debug.SetPanicOnFault(true) // an index file may be truncated while it is mapped
	x.summary = summary{}
	c, f := s.parse(a, &x.request, &x.params, x.headers.etag)
	x.summary.operation, x.summary.key = c.operation, c.key
	if !f.isSet() {
		f = s.respond(x, &c)
	}
	if f.isSet() {
		s.reject(x, f)
	}
	x.response.close = x.response.close || s.draining.Load() || x.request.hasBody
}

// requestSize is the size of a response that one request of a key's rate pays for: a page of 50 pubs.
const requestSize = 16 << 10

// respond asks and encodes. Requests that wait for their turn hold neither working memory nor a buffer.
func (s *Service) respond(x *exchange, c *call) fault {
	if c.view == nil {
		x.response = c.encodeStatic()
		return fault{}
	}
	x.headers.etag = c.etag
	if c.isExpensive() && !c.isSettled() {
		if !s.enter(x, c) {
			return fault{row: overloaded}
		}
		defer s.queue.leave()
	}
	s.equip(x)
	r, f := c.ask(x.workspace)
	if f.isSet() {
		return f
	}
	if c.mismatched {
		return fault{row: preconditionFailed}
	}
	x.summary.outcome = c.outcome(r)
	x.response = c.encode(r, x.workspace, &x.headers, x.delivery.buffer[:0])
	x.delivery.buffer = x.response.body
	if !c.params.everything {
		c.key.Charge(x.request.received, x.request.address, len(x.response.body)/requestSize)
	}
	return fault{}
}

// manyPubs is the number of pubs from which on every search is expensive: its sets take megabytes, and its data may have to be read from
// disk, so that many concurrent searches would take more memory than the index.
const manyPubs = 2_000_000

func (c *call) isExpensive() bool {
	searches := c.params.operation == opSearch || c.params.operation == opDistance
	return c.params.expensive || searches && c.view.snapshot.Len() >= manyPubs
}

// enter waits for the turn of an expensive call and reports whether it came. If it did, the call must leave the queue.
func (s *Service) enter(x *exchange, c *call) bool {
	client := x.client()
	if c.params.isUnpaged() && !s.budget.expect(client, c.key.IsPublic(), x.request.received) {
		return false
	}
	return s.queue.wait(client)
}

// reject responds with an error. If an export was to be sent, it is closed.
func (s *Service) reject(x *exchange, f fault) {
	if x.response.stream != nil {
		_ = x.response.stream.Close()
	}
	s.lendDelivery(x)
	x.summary.fault = f
	x.response = encodeFault(f, x.delivery.buffer[:0])
	x.delivery.buffer = x.response.body
}

// recoverPanic turns a panic into a 500, and writes its stack only to the log.
func (s *Service) recoverPanic(x *exchange) {
	if cause := recover(); cause != nil {
		s.config.Log.Error().Bytes("request_id", x.headers.id).Str("panic", fmt.Sprint(cause)).Bytes("stack", debug.Stack()).Msg("request failed")
		x.workspace, x.params = new(workspace), params{}
		s.reject(x, fault{row: internalError})
		x.response.close = s.draining.Load() || x.request.hasBody
	}
}
