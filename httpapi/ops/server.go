// Package ops serves the admin address: health, metrics, profiles, reload.
//
// A [Server] is made for one service and serves a listener of its own, over net/http:
//
//	GET  /livez          the process answers
//	GET  /readyz         whether requests should be sent here, 200 or 503, and why: status.Readiness
//	GET  /metrics        for Prometheus, of status.Report and status.Traffic, and what Register adds
//	GET  /debug/pprof/   profiles, if enabled
//	POST /-/reload       from the same machine: load data and keys again
//
// The address needs no key, so only operators and their programs should reach it. Two rules keep out web pages that
// run in a browser there: a request must name a host that nobody outside can give to an address, and responses are
// for their own origin.
//
// Health checks must be answered when the API is overloaded. So the server accepts few connections, for which the
// API leaves enough file descriptors, and closes slow and idle ones within seconds.
package ops

import (
	"bytes"
	"errors"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"golang.org/x/net/netutil"

	"pubd/httpapi/status"
)

// MaxConnections is how many connections are served at a time; others wait in the kernel's queue. Each may need two
// file descriptors: a request for /metrics reads files of /proc, one at a time.
const MaxConnections = 16

// Limits of a connection. They are short because others may wait for it. A profile may take its own seconds on top
// of writeTimeout.
const (
	readTimeout  = 5 * time.Second
	writeTimeout = 10 * time.Second
	idleTimeout  = 10 * time.Second
	maxHeader    = 16 << 10
)

// Config configures a server.
type Config struct {
	// Hosts are the host names allowed besides IP addresses, localhost and names of internal networks.
	Hosts []string
	// Pprof enables /debug/pprof/.
	Pprof bool
	// Reload handles POST /-/reload, which requests a reload of keys and data and does not wait for it;
	// acceptShrink accepts a snapshot with far fewer pubs.
	Reload func(acceptShrink bool)
	// Traffic returns the state of the connections of the API.
	Traffic func() status.Traffic
	// Version, Commit and Go are those of the release.
	Version, Commit, Go string
	// Log receives a line for each failure of the server. Its writer must not block.
	Log zerolog.Logger
}

// A Server serves the health, metrics and profiles of a service.
type Server struct {
	http     http.Server
	registry *prometheus.Registry
}

// A Service reports on itself, as one of package httpapi does.
type Service interface {
	Readiness() status.Readiness
	Report() status.Report
}

// New returns the server of a service.
func New(service Service, config Config) *Server {
	series := newRegistry(collector{service.Report, config})
	return &Server{registry: series, http: http.Server{
		Handler:           newHandler(service.Readiness, exporterOf(series), config),
		ReadHeaderTimeout: readTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(errorLog{config.Log}, "", 0),
	}}
}

// Serve accepts connections on a listener until Close. It may be called once.
func (s *Server) Serve(l net.Listener) error {
	if err := s.http.Serve(netutil.LimitListener(l, MaxConnections)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close closes the listener and all connections.
func (s *Server) Close() error { return s.http.Close() }

// An errorLog receives what net/http logs, one line at a time.
type errorLog struct{ log zerolog.Logger }

// Write implements io.Writer.
func (l errorLog) Write(line []byte) (int, error) {
	l.log.Warn().Bytes("error", bytes.TrimSpace(line)).Msg("admin server")
	return len(line), nil
}
