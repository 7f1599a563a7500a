package httpapi

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pubd/data"
	"pubd/data/lane"
	"pubd/index"
	"pubd/loader"
)

// serveFile returns a service on a snapshot file, and the loaded file.
func serveFile(t *testing.T, name string, content []byte, options loader.Options) (*Service, index.Directory) {
	t.Helper()
	loaded, err := loader.Load(name, content, options)
	ok(t, err)
	s := New(Config{MaxUnpaged: 1000, KeepSnapshots: 2, KeepFor: patience})
	s.PublishKeys(testKeys(t))
	s.Publish(buildFrom(t, loaded.Directory, sha256.Sum256(content)))
	return s, loaded.Directory
}

// exported returns the response to an export over a connection.
func exported(t *testing.T, addr, query string, headers ...string) answer {
	t.Helper()
	return ask(t, addr, request11("GET", "/api/v1/export?"+query, append([]string{"x-api-key: " + goodSecret, "Connection: close"}, headers...)...))
}

// body returns the body of a pub's lookup.
func body(s *Service, query string) string {
	x := newExchange("")
	x.ask(s, query)
	return string(x.response.body)
}

// realPubs is a snapshot of 51,566 pubs next to the repository.
const realPubs = "../../shared/data/uk-pubs.csv"

// A CSV export loads as the same pubs: every lookup has the same response, and exporting again gives the same bytes and thus the same id.
func TestExportLoadsAsSameSnapshot(t *testing.T) {
	snapshots := map[string][]byte{"sample.csv": data.Sample(), "uncounted.csv": []byte("uid,name,beer,address,phone\n1,A,7,\"1, High St\",+44\n2,\"B \"\"x\"\"\",0,,\n3,C,,,\n")}
	if content, err := os.ReadFile(realPubs); err != nil {
		t.Log("skipping the real data:", err)
	} else if lane.IsLong() {
		snapshots["uk-pubs.csv"] = content
	}
	if lane.IsLong() {
		var made bytes.Buffer
		ok(t, data.Generate(&made, 50_000, 1, nil))
		snapshots["generated.csv"] = made.Bytes()
	}
	for name, content := range snapshots {
		options := loader.Options{Extra: []string{"phone", "website"}}
		s, _ := serveFile(t, name, content, options)
		first := exported(t, listen(t, s), "")
		again, directory := serveFile(t, "export.csv", []byte(first.body), options)
		if first.status != 200 || len(directory.Pubs) != s.view.Load().snapshot.Len() {
			t.Fatalf("%s: got %d and %d pubs of %d", name, first.status, len(directory.Pubs), s.view.Load().snapshot.Len())
		}
		for i := range directory.Pubs {
			query := "pubids=" + directory.Pubs[i].UID + "&include=rankings,local_rankings,label,address,extra"
			if got, want := body(again, query), body(s, query); got != want {
				t.Fatalf("%s: ?%s\n got %s\nwant %s", name, query, got, want)
			}
		}
		if second := exported(t, listen(t, again), ""); second.body != first.body {
			t.Errorf("%s: the export of the export differs", name)
		} else if third, _ := serveFile(t, "export.csv", []byte(second.body), options); third.view.Load().id != again.view.Load().id {
			t.Errorf("%s: the export of the export is snapshot %s, want %s", name, third.view.Load().id, again.view.Load().id)
		}
		t.Logf("%s: %d pubs, %d bytes, snapshot %s", name, len(directory.Pubs), len(first.body), again.view.Load().id)
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
			opening := ""
			if format == "geojson" {
				opening, _, _ = strings.Cut(whole.body, "\n")
				opening += "\n"
			}
			if want := opening + strings.Join(lines[n+1:], ""); rest.body != want || rest.header.Get("X-Total-Results") != fmt.Sprint(len(directory.Pubs)-n-1) {
				t.Errorf("%s after %s: got %d bytes and %s pubs, want %d and %d", format, uid, len(rest.body), rest.header.Get("X-Total-Results"), len(want), len(directory.Pubs)-n-1)
			}
		}
		if _, rest, _ := strings.Cut(whole.body, "\n"); format == "geojson" && checkJSON(whole.body) != nil || whole.header.Get("Accept-Ranges") != "none" || rest == "" {
			t.Errorf("%s: got %.100s, %v", format, whole.body, whole.header)
		}
	}
}

func TestExportHead(t *testing.T) {
	_, addr := serve(t)
	head := answers(t, converse(t, addr, request11("HEAD", "/api/v1/export", "x-api-key: "+goodSecret), true), "HEAD")
	if len(head) != 1 || head[0].status != 200 || head[0].header.Get("X-Total-Results") != "10" || head[0].header.Get("Content-Length") != "" {
		t.Errorf("HEAD: got %v", head)
	}
	for query, want := range map[string]string{"": exported(t, addr, "").body, "trading=closed": exported(t, addr, "trading=closed").body} {
		for _, method := range []string{"GET", "HEAD"} {
			received := converse(t, addr, strings.Replace(request11(method, "/api/v1/export?"+query, "x-api-key: "+goodSecret, "Connection: keep-alive"), "HTTP/1.1", "HTTP/1.0", 1), false)
			if method == "HEAD" {
				want = ""
			}
			if _, body, _ := strings.Cut(string(received), "\r\n\r\n"); body != want || strings.Contains(string(received), "chunked") || !strings.Contains(string(received), "Connection: close") {
				t.Errorf("%s ?%s over HTTP/1.0: got %.900s", method, query, received)
			}
		}
	}
}

// A filtered export has the same pubs as all pages of the corresponding search.
func TestExportMatchesSearch(t *testing.T) {
	s, _ := serveFile(t, "sample.csv", data.Sample(), loader.Options{})
	addr := listen(t, s)
	for _, filter := range []string{"search=*&rated=1", "search=arms", "trading=open", "min_total=5", "bbox=-3,51,1,53", "search=*&lat=51.5&lng=-0.1&distance=200", "search=qqqq&relax=0"} {
		var want []string
		for page := 1; ; page++ {
			var found struct {
				Results    []struct{ UID string }
				TotalPages int `json:"total_pages"`
			}
			if err := json.Unmarshal([]byte(body(s, fmt.Sprintf("search=*&%s&sort=name&amount=100&page=%d", strings.TrimPrefix(filter, "search=*&"), page))), &found); err != nil && !strings.HasPrefix(filter, "search") {
				t.Fatal(err)
			}
			if strings.HasPrefix(filter, "search") {
				ok(t, json.Unmarshal([]byte(body(s, fmt.Sprintf("%s&sort=name&amount=100&page=%d", filter, page))), &found))
			}
			for _, pub := range found.Results {
				want = append(want, pub.UID)
			}
			if page >= found.TotalPages {
				break
			}
		}
		uids := func(query string) (list []string) {
			for line := range strings.Lines(exported(t, addr, query+"&format=ndjson").body) {
				var pub struct{ UID string }
				if err := json.Unmarshal([]byte(line), &pub); err != nil {
					t.Fatalf("?%s: %v in %s", query, err, line)
				}
				list = append(list, pub.UID)
			}
			return list
		}
		if got := uids(filter); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("?%s: got %d pubs, want %d", filter, len(got), len(want))
		}
		for _, at := range []int{0, len(want) / 2, len(want) - 1} {
			if at < 0 || at >= len(want) {
				continue
			}
			if got := uids(filter + "&after=" + want[at]); strings.Join(got, " ") != strings.Join(want[at+1:], " ") {
				t.Errorf("?%s after %d of %d: got %d pubs", filter, at, len(want), len(got))
			}
		}
	}
}

// An export continues with its snapshot after a reload, holds two chunks of the budget, and ends if its client is too slow.
func TestExportToSlowReader(t *testing.T) {
	lane.Long(t, "exports 60,000 pubs")
	var file bytes.Buffer
	ok(t, data.Generate(&file, 60_000, 3, nil))
	s, _ := serveFile(t, "large.csv", file.Bytes(), loader.Options{})
	addr := listen(t, s)
	want := exported(t, addr, "").body
	c, err := net.Dial("tcp", addr)
	ok(t, err)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(2 * patience))
	_, err = io.WriteString(c, request11("GET", "/api/v1/export", "x-api-key: "+goodSecret))
	ok(t, err)
	reader := bufio.NewReader(c)
	response, err := http.ReadResponse(reader, nil)
	ok(t, err)
	held := s.budget.report().held
	s.Publish(build(t, tenPubs()))
	received, err := io.ReadAll(response.Body)
	if err != nil || string(received) != want {
		t.Errorf("while another snapshot is published: got %d bytes, %v, want %d", len(received), err, len(want))
	}
	if held != 2*exportChunk {
		t.Errorf("held during the export: got %d bytes, want %d", held, 2*exportChunk)
	}
	for deadline := time.Now().Add(patience); s.budget.report().held > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("held after the export: %d bytes", s.budget.report().held)
		}
	}
	wire, all := new(connection), new(params)
	key, _ := s.keys.Load().Check([]byte(goodSecret), time.Now())
	all.parseExport(nil, nil, 0)
	fast := &export{service: s, view: s.view.Load(), params: all, started: time.Now(), sent: 1 << 40, key: key, delivery: &delivery{connection: wire}}
	if _, err := fast.take(); err != nil || time.Until(wire.writeBy) > writeTimeout {
		t.Errorf("after a terabyte: got %v, and %v for the next chunk, want at most %v", err, time.Until(wire.writeBy), writeTimeout)
	}
	e := &export{service: s, view: s.view.Load(), started: time.Now().Add(-writeTimeout - time.Minute), sent: 30 * minRate}
	if _, err := e.take(); err != errExportSlow {
		t.Errorf("30 s of data in more than a minute: got %v", err)
	}
}

// An export of a replaced snapshot breaks off after as long as clients can request the snapshot, or when memory is needed. Until then, the
// snapshot counts as kept.
func TestExportOfReplacedSnapshotEnds(t *testing.T) {
	s, _ := serveFile(t, "sample.csv", data.Sample(), loader.Options{})
	addr := listen(t, s)
	all := new(params)
	all.parseExport(nil, nil, 0)
	key, _ := s.keys.Load().Check([]byte(goodSecret), time.Now())
	begin := func() *export {
		e := &export{service: s, view: s.view.Load(), params: all, key: key, started: time.Now(), delivery: &delivery{pool: &s.deliveries}}
		s.exports.add(e)
		return e
	}
	old, unlucky := begin(), begin()
	for source := range byte(3) {
		s.Publish(buildFrom(t, tenPubs(), [32]byte{source}))
	}
	current := begin()
	if _, err := old.take(); err != nil || s.Kept() != 2 {
		t.Errorf("replaced: got %v and %d snapshots, want 2", err, s.Kept())
	}
	past := time.Now().Add(-patience - time.Second)
	old.view.replaced.Store(&past)
	if _, err := old.take(); err != errExportGone {
		t.Errorf("replaced long ago: got %v", err)
	}
	unlucky.view.replace()
	s.DropHistory()
	for _, e := range []*export{old, unlucky} {
		if _, err := e.take(); err != errExportGone {
			t.Errorf("dropped: got %v", err)
		}
		_ = e.Close()
	}
	if _, err := current.take(); err != nil || s.Kept() != 0 {
		t.Errorf("of the current snapshot: got %v, and %d others, want none", err, s.Kept())
	}
	_ = current.Close()
	if exported(t, addr, ""); len(s.exports.list()) != 0 {
		t.Errorf("after an export: got %d", len(s.exports.list()))
	}
	a, b := build(t, tenPubs()), build(t, tenPubs())
	s.Arrange(Arrangement{Served: a, Others: []*index.Snapshot{b}})
	first := s.view.Load()
	s.Arrange(Arrangement{Served: b, Others: []*index.Snapshot{a}})
	kept := first.replaced.Load()
	if s.Arrange(Arrangement{Served: b}); kept != nil || first.replaced.Load() == nil || s.view.Load().replaced.Load() != nil {
		t.Errorf("of a fleet: got %v while it was kept, then %v", kept, first.replaced.Load())
	}
}

// An export is charged to the key as it is sent: a second one must wait.
func TestExportIsCharged(t *testing.T) {
	s, _ := serveFile(t, "sample.csv", data.Sample(), loader.Options{})
	s.PublishKeys(parseKeys(t, keyLine("good", goodSecret, `,"rate":5`)))
	addr := listen(t, s)
	first := exported(t, addr, "")
	second := exported(t, addr, "")
	if first.status != 200 || second.status != 429 || second.header.Get("Retry-After") < "2" {
		t.Errorf("got %d, then %d with Retry-After %s", first.status, second.status, second.header.Get("Retry-After"))
	}
}

// An export holds no more memory than it is charged for, even after a large response.
func TestExportHoldsNoLargeBuffer(t *testing.T) {
	s, _ := serveFile(t, "sample.csv", data.Sample(), loader.Options{})
	s.deliveries.New = func() any { return &delivery{pool: &s.deliveries, buffer: make([]byte, 0, 1<<20)} }
	x := new(exchange)
	if s.lendChunk(x); cap(x.delivery.buffer) > 2*exportChunk || x.delivery.pool != &s.deliveries {
		t.Errorf("got a buffer of %d bytes, want at most %d", cap(x.delivery.buffer), 2*exportChunk)
	}
}

// An export that panics while it is sent does not return its workspace to the pool: a later search could see the pubs in it.
func TestPanickingExportDiscardsWorkspace(t *testing.T) {
	s, _ := broken(t, LogOff)
	used := new(workspace)
	s.workspaces.New = func() any { return used }
	e := &export{service: s, view: s.view.Load(), params: new(params), delivery: &delivery{pool: &s.deliveries}, started: time.Now()}
	if chunk, err := e.take(); err == nil {
		t.Fatalf("got %q and no error", chunk)
	}
	s.workspaces.New = nil
	if s.workspaces.Get() != nil {
		t.Error("the workspace is back in the pool")
	}
}

// An export that panics before it is sent, such as one from a truncated file, leaves the queue: later ones are not rejected.
func TestPanickingExportLeavesQueue(t *testing.T) {
	s, _ := serveFile(t, "sample.csv", data.Sample(), loader.Options{})
	addr := listen(t, s)
	whole := s.view.Load()
	s.view.Store(&view{id: "broken"})
	free := s.queue.free
	for range free + 1 {
		if got := exported(t, addr, "trading=open"); got.status != 500 {
			t.Errorf("of a broken snapshot: got %d, want 500", got.status)
		}
	}
	s.view.Store(whole)
	if got := exported(t, addr, "trading=open"); got.status != 200 {
		t.Errorf("after %d panics: got %d, want 200", free+1, got.status)
	}
}
