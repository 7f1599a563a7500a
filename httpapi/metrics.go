package httpapi

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the metrics of a service.
type metrics struct {
	registry *prometheus.Registry
	answered *tally
	reloads  *prometheus.CounterVec
	// Of the last reload of each part; no value before the first.
	lastReload, lastSuccess *prometheus.GaugeVec
	// Of each part that is being loaded.
	loadStarted *prometheus.GaugeVec
	// Of the source of each part, after the first attempt.
	sourceReachable, sourceAnswered *prometheus.GaugeVec
}

func newMetrics(s *Service) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), answered: newTally()}
	m.reloads = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "pubd_reloads_total",
		Help: "Loads of data and keys, including the first, by result."}, []string{"what", "result"})
	m.lastReload = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pubd_last_reload_success",
		Help: "Whether the last load of data or keys succeeded, 1 or 0."}, []string{"what"})
	m.lastSuccess = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pubd_last_reload_success_timestamp_seconds",
		Help: "When data or keys were last loaded or found unchanged, in seconds since 1970."}, []string{"what"})
	m.loadStarted = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pubd_load_started_timestamp_seconds",
		Help: "When the current load of data or keys began, in seconds since 1970; absent when none is running."}, []string{"what"})
	m.sourceReachable = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pubd_source_reachable",
		Help: "Whether the source of data or keys was reachable at the last attempt, 1 or 0."}, []string{"what"})
	m.sourceAnswered = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pubd_source_reached_timestamp_seconds",
		Help: "When the source of data or keys was last reached, in seconds since 1970."}, []string{"what"})
	for _, what := range []string{"data", "keys"} {
		for _, result := range []string{"ok", "failed"} {
			m.reloads.WithLabelValues(what, result)
		}
	}
	gauge := func(name, help string, value func(*view) float64) prometheus.GaugeFunc {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if v := s.view.Load(); v != nil {
				return value(v)
			}
			return 0
		})
	}
	m.registry.MustRegister(m.answered, m.reloads, m.lastReload, m.lastSuccess, m.loadStarted, m.sourceReachable, m.sourceAnswered, snapshotInfo{s}, fleetMetrics{s},
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pubd_ready", Help: "Whether requests should be sent here, 1 or 0, as /readyz says."},
			func() float64 {
				if s.Readiness().Ready {
					return 1
				}
				return 0
			}),
		gauge("pubd_snapshot_pubs", "Pubs in the snapshot.", func(v *view) float64 { return float64(v.snapshot.Len()) }),
		gauge("pubd_snapshot_rated_pubs", "Rated pubs in the snapshot.", func(v *view) float64 { return float64(v.snapshot.Rated()) }),
		gauge("pubd_snapshot_age_seconds", "Time since the snapshot was loaded.",
			func(v *view) float64 { return time.Since(v.loadedAt).Seconds() }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pubd_in_flight_bytes", Help: "Bytes of large responses that are held for clients."},
			func() float64 { return float64(s.budget.report().held) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pubd_in_flight_limit_bytes", Help: "Limit of pubd_in_flight_bytes."},
			func() float64 { return float64(s.budget.limit) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "pubd_overloaded_total", Help: "Large responses rejected because too many were in flight, in total, for one key or for one client address."},
			func() float64 { return float64(s.budget.report().rejected) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pubd_connections", Help: "Open client connections."},
			func() float64 { open, _ := s.connections(); return float64(open) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "pubd_connections_closed_total", ConstLabels: prometheus.Labels{"reason": "slow"},
			Help: "Connections closed to make room: slow (read their response too slowly) or idle (waited longest for a request, or belonged to the client that had most)."},
			func() float64 { return float64(s.budget.report().dropped) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "pubd_connections_closed_total", ConstLabels: prometheus.Labels{"reason": "idle"},
			Help: "Connections closed to make room: slow (read their response too slowly) or idle (waited longest for a request, or belonged to the client that had most)."},
			func() float64 { _, closed := s.connections(); return float64(closed) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pubd_keys", Help: "Known keys, including revoked and expired ones."},
			func() float64 { return float64(s.keys.Load().Len()) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// connections returns the number of open connections, and of those closed to make room.
func (s *Service) connections() (open int, closed uint64) {
	if l := s.listener.Load(); l != nil {
		return l.report()
	}
	return 0, 0
}

// snapshotInfo has the ID of the current snapshot as a label.
type snapshotInfo struct{ service *Service }

var snapshotDesc = prometheus.NewDesc("pubd_snapshot_info", "The snapshot being served; always 1.", []string{"snapshot"}, nil)

// Describe implements prometheus.Collector.
func (snapshotInfo) Describe(descs chan<- *prometheus.Desc) { descs <- snapshotDesc }

// Collect implements prometheus.Collector.
func (i snapshotInfo) Collect(metrics chan<- prometheus.Metric) {
	if v := i.service.view.Load(); v != nil {
		metrics <- prometheus.MustNewConstMetric(snapshotDesc, prometheus.GaugeValue, 1, v.id)
	}
}

// fleetMetrics are the metrics of a replica that follows a manifest.
type fleetMetrics struct{ service *Service }

var (
	sequenceDesc  = prometheus.NewDesc("pubd_manifest_sequence", "The sequence of the manifest that this replica follows.", nil, nil)
	publishedDesc = prometheus.NewDesc("pubd_manifest_published_timestamp_seconds", "When the snapshot of the manifest was published, in seconds since 1970.", nil, nil)
	fleetDesc     = prometheus.NewDesc("pubd_fleet_snapshots", "Snapshots of the manifest besides the one being served: kept, prepared, or pending (not available yet); and built: of all, those built from their source, because the published index file could not be used.",
		[]string{"state"}, nil)
)

// Describe implements prometheus.Collector.
func (fleetMetrics) Describe(descs chan<- *prometheus.Desc) {
	descs <- sequenceDesc
	descs <- publishedDesc
	descs <- fleetDesc
}

// Collect implements prometheus.Collector.
func (m fleetMetrics) Collect(metrics chan<- prometheus.Metric) {
	m.service.loads.mu.Lock()
	fleet := m.service.loads.fleet
	m.service.loads.mu.Unlock()
	if fleet == nil {
		return
	}
	metrics <- prometheus.MustNewConstMetric(sequenceDesc, prometheus.GaugeValue, float64(fleet.Sequence))
	metrics <- prometheus.MustNewConstMetric(publishedDesc, prometheus.GaugeValue, float64(fleet.PublishedAt.UnixMilli())/1000)
	for state, ids := range map[string][]string{"kept": fleet.Kept, "prepared": fleet.Prepared, "pending": fleet.Pending, "built": fleet.Built} {
		metrics <- prometheus.MustNewConstMetric(fleetDesc, prometheus.GaugeValue, float64(len(ids)), state)
	}
}

func (m *metrics) sourceAsked(what string, err error) {
	if err != nil {
		m.sourceReachable.WithLabelValues(what).Set(0)
		return
	}
	m.sourceReachable.WithLabelValues(what).Set(1)
	m.sourceAnswered.WithLabelValues(what).SetToCurrentTime()
}

func (m *metrics) loading(what string, since time.Time) {
	m.loadStarted.WithLabelValues(what).Set(float64(since.UnixMilli()) / 1000)
}

func (m *metrics) reloaded(what string, err error) {
	m.loadStarted.DeleteLabelValues(what)
	if err != nil {
		m.lastReload.WithLabelValues(what).Set(0)
		m.reloads.WithLabelValues(what, "failed").Inc()
		return
	}
	m.lastReload.WithLabelValues(what).Set(1)
	m.lastSuccess.WithLabelValues(what).SetToCurrentTime()
	m.reloads.WithLabelValues(what, "ok").Inc()
}

// ReportBuild adds a metric with the build information. It must be called at most once.
func (s *Service) ReportBuild(version, commit, goVersion string) {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "pubd_build_info",
		Help: "Build information; always 1."}, []string{"version", "commit", "goversion"})
	info.WithLabelValues(version, commit, goVersion).Set(1)
	s.Register(info)
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
