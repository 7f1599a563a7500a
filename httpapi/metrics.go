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
}

func newMetrics(s *Service) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), answered: newTally()}
	gauge := func(name, help string, value func(*view) float64) prometheus.GaugeFunc {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			a := s.acquire()
			defer a.release()
			if a.served != nil {
				return value(a.served)
			}
			return 0
		})
	}
	m.registry.MustRegister(m.answered, loadMetrics{s}, snapshotInfo{s}, fleetMetrics{s},
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
	if v := i.service.arrangement.Load().served; v != nil {
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
	fleet := m.service.arrangement.Load().fleet
	if fleet == nil {
		return
	}
	metrics <- prometheus.MustNewConstMetric(sequenceDesc, prometheus.GaugeValue, float64(fleet.Sequence))
	metrics <- prometheus.MustNewConstMetric(publishedDesc, prometheus.GaugeValue, float64(fleet.PublishedAt.UnixMilli())/1000)
	for state, ids := range map[string][]string{"kept": fleet.Kept, "prepared": fleet.Prepared, "pending": fleet.Pending, "built": fleet.Built} {
		metrics <- prometheus.MustNewConstMetric(fleetDesc, prometheus.GaugeValue, float64(len(ids)), state)
	}
}

// loadMetrics are the metrics of how data and keys were loaded.
type loadMetrics struct{ service *Service }

var (
	reloadsDesc   = prometheus.NewDesc("pubd_reloads_total", "Loads of data and keys, including the first, by result.", []string{"what", "result"}, nil)
	succeededDesc = loadDesc("pubd_last_reload_success", "Whether the last load of data or keys succeeded, 1 or 0.")
	successDesc   = loadDesc("pubd_last_reload_success_timestamp_seconds", "When data or keys were last loaded or found unchanged, in seconds since 1970.")
	startedDesc   = loadDesc("pubd_load_started_timestamp_seconds", "When the current load of data or keys began, in seconds since 1970; absent when none is running.")
	reachableDesc = loadDesc("pubd_source_reachable", "Whether the source of data or keys was reachable at the last attempt, 1 or 0.")
	reachedDesc   = loadDesc("pubd_source_reached_timestamp_seconds", "When the source of data or keys was last reached, in seconds since 1970.")
)

func loadDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, []string{"what"}, nil)
}

// Describe implements prometheus.Collector.
func (loadMetrics) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{reloadsDesc, succeededDesc, successDesc, startedDesc, reachableDesc, reachedDesc} {
		descs <- desc
	}
}

// Collect implements prometheus.Collector.
func (m loadMetrics) Collect(metrics chan<- prometheus.Metric) {
	for what, l := range map[string]Loads{"data": m.service.arrangement.Load().loads, "keys": m.service.keys.Load().loads} {
		metrics <- prometheus.MustNewConstMetric(reloadsDesc, prometheus.CounterValue, float64(l.Succeeded), what, "ok")
		metrics <- prometheus.MustNewConstMetric(reloadsDesc, prometheus.CounterValue, float64(l.Failed), what, "failed")
		whether := func(desc *prometheus.Desc, known, is bool) {
			if known {
				metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, map[bool]float64{true: 1}[is], what)
			}
		}
		when := func(desc *prometheus.Desc, at time.Time) {
			if !at.IsZero() {
				metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(at.UnixMilli())/1000, what)
			}
		}
		whether(succeededDesc, l.Succeeded+l.Failed > 0, l.Error == nil)
		when(successDesc, l.LastSuccess)
		when(startedDesc, l.Since)
		whether(reachableDesc, !l.Source.CheckedAt.IsZero(), l.Source.Reachable)
		when(reachedDesc, l.Source.ReachedAt)
	}
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
