package httpapi

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/bench/testkit"
	"pubd/data"
	"pubd/httpapi/params"
	"pubd/httpapi/response"
	"pubd/httpapi/status"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/loader"
)

// serveFile returns a service on a snapshot file, and the loaded file.
func serveFile(t testing.TB, name string, content []byte, options loader.Options) (*Service, corpus.Directory) {
	t.Helper()
	loaded := testkit.Must(loader.Load(name, content, options))(t)
	s := New(Config{MaxUnpaged: 1000, KeepFor: patience})
	s.ArrangeKeys(testKeys(t), Loads{})
	s.Arrange(Arrangement{Served: buildFrom(t, loaded.Directory, sha256.Sum256(content))})
	return s, loaded.Directory
}

// exported returns the response to an export over a connection.
func exported(t *testing.T, addr, query string, headers ...string) answer {
	t.Helper()
	return send(t, addr, request11("GET", "/api/v1/export?"+query, append([]string{"x-api-key: " + goodSecret, "Connection: close"}, headers...)...))
}

// body returns the body of a pub's lookup.
func body(s *Service, query string) string {
	x := newExchange("")
	x.run(s, query)
	return string(x.Response.Body)
}

// realPubs is a snapshot of 51,566 pubs next to the repository.
const realPubs = "../../shared/data/uk-pubs.csv"

// A CSV export loads as the same pubs: every lookup has the same response, and exporting again gives the same bytes
// and thus the same id.
func TestExportLoadsAsSameSnapshot(t *testing.T) {
	snapshots := map[string][]byte{"sample.csv": data.Sample(), "uncounted.csv": []byte("uid,name,beer,address,beds\n1,A,7,\"1, High St\",+44\n2,\"B \"\"x\"\"\",0,,\n3,C,,,\n")}
	if testkit.IsLong() {
		snapshots["generated.csv"] = generate(t, 50_000, 1)
		if content, err := os.ReadFile(realPubs); err == nil {
			snapshots["uk-pubs.csv"] = content
		}
	}
	for name, content := range snapshots {
		options := loader.Options{Extra: []schema.ExtraColumn{"beds", "colour"}}
		s, _ := serveFile(t, name, content, options)
		first := exported(t, listen(t, s), "")
		again, directory := serveFile(t, "export.csv", []byte(first.body), options)
		testkit.StopIf(t, first.status != 200 || len(directory.Pubs) != served(s).Snapshot.Len(),
			"%s: got %d and %d pubs of %d", name, first.status, len(directory.Pubs), served(s).Snapshot.Len())
		for i := 0; i < len(directory.Pubs); i += 1 + len(directory.Pubs)/5000 {
			query := "pubids=" + directory.Pubs[i].UID + "&include=rankings,local_rankings,label,address,extra"
			testkit.Equal(t, name+": ?"+query, body(again, query), body(s, query))
		}
		second := exported(t, listen(t, again), "")
		testkit.Equal(t, name+": the export of the export", second.body, first.body)
		third, _ := serveFile(t, "export.csv", []byte(second.body), options)
		testkit.Equal(t, name+": id of the export of the export", served(third).ID, served(again).ID)
	}
}

// Whatever follows a pub is the end of the whole export, in every format, and every pub has a line of its own.
func TestExportAfter(t *testing.T) {
	s, directory := serveFile(t, "sample.csv", data.Sample(), loader.Options{})
	addr := listen(t, s)
	for format, head := range map[string]int{"csv": 1, "ndjson": 0, "geojson": 1} {
		whole := exported(t, addr, "format="+format)
		lines := strings.SplitAfter(whole.body, "\n")[head:]
		for at := 0; at < len(directory.Pubs); at += 1 + len(directory.Pubs)/5 {
			uid := directory.Pubs[at].UID
			n := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, uid) })
			rest := exported(t, addr, "format="+format+"&after="+uid)
			want := strings.Join(lines[n+1:], "")
			if format == "geojson" {
				want = strings.SplitAfter(whole.body, "\n")[0] + want
			}
			testkit.Equal(t, format+" after "+uid, rest.body, want)
			testkit.Equal(t, format+": pubs after "+uid, rest.header.Get("X-Total-Results"), fmt.Sprint(len(directory.Pubs)-n-1))
			testkit.Equal(t, format+": header line after "+uid, strings.HasSuffix(rest.header.Get("Content-Type"), "header=absent"), format == "csv")
		}
		testkit.FailIf(t, strings.Contains(whole.body, `"extra"`), "%s: has extra columns, of which the snapshot has none", format)
		if _, rest, _ := strings.Cut(whole.body, "\n"); format == "geojson" && checkJSON(whole.body) != nil || whole.header.Get("Accept-Ranges") != "none" || rest == "" {
			t.Errorf("%s: got %.100s, %v", format, whole.body, whole.header)
		}
	}
}

// A filtered export has the same pubs as all pages of the corresponding search.
func TestExportMatchesSearch(t *testing.T) {
	s, _ := serveFile(t, "sample.csv", data.Sample(), loader.Options{})
	addr := listen(t, s)
	for _, filter := range []string{"search=*&rated=1", "search=arms", "trading=open", "min_total=5", "bbox=-3,51,1,53", "search=*&lat=51.5&lng=-0.1&distance=200", "search=qqqq&relax=0"} {
		query, want := filter, ""
		if !strings.HasPrefix(filter, "search") {
			query = "search=*&" + filter
		}
		for page, uids := 1, "start"; uids != ""; page++ {
			uids = uidsIn(body(s, fmt.Sprintf("%s&sort=name&amount=100&page=%d", query, page)))
			want += uids
		}
		testkit.Equal(t, "?"+filter, uidsIn(exported(t, addr, filter+"&format=ndjson").body), want)
	}
}

// exportOf returns an export of all pubs.
func exportOf(s *Service) *Export {
	x := newExchange("")
	x.service, x.Request.Path = s, []byte("/api/v1/export")
	x.Handle(admitting(true))
	return x.Export
}

// An export breaks off when its snapshot has been out of the arrangement for as long as configured. Until it is
// closed, it is a reader of it.
func TestExportOfReplacedSnapshotEnds(t *testing.T) {
	s := New(Config{KeepFor: patience})
	s.ArrangeKeys(testKeys(t), Loads{})
	a, b := build(t, tenPubs()), buildFrom(t, tenPubs(), [32]byte{2})
	s.Arrange(Arrangement{Served: a, Others: []*index.Snapshot{b}})
	a.Release()
	old := exportOf(s)
	s.Arrange(Arrangement{Served: b, Others: []*index.Snapshot{a}})
	s.Arrange(Arrangement{Served: b})
	if chunk, err := old.Next(nil); err != nil || len(chunk) == 0 || isReleased(a) {
		t.Errorf("just replaced: got %d bytes, %v, released %v", len(chunk), err, isReleased(a))
	}
	s.config.KeepFor = 0
	_, err := old.Next(nil)
	testkit.FailIf(t, err != errExportGone, "replaced long ago: got %v", err)
	current := exportOf(s)
	testkit.Must(current.Next(nil))(t)
	for _, e := range []*Export{old, old, current} { // closing twice is closing once
		_ = e.Close()
	}
	testkit.Equal(t, "released", fmt.Sprint(isReleased(a), isReleased(b)), "true false")
}

// An export that panics while it is sent is counted, and does not return its workspace to the pool: a later search could
// see the pubs in it. If nothing has been sent, the response says that the server is at fault, otherwise than when the
// snapshot is gone.
func TestPanickingExportDiscardsWorkspace(t *testing.T) {
	s, _ := broken(t, LogOff)
	pool := &s.workspaces[LongTurn]
	used := &workspace{pool: pool}
	pool.New = func() any { return used }
	key, _ := s.keys.Load().Check([]byte(goodSecret), time.Now())
	e := &Export{service: s, view: served(s), key: key, rows: new(response.Rows)}
	chunk, err := e.Next(nil)
	testkit.StopIf(t, err == nil, "got %q and no error", chunk)
	var r status.Report
	s.answered.Report(&r, nil)
	testkit.Equal(t, "counted", r.Requests[params.None].Statuses[500], uint64(1))
	pool.New = nil
	testkit.FailIf(t, pool.Get() != nil, "the workspace is back in the pool")
	for err, want := range map[error]int{err: 500, errExportGone: 503} {
		x := newExchange("")
		x.service = s
		x.FailExport(err)
		testkit.Equal(t, err.Error(), x.Response.Status, want)
	}
}
