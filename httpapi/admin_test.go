package httpapi

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// fetch requests a path from the admin server.
func fetch(s *Service, method, path string) answer {
	w := httptest.NewRecorder()
	s.admin(AdminConfig{Pprof: true}).ServeHTTP(w, httptest.NewRequest(method, "http://localhost"+path, nil))
	return answer{w.Code, w.Header(), w.Body.String(), false}
}

func TestReadiness(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	snapshot, start := build(t, tenPubs()), time.Now()
	loaded, failed := start, (*time.Time)(nil)
	for _, step := range []struct {
		label  string
		do     func()
		status int
		want   Readiness
	}{
		{"before data", func() {}, 503, Readiness{LastReload: "none yet"}},
		{"first load failed", func() { s.ReportReload("data", errors.New("pubs.csv: no pub")) }, 503, Readiness{LastReload: "pubs.csv: no pub"}},
		{"loaded", func() { s.Publish(snapshot); s.ReportReload("data", nil) }, 200, Readiness{Ready: true, Snapshot: "1dea10ba11ade501", Pubs: 10, LoadedAt: &testTime, LastReload: "ok"}},
		{"reload failed", func() { s.ReportReload("keys", nil); s.ReportReload("data", errors.New(`pubs.csv:2: latitude "91"`)) }, 200,
			Readiness{Ready: true, Snapshot: "1dea10ba11ade501", Pubs: 10, LoadedAt: &testTime, LastReload: `pubs.csv:2: latitude "91"`}},
		{"reloaded, unchanged", func() { s.ReportReload("data", nil) }, 200, Readiness{Ready: true, Snapshot: "1dea10ba11ade501", Pubs: 10, LoadedAt: &testTime, LastReload: "ok"}},
		{"another snapshot", func() { s.Publish(buildFrom(t, tenPubs(), [32]byte{0xff})) }, 200, Readiness{Ready: true, Snapshot: "ff00000000000000", Pubs: 10, LoadedAt: &testTime, LastReload: "ok"}},
		{"keys failed", func() { s.ReportReload("keys", errors.New("keys:1: name")) }, 200, Readiness{Ready: true, Snapshot: "ff00000000000000", Pubs: 10, LoadedAt: &testTime, LastReload: "keys:1: name"}},
		{"valid data hides no error in keys", func() { s.ReportReload("data", nil) }, 200, Readiness{Ready: true, Snapshot: "ff00000000000000", Pubs: 10, LoadedAt: &testTime, LastReload: "keys:1: name"}},
		{"keys are loading", func() { s.ReportLoading("keys") }, 200, Readiness{Ready: true, Snapshot: "ff00000000000000", Pubs: 10, LoadedAt: &testTime, LastReload: "keys:1: name", LoadingSince: &testTime}},
		{"data too", func() { s.ReportLoading("data") }, 200, Readiness{Ready: true, Snapshot: "ff00000000000000", Pubs: 10, LoadedAt: &testTime, LastReload: "keys:1: name", LoadingSince: &testTime}},
		{"all is well", func() { s.ReportReload("keys", nil); s.ReportReload("data", nil) }, 200, Readiness{Ready: true, Snapshot: "ff00000000000000", Pubs: 10, LoadedAt: &testTime, LastReload: "ok"}},
		{"draining", func() { s.Drain() }, 503, Readiness{Ready: false, Snapshot: "ff00000000000000", Pubs: 10, LoadedAt: &testTime, LastReload: "ok"}},
	} {
		if step.label == "loaded" || step.label == "another snapshot" {
			loaded = time.Now()
		}
		step.do()
		answer := fetch(s, "GET", "/readyz")
		var got Readiness
		decode(t, answer.body, &got)
		for at, since := range map[**time.Time]time.Time{&got.LoadedAt: loaded, &got.LoadingSince: start, &got.LastFailure: start} {
			if *at != nil && !(*at).Before(since) && !(*at).After(time.Now()) {
				*at = &testTime
			}
		}
		step.want.LastFailure = failed
		failed = &testTime // by the second step
		equal(t, step.label+": "+answer.body, got, step.want)
		if answer.status != step.status || answer.header.Get("Content-Type") != "application/json; charset=utf-8" || answer.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d %v, want %d", step.label, answer.status, answer.header, step.status)
		}
		ready := map[bool]float64{true: 1}[step.status == 200]
		equal(t, step.label+": pubd_ready", samples(scrape(t, s)["pubd_ready"]), map[string]float64{"": ready})
		if live := fetch(s, "GET", "/livez"); live.status != 200 || live.body != "ok\n" {
			t.Errorf("%s: /livez: got %d %q, want 200", step.label, live.status, live.body)
		}
	}
}

func TestDrainEndsConnections(t *testing.T) {
	s, addr := serve(t)
	if got := answers(t, converse(t, addr, get("pubid=u01")+get("pubid=u02"), true)); len(got) != 2 || got[0].closes {
		t.Errorf("before: got %v, want two answers", got)
	}
	s.Drain()
	if got := answers(t, converse(t, addr, get("pubid=u01")+get("pubid=u02"), false)); len(got) != 1 || got[0].status != 200 || !got[0].closes {
		t.Errorf("draining: got %v, want one answer and then the connection closed", got)
	}
}

func TestAdminServesNoPubs(t *testing.T) {
	s, _ := withData(t, LogOff)
	for _, path := range []string{"/api/v1/pubs/?pubid=u01", "/api/v1/pubs?pubid=u01", "/", "/readyz/", "/metrics/x"} {
		if got := fetch(s, "GET", path); got.status != 404 || strings.Contains(got.body, "Red Lion") {
			t.Errorf("%s: got %d %s, want 404", path, got.status, got.body)
		}
	}
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		equal(t, "POST "+path, fetch(s, "POST", path).status, 405)
	}
	if got := fetch(s, "GET", "/debug/pprof/goroutine?debug=1"); got.status != 200 || !strings.HasPrefix(got.body, "goroutine profile") {
		t.Errorf("/debug/pprof/goroutine: got %d %.100s", got.status, got.body)
	}
}

func scrape(t *testing.T, s *Service) map[string]*dto.MetricFamily {
	t.Helper()
	got := fetch(s, "GET", "/metrics")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families := must(parser.TextToMetricFamilies(strings.NewReader(got.body)))(t)
	equal(t, "status of /metrics", got.status, 200)
	return families
}

// samples returns the values of a family by labels, such as "operation=lookup,status=200".
func samples(family *dto.MetricFamily) map[string]float64 {
	values := map[string]float64{}
	for _, metric := range family.GetMetric() {
		var labels []string
		for _, label := range metric.GetLabel() {
			labels = append(labels, label.GetName()+"="+label.GetValue())
		}
		values[strings.Join(labels, ",")] = metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
	}
	return values
}

func TestMetrics(t *testing.T) {
	s, addr := serve(t)
	for _, c := range faultCases {
		ask(t, addr, c.sent)
	}
	ask(t, addr, get("search=lion")+get("search=lion")+get("search=lion", "If-None-Match: *")+get(near))
	s.ReportReload("data", nil)
	s.ReportReload("keys", errors.New("no"))
	families := scrape(t, s)
	for _, c := range cases(t, "metrics.txt") {
		name, labels, _ := strings.Cut(c.given, " ")
		got, known := samples(families[name])[labels]
		equal(t, c.given, fmt.Sprint(got), c.want)
		equal(t, c.given+": is known", known, true)
	}
}

// Malformed requests must not distort the request times.
func TestMetricsOfMalformedRequests(t *testing.T) {
	s, addr := serve(t)
	ask(t, addr, "GET\r\n\r\n")
	ask(t, addr, get("pubid=u01")+"GET\r\n\r\n")
	for _, metric := range scrape(t, s)["pubd_request_seconds"].GetMetric() {
		if sum := metric.GetHistogram().GetSampleSum(); sum < 0 || sum > patience.Seconds() {
			t.Errorf("pubd_request_seconds %v: sum %v s, want less than %v", metric.GetLabel(), sum, patience)
		}
	}
}

// Dashboards and alerts use these names.
func TestMetricNames(t *testing.T) {
	s, _ := withData(t, LogOff)
	s.ReportReload("data", nil)
	var lines []string
	for name, family := range scrape(t, s) {
		if strings.HasPrefix(name, "pubd_") {
			for labels := range samples(family) {
				lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", name, family.GetType(), labels))+"\n")
			}
		}
	}
	slices.Sort(lines)
	compareGolden(t, "metrics.txt", []byte(strings.Join(lines, "")))
	families := scrape(t, s)
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", "process_resident_memory_bytes", "process_open_fds"} {
		failIf(t, families[name] == nil, "no %s", name)
	}
	empty, _ := withoutData(t, LogOff)
	if families := scrape(t, empty); families["pubd_snapshot_info"] != nil || samples(families["pubd_snapshot_pubs"])[""] != 0 {
		t.Errorf("without data: got %v, %v", families["pubd_snapshot_info"], families["pubd_snapshot_pubs"])
	}
}
