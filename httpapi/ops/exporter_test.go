package ops

import (
	"errors"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pubd/bench/testkit"
	"pubd/httpapi/status"
)

// A moment is a time whose seconds since 1970 are easy to recognise.
func moment(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)) }

// lines returns the series of a report and traffic as /metrics has them, without those of the libraries.
func lines(t *testing.T, r status.Report, traffic status.Traffic) string {
	t.Helper()
	e := exporterOf(newRegistry(collector{func() status.Report { return r }, Config{Version: "v1.2.0", Commit: "3ec372c0ab12+dirty",
		Go: "go1.26.0", Traffic: func() status.Traffic { return traffic }}}))
	got := httptest.NewRecorder()
	e.ServeHTTP(got, httptest.NewRequest("GET", "/metrics", nil))
	testkit.Equal(t, "status", got.Code, 200)
	for _, name := range []string{
		"go_goroutines", "go_memstats_heap_alloc_bytes", "process_resident_memory_bytes", "process_open_fds"} {
		testkit.FailIf(t, !strings.Contains(got.Body.String(), "\n"+name+" "), "no %s", name)
	}
	return strings.Join(regexp.MustCompile(`(?m)^(# \w+ )?pubd_.*\n`).FindAllString(got.Body.String(), -1), "")
}

// Dashboards and alerts use these names, and each value of a report is in one of them.
func TestExporter(t *testing.T) {
	loadedAt := time.Now().Add(-time.Hour)
	r := status.Report{
		Readiness: status.Readiness{Ready: true, Snapshot: "1dea10ba11ade501", Pubs: 10, LoadedAt: &loadedAt,
			Fleet: &status.Fleet{Sequence: 7, PublishedAt: moment(1_900_000_000),
				Kept: []string{"a"}, Prepared: []string{"b", "c"}, Pending: []string{"d", "e", "f"}, Built: []string{}}},
		Rated: 8, KnownKeys: 4,
		Data: status.Loads{Succeeded: 5, Failed: 6, LastSuccess: moment(1_900_000_001), Since: moment(1_900_000_002.5),
			CheckedAt: moment(1_900_000_003), ReachedAt: moment(1_900_000_003)},
		Keys: status.Loads{Error: errors.New("no"), Failed: 9, LastFailure: moment(1_900_000_004)},
		Requests: []status.Requests{
			{Operation: "lookup", Statuses: map[int]uint64{200: 11, 404: 12, 410: 0, 500: 0},
				Within: map[time.Duration]uint64{2500: 13, time.Second: 14}, Count: 15, Took: 16 * time.Second},
			{Operation: "none", Statuses: map[int]uint64{200: 0, 404: 17},
				Within: map[time.Duration]uint64{2500: 17, time.Second: 17}, Count: 17},
			{Operation: "export", Statuses: map[int]uint64{200: 0, 500: 0}}},
		ByKey:    map[string]uint64{"other": 27, `a"\`: 28},
		Rejected: map[string]uint64{"required": 18, "invalid": 19},
		Searches: map[string]uint64{"strict": 20, "none": 21},
		Cut:      29,
	}
	traffic := status.Traffic{InFlight: 22, InFlightLimit: 23, Overloaded: 24,
		Connections: 25, ConnectionLimit: 29, Refused: 26}
	age := regexp.MustCompile(`(\npubd_snapshot_age_seconds) 36\d\d\.\d+`)
	got := age.ReplaceAllString(lines(t, r, traffic), "$1 (an hour)")
	testkit.Golden(t, "testdata/metrics.txt", got)
}

// What is not known yet has no value.
func TestAbsentSeries(t *testing.T) {
	good := status.Loads{Succeeded: 1, LastSuccess: moment(1_900_000_000)}
	unreached := status.Loads{CheckedAt: moment(1_900_000_000), Unreachable: errors.New("no")}
	for _, c := range []struct {
		report       status.Report
		has, hasNone string // series
	}{
		{status.Report{}, "pubd_ready 0|pubd_snapshot_pubs 0|pubd_snapshot_rated_pubs 0|pubd_snapshot_age_seconds 0",
			"pubd_snapshot_info|pubd_manifest_|pubd_fleet_|pubd_last_|pubd_load_|pubd_source_"},
		{status.Report{Data: good}, `pubd_last_reload_success{what="data"} 1`,
			`pubd_last_reload_success{what="keys"}|pubd_load_|pubd_source_`},
		{status.Report{Keys: status.Loads{Since: moment(1_900_000_000)}},
			`pubd_load_started_timestamp_seconds{what="keys"} 1.9e+09`, "pubd_last_|pubd_source_"},
		{status.Report{Data: unreached}, `pubd_source_reachable{what="data"} 0`,
			"pubd_last_|pubd_load_|pubd_source_reached_"},
	} {
		got := "\n" + lines(t, c.report, status.Traffic{})
		for line := range strings.SplitSeq(c.has, "|") {
			testkit.FailIf(t, !strings.Contains(got, "\n"+line+"\n"), "got no %s in %s", line, got)
		}
		for name := range strings.SplitSeq(c.hasNone, "|") {
			testkit.FailIf(t, strings.Contains(got, "\n"+name), "got %s in %s", name, got)
		}
	}
}

func TestRegister(t *testing.T) {
	s := newServer(Config{})
	s.Register(prometheus.NewCounter(prometheus.CounterOpts{Name: "pubd_more_total"}))
	testkit.FailIf(t, !strings.Contains(send(s, "GET", "/metrics").Body.String(), "\npubd_more_total 0\n"), "no pubd_more_total")
}
