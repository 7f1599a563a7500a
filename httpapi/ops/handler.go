package ops

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"pubd/httpapi/request"
	"pubd/httpapi/status"
)

// newHandler returns the handler of all paths.
func newHandler(readiness func() status.Readiness, exported http.Handler, config Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if r := readiness(); r.Ready {
			respond(w, http.StatusOK, r)
		} else {
			respond(w, http.StatusServiceUnavailable, r)
		}
	})
	mux.Handle("GET /metrics", exported)
	mux.HandleFunc("POST /-/reload", config.reload)
	if config.Pprof {
		for path, handler := range map[string]http.HandlerFunc{"": pprof.Index, "cmdline": pprof.Cmdline,
			"profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace} {
			mux.HandleFunc("GET /debug/pprof/"+path, bounded(handler))
		}
	}
	return config.guarded(mux)
}

// respond responds with a value as JSON.
func respond(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// refuse responds with an error in the format of the API.
func refuse(w http.ResponseWriter, status int, code, message string) {
	respond(w, status, struct {
		Error  string `json:"error"`
		Code   string `json:"code"`
		Status int    `json:"status"`
	}{message, code, status})
}

// guarded handles only requests with an allowed host. Pages of other origins may not use the responses.
func (config Config) guarded(handler http.Handler) http.Handler {
	var hosts []string
	for _, host := range config.Hosts {
		hosts = append(hosts, strings.ToLower(host))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		if !request.HostAllowed([]byte(r.Host), hosts) && !isInternal(r.Host) {
			refuse(w, http.StatusMisdirectedRequest, "misdirected", fmt.Sprintf(
				"Host %q is not allowed: must be an IP address, localhost, the host of --admin, "+
					"a name without dots, or one under .local, .internal, .svc or .home.arpa", r.Host))
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// isInternal reports whether a host, with or without a port, is a name that nobody outside of the own network can
// give to an address: a single label, as of a container or a service, or one below a domain that is reserved for
// internal use.
func isInternal(host string) bool {
	name, _, _ := strings.Cut(strings.ToLower(host), ":")
	_, domain, dotted := strings.Cut(name, ".")
	return !dotted || slices.ContainsFunc([]string{"local", "internal", "svc", "home.arpa"}, func(reserved string) bool {
		return domain == reserved || strings.HasSuffix(domain, "."+reserved)
	})
}

// reload requests a reload. It rejects requests from other machines, and from web pages, which browsers mark.
func (config Config) reload(w http.ResponseWriter, r *http.Request) {
	accept := r.URL.Query().Get("accept-shrink")
	client, _ := netip.ParseAddrPort(r.RemoteAddr)
	switch {
	case !client.Addr().Unmap().IsLoopback():
		refuse(w, http.StatusForbidden, "forbidden", "A reload must be requested on the machine of the server")
	case r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "":
		refuse(w, http.StatusForbidden, "forbidden", "Web pages must not request a reload")
	case accept != "" && accept != "true" && accept != "false":
		refuseParameter(w, "accept-shrink", "must be true or false")
	default:
		config.Reload(accept == "true")
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte("reload requested; /readyz reports the result\n"))
	}
}

// maxProfile is the longest profile, in seconds.
const maxProfile = 30

// bounded rejects profiles of more than maxProfile seconds.
func bounded(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if text := r.FormValue("seconds"); text != "" {
			if seconds, err := strconv.ParseFloat(text, 64); err != nil || !(0 <= seconds && seconds <= maxProfile) {
				refuseParameter(w, "seconds", fmt.Sprintf("must be a number from 0 to %d", maxProfile))
				return
			}
		}
		handler(w, r)
	}
}

// refuseParameter responds to a parameter with an invalid value.
func refuseParameter(w http.ResponseWriter, name, rule string) {
	refuse(w, http.StatusBadRequest, "invalid_parameter", fmt.Sprintf("Invalid parameter '%s': %s", name, rule))
}
