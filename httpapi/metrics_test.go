package httpapi

import (
	"errors"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
)

func TestLoadMetrics(t *testing.T) {
	const at, later = 1_900_000_000, 1_900_000_060.5
	moment := func(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)) }
	for _, c := range []struct {
		label string
		loads Loads
		want  map[string]float64 // by metric
	}{
		{"none yet", Loads{}, map[string]float64{}},
		{"the first runs", Loads{Since: moment(later)}, map[string]float64{"pubd_load_started_timestamp_seconds": later}},
		{"succeeded", Loads{Succeeded: 3, LastSuccess: moment(at)},
			map[string]float64{"pubd_last_reload_success": 1, "pubd_last_reload_success_timestamp_seconds": at}},
		{"the first failed", Loads{Error: errors.New("no"), Failed: 1, LastFailure: moment(at)}, map[string]float64{"pubd_last_reload_success": 0}},
		{"failed after one succeeded", Loads{Error: errors.New("no"), Succeeded: 1, Failed: 2, LastSuccess: moment(at), LastFailure: moment(later)},
			map[string]float64{"pubd_last_reload_success": 0, "pubd_last_reload_success_timestamp_seconds": at}},
		{"source reached", Loads{Source: Source{Reachable: true, CheckedAt: moment(later), ReachedAt: moment(later)}},
			map[string]float64{"pubd_source_reachable": 1, "pubd_source_reached_timestamp_seconds": later}},
		{"source lost", Loads{Source: Source{CheckedAt: moment(later), ReachedAt: moment(at), Error: "no"}},
			map[string]float64{"pubd_source_reachable": 0, "pubd_source_reached_timestamp_seconds": at}},
		{"source never reached", Loads{Source: Source{CheckedAt: moment(later), Error: "no"}}, map[string]float64{"pubd_source_reachable": 0}},
	} {
		data, keys := New(Config{}), New(Config{})
		data.Arrange(Arrangement{Loads: c.loads})
		keys.ArrangeKeys(nil, c.loads)
		for what, s := range map[string]*Service{"data": data, "keys": keys} {
			families, got := scrape(t, s), map[string]float64{}
			for _, name := range []string{"pubd_last_reload_success", "pubd_last_reload_success_timestamp_seconds", "pubd_load_started_timestamp_seconds",
				"pubd_source_reachable", "pubd_source_reached_timestamp_seconds"} {
				for label, value := range byLabels(families[name]) {
					equal(t, c.label+": label of "+name, label, "what="+what)
					got[name] = value
				}
			}
			equal(t, c.label+": "+what, got, c.want)
			counts := map[string]float64{"result=ok,what=data": 0, "result=failed,what=data": 0, "result=ok,what=keys": 0, "result=failed,what=keys": 0}
			counts["result=ok,what="+what], counts["result=failed,what="+what] = float64(c.loads.Succeeded), float64(c.loads.Failed)
			equal(t, c.label+": loads of "+what, byLabels(families["pubd_reloads_total"]), counts)
			equal(t, "type", families["pubd_reloads_total"].GetType(), dto.MetricType_COUNTER)
		}
	}
}

func TestBuildMetric(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	s.ReportBuild("v1.2.0", "3ec372c0ab12+dirty", "go1.26.0")
	want := map[string]float64{"commit=3ec372c0ab12+dirty,goversion=go1.26.0,version=v1.2.0": 1}
	equal(t, "pubd_build_info", byLabels(scrape(t, s)["pubd_build_info"]), want)
}
