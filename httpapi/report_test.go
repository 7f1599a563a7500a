package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/httpapi/status"
	"pubd/index"
)

func TestReadiness(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	first, second := build(t, tenPubs()), buildFrom(t, tenPubs(), [32]byte{0xff})
	early, late := testTime.Add(-time.Hour), testTime.Add(time.Hour)
	good := Loads{Succeeded: 1, LastSuccess: testTime}
	bad := func(err string, at time.Time) Loads {
		return Loads{Error: errors.New(err), Succeeded: 1, Failed: 1, LastSuccess: testTime, LastFailure: at}
	}
	reached := Loads{Succeeded: 1, CheckedAt: late, ReachedAt: late}
	lost := Loads{Succeeded: 1, CheckedAt: testTime, ReachedAt: early, Unreachable: errors.New("no route")}
	fleet := &status.Fleet{Sequence: 7, PublishedAt: testTime, Kept: []string{"ff00000000000000"}, Prepared: []string{}, Pending: []string{}, Built: []string{}}
	loaded := map[*index.Snapshot]time.Time{}
	for _, step := range []struct {
		label      string
		served     *index.Snapshot
		data, keys Loads
		fleet      *status.Fleet
		want       status.Readiness // of the service; what is said of the snapshot follows from served
	}{
		{"before data", nil, Loads{}, Loads{}, nil, status.Readiness{LastReload: "none yet"}},
		{"only keys loaded", nil, Loads{}, good, nil, status.Readiness{LastReload: "none yet"}},
		{"only keys failed", nil, Loads{}, bad("keys:1: name", late), nil, status.Readiness{LastReload: "keys:1: name", LastFailure: &late}},
		{"first load runs", nil, Loads{Since: early}, good, nil, status.Readiness{LastReload: "none yet", LoadingSince: &early}},
		{"first load failed", nil, Loads{Error: errors.New("pubs.csv: no pub"), Failed: 1, LastFailure: testTime}, good, nil,
			status.Readiness{LastReload: "pubs.csv: no pub", LastFailure: &testTime}},
		{"loaded", first, good, good, nil, status.Readiness{LastReload: "ok"}},
		{"reload failed", first, bad(`pubs.csv:2: latitude "91"`, late), good, nil, status.Readiness{LastReload: `pubs.csv:2: latitude "91"`, LastFailure: &late}},
		{"reloaded, unchanged", first, Loads{Succeeded: 2, Failed: 1, LastFailure: late}, good, nil, status.Readiness{LastReload: "ok", LastFailure: &late}},
		{"another snapshot", second, good, good, nil, status.Readiness{LastReload: "ok"}},
		{"valid data hides no error in keys", second, good, bad("keys:1: name", early), nil, status.Readiness{LastReload: "keys:1: name", LastFailure: &early}},
		{"both failed", second, bad("a", early), bad("b", late), nil, status.Readiness{LastReload: "a\nb", LastFailure: &late}},
		{"both failed, in another order", second, bad("a", late), bad("b", early), nil, status.Readiness{LastReload: "a\nb", LastFailure: &late}},
		{"keys are loading", second, good, Loads{Succeeded: 1, Since: late}, nil, status.Readiness{LastReload: "ok", LoadingSince: &late}},
		{"data too", second, Loads{Succeeded: 1, Since: early}, Loads{Succeeded: 1, Since: late}, nil, status.Readiness{LastReload: "ok", LoadingSince: &early}},
		{"sources", second, lost, reached, nil,
			status.Readiness{LastReload: "ok", Sources: map[string]status.Source{"data": {CheckedAt: testTime, Error: "no route"}, "keys": {Reachable: true, CheckedAt: late}}}},
		{"only the source of data", second, lost, good, nil,
			status.Readiness{LastReload: "ok", Sources: map[string]status.Source{"data": {CheckedAt: testTime, Error: "no route"}}}},
		{"fleet", second, good, good, fleet, status.Readiness{LastReload: "ok", Fleet: fleet}},
		{"draining", second, good, good, nil, status.Readiness{LastReload: "ok"}},
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
		said := string(testkit.Must(json.Marshal(s.Readiness()))(t))
		var got status.Readiness
		decode(t, said, &got)
		if at := got.LoadedAt; at != nil && !at.Before(loaded[step.served]) && !at.After(loadedBy) {
			got.LoadedAt = &testTime
			loaded[step.served] = *at // and stays
		}
		testkit.Equal(t, step.label+": "+said, got, step.want)
		report := s.Report()
		testkit.Equal(t, step.label+": readiness in the report", string(testkit.Must(json.Marshal(report.Readiness))(t)), said)
		testkit.Equal(t, step.label+": loads in the report", []Loads{report.Data, report.Keys}, []Loads{step.data, step.keys})
	}
	testkit.Equal(t, "after ArrangeKeys without keys", s.keys.Load().Len(), testKeys(t).Len())
}

// Each response is counted once.
func TestRequestsAreCounted(t *testing.T) {
	s, addr := serve(t)
	for _, c := range faultCases {
		send(t, addr, c.sent)
	}
	send(t, addr, get("search=lion")+get("search=lion")+get("search=lion", "If-None-Match: *")+get("search=x&lat=1&lng=2&distance=3"))
	r, counts := s.Report(), map[string]uint64{}
	for _, requests := range r.Requests {
		sum := uint64(0)
		for status, n := range requests.Statuses {
			counts[fmt.Sprint(requests.Operation, " ", status)] = n
			sum += n
		}
		testkit.Equal(t, requests.Operation, requests.Count, sum)
		// Malformed requests must not distort the request times.
		testkit.FailIf(t, requests.Took < 0 || requests.Took > patience,
			"%s took %v, want less than %v", requests.Operation, requests.Took, patience)
	}
	maps.Copy(counts, r.Rejected)
	for _, c := range testkit.Cases(t, "report.txt") {
		got, known := counts[c.Given]
		testkit.Equal(t, c.Given, fmt.Sprint(got), c.Want)
		testkit.Equal(t, c.Given+": is known", known, true)
	}
	testkit.FailIf(t, r.ByKey["good"] < 4, "by key: got %v, want at least 4 of good", r.ByKey)
	testkit.Equal(t, "snapshot", fmt.Sprint(r.Readiness.Snapshot, " ", r.Readiness.Pubs, r.Rated, r.KnownKeys), "1dea10ba11ade501 10 7 4")
}
