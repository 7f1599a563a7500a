package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pubd/index"
)

// Readiness is the response body of /readyz.
type Readiness struct {
	Ready    bool   `json:"ready"`
	Snapshot string `json:"snapshot"`
	Pubs     int    `json:"pubs"`
	// LoadedAt is when the snapshot was loaded; nil before there is one.
	LoadedAt *time.Time `json:"loaded_at"`
	// LastReload is "ok", the reason why the last reload of data or keys failed, or "none yet".
	LastReload string `json:"last_reload"`
	// LastFailure is when a load of data or keys last failed; nil if none has.
	LastFailure *time.Time `json:"last_failure"`
	// LoadingSince is when the current load of data or keys began, the older one of two; nil if none is running.
	LoadingSince *time.Time `json:"loading_since"`
	// Sources describes the sources of "data" and "keys" at the last attempt to reach them.
	Sources map[string]Source `json:"sources,omitempty"`
	// Fleet is the state of a replica that follows a manifest; otherwise nil.
	Fleet *Fleet `json:"fleet,omitempty"`
}

// A Source says whether the source of data or keys was reachable.
type Source struct {
	Reachable bool      `json:"reachable"`
	CheckedAt time.Time `json:"checked_at"`
	ReachedAt time.Time `json:"-"`               // when it last was; zero if never
	Error     string    `json:"error,omitempty"` // why it was not
}

// A Fleet is the manifest that a replica follows, and the snapshots of it that are available.
type Fleet struct {
	Sequence    uint64    `json:"sequence"`
	PublishedAt time.Time `json:"published_at"`
	// The IDs of earlier snapshots that clients can still request, of those to be served, and of those not available yet.
	Kept     []string `json:"kept"`
	Prepared []string `json:"prepared"`
	Pending  []string `json:"pending"`
	// Built are the IDs of those that this replica built from their source, because it could not use the published index file.
	Built []string `json:"built"`
	// NextAt is when one of them will be served or dropped; nil if there is no such time.
	NextAt *time.Time `json:"next_at"`
}

// Readiness reports whether requests should be sent here: once there is data and until the service drains, regardless of load. A failed
// reload does not change it, because old data is worth serving.
func (s *Service) Readiness() Readiness {
	a := s.acquire()
	defer a.release()
	data, keys := a.loads, s.keys.Load().loads
	r := Readiness{LastReload: "ok", Fleet: a.fleet}
	if v := a.served; v != nil {
		r.Ready, r.Snapshot, r.Pubs, r.LoadedAt = !s.draining.Load(), v.id, v.snapshot.Len(), &v.loadedAt
	}
	if err := errors.Join(data.Error, keys.Error); err != nil {
		r.LastReload = err.Error()
	} else if data.Succeeded+data.Failed == 0 {
		r.LastReload = "none yet"
	}
	for what, l := range map[string]Loads{"data": data, "keys": keys} {
		if since := l.Since; !since.IsZero() && (r.LoadingSince == nil || since.Before(*r.LoadingSince)) {
			r.LoadingSince = &since
		}
		if failed := l.LastFailure.UTC(); !failed.IsZero() && (r.LastFailure == nil || failed.After(*r.LastFailure)) {
			r.LastFailure = &failed
		}
		if !l.Source.CheckedAt.IsZero() {
			if r.Sources == nil {
				r.Sources = map[string]Source{}
			}
			l.Source.CheckedAt = l.Source.CheckedAt.UTC()
			r.Sources[what] = l.Source
		}
	}
	return r
}

// admin returns the handler of the admin address: /livez, /readyz, /metrics and, if enabled, /debug/pprof/.
func (s *Service) admin(config AdminConfig) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		readiness := s.Readiness()
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if !readiness.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(readiness)
	})
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("POST /-/reload", config.reload)
	if config.Pprof {
		addProfiles(mux)
	}
	return config.guarded(mux)
}

// Register adds a metric to /metrics.
func (s *Service) Register(metric prometheus.Collector) { s.metrics.registry.MustRegister(metric) }

// observe counts and logs a request after its response.
func (s *Service) observe(x *exchange, remote interface{ RemoteAddr() net.Addr }) {
	took := time.Since(x.request.received)
	if x.tally == nil {
		x.tally = s.metrics.answered.shard()
	}
	x.tally.count(&x.summary, x.response.status, took)
	if s.config.LogEmpty && x.summary.outcome == nothingFound {
		s.config.Log.Info().Bytes("query", loggedText(x.params.query.Text)).Msg("nothing found")
	}
	if s.config.AccessLog == LogOff || s.config.AccessLog == "" || s.config.AccessLog == LogErrors && !x.summary.fault.isSet() {
		return
	}
	event := s.config.Log.Info()
	if x.response.status >= 500 && x.summary.fault.row != unsupportedVersion { // which is the client's fault
		event = s.config.Log.Error()
	}
	event = event.Bytes("request_id", x.headers.id).Stringer("remote", remote.RemoteAddr()).Str("method", known(x.request.method, "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH")).
		Str("path", s.knownPath(x.request.path)).Stringer("operation", x.summary.operation).Int("status", x.response.status).Int("bytes", len(x.response.content())).Int64("us", took.Microseconds())
	if x.request.client.IsValid() && x.request.client != addressOf(remote.RemoteAddr()) {
		event = event.Stringer("client", x.request.client)
	}
	if x.summary.key != nil {
		event = event.Str("key", x.summary.key.Name())
	}
	if x.summary.fault.isSet() {
		event = event.Str("code", x.summary.fault.row.code)
		if x.summary.fault.row.named {
			event = event.Stringer("parameter", x.summary.fault.parameter)
		}
	}
	event.Msg("request")
}

// longestLogged is the length in bytes of the longest word of a text that is logged: the secret of a key has a longer one.
const longestLogged = 31

// loggedText returns the folded words of a text, except for the long ones.
func loggedText(searched []byte) []byte {
	words := bytes.Fields(index.AppendFolded(nil, searched))
	return bytes.Join(slices.DeleteFunc(words, func(word []byte) bool { return len(word) > longestLogged }), []byte{' '})
}

// knownPath returns the path of a request if it is one of the service, otherwise "other", as known does.
func (s *Service) knownPath(path []byte) string {
	if r := resourceAt(path); r != nil {
		return r.path
	}
	if d := s.documents[string(path)]; d != nil {
		return d.path
	}
	return known(path)
}

// known returns a text if it is empty or one of the given ones, otherwise "other": log lines must not contain a key that was sent in the wrong
// place.
func known(text []byte, some ...string) string {
	for _, one := range some {
		if string(text) == one {
			return one
		}
	}
	if len(text) == 0 {
		return ""
	}
	return "other"
}
