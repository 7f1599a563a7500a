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

	"pubd/index"
)

// fetch requests a path from the admin server.
func fetch(s *Service, method, path string) answer {
	w := httptest.NewRecorder()
	s.admin(AdminConfig{Pprof: true}).ServeHTTP(w, httptest.NewRequest(method, "http://localhost"+path, nil))
	return answer{w.Code, w.Header(), w.Body.String(), false}
}

// rearrange changes only what is reported of loads of data.
func rearrange(s *Service, l Loads) {
	s.Arrange(Arrangement{Served: s.arrangement.Load().served.snapshot, Loads: l})
}

func TestReadiness(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	first, second := build(t, tenPubs()), buildFrom(t, tenPubs(), [32]byte{0xff})
	early, late := testTime.Add(-time.Hour), testTime.Add(time.Hour)
	good := Loads{Succeeded: 1, LastSuccess: testTime}
	bad := func(err string, at time.Time) Loads {
		return Loads{Error: errors.New(err), Succeeded: 1, Failed: 1, LastSuccess: testTime, LastFailure: at}
	}
	reached := Source{Reachable: true, CheckedAt: late, ReachedAt: late}
	lost := Source{CheckedAt: testTime, ReachedAt: early, Error: "no route"}
	fleet := &Fleet{Sequence: 7, PublishedAt: testTime, Kept: []string{"ff00000000000000"}, Prepared: []string{}, Pending: []string{}, Built: []string{}}
	loaded := map[*index.Snapshot]time.Time{}
	for _, step := range []struct {
		label      string
		served     *index.Snapshot
		data, keys Loads
		fleet      *Fleet
		want       Readiness // of the service; what is said of the snapshot follows from served
	}{
		{"before data", nil, Loads{}, Loads{}, nil, Readiness{LastReload: "none yet"}},
		{"only keys loaded", nil, Loads{}, good, nil, Readiness{LastReload: "none yet"}},
		{"only keys failed", nil, Loads{}, bad("keys:1: name", late), nil, Readiness{LastReload: "keys:1: name", LastFailure: &late}},
		{"first load runs", nil, Loads{Since: early}, good, nil, Readiness{LastReload: "none yet", LoadingSince: &early}},
		{"first load failed", nil, Loads{Error: errors.New("pubs.csv: no pub"), Failed: 1, LastFailure: testTime}, good, nil,
			Readiness{LastReload: "pubs.csv: no pub", LastFailure: &testTime}},
		{"loaded", first, good, good, nil, Readiness{LastReload: "ok"}},
		{"reload failed", first, bad(`pubs.csv:2: latitude "91"`, late), good, nil, Readiness{LastReload: `pubs.csv:2: latitude "91"`, LastFailure: &late}},
		{"reloaded, unchanged", first, Loads{Succeeded: 2, Failed: 1, LastFailure: late}, good, nil, Readiness{LastReload: "ok", LastFailure: &late}},
		{"another snapshot", second, good, good, nil, Readiness{LastReload: "ok"}},
		{"valid data hides no error in keys", second, good, bad("keys:1: name", early), nil, Readiness{LastReload: "keys:1: name", LastFailure: &early}},
		{"both failed", second, bad("a", early), bad("b", late), nil, Readiness{LastReload: "a\nb", LastFailure: &late}},
		{"both failed, in another order", second, bad("a", late), bad("b", early), nil, Readiness{LastReload: "a\nb", LastFailure: &late}},
		{"keys are loading", second, good, Loads{Succeeded: 1, Since: late}, nil, Readiness{LastReload: "ok", LoadingSince: &late}},
		{"data too", second, Loads{Succeeded: 1, Since: early}, Loads{Succeeded: 1, Since: late}, nil, Readiness{LastReload: "ok", LoadingSince: &early}},
		{"sources", second, Loads{Succeeded: 1, Source: lost}, Loads{Succeeded: 1, Source: reached}, nil,
			Readiness{LastReload: "ok", Sources: map[string]Source{"data": {CheckedAt: testTime, Error: "no route"}, "keys": {Reachable: true, CheckedAt: late}}}},
		{"only the source of data", second, Loads{Succeeded: 1, Source: lost}, good, nil,
			Readiness{LastReload: "ok", Sources: map[string]Source{"data": {CheckedAt: testTime, Error: "no route"}}}},
		{"fleet", second, good, good, fleet, Readiness{LastReload: "ok", Fleet: fleet}},
		{"draining", second, good, good, nil, Readiness{LastReload: "ok"}},
	} {
		if step.label == "draining" {
			s.Drain()
		}
		if _, known := loaded[step.served]; !known {
			loaded[step.served] = time.Now()
		}
		s.Arrange(Arrangement{Served: step.served, Fleet: step.fleet, Loads: step.data})
		loadedBy := time.Now()
		s.ArrangeKeys(nil, step.keys)
		if step.served != nil {
			step.want.Ready, step.want.Snapshot, step.want.Pubs, step.want.LoadedAt = step.label != "draining", step.served.ID(), 10, &testTime
		}
		answer := fetch(s, "GET", "/readyz")
		var got Readiness
		decode(t, answer.body, &got)
		if at := got.LoadedAt; at != nil && !at.Before(loaded[step.served]) && !at.After(loadedBy) {
			got.LoadedAt = &testTime
			loaded[step.served] = *at // and stays
		}
		equal(t, step.label+": "+answer.body, got, step.want)
		status, ready := 503, 0.0
		if step.want.Ready {
			status, ready = 200, 1
		}
		if answer.status != status || answer.header.Get("Content-Type") != "application/json; charset=utf-8" || answer.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d %v, want %d", step.label, answer.status, answer.header, status)
		}
		equal(t, step.label+": pubd_ready", byLabels(scrape(t, s)["pubd_ready"]), map[string]float64{"": ready})
		if live := fetch(s, "GET", "/livez"); live.status != 200 || live.body != "ok\n" {
			t.Errorf("%s: /livez: got %d %q, want 200", step.label, live.status, live.body)
		}
	}
	equal(t, "after ArrangeKeys without keys", s.keys.Load().Len(), testKeys(t).Len())
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

// byLabels returns the values of a family by labels, such as "operation=lookup,status=200".
func byLabels(family *dto.MetricFamily) map[string]float64 {
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
	rearrange(s, Loads{Succeeded: 1, LastSuccess: testTime})
	s.ArrangeKeys(nil, Loads{Error: errors.New("no"), Failed: 1, LastFailure: testTime})
	families := scrape(t, s)
	for _, c := range cases(t, "metrics.txt") {
		name, labels, _ := strings.Cut(c.given, " ")
		got, known := byLabels(families[name])[labels]
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
	rearrange(s, Loads{Succeeded: 1, LastSuccess: testTime})
	var lines []string
	for name, family := range scrape(t, s) {
		if strings.HasPrefix(name, "pubd_") {
			for labels := range byLabels(family) {
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
	if families := scrape(t, empty); families["pubd_snapshot_info"] != nil || byLabels(families["pubd_snapshot_pubs"])[""] != 0 {
		t.Errorf("without data: got %v, %v", families["pubd_snapshot_info"], families["pubd_snapshot_pubs"])
	}
}
