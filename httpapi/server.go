package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

// The limits of the HTTP server. Load balancers keep idle connections for 60 s; ours must live longer, or a request could arrive on a
// connection that is being closed.
const (
	readTimeout   = 5 * time.Second
	writeTimeout  = 15 * time.Second
	idleTimeout   = 75 * time.Second
	maxHeaderSize = 16 << 10
	// A header with a small body is sent in one piece.
	writeBuffer = smallBody + 2<<10
)

// bodyMark is the pseudo-header that marks a request with a body; no client can send such a name.
const bodyMark = ":body"

// Server is the listening side of a service. It speaks HTTP/1.1 and 1.0 without TLS: the load balancer handles TLS and HTTP/2.
type Server struct {
	http    *fasthttp.Server
	service *Service
}

// NewServer returns the server of a service.
func NewServer(s *Service) *Server {
	h := &fasthttp.Server{
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
	return &Server{h, s}
}

// Serve accepts connections on a listener until Shutdown. It may be called once.
func (s *Server) Serve(l net.Listener) error {
	limited := newListener(l, s.service.config.MaxConnections, s.service.config.SpareHandles)
	s.service.listener.Store(limited)
	return s.http.Serve(limited)
}

// Shutdown stops listening and waits for active requests until the context ends.
func (s *Server) Shutdown(ctx context.Context) error { return s.http.ShutdownWithContext(ctx) }

// inspect checks what the library accepts. It marks a request with a body, or with any Transfer-Encoding, so that its body is not read: the
// request is rejected, and the connection closed before what follows could be taken for another request. Connection is a case-insensitive
// list of tokens.
func inspect(h *fasthttp.RequestHeader) (config fasthttp.RequestConfig) {
	hasBody := h.ContentLength() > 0 || h.ContentLength() == -1
	expects := false
	for rest := h.RawHeaders(); len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, newline)
		switch {
		case len(line) < len("expect:"):
		case line[0]|0x20 == 'e' && hasName(line, "expect"):
			expects = true
		case line[0]|0x20 == 't' && hasName(line, "transfer-encoding"):
			hasBody = true
		case line[0]|0x20 == 'c' && hasName(line, "connection"):
			if hasToken(line[len("connection:"):], "close") {
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

var newline = []byte("\n")

// hasName reports whether a header line has a name.
func hasName(line []byte, name string) bool {
	return len(line) > len(name) && line[len(name)] == ':' && equalLower(line[:len(name)], name)
}

// hasToken reports whether a comma-separated list has a token.
func hasToken(list []byte, token string) bool {
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte(","))
		if equalLower(bytes.TrimSpace(item), token) {
			return true
		}
	}
	return false
}

// serve copies a request into an exchange and its response out. The exchange can be reused before its body is sent.
func (s *Service) serve(ctx *fasthttp.RequestCtx) {
	c := ctx.Conn().(*connection)
	c.answer()
	x := s.pool.Get().(*exchange)
	h := &ctx.Request.Header
	path, query := splitTarget(h.RequestURI())
	x.request = request{method: h.Method(), path: path, query: query, host: h.Host(), hasBody: len(h.Peek(bodyMark)) > 0,
		keys:      append(x.request.keys[:0], h.PeekAll("X-Api-Key")...),
		match:     append(x.request.match[:0], h.PeekAll("If-Match")...),
		noneMatch: append(x.request.noneMatch[:0], h.PeekAll("If-None-Match")...),
		ids:       append(x.request.ids[:0], h.PeekAll("X-Request-Id")...),
		accept:    h.Peek("Accept"), encodings: h.Peek("Accept-Encoding"), client: c.peer, address: c.address, received: ctx.Time(), forwarded: x.request.forwarded[:0],
		unsupportedVersion: !h.IsHTTP11() && string(h.Protocol()) != "HTTP/1.0"}
	if trusted := proxies(s.config.TrustedProxies); trusted.has(c.peer) {
		x.request.forwarded = append(x.request.forwarded, h.PeekAll("X-Forwarded-For")...)
		x.request.client = trusted.client(c.peer, x.request.forwarded)
		x.request.address = shareOf(x.request.client)
	}
	x.headers.id = appendRequestID(x.headers.id[:0], x.request.ids)
	s.handle(x)
	if x.response.stream != nil {
		s.lendChunk(x)
	}
	if x.isLarge() && !s.admit(x, c) {
		s.reject(x, fault{row: overloaded})
	}
	s.send(ctx, x)
	s.observe(x, ctx)
	if x.response.stream != nil {
		s.stream(ctx, x, c)
	} else {
		d, size := s.dispatch(x, c)
		ctx.Response.SetBodyStream(d, size)
	}
	s.release(x)
	s.pool.Put(x)
}

// stream sends an export, which holds the delivery of the exchange: its buffer is the chunk. HTTP/1.0 has no chunked encoding: the end of the
// connection ends the body, and resets the connection if the body is incomplete.
func (s *Service) stream(ctx *fasthttp.RequestCtx, x *exchange, c *connection) {
	e := x.response.stream
	e.service, e.key, e.client, e.id, e.started = s, x.summary.key, x.client(), bytes.Clone(x.headers.id), x.request.received
	e.delivery, x.delivery = x.delivery, nil
	e.delivery.connection = c
	if ctx.Request.Header.IsHTTP11() {
		ctx.Response.SetBodyStream(e, -1)
		return
	}
	defer e.Close()
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(net.Conn) {})
	ctx.SetConnectionClose()
	_ = c.SetWriteDeadline(time.Now().Add(writeTimeout)) // never fails
	_, err := ctx.Response.Header.WriteTo(c)
	if err == nil && !ctx.IsHead() {
		_, err = e.WriteTo(c)
	}
	if err != nil {
		c.abort()
	}
}

// admit accounts for a large response in the budget of bytes in flight and reports whether it fits.
func (s *Service) admit(x *exchange, c *connection) bool {
	d := x.delivery
	d.connection, d.client, d.size = c, x.client(), int64(cap(x.response.body))
	d.visitor = x.summary.key != nil && x.summary.key.IsPublic()
	if x.response.stream != nil {
		d.size = x.response.stream.size()
	}
	if !s.budget.acquire(d, time.Now()) {
		return false
	}
	d.budget = s.budget
	if x.response.stream != nil { // which takes a while
		s.budget.stall(d)
	}
	return true
}

// serveUnreadable responds to what could not be parsed as a request.
func (s *Service) serveUnreadable(ctx *fasthttp.RequestCtx, err error) {
	if _, silent := err.(net.Error); silent { // nothing was read: later failures are wrapped
		_ = ctx.Conn().Close()
		return
	}
	row := malformedRequest
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.As(err, &small):
		row = headerTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		row = bodyTooLarge
	case ctx.Conn().(*connection).hasPreface():
		row = unsupportedVersion
	}
	x := s.pool.Get().(*exchange)
	x.request, x.summary = request{received: time.Now()}, summary{}
	x.headers.id = appendRequestID(x.headers.id[:0], nil)
	s.reject(x, fault{row: row})
	s.send(ctx, x)
	ctx.Response.SetBody(x.response.body)
	s.observe(x, ctx)
	s.release(x)
	s.pool.Put(x)
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

// A header is a name and a value as they are sent.
type header struct{ name, value []byte }

func newHeader(name, value string) header { return header{[]byte(name), []byte(value)} }

// headers are constant headers.
type headers []header

func (hs headers) addTo(h *fasthttp.ResponseHeader) {
	for _, header := range hs {
		h.SetCanonical(header.name, header.value)
	}
}

func (hs headers) each(do func(name, value string)) {
	for _, header := range hs {
		do(string(header.name), string(header.value))
	}
}

var (
	headersOfAnyOrigin = headers{
		newHeader("X-Content-Type-Options", "nosniff"),
		newHeader("Access-Control-Allow-Origin", "*"),
		newHeader("Access-Control-Expose-Headers", "ETag, X-Snapshot, X-Ignored-Params, X-Total-Results, X-Request-Id, Link, Retry-After, Content-Disposition"),
	}
	// headersOfOwnOrigin keep pages of other origins from using a response.
	headersOfOwnOrigin = headers{
		newHeader("X-Content-Type-Options", "nosniff"),
		newHeader("Cross-Origin-Resource-Policy", "same-origin"),
	}
	headersOfAnswers = headers{
		newHeader("Cache-Control", "private, no-cache"),
		newHeader("Vary", "Accept, Accept-Encoding"),
	}
	headersOfErrors    = headers{newHeader("Cache-Control", "no-store")}
	headersOfPreflight = headers{
		newHeader("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
		newHeader("Access-Control-Allow-Headers", "x-api-key, if-match, if-none-match, content-type, x-request-id"),
		newHeader("Access-Control-Max-Age", "86400"),
		newHeader("Allow", "GET, HEAD, OPTIONS"),
	}
	headersOfExport    = headers{newHeader("Accept-Ranges", "none")}
	headersOfAllow     = headers{newHeader("Allow", "GET, HEAD, OPTIONS")}
	headersOfChallenge = headers{newHeader("WWW-Authenticate", `ApiKey realm="pubs"`)}

	etagName, snapshotName = []byte("ETag"), []byte("X-Snapshot")
	ignoredName, retryName = []byte("X-Ignored-Params"), []byte("Retry-After")
	linkName, totalName    = []byte("Link"), []byte("X-Total-Results")
	withoutHeader          = []byte("text/csv; charset=utf-8; header=absent")
	requestIDName          = []byte("X-Request-Id")
	dispositionName        = []byte("Content-Disposition")
)

// send sets the status and headers of a response.
func (s *Service) send(ctx *fasthttp.RequestCtx, x *exchange) {
	r := &x.response
	h := &ctx.Response.Header
	h.SetStatusCode(r.status)
	if len(x.request.ids) > 0 || r.status >= 500 {
		h.SetCanonical(requestIDName, x.headers.id)
	}
	if s.config.Demo {
		headersOfOwnOrigin.addTo(h)
	} else {
		headersOfAnyOrigin.addTo(h)
	}
	switch {
	case r.preflight:
		headersOfPreflight.addTo(h)
	case r.document != nil:
		r.document.headers.addTo(h)
	case r.status < 400:
		headersOfAnswers.addTo(h)
		h.SetCanonical(etagName, r.etag)
		h.SetCanonical(snapshotName, r.snapshot)
		if len(r.ignored) > 0 {
			h.SetCanonical(ignoredName, r.ignored)
		}
		if len(r.links) > 0 {
			h.SetCanonical(linkName, r.links)
		}
		if len(r.total) > 0 {
			h.SetCanonical(totalName, r.total)
		}
	default:
		headersOfErrors.addTo(h)
	}
	if r.stream != nil {
		h.SetCanonical(dispositionName, r.disposition)
		headersOfExport.addTo(h)
	}
	if r.status == 200 || r.status >= 400 {
		if r.document != nil {
			h.SetContentTypeBytes(r.document.mediaType)
		} else {
			h.SetContentTypeBytes(formats[r.format].contentType)
		}
		if r.headless {
			h.SetContentTypeBytes(withoutHeader)
		}
	}
	if r.allow {
		headersOfAllow.addTo(h)
	}
	if r.challenge {
		headersOfChallenge.addTo(h)
	}
	if r.retryAfter > 0 {
		h.SetCanonical(retryName, strconv.AppendInt(nil, int64(r.retryAfter), 10))
	}
	if r.close {
		ctx.SetConnectionClose()
	}
}
