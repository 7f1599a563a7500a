package httpapi

import (
	"fmt"
	"math"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pubd/bench"
	"pubd/bench/testkit"
	"pubd/httpapi/params"
	"pubd/httpapi/response"
	"pubd/httpapi/web"
	"pubd/index"
	"pubd/index/corpus"
	"pubd/index/schema"
	"pubd/index/text"
)

// worstTargets returns targets of every operation, with those that take the most processor time and memory; what takes
// the most is found by hill climbing in bench/reliability.
func worstTargets(s *Service) (targets []string) {
	const all = "&include=rankings,local_rankings,match,label,address,extra&format="
	snapshot, w := served(s).Snapshot, new(index.Workspace)
	targets = []string{"/large", "/places", "/places?page=2", "/sitemap.xml", "/sitemaps/pubs-1.xml",
		"/sitemaps/places-1.xml", "/robots.txt", "/places/no", "/pubs/no"}
	for _, r := range params.Resources {
		targets = append(targets, r.Path)
	}
	var uids []string
	for i := range 100 {
		uid := snapshot.Pub(uint32(i * (snapshot.Len() / 100))).UID
		uids = append(uids, url.QueryEscape(uid))
		if path := s.config.WebPages.Render(nil, web.PageRequest{Path: []byte("/pubs/" + uid)}, snapshot, w).Location; i%10 == 0 {
			targets = append(targets, path, path[:strings.LastIndexByte(path, '/')+1]+"map.png")
		}
	}
	for _, count := range snapshot.CountAll(schema.Location)[:3] {
		targets = append(targets, "/places/"+url.PathEscape(string(text.AppendFolded(nil, count.Value))))
	}
	lookup := "/api/v1/pubs?pubids=" + strings.Join(uids, ",")
	targets = append(targets, lookup, lookup+all+"json", lookup+all+"geojson", lookup+all+"spreadsheet", "/api/v1/pubs?pubid="+uids[0]+all+"csv")
	own := strings.Join(snapshot.ExtraFacets(), ",")
	queries := append(slices.Clone(bench.KnownExpensive), "search=*&rated=true&facet_search=own0:v&facets="+own, "search=*&rated=true&facet_search=own0:x&facets="+own+
		",trading,common_category,location,features,area,postcode", "search=*&facet_search=own0:v", "search=*&trading=open&facets="+own, "search=*&bbox=-179,-89,179,89&facets="+own)
	for _, text := range []string{"*", "t", "the", "a b c d e f g h i j k l m n o p q r s t u v w x y z", "kings holbeck conservatve clubb in kigns holbek",
		"thornhawm gwynnne broadbfridge siunclairs hazelbridgge clovontubber carricpkroe weonburyx", "town lion town town upper upper the bar west"} {
		for _, more := range []string{"", "&relax=more", "&near=60,25", "&rated=1&sort=review_count&order=desc", "&lat=52&lng=-1&distance=1000&amount=20"} {
			queries = append(queries, "search="+url.QueryEscape(text)+more)
		}
	}
	limits, places := "", ""
	for number := range schema.ExtraNumber {
		limits += fmt.Sprintf("&min_%v=1&max_%[1]v=9", strings.Replace(number.String(), "review_count", "reviews", 1))
	}
	for i := 0; len(places) < 3600; i += 7 { // which fill a query
		places += "," + url.QueryEscape(snapshot.Pub(uint32(i%snapshot.Len())).Location)
	}
	const numbers = "&facets=beer,atmos,fengshui,service,toilets,total,review_count"
	for _, more := range []string{limits, limits + numbers, "&location=x" + places, "&area=" + strings.Repeat("a,", 1900), "&exclude=" + strings.Join(uids, ","),
		"&sort=weighted&weights=beer:1,atmos:2,fengshui:3,service:1,toilets:1,total:3" + limits + numbers, "&sort=random&seed=1&bbox=-180,-90,180,90" + limits} {
		queries = append(queries, "search=*"+more)
	}
	for _, query := range queries {
		for _, path := range []string{"/api/v1/pubs?", "/api/v1/points?", "/api/v1/export?", "/api/v1/suggest?"} {
			targets = append(targets, path+query)
		}
	}
	return targets
}

// A usage is what a request took.
type usage struct {
	time        time.Duration // of a processor: the least of several runs
	memory      int64         // bytes that it keeps until its end; not measured for HEAD
	bytes, asks int
	demand      Demand
}

// Admit implements Admission.
func (u *usage) Admit(d Demand) bool {
	u.demand = d
	u.asks++
	return true
}

// longTime is how long a request with a short turn may take.
const longTime = 500 * time.Microsecond

// usageOf handles a request until it takes no longer than a short turn, if it has one, at most 20 times.
func usageOf(t *testing.T, x *Exchange, method, target string) (u usage) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	path, query, _ := strings.Cut(target, "?")
	u.time = math.MaxInt64
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	handle := func() {
		x.Request = Request{Method: []byte(method), Path: []byte(path), Query: []byte(query), Keys: [][]byte{[]byte(goodSecret)},
			Host: []byte("pubs.example.org"), Range: []byte("bytes=0-"), Received: time.Now()}
		begun := threadTime(t)
		x.Handle(&u)
		u.time = min(u.time, threadTime(t)-begun)
		if x.Export != nil {
			testkit.OK(t, x.Export.Close())
		}
	}
	handle()
	asks := u.asks
	for tries := 1; tries < 20 && u.demand.Turn != LongTurn && u.time > longTime; tries++ {
		handle()
	}
	if u.asks = asks; method == "GET" {
		x.workspace, x.Response = nil, response.Response{} // the pools are new, so that it is theirs no longer
		x.service.workspaces = [TurnCount]sync.Pool{}
		initWorkspaces(&x.service.workspaces)
		before := heap()
		handle()
		u.memory = heap() - before
	}
	u.bytes = len(x.Response.Body)
	return u
}

func threadTime(t *testing.T) time.Duration {
	var spec unix.Timespec
	testkit.OK(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &spec))
	return time.Duration(spec.Nano())
}

// withOwnFacets adds as many facets as there may be to a directory: each pub has a value of its own in the first, and four
// pubs share one in the next, and so on.
func withOwnFacets(directory corpus.Directory) corpus.Directory {
	for i := range schema.MaxExtraFacets {
		directory.Extra = append(directory.Extra, schema.ExtraColumn(fmt.Sprint(schema.FacetPrefix, "own", i)))
	}
	for i := range directory.Pubs {
		for facet := range schema.MaxExtraFacets {
			value := i * 7919 % len(directory.Pubs) >> (2 * facet) // far from the order of the pubs
			directory.Pubs[i].Extra = append(directory.Pubs[i].Extra, fmt.Sprint("v", value))
		}
	}
	return directory
}

// holdDemands asks for targets, fails where one takes more than it demands, or its turn allows, and returns the most that
// is taken by each operation, and by each that works.
func holdDemands(t *testing.T, s *Service, targets []string) map[string]usage {
	const slack = 3
	pubs := int64(served(s).Snapshot.Len())
	most := map[string]usage{}
	x := s.AcquireExchange()
	for _, target := range targets {
		var get Demand // of GET
		for _, method := range []string{"GET", "HEAD"} {
			u := usageOf(t, x, method, target)
			if x.Response.Status == 400 || u.asks == 0 && method == "HEAD" && target == "/large" {
				continue
			}
			d := u.demand
			if method == "GET" {
				get = d
			}
			testkit.FailIf(t, d != get || d == Demand{}, "%s %s: demands %+v, GET %+v", method, target, d, get)
			isSlow := d.Turn != LongTurn && u.time > slack*longTime
			testkit.FailIf(t, isSlow && testkit.IsLong(), "%s %s: takes %v, demands %+v", method, target, u.time, d)
			testkit.FailIf(t, u.memory > 1<<20+40*pubs+2*d.Bytes, "%s %s: keeps %d bytes, demands %+v", method, target, u.memory, d)
			testkit.FailIf(t, int64(u.bytes) > d.Bytes, "%s %s: has %d bytes, demands %+v", method, target, u.bytes, d)
			o := fmt.Sprintf("%-8s %v", x.summary.Operation, x.summary.Operation != params.Page && x.params.Work)
			most[o] = usage{max(most[o].time, u.time), max(most[o].memory, u.memory), max(most[o].bytes, u.bytes), 0, d}
		}
	}
	return most
}

// Every operation declares what it takes, whatever is asked and by which method: what takes longer than longTime has a
// long turn. Times are judged in the long form only, and may be three times as long, as other work of the machine slows
// this one.
func TestDemandsHold(t *testing.T) {
	for _, pubs := range testkit.Pick([]int{5_000}, []int{51_566, 1_000_000}) {
		t.Run(fmt.Sprint(pubs), func(t *testing.T) { checkDemands(t, withOwnFacets(testkit.Must(bench.Directory(pubs))(t))) })
	}
}

func checkDemands(t *testing.T, directory corpus.Directory) {
	s := New(Config{MaxUnpaged: 1000, PublicPages: true, WebPages: testkit.Must(newWebPages("", ""))(t)})
	s.ArrangeKeys(parseKeys(t, keyLine("good", goodSecret, "")), Loads{})
	s.Arrange(Arrangement{Served: testkit.Must(index.InMemory(directory, index.BuildOptions{Workers: 1}))(t)})
	install(s, s.config.WebPages, 2<<20)
	most := holdDemands(t, s, worstTargets(s))
	for o := params.None + 1; o < params.OperationCount; o++ {
		testkit.FailIf(t, !slices.ContainsFunc([]bool{false, true}, func(work bool) bool { return most[fmt.Sprintf("%-8s %v", o, work)].time > 0 }), "%v: is not asked", o)
	}
	for o, u := range most {
		t.Logf("%s: at most %v, %d KiB, %d bytes; demands %+v", o, u.time, u.memory>>10, u.bytes, u.demand)
	}
}

// craftedHours are hours of 20 intervals a day, in three seasons, that few others have.
func craftedHours(i int) string {
	spans := ""
	for hour := range 20 {
		spans += fmt.Sprintf(",%d:%02d-%d:%02d", hour, i/(hour+1)%29, hour, 30+(i>>hour)%29)
	}
	return "Apr-Oct Mo-Fr " + spans[1:] + "; Nov-Mar " + spans[1:] + "; Dec 25 off"
}

// So do requests of a time, new and known, where each pub has the longest hours of its own.
func TestDemandsOfHoursHold(t *testing.T) {
	s := New(Config{MaxUnpaged: 1000})
	s.ArrangeKeys(parseKeys(t, keyLine("good", goodSecret, "")), Loads{})
	directory := testkit.Must(bench.Directory(testkit.Pick(3_000, 51_566)))(t)
	for i := range directory.Pubs {
		directory.Pubs[i].OpeningHours, directory.Pubs[i].Features = craftedHours(i), "garden;-dog"
	}
	s.Arrange(Arrangement{Served: testkit.Must(index.InMemory(directory, index.BuildOptions{Workers: 1}))(t)})
	const everywhere = "/api/v1/pubs?search=*&lat=52&lng=-1&distance=20000&include=features,hours"
	for target, u := range holdDemands(t, s, []string{"/api/v1/pubs?search=*&open=2026-11-28T00:30", "/api/v1/pubs?search=*&open=2026-11-28T20:00Z&open_unknown=1",
		"/api/v1/pubs?search=*&open=now", "/api/v1/export?search=*&open=2026-08-28T12:07", "/api/v1/points?search=*&open=2026-08-28T12:07", everywhere, everywhere + "&open=2026-11-28T12:07",
		"/api/v1/pubs?search=pubs+open+now+open+late&sort=relevance&open=2026-11-28T12:07", "/api/v1/pubs?search=*&features=-dog|garden,garden|-dog", "/api/v1/suggest?search=pubs+open+late",
		"/api/v1/pubs?search=*&open=2026-11-28T12:07/2026-12-06T12:07", "/api/v1/pubs?search=*&open=2026-11-28T12:07/2026-11-28T23:00", "/api/v1/pubs?search=*&open=always",
		"/api/v1/pubs?search=pubs+open+at+the+weekend+open+late&sort=relevance&open=2026-11-28T12:07Z/2026-12-06T12:07Z", "/api/v1/pubs?search=pubs+tonight&sort=relevance", "/api/v1/suggest?search=pubs+open+at+the+weekend",
		"/api/v1/pubs?search=24+hour+pubs&sort=relevance"}) {
		t.Logf("%s: %v, demands %+v", target, u.time, u.demand)
	}
}

// However the words of a pub are written, what of them matched is as long as declared, in every format.
func TestMatchesHaveDeclaredSize(t *testing.T) {
	for _, word := range []string{"a ", "\ufdfa ", "\ufdfa", "\u338f ", "ab "} {
		text := strings.TrimSpace(strings.Repeat(word, 64/len(strings.Fields(string(text.AppendFolded(nil, []byte(word)))))))
		one := schema.Pub{Name: text, Location: text, Address: text, Postcode: text, Area: text, AltNames: text, Category: text,
			Latitude: nan, Longitude: nan, Ratings: schema.Rated(nil)}
		directory := corpus.Directory{Pubs: slices.Repeat([]schema.Pub{one}, 50)}
		for i := range directory.Pubs {
			directory.Pubs[i].UID = fmt.Sprint(i)
		}
		s, _ := withoutData(t, LogOff)
		s.Arrange(Arrangement{Served: build(t, directory)})
		for format := range params.FormatCount {
			x := newExchange("search=" + url.QueryEscape(strings.TrimSpace(word)) + "&amount=50&include=match,label,address&format=" + format.String())
			x.service = s
			var u usage
			x.Handle(&u)
			r := &x.Response
			testkit.FailIf(t, r.Status != 200 || int64(len(r.Body)) > u.demand.Bytes, "%q as %v: %d, %d bytes, demands %d", word, format, r.Status, len(r.Body), u.demand.Bytes)
		}
	}
}
