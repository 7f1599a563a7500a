package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of the admin server. A profile may take its own seconds on top of adminWrite.
const (
	adminRead  = 5 * time.Second
	adminWrite = 10 * time.Second
	adminIdle  = 75 * time.Second
	maxProfile = 30 // seconds
)

// AdminConfig configures the admin address.
type AdminConfig struct {
	// Hosts are the host names allowed on the admin address, besides IP addresses and localhost.
	Hosts []string
	// Pprof enables /debug/pprof/.
	Pprof bool
	// Reload handles POST /-/reload, which requests a reload of keys and data; acceptShrink accepts a snapshot with far fewer pubs.
	Reload func(acceptShrink bool)
}

// reload requests a reload and does not wait for it. It rejects requests from other machines, and from web pages, which browsers mark.
func (config AdminConfig) reload(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	accept := query.Get("accept-shrink")
	client, _ := netip.ParseAddrPort(r.RemoteAddr)
	switch {
	case !client.Addr().Unmap().IsLoopback():
		refuseAdmin(w, http.StatusForbidden, "forbidden", "A reload must be requested on the machine of the server")
	case r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "":
		refuseAdmin(w, http.StatusForbidden, "forbidden", "Web pages must not request a reload")
	case accept != "" && accept != "true" && accept != "false":
		refuseAdmin(w, invalidParameter.status, invalidParameter.code, "Invalid parameter 'accept-shrink': must be true or false")
	default:
		config.Reload(accept == "true")
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte("reload requested; /readyz reports the result\n"))
	}
}

// An AdminServer serves a service's health, metrics and profiles. It allows adminConnections at a time: to admit another one, it closes the
// connection that has gone longest without a request, from the address with the most connections, so that health checks always get through.
type AdminServer struct {
	http http.Server

	mu          sync.Mutex
	connections map[net.Conn]*adminConnection // open connections; guarded by mu
}

// An adminConnection is an open connection to the admin address.
type adminConnection struct {
	address   netip.Prefix
	since     time.Time // when it was accepted, or its last response ended
	answering bool      // while a handler runs
}

// connectionKey is the context key of a request's *adminConnection.
type connectionKey struct{}

// NewAdminServer returns the admin server of a service.
func NewAdminServer(s *Service, config AdminConfig) *AdminServer {
	a := &AdminServer{connections: map[net.Conn]*adminConnection{}}
	a.http = http.Server{
		Handler:           a.marked(s.admin(config)),
		ReadHeaderTimeout: adminRead,
		ReadTimeout:       adminRead,
		WriteTimeout:      adminWrite,
		IdleTimeout:       adminIdle,
		MaxHeaderBytes:    maxHeaderSize,
		ConnContext:       a.accepted,
		ConnState:         a.changed,
		ErrorLog:          log.New(adminLog{s}, "", 0),
	}
	return a
}

// Serve accepts connections on a listener until Close.
func (a *AdminServer) Serve(l net.Listener) error {
	if err := a.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close closes the listener and all connections.
func (a *AdminServer) Close() error { return a.http.Close() }

// accepted makes room for a connection before the server accepts the next one.
func (a *AdminServer) accepted(ctx context.Context, c net.Conn) context.Context {
	state := &adminConnection{address: shareOf(addressOf(c.RemoteAddr())), since: time.Now()}
	a.mu.Lock()
	var evicted net.Conn
	if len(a.connections)+1 >= adminConnections {
		evicted = a.evict()
	}
	a.connections[c] = state
	a.mu.Unlock()
	if evicted != nil {
		_ = evicted.Close()
	}
	return context.WithValue(ctx, connectionKey{}, state)
}

// changed forgets a closed connection.
func (a *AdminServer) changed(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.connections, c)
	}
}

// evict forgets one connection of the address with the most: the one that has gone longest without a request or, if all are being served,
// the one that has been served for longest. The caller holds a.mu.
func (a *AdminServer) evict() (longest net.Conn) {
	count := map[netip.Prefix]int{}
	for _, state := range a.connections {
		count[state.address]++
	}
	for c, state := range a.connections {
		if than := a.connections[longest]; than == nil || count[state.address] > count[than.address] || count[state.address] == count[than.address] &&
			(than.answering && !state.answering || than.answering == state.answering && state.since.Before(than.since)) {
			longest = c
		}
	}
	delete(a.connections, longest)
	return longest
}

// marked marks a connection as busy while one of its requests is handled.
func (a *AdminServer) marked(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := r.Context().Value(connectionKey{}).(*adminConnection)
		mark := func(answering bool) {
			a.mu.Lock()
			defer a.mu.Unlock()
			c.answering, c.since = answering, time.Now()
		}
		mark(true)
		defer mark(false)
		handler.ServeHTTP(w, r)
	})
}

// An adminLog receives what net/http logs, one line at a time.
type adminLog struct{ service *Service }

// Write implements io.Writer.
func (l adminLog) Write(line []byte) (int, error) {
	l.service.config.Log.Warn().Bytes("error", bytes.TrimSpace(line)).Msg("admin server")
	return len(line), nil
}

// guarded handles only requests with an allowed host. Pages of other origins may not use the responses.
func (config AdminConfig) guarded(handler http.Handler) http.Handler {
	var hosts hostList
	for _, host := range config.Hosts {
		hosts = append(hosts, strings.ToLower(host))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headersOfOwnOrigin.each(w.Header().Set)
		if !hosts.allows([]byte(r.Host)) && !isInternal(r.Host) {
			refuseAdmin(w, http.StatusMisdirectedRequest, misdirected.code,
				fmt.Sprintf("Host %q is not allowed: must be an IP address, localhost, the host of --admin, a name without dots, or one under .local, .internal, .svc or .home.arpa", r.Host))
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// refuseAdmin responds with an error in the format of the API.
func refuseAdmin(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct {
		Error  string `json:"error"`
		Code   string `json:"code"`
		Status int    `json:"status"`
	}{message, code, status})
}

// addProfiles adds /debug/pprof/.
func addProfiles(mux *http.ServeMux) {
	for path, handler := range map[string]http.HandlerFunc{"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile,
		"symbol": pprof.Symbol, "trace": pprof.Trace} {
		mux.HandleFunc("GET /debug/pprof/"+path, bounded(handler))
	}
}

// bounded rejects profiles of more than maxProfile seconds.
func bounded(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if text := r.FormValue("seconds"); text != "" {
			if seconds, err := strconv.ParseFloat(text, 64); err != nil || !(0 <= seconds && seconds <= maxProfile) {
				refuseAdmin(w, invalidParameter.status, invalidParameter.code,
					fmt.Sprintf("Invalid parameter 'seconds': must be a number from 0 to %d", maxProfile))
				return
			}
		}
		handler(w, r)
	}
}
