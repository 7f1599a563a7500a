package httpapi

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"pubd/httpapi/fault"
	"strings"
	"testing"

	"pubd/index"
)

// parseCall parses a request for pubs as the first stage does.
func parseCall(t *testing.T, s *Service, query string, change func(r *Request)) call {
	t.Helper()
	x := newExchange(query)
	if change != nil {
		change(&x.Request)
	}
	call, f := s.parse(s.arrangement.Load(), &x.Request, &x.params)
	equal(t, "fault of ?"+query, f, fault.Fault{})
	return call
}

// The first stage determines everything about a call: format, centre and snapshot, and whether the client already has
// the response.
func TestParseCompletesTheCall(t *testing.T) {
	s, _ := withData(t, LogOff)
	for _, c := range []struct {
		query  string
		change func(r *Request)
		want   string // operation, format, centre, and whether it is plain, expensive and unchanged
	}{
		{"search=lion", nil, "search json 0,0 true false false"},
		{"search=lion", func(r *Request) { r.Accept = []byte("text/csv, */*;q=0.1") }, "search csv 0,0 false false false"},
		{"search=lion&format=geojson", func(r *Request) { r.Accept = []byte("text/csv") }, "search geojson 0,0 false true false"},
		{"pubid=u01", nil, "lookup json 0,0 false false false"},
		{"search=*&around=u01&distance=5", nil, "distance json 51.5,-0.1 true true false"},
		{"search=*&lat=1&lng=2&distance=5&amount=5", nil, "distance json 1,2 true false false"},
		{"search=lion", func(r *Request) { r.IfNoneMatch = [][]byte{[]byte("*")} }, "search json 0,0 true false true"},
		{"search=lion&snapshot=" + s.arrangement.Load().served.id, nil, "search json 0,0 true false false"},
	} {
		call := parseCall(t, s, c.query, c.change)
		p := call.params
		got := fmt.Sprintf("%v %s %v,%v %v %v %v", call.operation, p.Format, p.Lat, p.Lng, p.Plain, p.Work, call.unchanged)
		equal(t, "?"+c.query, got, c.want)
		equal(t, "view and key of ?"+c.query, call.view == s.arrangement.Load().served && call.key.Name() == "good", true)
	}
}

// The second stage returns everything that a call needs from the index.
func TestAskReturnsTheResult(t *testing.T) {
	s, _ := withData(t, LogOff)
	for _, c := range []struct {
		query string
		want  string // UIDs, total, missing
	}{
		{"pubid=u01", "u01 0 []"},
		{"pubids=u02,no,u01", "u02 u01 0 [no]"},
		{"search=lion&amount=1", "u02 2 []"},
		{"search=xyzzy", "0 []"},
	} {
		call := parseCall(t, s, c.query, nil)
		r, f := call.ask(new(workspace))
		equal(t, "fault of ?"+c.query, f, fault.Fault{})
		var got strings.Builder
		for _, ordinal := range r.found.Pubs {
			got.WriteString(call.view.snapshot.Pub(ordinal).UID + " ")
		}
		fmt.Fprintf(&got, "%d %s", r.found.Total, r.missing)
		equal(t, "?"+c.query, got.String(), c.want)
	}
	call := parseCall(t, s, "pubid=no", func(r *Request) { r.IfNoneMatch = [][]byte{[]byte("*")} })
	if _, f := call.ask(new(workspace)); f.Row != fault.PubNotFound {
		t.Errorf("an unknown pub with If-None-Match: got %s, want %s", f.Row.Code, fault.PubNotFound.Code)
	}
}

// The third stage encodes the result of the second and does not query the index: here it gets a made-up result.
func TestEncodeWritesTheResult(t *testing.T) {
	s, _ := withData(t, LogOff)
	call := parseCall(t, s, "search=nothing+of+this&amount=1&page=2&unknown=1", nil)
	ordinal, _ := call.view.snapshot.Lookup([]byte("u01"))
	r := result{found: index.Result{Pubs: []uint32{ordinal}, Total: 3}}
	got := call.encode(&r, new(workspace), nil, nil)
	if got.Status != 200 || !strings.HasPrefix(string(got.body), `{"results":[{"UID":"u01",`) || !strings.Contains(string(got.body), `"total_results":3,`) {
		t.Errorf("got %d %s", got.Status, got.body)
	}
	if string(got.ignored) != "unknown" || strings.Count(string(got.links), "rel=") != 4 || got.etag != call.etag {
		t.Errorf("got ignored %q, links %s, ETag %s", got.ignored, got.links, got.etag)
	}
	call.unchanged = true
	if got := call.encode(&result{}, new(workspace), nil, nil); got.Status != 304 || len(got.body) > 0 {
		t.Errorf("unchanged: got %d %s", got.Status, got.body)
	}
}

// waiting is an admission that is looked at while a request waits for it.
type waiting func(Demand)

func (w waiting) Admit(d Demand) bool {
	w(d)
	return false
}

// A request that waits for its admission has no working memory. It says what it takes.
func TestWaitingRequestHoldsNoMemory(t *testing.T) {
	s, _ := withData(t, LogOff)
	for _, target := range []string{"/api/v1/pubs/?pubid=u01", "/api/v1/pubs/?search=lion&amount=7&format=geojson&include=rankings", "/api/v1/points",
		"/api/v1/points?search=lion", "/api/v1/suggest?search=lion", "/api/v1/stats", "/api/v1/export"} {
		x := newExchange("")
		x.Request.Peer = netip.MustParseAddr("192.0.2.1")
		x.Request.Path, x.Request.Query = split2(target)
		x.service = s
		demands := 0
		x.Handle(waiting(func(d Demand) {
			demands++
			failIf(t, x.workspace != nil, "%s: a waiting request has working memory", target)
			equal(t, target, fmt.Sprint(d.Key, d.Client.Address, d.Visitor, d.Bytes > 0), "good192.0.2.1/32 false true")
		}))
		equal(t, target, fmt.Sprint(demands, x.Response.Status, x.workspace == nil), "1 503 true")
		x.Request.IfNoneMatch = [][]byte{[]byte("*")}
		x.Handle(waiting(func(d Demand) {
			equal(t, "what the client has of "+target, fmt.Sprint(d.Bytes, d.Turn == ShortTurn), "0 true")
		}))
	}
}

// Each kind of turns has workspaces of its own, so that few grow large. None keeps the memory of a large body.
func TestWorkspacesBelongToTurns(t *testing.T) {
	s, _ := withData(t, LogOff)
	s.documents["/large"] = newDocument(WebFile{Path: "/large", Large: &LargeFile{ReaderAt: bytes.NewReader(make([]byte, 10)), Size: 10, ETag: `"1"`}})
	for target, turn := range map[string]Turn{"/api/v1/pubs?pubid=u01": ShortTurn, "/api/v1/pubs?search=*&facets=location": LongTurn, "/large": FileTurn} {
		x := newExchange("")
		x.service, x.Request.Range = s, []byte("bytes=0-")
		x.Request.Path, x.Request.Query = split2(target)
		x.Handle(admitting(true))
		equal(t, target, x.Response.Status/100, 2)
		w := x.workspace
		failIf(t, w.pool != &s.workspaces[turn], "%s: has a workspace of another kind of turns than %d", target, turn)
		w.body = make([]byte, keptBody+1)
		x.Release()
		failIf(t, w.body != nil, "%s: kept %d bytes for a body", target, cap(w.body))
	}
}

// split2 splits a target into path and query.
func split2(target string) (path, query []byte) {
	path, query, _ = bytes.Cut([]byte(target), []byte("?"))
	return path, query
}

// If the index file is truncated while it is served, requests fail, but the process survives.
func TestTruncatedFileIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pubs.idx")
	file := must(os.Create(path))(t)
	defer file.Close()
	ok(t, index.Build(tenPubs(), file, index.BuildOptions{Source: testSource}))
	snapshot := must(index.Open(file, 0))(t)
	s, log := withoutData(t, LogOff)
	s.Arrange(Arrangement{Served: snapshot})
	addr := listen(t, s)
	equal(t, "before", request(t, addr, get("search=*")).status, 200)
	ok(t, os.Truncate(path, 0))
	for _, query := range []string{"search=*", "pubid=u01", "search=lion&lat=51.5&lng=-0.1&distance=50", "search=*&around=u01&distance=5"} {
		equal(t, "truncated: ?"+query, request(t, addr, get(query)).status, 500)
	}
	equal(t, "panics in the log", strings.Count(log.String(), `"panic":"runtime error`), 4)
	s.Arrange(Arrangement{Served: build(t, tenPubs())})
	equal(t, "with the next snapshot", request(t, addr, get("search=*")).status, 200)
}
