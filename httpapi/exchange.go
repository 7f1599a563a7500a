package httpapi

import (
	"errors"
	"runtime/debug"
	"time"

	"pubd/httpapi/fault"
	"pubd/httpapi/keys"
	"pubd/httpapi/params"
)

// A Response is what a server sends: the status, the lines of AppendFields, and either Content or an export.
type Response struct {
	Status int
	Close  bool    // the connection must be closed afterwards
	Export *Export // nil for other responses; the server closes it
	Length int64   // of the body that a response to HEAD stands for, if there is no body

	// What follows is valid until the exchange is released.
	body      []byte
	document  *document // sent instead of the body, or the file of which the body is a part; or the page of an error
	mediaType []byte    // nil for none
	packed    bool      // the body is compressed with gzip
	lines     headers   // of this response, after those of every one and of the document
	memory    []byte    // of the lines, and of the body of an error; nil if there is none
}

// encodeFault encodes an error: as its page, or into the given memory if that is nil.
func encodeFault(f fault.Fault, page *document, memory []byte) Response {
	r := Response{Status: f.Row.Status, document: page, Close: f.Row.Close}
	lines := memory
	if page != nil {
		r.mediaType = page.mediaType
	} else {
		lines = f.Append(memory)
		r.body, r.mediaType = lines, formats[params.JSON].mediaType
		lines = append(lines, headersOfErrors...)
	}
	switch f.Row {
	case fault.RangeNotSatisfiable:
		lines = appendContentRange(lines, part{}, f.Length)
	case fault.MethodNotAllowed:
		lines = append(lines, headersOfAllow...)
	case fault.KeyRequired:
		lines = append(lines, headersOfChallenge...)
	}
	if seconds := f.Retry(); seconds > 0 {
		lines = appendNumber(lines, "Retry-After", int64(seconds))
	}
	r.lines, r.memory = headers(lines[len(r.body):]), lines
	return r
}

// A summary is what metrics and the log record of a request.
type summary struct {
	operation params.Operation
	key       *keys.Key // nil if none was presented or needed
	fault     fault.Fault
	outcome   outcome
}

// An Exchange is a request, its response, and the memory of the stages in between. It is reused. One goroutine may use
// it: fill in the request, handle it, send the response, release it.
type Exchange struct {
	Request  Request
	Response Response
	summary  summary
	service  *Service

	id        []byte // of the request
	params    params.Params
	memory    []byte      // for the response
	tally     *tallyShard // shard that counts the request; nil before the first
	workspace *workspace  // nil while the request waits for its admission
}

// AcquireExchange returns an exchange for a request. Its slices may be reused. Release takes it back.
func (s *Service) AcquireExchange() *Exchange { return s.pool.Get().(*Exchange) }

// Release takes back an exchange, with all memory of its response.
func (x *Exchange) Release() {
	x.returnWorkspace()
	x.Response.Export, x.Response.document = nil, nil
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
	if x.workspace == nil { // a document, of which nothing is reused
		return x.Response.document.body
	}
	x.workspace.body = memory
	return x.Response.body
}

// Handle responds to the request of an exchange: parse, admission, ask, encode.
func (x *Exchange) Handle(a Admission) {
	s := x.service
	x.begin()
	defer x.recoverPanic()
	arranged := s.acquire()
	defer arranged.release()    // the response has been copied, and an export is a reader itself
	debug.SetPanicOnFault(true) // an index file may be truncated while it is mapped
	c, f := s.parse(arranged, &x.Request, &x.params)
	x.summary.operation, x.summary.key = c.operation, c.key
	if !f.IsSet() {
		f = x.respond(&c, a)
	}
	if !f.IsSet() && c.view != nil && x.Response.Export == nil && c.view.snapshot.IsOverwritten() {
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

// HandleUnreadable responds to what could not be read as a request: with 431 or 505, if that is its status, otherwise
// with 400. Then the response closes the connection.
func (x *Exchange) HandleUnreadable(status int) {
	x.Request = Request{Received: time.Now()}
	x.begin()
	row := fault.MalformedRequest
	for _, other := range []*fault.Row{fault.HeaderTooLarge, fault.UnsupportedVersion} {
		if other.Status == status {
			row = other
		}
	}
	x.reject(fault.Fault{Row: row})
}

// begin forgets the request before.
func (x *Exchange) begin() {
	x.returnWorkspace()
	x.summary = summary{}
	r := &x.Request
	x.id = appendRequestID(x.id[:0], r.IDs)
	r.address = x.service.clientOf(r.Peer, r.Forwarded)
	r.client = keys.ClientAt(r.address)
}

// respond has a call admitted, asks and encodes. While it waits for its admission, a request holds no working memory.
func (x *Exchange) respond(c *call, a Admission) fault.Fault {
	if c.view == nil && c.part.length == 0 {
		x.set(c.encodeStatic())
		return fault.Fault{}
	}
	d := c.demand(&x.Request)
	if !a.Admit(d) {
		return fault.Fault{Row: fault.Overloaded}
	}
	x.workspace = x.service.workspaces[d.Turn].Get().(*workspace)
	switch c.operation {
	case params.Page:
		return x.respondPage(c)
	case params.Document:
		return x.respondPart(c)
	}
	r, f := c.ask(x.workspace)
	if f.IsSet() {
		return f
	}
	if c.preconditionFailed {
		return fault.Fault{Row: fault.PreconditionFailed}
	}
	x.summary.outcome = c.outcome(r)
	x.set(c.encode(r, x.workspace, x.workspace.body[:0], x.memory[:0]))
	if x.Response.Export != nil {
		x.Response.Export.serve(x)
		x.returnWorkspace() // each chunk takes one
		return fault.Fault{}
	}
	x.workspace.body = x.Response.body
	if !c.params.Everything {
		c.key.Charge(x.Request.Received, x.Request.client, len(x.Response.body)/requestSize)
	}
	return fault.Fault{}
}

// requestSize is the size of a response that one request of a key's rate pays for: a page of 50 pubs.
const requestSize = 16 << 10

// reject responds with an error.
func (x *Exchange) reject(f fault.Fault) {
	x.summary.fault = f
	x.set(encodeFault(f, x.errorPage(f.Row), x.memory[:0]))
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
func (x *Exchange) set(r Response) {
	if x.Response = r; r.memory != nil {
		x.memory = r.memory
	}
}

// recoverPanic turns a panic into a 500, and writes its stack only to the log.
func (x *Exchange) recoverPanic() {
	if cause := recover(); cause != nil {
		x.Abandon()
		x.service.logPanic(x.id, cause)
		x.params = params.Params{} // in an unknown state
		x.reject(fault.Fault{Row: fault.Internal})
		x.finish()
	}
}

// Content returns the body to send, which is valid until the exchange is released; one that is shared stays valid.
func (x *Exchange) Content() (body []byte, isShared bool) {
	switch r := &x.Response; {
	case r.document == nil || r.Status == 206:
		return r.body, false
	case r.Status == 304:
		return nil, true
	default:
		return r.document.body, !r.document.isOwn
	}
}
