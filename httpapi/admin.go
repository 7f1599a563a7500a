package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
)

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
