package httpapi

import (
	"errors"
	"testing"
	"time"
)

func TestLastReloadMetrics(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	for _, step := range []struct {
		label, what string
		err         error
		want        map[string]float64
	}{
		{"keys loaded", "keys", nil, map[string]float64{"what=keys": 1}},
		{"data rejected", "data", errors.New("no"), map[string]float64{"what=keys": 1, "what=data": 0}},
		{"keys rejected", "keys", errors.New("no"), map[string]float64{"what=keys": 0, "what=data": 0}},
		{"data fixed", "data", nil, map[string]float64{"what=keys": 0, "what=data": 1}},
	} {
		began := time.Now()
		before := samples(scrape(t, s)["pubd_last_reload_success_timestamp_seconds"])
		s.ReportLoading(step.what)
		if started := samples(scrape(t, s)["pubd_load_started_timestamp_seconds"]); len(started) != 1 || started["what="+step.what] < float64(began.Unix()) {
			t.Errorf("%s: pubd_load_started_timestamp_seconds: got %v, want the time of %s", step.label, started, step.what)
		}
		s.ReportReload(step.what, step.err)
		families := scrape(t, s)
		equal(t, step.label+": pubd_last_reload_success", samples(families["pubd_last_reload_success"]), step.want)
		equal(t, step.label+": loads that have begun", samples(families["pubd_load_started_timestamp_seconds"]), map[string]float64{})
		label := "what=" + step.what
		at, known := samples(families["pubd_last_reload_success_timestamp_seconds"])[label]
		if step.err == nil && (at < float64(began.Unix()) || at > float64(time.Now().Unix()+1)) {
			t.Errorf("%s: time of success: got %v, want that of the step", step.label, at)
		}
		if _, was := before[label]; step.err != nil && (known != was || at != before[label]) {
			t.Errorf("%s: time of success: got %v, want %v as before", step.label, at, before[label])
		}
	}
	if families := scrape(t, New(Config{})); families["pubd_last_reload_success"] != nil {
		t.Errorf("before the first load: got %v, want none", families["pubd_last_reload_success"])
	}
}

func TestBuildMetric(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	s.ReportBuild("v1.2.0", "3ec372c0ab12+dirty", "go1.26.0")
	want := map[string]float64{"commit=3ec372c0ab12+dirty,goversion=go1.26.0,version=v1.2.0": 1}
	equal(t, "pubd_build_info", samples(scrape(t, s)["pubd_build_info"]), want)
}
