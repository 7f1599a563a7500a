// Package wire is the HTTP server of the API, and the only package that knows its HTTP library: connections,
// admission, deadlines, delivery.
//
// A [Server] reads a request, has its [httpapi.Service] handle it, and sends the response. In between, the service
// asks the connection for admission, once for each request:
//
//	admission    decides what is taken on: connections, of which each site has a share, bytes of large responses,
//	             turns for work
//	connection   one client: one goroutine, and no buffer while it waits for a request
//	input        a request, which the library parses
//	reply        a response on its way, or the chunks of an export; the admission counts the bytes of a large one until
//	             the kernel has taken them
//
// What was taken on ends by itself or by a deadline: 5 s for a request, 15 s for a response or a chunk, 75 s for the
// next request, 1 s for what a client sends after the last response. Each may come a 64th earlier, as a deadline that is
// set serves later ones, too.
package wire

import (
	"bufio"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"pubd/httpapi"
	"pubd/httpapi/response"
	"pubd/httpapi/status"
)

// The limits of the server. Load balancers keep idle connections for 60 s; ours must live longer, or a request could
// arrive on a connection that is being closed.
const (
	readTimeout   = 5 * time.Second
	writeTimeout  = 15 * time.Second
	idleTimeout   = 75 * time.Second
	maxHeaderSize = 16 << 10
	// A body up to smallBody is copied behind its header, and does not count among the bytes in flight.
	smallBody = 8 << 10
	// Up to smallDemand, a response is not asked about, as a page of 20 pubs: each connection has at most one, and there
	// is one for each 128 KiB. What it really holds counts.
	smallDemand = 2 * smallBody
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
	service   *httpapi.Service
	admission *admission
	timeouts  timeouts
	mu        sync.Mutex   // guards listener
	listener  net.Listener // nil before Serve
	closing   atomic.Bool
	running   atomic.Int64 // goroutines: of Serve, and of connections
	date      atomic.Pointer[date]

	readers    sync.Pool // of *bufio.Reader
	inputs     sync.Pool // of *input
	replies    sync.Pool // of *reply
	deliveries sync.Pool // of *delivery
	chunks     sync.Pool // of *[]byte, for exports
}

// timeouts are the times to receive a request, to send a response or a chunk, and to wait for the next request.
type timeouts struct{ read, write, idle time.Duration }

// New returns the server of a service.
func New(service *httpapi.Service, config Config) *Server {
	var limits [httpapi.TurnCount]int
	for turn := range limits {
		limits[turn] = httpapi.Turn(turn).Limit()
	}
	s := &Server{service: service, admission: newAdmission(slots(config), config.MaxInFlight, limits),
		timeouts: timeouts{readTimeout, writeTimeout, idleTimeout}}
	s.readers.New = func() any { return bufio.NewReaderSize(nil, maxHeaderSize) }
	s.inputs.New = func() any { return new(input) }
	s.replies.New = func() any { return new(reply) }
	s.deliveries.New = func() any { return new(delivery) }
	s.chunks.New = func() any { chunk := make([]byte, 0, 2*response.ChunkSize); return &chunk }
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

// Serve accepts connections on a listener until Shutdown, or until the listener is closed, and then returns nil. It may
// be called once. Connections that the admission does not take on are closed at once: clients behind them in the
// kernel's queue must not wait.
func (s *Server) Serve(l net.Listener) error {
	s.running.Add(1)
	defer s.running.Add(-1)
	s.mu.Lock()
	s.listener = l
	s.mu.Unlock()
	if s.closing.Load() {
		_ = l.Close() // perhaps again
	}
	for {
		accepted, err := l.Accept()
		if lack, ok := err.(interface{ Temporary() bool }); ok && lack.Temporary() {
			time.Sleep(acceptPause)
			continue
		} else if errors.Is(err, net.ErrClosed) {
			return nil
		} else if err != nil {
			return err
		}
		if c := s.connect(accepted); c != nil {
			s.running.Add(1)
			go func() {
				defer s.running.Add(-1)
				c.serve()
			}()
		}
	}
}

const (
	// acceptPause is how long to wait when there are no descriptors or no memory for a connection.
	acceptPause = 10 * time.Millisecond
	// shutdownPause is how long to wait between looks at what is still under way.
	shutdownPause = 10 * time.Millisecond
)

// Shutdown stops listening, closes the connections that wait for another request, and waits for active requests until
// the context ends. Connections without a request so far may still send one.
func (s *Server) Shutdown(ctx context.Context) error {
	s.closing.Store(true)
	s.mu.Lock()
	l := s.listener
	s.mu.Unlock()
	if l != nil {
		_ = l.Close() // fails if it is closed
	}
	for {
		s.admission.closeWaiting()
		if s.running.Load() == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(shutdownPause):
		}
	}
}

// Traffic returns what is taken on now, and what was rejected since the start.
func (s *Server) Traffic() status.Traffic {
	a := s.admission
	a.mu.Lock()
	defer a.mu.Unlock()
	return status.Traffic{InFlight: a.responses.held, InFlightLimit: a.responses.limit, Overloaded: a.rejected,
		Connections: int(a.connections.held), ConnectionLimit: int(a.connections.limit), Refused: a.refused}
}
