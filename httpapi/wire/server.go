// Package wire is the HTTP server of the API, and the only package that knows its HTTP library: connections,
// admission, deadlines, delivery.
//
// A [Server] reads a request, has its [httpapi.Service] handle it, and sends the response. In between, the service
// asks the connection for admission, once for each request:
//
//	listener     accepts connections, of which each address has a share
//	admission    decides what is taken on: connections, bytes of large responses, turns for work
//	connection   one client: one goroutine, and no buffer while it waits for a request
//	delivery     a large body on its way, or the chunks of an export; the admission counts its bytes until the kernel
//	             has taken them
//
// What was taken on ends by itself or by a deadline: 5 s for a request, 15 s for a response or a chunk, 75 s for the
// next request.
package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"pubd/httpapi"
)

// The limits of the server. Load balancers keep idle connections for 60 s; ours must live longer, or a request could
// arrive on a connection that is being closed.
const (
	readTimeout   = 5 * time.Second
	writeTimeout  = 15 * time.Second
	idleTimeout   = 75 * time.Second
	maxHeaderSize = 16 << 10
	// A body up to smallBody is sent in one piece with its header, and does not count among the bytes in flight.
	smallBody   = 8 << 10
	writeBuffer = smallBody + 2<<10
)

// Config configures a server.
type Config struct {
	// MaxInFlight is how many bytes of large responses may be in flight, that is, held until the kernel has taken
	// them; and MaxConnections the maximum number of connections; 0 means no limit except file descriptors.
	MaxInFlight    int64
	MaxConnections int
	// SpareHandles is how many file descriptors are left to others.
	SpareHandles int
}

// Server is the listening side of a service. It speaks HTTP/1.1 and 1.0 without TLS: the load balancer handles TLS and
// HTTP/2.
type Server struct {
	http       *fasthttp.Server // whose WriteTimeout is also that of a chunk
	service    *httpapi.Service
	admission  *admission
	deliveries sync.Pool // of *delivery
	chunks     sync.Pool // of *[]byte, for exports
}

// New returns the server of a service.
func New(service *httpapi.Service, config Config) *Server {
	s := &Server{service: service, admission: newAdmission(slots(config), config.MaxInFlight, runtime.GOMAXPROCS(0))}
	s.deliveries.New = func() any { return new(delivery) }
	s.chunks.New = func() any { chunk := make([]byte, 0, 2*httpapi.ChunkSize); return &chunk }
	s.http = &fasthttp.Server{
		Handler:                      s.serve,
		ErrorHandler:                 s.serveUnreadable,
		HeaderReceived:               inspect,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		ReadBufferSize:               maxHeaderSize,
		WriteBufferSize:              writeBuffer,
		MaxRequestBodySize:           1,
		Concurrency:                  1 << 20,
		ReduceMemoryUsage:            true, // of connections that wait
		NoDefaultServerHeader:        true,
		NoDefaultContentType:         true,
		SecureErrorLogMessage:        true,
		DisablePreParseMultipartForm: true,
		CloseOnShutdown:              true,
		Logger:                       log.New(io.Discard, "", 0),
	}
	return s
}

// slots returns how many connections there may be.
func slots(config Config) int {
	limit := 1 << 20
	var handles syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &handles); err == nil {
		spare := uint64(config.SpareHandles)
		limit = int(min(uint64(limit), max(handles.Cur, spare+1)-spare))
	}
	if config.MaxConnections > 0 {
		limit = min(limit, config.MaxConnections)
	}
	return limit
}

// Serve accepts connections on a listener until Shutdown. It may be called once.
func (s *Server) Serve(l net.Listener) error { return s.http.Serve(&listener{l, s}) }

// Shutdown stops listening and waits for active requests until the context ends.
func (s *Server) Shutdown(ctx context.Context) error { return s.http.ShutdownWithContext(ctx) }

// Traffic returns what is taken on now, and what was rejected since the start.
func (s *Server) Traffic() httpapi.Traffic {
	a := s.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	return httpapi.Traffic{InFlight: a.responses.held, InFlightLimit: a.responses.limit, Overloaded: a.rejected,
		Connections: int(a.connections.held), Refused: a.refused}
}

// bodyMark is the pseudo-header that marks a request with a body; no client can send such a name.
const bodyMark = ":body"

// inspect checks what the library accepts. It marks a request with a body, or with any Transfer-Encoding, so that its
// body is not read: the request is rejected, and the connection closed before what follows could be taken for another
// request. Connection is a case-insensitive list of tokens.
func inspect(h *fasthttp.RequestHeader) (config fasthttp.RequestConfig) {
	hasBody := h.ContentLength() > 0 || h.ContentLength() == -1
	expects := false
	for rest := h.RawHeaders(); len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, newline)
		switch {
		case len(line) < len("expect:"):
		case line[0]|0x20 == 'e' && hasName(line, expect):
			expects = true
		case line[0]|0x20 == 't' && hasName(line, transferEncoding):
			hasBody = true
		case line[0]|0x20 == 'c' && hasName(line, connectionName):
			if hasToken(line[len("connection:"):], closing) {
				h.SetConnectionClose()
			}
		}
	}
	if hasBody {
		h.SetContentLength(0)
		h.Del("Transfer-Encoding")
		h.Set(bodyMark, "1")
	}
	if expects {
		h.Del("Expect")
	}
	return config
}

var (
	newline          = []byte("\n")
	expect           = []byte("expect")
	transferEncoding = []byte("transfer-encoding")
	connectionName   = []byte("connection")
	closing          = []byte("close")
)

// hasName reports whether a header line has a name.
func hasName(line, name []byte) bool {
	return len(line) > len(name) && line[len(name)] == ':' && bytes.EqualFold(line[:len(name)], name)
}

// hasToken reports whether a comma-separated list has a token.
func hasToken(list, token []byte) bool {
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte(","))
		if item = bytes.TrimSpace(item); len(item) == len(token) && bytes.EqualFold(item, token) { // no other letters
			return true
		}
	}
	return false
}

// serve has the service handle a request, and passes on the response. The exchange is released before the body is
// sent.
func (s *Server) serve(ctx *fasthttp.RequestCtx) {
	c := ctx.Conn().(*connection)
	c.begin()
	x := s.service.AcquireExchange()
	read(&x.Request, &ctx.Request.Header, c)
	x.Request.Received = ctx.Time()
	x.Handle(c)
	export := s.send(ctx, c, x)
	x.Observe(ctx.RemoteAddr())
	x.Release()
	if export != nil && ctx.Request.Header.IsHTTP11() {
		ctx.Response.SetBodyStream(export, -1)
	} else if export != nil {
		export.sendUntilClosed(ctx)
	}
}

// read copies what the library read.
func read(r *httpapi.Request, h *fasthttp.RequestHeader, c *connection) {
	path, query := splitTarget(h.RequestURI())
	*r = httpapi.Request{Method: h.Method(), Path: path, Query: query, Host: h.Host(), HasBody: len(h.Peek(bodyMark)) > 0,
		Keys:        append(r.Keys[:0], h.PeekAll("X-Api-Key")...),
		IfMatch:     append(r.IfMatch[:0], h.PeekAll("If-Match")...),
		IfNoneMatch: append(r.IfNoneMatch[:0], h.PeekAll("If-None-Match")...),
		Range:       h.Peek("Range"), IfRange: h.Peek("If-Range"),
		IDs:    append(r.IDs[:0], h.PeekAll("X-Request-Id")...),
		Accept: h.Peek("Accept"), Encodings: h.Peek("Accept-Encoding"), Peer: c.peer, Forwarded: r.Forwarded[:0],
		UnsupportedVersion: !h.IsHTTP11() && string(h.Protocol()) != "HTTP/1.0"}
	if c.isProxy {
		r.Forwarded = append(r.Forwarded, h.PeekAll("X-Forwarded-For")...)
		r.Scheme = h.Peek("X-Forwarded-Proto")
	}
}

// send passes a response on to the library, which sends it after the handler; the body of an export it returns. The
// turn of the request ends, and what the response really holds is counted from now on.
func (s *Server) send(ctx *fasthttp.RequestCtx, c *connection, x *httpapi.Exchange) (export *stream) {
	body, isShared := x.Content()
	isLarge := len(body) > smallBody && !isShared && !ctx.IsHead()
	if isLarge && c.grant.bytes == 0 && !s.admitLate(c, x) {
		x.Overload()
		body, _ = x.Content()
		isLarge = false
	}
	out := &ctx.Response
	out.SetStatusCode(x.Response.Status)
	x.SetHeaders(&out.Header)
	if x.Response.Close {
		ctx.SetConnectionClose()
	}
	held := int64(0)
	switch {
	case x.Response.Export != nil:
		held = c.grant.bytes
		export = &stream{Export: x.Response.Export, connection: c, started: x.Request.Received}
	case ctx.IsHead():
		out.Header.SetContentLength(max(len(body), int(x.Response.Length)))
		out.SkipBody = true
	case isShared:
		out.SetBodyRaw(body)
	case isLarge:
		var d *delivery
		d, held = s.deliver(c, x)
		out.SetBodyStream(d, len(body))
		out.ImmediateHeaderFlush = true // to the connection, before the body
	default:
		out.SetBody(body)
	}
	s.admission.settle(&c.grant, held)
	return export
}

// admitLate has a response admitted that is larger than it seemed to become.
func (s *Server) admitLate(c *connection, x *httpapi.Exchange) (ok bool) {
	body, _ := x.Content()
	d := x.Demand
	d.Bytes, d.Work = int64(len(body)), false
	late, ok := s.admission.admit(d, 0)
	late.hasTurn = c.grant.hasTurn
	c.grant = late
	return ok
}

// sendUntilClosed sends an export to a client of HTTP/1.0, which has no chunked encoding: the end of the connection
// ends the body, and resets the connection if the body is incomplete.
func (s *stream) sendUntilClosed(ctx *fasthttp.RequestCtx) {
	defer s.Close()
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(net.Conn) {})
	ctx.SetConnectionClose()
	_ = s.connection.SetWriteDeadline(time.Now().Add(s.connection.server.http.WriteTimeout)) // never fails
	_, err := ctx.Response.Header.WriteTo(s.connection)
	if err == nil && !ctx.IsHead() {
		_, err = s.WriteTo(s.connection)
	}
	if err != nil {
		s.connection.reset()
	}
}

// serveUnreadable responds to what could not be parsed as a request.
func (s *Server) serveUnreadable(ctx *fasthttp.RequestCtx, err error) {
	if _, silent := err.(net.Error); silent { // nothing was read: later failures are wrapped
		_ = ctx.Conn().Close()
		return
	}
	c := ctx.Conn().(*connection)
	status := fasthttp.StatusBadRequest
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.As(err, &small):
		status = fasthttp.StatusRequestHeaderFieldsTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		status = fasthttp.StatusRequestEntityTooLarge
	case c.hasPreface():
		status = fasthttp.StatusHTTPVersionNotSupported
	}
	c.begin()
	x := s.service.AcquireExchange()
	x.HandleUnreadable(status)
	s.send(ctx, c, x)
	x.Observe(ctx.RemoteAddr())
	x.Release()
}

// splitTarget splits a request target into path and query, without scheme and host.
func splitTarget(target []byte) (path, query []byte) {
	path = target
	if len(path) > 0 && path[0] != '/' {
		path = afterHost(path)
	}
	for i, c := range path {
		if c == '#' {
			return path[:i], nil
		}
		if c == '?' {
			return path[:i], path[i+1:]
		}
	}
	return path, nil
}

func afterHost(target []byte) []byte {
	for i := 0; i+2 < len(target); i++ {
		if target[i] == ':' && target[i+1] == '/' && target[i+2] == '/' {
			for j := i + 3; j < len(target); j++ {
				if target[j] == '/' || target[j] == '?' {
					return target[j:]
				}
			}
			return nil
		}
		if target[i] == '/' || target[i] == '?' {
			break
		}
	}
	return target
}
