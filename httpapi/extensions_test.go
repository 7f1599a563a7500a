package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"pubd/bench/testkit"
	"pubd/index"
)

// uidsIn returns the UIDs in a body, each followed by a space.
func uidsIn(body string) (uids string) {
	for _, member := range strings.Split(body, `"UID":"`)[1:] {
		uid, _, _ := strings.Cut(member, `"`)
		uids += uid + " "
	}
	return uids
}

// A client can read all pages of a result from one snapshot while others are served, as long as it is in the
// arrangement.
func TestKeptSnapshots(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	addr := listen(t, s)
	source := func(source byte, pubs int) *index.Snapshot {
		directory := tenPubs()
		directory.Pubs = directory.Pubs[:pubs]
		return buildFrom(t, directory, [32]byte{source})
	}
	one, two, three := source(1, 10), source(2, 5), source(3, 6)
	s.Arrange(Arrangement{Served: one})
	first := send(t, addr, get("search=*&amount=3"))
	id := first.header.Get("X-Snapshot")
	s.Arrange(Arrangement{Served: two, Others: []*index.Snapshot{one}})
	next := send(t, addr, get("search=*&amount=3&page=2&snapshot="+id))
	testkit.FailIf(t, next.status != 200 || next.header.Get("X-Snapshot") != id || !strings.Contains(next.body, `"total_pubs":10`), "kept: %d %v", next.status, next.header)
	link := next.header.Get("Link")
	testkit.FailIf(t, !strings.Contains(link, "<?search=*&amount=3&page=3&snapshot="+id+`>; rel="next"`),
		"Link: %s", link)
	for _, step := range []struct {
		label       string
		arrangement Arrangement
		want        map[string]int // statuses by the first digits of the ID
	}{
		{"kept", Arrangement{Served: two, Others: []*index.Snapshot{one}}, map[string]int{"01": 200, "02": 200, "03": 410}},
		{"pending", Arrangement{Served: two, Pending: []string{"0300000000000000"}}, map[string]int{"01": 410, "02": 200, "03": 503}},
		{"prepared", Arrangement{Served: two, Others: []*index.Snapshot{three}}, map[string]int{"01": 410, "02": 200, "03": 200}},
		{"prepared and pending", Arrangement{Served: two, Others: []*index.Snapshot{three}, Pending: []string{"0300000000000000"}}, map[string]int{"02": 200, "03": 200}},
		{"served and among the others", Arrangement{Served: three, Others: []*index.Snapshot{two, three}}, map[string]int{"01": 410, "02": 200, "03": 200}},
		{"all others gone", Arrangement{Served: three}, map[string]int{"01": 410, "02": 410, "03": 200}},
		{"nothing served yet", Arrangement{Others: []*index.Snapshot{one}, Pending: []string{"0200000000000000"}}, map[string]int{"01": 503, "02": 503, "03": 503}},
	} {
		s.Arrange(step.arrangement)
		for digits, want := range step.want {
			got := send(t, addr, get("search=*&snapshot="+digits+"00000000000000"))
			code := map[int]string{410: `"code":"snapshot_gone"`, 503: `"code":"snapshot_pending"`, 200: `"total_pubs"`}[want]
			if step.arrangement.Served == nil {
				code = `"code":"not_ready"`
			}
			testkit.FailIf(t, got.status != want || !strings.Contains(got.body, code), "%s: %s: got %d %s, want %d with %s", step.label, digits, got.status, got.body, want, code)
		}
	}
}

// Of several snapshots with an ID, the served one answers, then the last of the others.
func TestSnapshotsWithOneID(t *testing.T) {
	s, _ := withoutData(t, LogOff)
	snapshot := func(source byte, pubs int) *index.Snapshot {
		directory := tenPubs()
		directory.Pubs = directory.Pubs[:pubs]
		return buildFrom(t, directory, [32]byte{source})
	}
	s.Arrange(Arrangement{Served: snapshot(1, 10), Others: []*index.Snapshot{snapshot(1, 3), snapshot(2, 4), snapshot(2, 5)}})
	for id, want := range map[string]int{"0100000000000000": 10, "0200000000000000": 5} {
		v, f := s.views.Acquire().Find([]byte(id))
		testkit.Equal(t, id, fmt.Sprint(v.Snapshot.Len(), f.IsSet()), fmt.Sprint(want, false))
	}
}
