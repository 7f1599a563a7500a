package httpapi

import (
	"bytes"
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
	"time"

	"golang.org/x/net/netutil"
)

// Limits of the admin server. They are short because connections wait while adminConnections are open. A profile may take its own seconds
// on top of adminWrite.
const (
	adminRead  = 5 * time.Second
	adminWrite = 10 * time.Second
	adminIdle  = 10 * time.Second
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

// An AdminServer serves a service's health, metrics and profiles. It accepts adminConnections at a time; others wait in the kernel's queue.
type AdminServer struct{ http http.Server }

// NewAdminServer returns the admin server of a service.
func NewAdminServer(s *Service, config AdminConfig) *AdminServer {
	return &AdminServer{http.Server{
		Handler:           s.admin(config),
		ReadHeaderTimeout: adminRead,
		ReadTimeout:       adminRead,
		WriteTimeout:      adminWrite,
		IdleTimeout:       adminIdle,
		MaxHeaderBytes:    maxHeaderSize,
		ErrorLog:          log.New(adminLog{s}, "", 0),
	}}
}

// Serve accepts connections on a listener until Close.
func (a *AdminServer) Serve(l net.Listener) error {
	if err := a.http.Serve(netutil.LimitListener(l, adminConnections)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close closes the listener and all connections.
func (a *AdminServer) Close() error { return a.http.Close() }

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
