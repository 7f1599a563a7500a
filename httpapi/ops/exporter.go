package ops

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"pubd/httpapi"
)

// An exporter has what /metrics responds with.
type exporter struct{ registry *prometheus.Registry }

// newExporter returns the exporter of a collector, of the Go runtime and of the process.
func newExporter(c collector) exporter {
	e := exporter{prometheus.NewRegistry()}
	e.registry.MustRegister(c, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return e
}

func (e exporter) handler() http.Handler {
	return promhttp.HandlerFor(e.registry, promhttp.HandlerOpts{})
}

// Register adds the series of another collector to /metrics.
func (s *Server) Register(c prometheus.Collector) { s.exporter.registry.MustRegister(c) }

// Series are a name, a help text and labels, with a type unless it is a histogram.
type series struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) series {
	return series{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func counter(name, help string, labels ...string) series {
	return series{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

func histogram(name, help string, labels ...string) series {
	return series{desc: prometheus.NewDesc(name, help, labels, nil)}
}

// The series of a service and its release. Dashboards and alerts use their names.
var (
	release = gauge("pubd_build_info", "Build information; always 1.", "version", "commit", "goversion")

	requests = counter("pubd_requests_total",
		"Requests answered, by operation (none: rejected before it was known) and status.", "operation", "status")
	requestSeconds = histogram("pubd_request_seconds",
		"Time from reading a request to having its response ready, by operation.", "operation")
	keyRejections = counter("pubd_key_rejections_total",
		"Requests rejected for their key: required, invalid (unknown, revoked, expired, sent twice) or limited.",
		"reason")
	searches = counter("pubd_searches_total", "Searches for a text, by the step that found pubs: strict, "+
		"those of a relaxed search, or none if nothing was found.", "step")

	ready         = gauge("pubd_ready", "Whether requests should be sent here, 1 or 0, as /readyz says.")
	snapshot      = gauge("pubd_snapshot_info", "The snapshot being served; always 1.", "snapshot")
	snapshotPubs  = gauge("pubd_snapshot_pubs", "Pubs in the snapshot.")
	snapshotRated = gauge("pubd_snapshot_rated_pubs", "Rated pubs in the snapshot.")
	snapshotAge   = gauge("pubd_snapshot_age_seconds", "Time since the snapshot was loaded.")
	knownKeys     = gauge("pubd_keys", "Known keys, including revoked and expired ones.")

	manifestSequence  = gauge("pubd_manifest_sequence", "The sequence of the manifest that this replica follows.")
	manifestPublished = gauge("pubd_manifest_published_timestamp_seconds",
		"When the snapshot of the manifest was published, in seconds since 1970.")
	fleetSnapshots = gauge("pubd_fleet_snapshots", "Snapshots of the manifest besides the one being served: "+
		"kept, prepared, or pending (not available yet); and built: of all, those built from their source, "+
		"because the published index file could not be used.", "state")

	reloads = counter("pubd_reloads_total",
		"Loads of data and keys, including the first, by result.", "what", "result")
	lastSucceeded = gauge("pubd_last_reload_success",
		"Whether the last load of data or keys succeeded, 1 or 0.", "what")
	lastSuccess = gauge("pubd_last_reload_success_timestamp_seconds",
		"When data or keys were last loaded or found unchanged, in seconds since 1970.", "what")
	loadStarted = gauge("pubd_load_started_timestamp_seconds",
		"When the current load of data or keys began, in seconds since 1970; absent when none is running.", "what")
	sourceReachable = gauge("pubd_source_reachable",
		"Whether the source of data or keys was reachable at the last attempt, 1 or 0.", "what")
	sourceReached = gauge("pubd_source_reached_timestamp_seconds",
		"When the source of data or keys was last reached, in seconds since 1970.", "what")

	inFlight      = gauge("pubd_in_flight_bytes", "Bytes of large responses that are held for clients.")
	inFlightLimit = gauge("pubd_in_flight_limit_bytes", "Limit of pubd_in_flight_bytes.")
	overloads     = counter("pubd_overloaded_total", "Requests rejected because too many bytes were in flight, in total or "+
		"for one key or client, or because their work did not get a turn within a second.")
	connections        = gauge("pubd_connections", "Open client connections.")
	connectionsRefused = counter("pubd_connections_refused_total", "Connections closed at once, because there were too many, "+
		"in total or from one address.")
)

// A collector collects the series of a service from its report, its traffic and its release.
type collector struct {
	report func() httpapi.Report
	config Config
}

// Describe implements prometheus.Collector. It sends nothing: the registry then accepts whatever Collect sends.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	out := samples(to)
	r := c.report()
	for _, operation := range r.Requests {
		out.addRequests(operation)
	}
	for reason, n := range r.Rejected {
		out.add(keyRejections, float64(n), reason)
	}
	for step, n := range r.Searches {
		out.add(searches, float64(n), step)
	}
	out.addSnapshot(r)
	out.add(knownKeys, float64(r.KnownKeys))
	if r.Readiness.Fleet != nil {
		out.addFleet(r.Readiness.Fleet)
	}
	out.addLoads("data", r.Data)
	out.addLoads("keys", r.Keys)
	out.add(release, 1, c.config.Version, c.config.Commit, c.config.Go)
	out.addTraffic(c.config.Traffic())
}

// samples receives the values of series.
type samples chan<- prometheus.Metric

// add sends the value of a series with the values of its labels.
func (s samples) add(to series, value float64, labels ...string) {
	s <- prometheus.MustNewConstMetric(to.desc, to.kind, value, labels...)
}

// addFlag sends 1 or 0.
func (s samples) addFlag(to series, is bool, labels ...string) {
	s.add(to, map[bool]float64{true: 1}[is], labels...)
}

// addTime sends a time in seconds since 1970, and nothing for the zero time.
func (s samples) addTime(to series, at time.Time, labels ...string) {
	if !at.IsZero() {
		s.add(to, float64(at.UnixMilli())/1000, labels...)
	}
}

func (s samples) addRequests(r httpapi.Requests) {
	for status, n := range r.Statuses {
		s.add(requests, float64(n), r.Operation, strconv.Itoa(status))
	}
	buckets := map[float64]uint64{}
	for bound, n := range r.Within {
		buckets[bound.Seconds()] = n
	}
	s <- prometheus.MustNewConstHistogram(requestSeconds.desc, r.Count, r.Took.Seconds(), buckets, r.Operation)
}

func (s samples) addSnapshot(r httpapi.Report) {
	s.addFlag(ready, r.Readiness.Ready)
	age := 0.0
	if at := r.Readiness.LoadedAt; at != nil {
		s.add(snapshot, 1, r.Readiness.Snapshot)
		age = time.Since(*at).Seconds()
	}
	s.add(snapshotPubs, float64(r.Readiness.Pubs))
	s.add(snapshotRated, float64(r.Rated))
	s.add(snapshotAge, age)
}

func (s samples) addFleet(f *httpapi.Fleet) {
	s.add(manifestSequence, float64(f.Sequence))
	s.add(manifestPublished, float64(f.PublishedAt.UnixMilli())/1000)
	for state, ids := range map[string][]string{
		"kept": f.Kept, "prepared": f.Prepared, "pending": f.Pending, "built": f.Built} {
		s.add(fleetSnapshots, float64(len(ids)), state)
	}
}

func (s samples) addLoads(what string, l httpapi.Loads) {
	s.add(reloads, float64(l.Succeeded), what, "ok")
	s.add(reloads, float64(l.Failed), what, "failed")
	if l.Succeeded+l.Failed > 0 {
		s.addFlag(lastSucceeded, l.Error == nil, what)
	}
	s.addTime(lastSuccess, l.LastSuccess, what)
	s.addTime(loadStarted, l.Since, what)
	if !l.Source.CheckedAt.IsZero() {
		s.addFlag(sourceReachable, l.Source.Reachable, what)
	}
	s.addTime(sourceReached, l.Source.ReachedAt, what)
}

func (s samples) addTraffic(t httpapi.Traffic) {
	s.add(inFlight, float64(t.InFlight))
	s.add(inFlightLimit, float64(t.InFlightLimit))
	s.add(overloads, float64(t.Overloaded))
	s.add(connections, float64(t.Connections))
	s.add(connectionsRefused, float64(t.Refused))
}
