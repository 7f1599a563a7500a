package httpapi

import (
	"bytes"
	"errors"
	"runtime/debug"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/params"
	"pubd/httpapi/query"
	"pubd/httpapi/request"
	"pubd/httpapi/response"
	"pubd/httpapi/status"
	"pubd/httpapi/web"
)

// A Request is what a server has read, as package request has it.
type Request = request.Request

// An Exchange is a request, its response, and the memory of the stages in between. It is reused. One goroutine may use
// it: fill in the request, handle it, send the response, release it.
type Exchange struct {
	Request  Request
	Response response.Response
	Export   *Export // the body, instead of that of the response; nil for others. The server closes it.
	summary  status.Summary
	service  *Service

	id        []byte // of the request
	params    query.Params
	memory    []byte        // for the response
	tally     *status.Shard // shard that counts the request; nil before the first
	workspace *workspace    // nil while the request waits for its admission
}

// AcquireExchange returns an exchange for a request. Its slices may be reused. Release takes it back.
func (s *Service) AcquireExchange() *Exchange { return s.pool.Get().(*Exchange) }

// Release takes back an exchange, with all memory of its response.
func (x *Exchange) Release() {
	x.returnWorkspace()
	x.Export, x.Response = nil, response.Response{}
	x.service.pool.Put(x)
}

// Abandon gives up the memory that an exchange works with, after a panic, instead of Release.
func (x *Exchange) Abandon() { x.workspace = nil }

func (x *Exchange) returnWorkspace() {
	if x.workspace != nil {
		x.workspace.release()
		x.workspace = nil
	}
}

// TakeBody returns the body of a response that is no error, which then stays valid after the exchange is released, in
// exchange for other memory.
func (x *Exchange) TakeBody(memory []byte) []byte {
	if x.workspace != nil { // nothing of a document is reused
		x.workspace.body = memory
	}
	return x.Response.Body
}

// Handle responds to the request of an exchange: parse, admission, ask, encode.
func (x *Exchange) Handle(a Admission) {
	s := x.service
	x.begin()
	defer x.recoverPanic()
	g := s.views.Acquire()
	defer g.Release()           // the response has been copied, and an export is a reader itself
	debug.SetPanicOnFault(true) // an index file may be truncated while it is mapped
	c, f := s.parse(g, &x.Request, &x.params)
	x.summary.Operation, x.summary.Key = c.operation, c.key
	if !f.IsSet() {
		f = x.respond(&c, a)
	}
	if !f.IsSet() && c.view != nil && x.Export == nil && c.view.Snapshot.IsOverwritten() {
		f = fault.Fault{Row: fault.NotReady}
	}
	if f.IsSet() {
		x.reject(f)
	}
	x.finish()
}

// finish ends the connection after the response if nothing more is to be answered on it.
func (x *Exchange) finish() {
	x.Response.Close = x.Response.Close || x.service.draining.Load() || x.Request.HasBody
}

// HandleUnreadable responds to what could not be read as a request, with an error that closes the connection.
func (x *Exchange) HandleUnreadable(row *fault.Row) {
	x.Request = Request{Received: time.Now()}
	x.begin()
	x.reject(fault.Fault{Row: row})
}

// begin forgets the request before.
func (x *Exchange) begin() {
	x.returnWorkspace()
	x.summary, x.Export = status.Summary{}, nil
	r := &x.Request
	x.id = r.AppendID(x.id[:0])
	r.Identify(x.service.config.TrustedProxies)
}

// respond has a call admitted, asks and encodes. While it waits for its admission, a request holds no working memory.
func (x *Exchange) respond(c *call, a Admission) fault.Fault {
	if c.static != nil {
		x.set(*c.static)
		return fault.Fault{}
	}
	d := c.demand(&x.Request)
	if !a.Admit(d) {
		return fault.Fault{Row: fault.Overloaded}
	}
	w := x.service.workspaces[d.Turn].Get().(*workspace)
	x.workspace = w
	switch c.operation {
	case params.Page:
		return x.respondPage(c, w)
	case params.Document:
		return x.respondPart(c, w)
	}
	r, f := c.ask(w)
	if f.IsSet() {
		return f
	}
	if c.preconditionFailed {
		return fault.Fault{Row: fault.PreconditionFailed}
	}
	x.summary.Outcome = c.outcome(r)
	lines := response.Begin(x.memory[:0], c.etag[:], c.view.ID)
	if c.unchanged {
		x.set(response.Response{Status: 304, Lines: lines, Memory: lines})
		return fault.Fault{}
	}
	x.set(response.Encode(c.view, c.params, r, &w.encoding, w.body[:0], lines))
	if rows := x.Response.Rows; rows != nil {
		x.Export = newExport(x, rows, c.view)
		x.returnWorkspace() // each chunk takes one
		return fault.Fault{}
	}
	w.body = x.Response.Body
	if !c.params.Everything {
		c.key.Charge(x.Request.Received, x.Request.Client, len(w.body)/requestSize)
	}
	return fault.Fault{}
}

// respondPage renders a page, which counts as one request, whatever its size.
func (x *Exchange) respondPage(c *call, w *workspace) fault.Fault {
	s, r := x.service, &x.Request
	page := web.PageRequest{Path: c.page, Query: r.Query, Base: s.baseOf(r), At: s.momentOf(r)}
	out, f := s.site.Render(r, page, c.view, &w.encoding.Search, w.body[:0], x.memory[:0])
	if !f.IsSet() {
		w.body = out.Body
		x.set(out)
	}
	return f
}

// respondPart reads a part of a file.
func (x *Exchange) respondPart(c *call, w *workspace) fault.Fault {
	out, isNew, err := c.document.Read(c.part, w.body, x.memory[:0])
	if err != nil {
		if isNew {
			x.service.failures.Error().Bytes("request_id", x.id).Str("path", c.document.Path).Err(err).Msg("file cannot be read")
		}
		return fault.Fault{Row: fault.Internal}
	}
	w.body = out.Body
	x.set(out)
	return fault.Fault{}
}

// requestSize is the size of a response that one request of a key's rate pays for: a page of 50 pubs.
const requestSize = 16 << 10

// reject responds with an error.
func (x *Exchange) reject(f fault.Fault) {
	x.summary.Fault, x.Export = f, nil
	x.set(response.OfFault(f, x.errorPage(f.Row), x.memory[:0]))
}

// errorPage returns the page of an error; nil if the client gets JSON, as it does below /api/, and at paths without
// rendered pages unless it prefers text/html.
func (x *Exchange) errorPage(row *fault.Row) *response.Response {
	r := &x.Request
	if x.summary.Operation == params.Page || r.PrefersPage() && !bytes.HasPrefix(r.Path, []byte("/api/")) {
		return x.service.site.OfError(row, x.service.showsData(r))
	}
	return nil
}

// FailExport turns the response to an export, of which nothing has been sent, into an error.
func (x *Exchange) FailExport(err error) {
	row := fault.Overloaded
	if errors.Is(err, errExportFailed) {
		row = fault.Internal
	}
	x.reject(fault.Fault{Row: row})
	x.finish()
}

// set sets the response, whose memory serves the next one.
func (x *Exchange) set(r response.Response) {
	if x.Response = r; r.Memory != nil {
		x.memory = r.Memory
	}
}

// recoverPanic turns a panic into a 500, and writes its stack only to the log.
func (x *Exchange) recoverPanic() {
	if cause := recover(); cause != nil {
		x.Abandon()
		x.service.logPanic(x.id, cause)
		x.params = query.Params{} // in an unknown state
		x.reject(fault.Fault{Row: fault.Internal})
		x.finish()
	}
}
