package ops

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pubd/httpapi/status"
)

// newRegistry returns the series of /metrics: those of a collector, of the Go runtime and of the process.
func newRegistry(c collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(c, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// exporterOf returns what answers /metrics.
func exporterOf(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}

// Register adds the series of another collector to /metrics.
func (s *Server) Register(c prometheus.Collector) { s.registry.MustRegister(c) }

// A collector collects the series of a service from its report, its traffic and its release. Dashboards and alerts use
// their names.
type collector struct {
	report func() status.Report
	config Config
}

// Describe implements prometheus.Collector. It sends nothing: the registry then accepts whatever Collect sends.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	out, r := samples(to), c.report()
	out.gauge(1, "pubd_build_info", "Build information; always 1.",
		"version", c.config.Version, "commit", c.config.Commit, "goversion", c.config.Go)
	for _, operation := range r.Requests {
		out.addRequests(operation)
	}
	for key, n := range r.ByKey {
		out.counter(n, "pubd_key_requests_total",
			"Requests with a valid key, by its name; other stands for all keys beyond the first 99.", "key", key)
	}
	for reason, n := range r.Rejected {
		out.counter(n, "pubd_key_rejections_total",
			"Requests rejected for their key: required, invalid (unknown, revoked, expired, sent twice) or limited.",
			"reason", reason)
	}
	for step, n := range r.Searches {
		out.counter(n, "pubd_searches_total", "Searches for a text, by the step that found pubs: strict, "+
			"those of a relaxed search, or none if nothing was found.", "step", step)
	}
	out.counter(r.Cut, "pubd_exports_cut_total", "Exports that ended early, after the response had begun; the log says why.")
	out.addSnapshot(r)
	out.gauge(float64(r.KnownKeys), "pubd_keys", "Known keys, including revoked and expired ones.")
	if r.Readiness.Fleet != nil {
		out.addFleet(r.Readiness.Fleet)
	}
	out.addLoads("data", r.Data)
	out.addLoads("keys", r.Keys)
	out.addTraffic(c.config.Traffic())
}

// samples receives the values of series.
type samples chan<- prometheus.Metric

// gauge sends a value of a series, whose labels are names and values in turn.
func (s samples) gauge(value float64, name, help string, labels ...string) {
	s.send(prometheus.GaugeValue, value, name, help, labels)
}

// counter sends a count of a series, as gauge does.
func (s samples) counter(n uint64, name, help string, labels ...string) {
	s.send(prometheus.CounterValue, float64(n), name, help, labels)
}

func (s samples) send(kind prometheus.ValueType, value float64, name, help string, labels []string) {
	var names, values []string
	for pair := range slices.Chunk(labels, 2) {
		names, values = append(names, pair[0]), append(values, pair[1])
	}
	s <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, value, values...)
}

// flag sends 1 or 0.
func (s samples) flag(is bool, name, help string, labels ...string) {
	s.gauge(map[bool]float64{true: 1}[is], name, help, labels...)
}

// time sends a time in seconds since 1970, and nothing for the zero time.
func (s samples) time(at time.Time, name, help string, labels ...string) {
	if !at.IsZero() {
		s.gauge(float64(at.UnixMilli())/1000, name, help, labels...)
	}
}

// addRequests sends what an operation has answered, and counts of failures from 0 on: alerts miss a first one otherwise.
func (s samples) addRequests(r status.Requests) {
	for status, n := range r.Statuses {
		if n == 0 && status != 500 && status != 503 {
			continue
		}
		s.counter(n, "pubd_requests_total",
			"Requests answered, by operation (none: rejected before it was known) and status.",
			"operation", r.Operation, "status", strconv.Itoa(status))
	}
	if r.Count == 0 {
		return
	}
	buckets := map[float64]uint64{}
	for bound, n := range r.Within {
		buckets[bound.Seconds()] = n
	}
	times := prometheus.NewDesc("pubd_request_seconds",
		"Time from reading a request to having its response ready, by operation.", []string{"operation"}, nil)
	s <- prometheus.MustNewConstHistogram(times, r.Count, r.Took.Seconds(), buckets, r.Operation)
}

func (s samples) addSnapshot(r status.Report) {
	s.flag(r.Readiness.Ready, "pubd_ready", "Whether requests should be sent here, 1 or 0, as /readyz says.")
	age := 0.0
	if at := r.Readiness.LoadedAt; at != nil {
		s.gauge(1, "pubd_snapshot_info", "The snapshot being served; always 1.", "snapshot", r.Readiness.Snapshot)
		age = time.Since(*at).Seconds()
	}
	s.gauge(float64(r.Readiness.Pubs), "pubd_snapshot_pubs", "Pubs in the snapshot.")
	s.gauge(float64(r.Rated), "pubd_snapshot_rated_pubs", "Rated pubs in the snapshot.")
	s.gauge(age, "pubd_snapshot_age_seconds", "Time since the snapshot was loaded.")
}

func (s samples) addFleet(f *status.Fleet) {
	s.gauge(float64(f.Sequence), "pubd_manifest_sequence", "The sequence of the manifest that this replica follows.")
	s.gauge(float64(f.PublishedAt.UnixMilli())/1000, "pubd_manifest_published_timestamp_seconds",
		"When the snapshot of the manifest was published, in seconds since 1970.")
	for state, ids := range map[string][]string{
		"kept": f.Kept, "prepared": f.Prepared, "pending": f.Pending, "built": f.Built} {
		s.gauge(float64(len(ids)), "pubd_fleet_snapshots", "Snapshots of the manifest besides the one being served: "+
			"kept, prepared, or pending (not available yet); and built: of all, those built from their source, "+
			"because the published index file could not be used.", "state", state)
	}
}

func (s samples) addLoads(what string, l status.Loads) {
	for result, n := range map[string]uint64{"ok": l.Succeeded, "failed": l.Failed} {
		s.counter(n, "pubd_reloads_total", "Loads of data and keys, including the first, by result.",
			"what", what, "result", result)
	}
	if l.Succeeded+l.Failed > 0 {
		s.flag(l.Error == nil, "pubd_last_reload_success",
			"Whether the last load of data or keys succeeded, 1 or 0.", "what", what)
	}
	s.time(l.LastSuccess, "pubd_last_reload_success_timestamp_seconds",
		"When data or keys were last loaded or found unchanged, in seconds since 1970.", "what", what)
	s.time(l.Since, "pubd_load_started_timestamp_seconds",
		"When the current load of data or keys began, in seconds since 1970; absent when none is running.", "what", what)
	if !l.CheckedAt.IsZero() {
		s.flag(l.Unreachable == nil, "pubd_source_reachable",
			"Whether the source of data or keys was reachable at the last attempt, 1 or 0.", "what", what)
	}
	s.time(l.ReachedAt, "pubd_source_reached_timestamp_seconds",
		"When the source of data or keys was last reached, in seconds since 1970.", "what", what)
}

func (s samples) addTraffic(t status.Traffic) {
	s.gauge(float64(t.InFlight), "pubd_in_flight_bytes", "Bytes of large responses that are held for clients.")
	s.gauge(float64(t.InFlightLimit), "pubd_in_flight_limit_bytes", "Limit of pubd_in_flight_bytes.")
	s.counter(t.Overloaded, "pubd_overloaded_total", "Requests rejected because too many bytes were in flight, in total or "+
		"for one key or client, or because their work did not get a turn within a second.")
	s.gauge(float64(t.Connections), "pubd_connections", "Open client connections.")
	s.gauge(float64(t.ConnectionLimit), "pubd_connections_limit", "Limit of pubd_connections.")
	s.counter(t.Refused, "pubd_connections_refused_total", "Connections closed at once, because there were too many, "+
		"in total or from one address.")
}
