package httpapi

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"pubd/bench"
	"pubd/data/lane"
	"pubd/httpapi/keys"
	"pubd/index"
)

// An env is shared by the benchmarks of one size.
type env struct {
	service *Service
	corpus  *bench.Corpus
}

var envs = map[int]env{}

// envOf returns the env of a size, creating it on first use.
func envOf(t testing.TB, size int) env {
	if envs[size].service == nil {
		corpus, err := bench.NewCorpus(size)
		if err != nil {
			t.Fatal(err)
		}
		s := New(Config{MaxUnpaged: 1000, Log: zerolog.Nop()})
		s.PublishKeys(keys.Demo())
		s.Publish(corpus.Snapshot)
		envs[size] = env{s, corpus}
	}
	return envs[size]
}

// sizes returns the sizes to measure: in the quick lane, all but the largest.
func sizes() []int { return bench.Sizes[:len(bench.Sizes)-lane.Pick(1, 0)] }

// newBenchExchange returns an exchange whose request has a key.
func newBenchExchange(path string) *exchange {
	return &exchange{request: request{method: []byte("GET"), path: []byte(path), keys: [][]byte{[]byte("demo")},
		received: time.Now()}}
}

// ask handles a request and returns the digest of the response body.
func (env env) ask(t testing.TB, x *exchange, query []byte) uint64 {
	x.request.query = query
	if env.service.handle(x); x.response.status != 200 {
		t.Fatalf("%s: status %d: %s", query, x.response.status, x.response.body)
	}
	return xxhash.Sum64(x.response.body)
}

// measure benchmarks requests in turn. The response to each must never change.
func (env env) measure(b *testing.B, path string, requests []string) {
	x := newBenchExchange(path)
	queries := make([][]byte, len(requests))
	wanted := make([]uint64, len(requests))
	size := 0
	for i, request := range requests {
		queries[i] = []byte(request)
		wanted[i] = env.ask(b, x, queries[i])
		size += len(x.response.body)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		place := i % len(queries)
		if got := env.ask(b, x, queries[place]); got != wanted[place] {
			b.Fatalf("%s: the answer changed to %s", queries[place], x.response.body)
		}
	}
	b.ReportMetric(float64(size)/float64(len(requests)), "bytes/answer")
}

// BenchmarkRequest measures a request without the HTTP library. Checking the response takes a tenth of a nanosecond per byte of that.
func BenchmarkRequest(b *testing.B) {
	for _, size := range sizes() {
		for _, class := range append(bench.AllClasses(), bench.Extensions...) {
			b.Run(fmt.Sprintf("%d/%s", size, class.Name), func(b *testing.B) {
				env := envOf(b, size)
				env.measure(b, class.Path(), env.corpus.Requests[class.Name])
			})
		}
	}
}

// parallelClasses are classes whose requests are not queued.
var parallelClasses = []string{"lookup", "search by a pub's name", "within 2 km"}

// BenchmarkParallel answers requests on all processors at once, with and without the HTTP library, but without a network. With -cpu 1,2,
// ns/op on two processors should be half of that on one; more means that they contend. cpu-ns/op is the CPU time of a request, which other
// load on the machine hardly affects; it should be the same on any number of processors. The control, in which each goroutine hashes memory
// of its own, shows how well the machine itself scales.
func BenchmarkParallel(b *testing.B) {
	const size = 50_000
	b.Run("control", func(b *testing.B) {
		before := processTime()
		b.RunParallel(func(pb *testing.PB) {
			var text [1 << 10]byte
			for pb.Next() {
				sum := sha256.Sum256(text[:])
				copy(text[:], sum[:])
			}
		})
		b.ReportMetric(float64(processTime()-before)/float64(b.N), "cpu-ns/op")
	})
	for _, name := range parallelClasses {
		class := bench.AllClasses()[slices.IndexFunc(bench.AllClasses(), func(c bench.Class) bool { return c.Name == name })]
		for _, way := range []struct {
			name string
			run  func(s *Service, path string, queries []string, next func() bool) error
		}{{"handler", handleAll}, {"connection", converseAll}} {
			b.Run(way.name+"/"+name, func(b *testing.B) {
				env := envOf(b, size)
				requests := env.corpus.Requests[class.Name]
				b.ReportAllocs()
				b.ResetTimer()
				before := processTime()
				b.RunParallel(func(pb *testing.PB) {
					if err := way.run(env.service, class.Path(), requests, pb.Next); err != nil {
						b.Error(err)
					}
				})
				b.ReportMetric(float64(processTime()-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// handleAll answers requests without the HTTP library while there is a next one, as the server does.
func handleAll(s *Service, path string, queries []string, next func() bool) error {
	method, target, key := []byte("GET"), []byte(path), []byte("demo")
	raw := make([][]byte, len(queries))
	for i := range queries {
		raw[i] = []byte(queries[i])
	}
	for i := 0; next(); i++ {
		x := s.pool.Get().(*exchange)
		x.request = request{method: method, path: target, query: raw[i%len(raw)], keys: append(x.request.keys[:0], key), received: time.Now()}
		s.handle(x)
		s.observe(x, nil)
		if x.response.status != 200 {
			return fmt.Errorf("%s: status %d: %s", x.request.query, x.response.status, x.response.body)
		}
		s.release(x)
		s.pool.Put(x)
	}
	return nil
}

// converseAll answers requests on an in-memory connection while there is a next one.
func converseAll(s *Service, path string, queries []string, next func() bool) error {
	feed := &feed{next: next}
	for _, query := range queries {
		feed.requests = append(feed.requests, []byte(request11("GET", path+"?"+query, "x-api-key: demo")))
	}
	if err := NewServer(s).http.ServeConn(&connection{Conn: feed}); err != nil {
		return err
	}
	return feed.err
}

// A feed is a connection whose peer sends a request as soon as it has read the previous response.
type feed struct {
	tape
	next     func() bool
	requests [][]byte
	sent     int
	begun    bool  // whether the response to the last request has begun
	err      error // set by a response that is not 200
}

func (f *feed) Read(p []byte) (int, error) {
	if f.err != nil || !f.next() {
		return 0, io.EOF
	}
	f.sent++
	f.begun = false
	return copy(p, f.requests[f.sent%len(f.requests)]), nil
}

func (f *feed) Write(p []byte) (int, error) {
	if !f.begun && !bytes.HasPrefix(p, []byte("HTTP/1.1 200")) {
		f.err = fmt.Errorf("got %.300q", p)
	}
	f.begun = true
	return len(p), nil
}

func BenchmarkPublish(b *testing.B) {
	for _, size := range sizes() {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			env := envOf(b, size)
			want := len(env.service.view.Load().stats)
			b.ReportAllocs()
			for b.Loop() {
				if v := newView(env.corpus.Snapshot, 1000, time.Now()); len(v.stats) < want-1 {
					b.Fatalf("got %d bytes of statistics, want %d", len(v.stats), want)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/pub")
		})
	}
}

// worst are slow requests of seventeen kinds that the API allows, found by TestSlowest and by hand. last requests the last page.
var worst = []struct {
	query string
	last  bool
}{
	{"search=bridge+uppeer+bridge+cclub+bridge+uppeer+bridge+uppeer&lat=51.5&lng=-0.1&distance=20&sort=total&rated=true", false},
	{"search=town+lion+town+town+upper+upper+the+bar+west&sort=review_count", false},
	{"search=cross+end+old+%26+cross+cross+castle+olde+old&lat=57&lng=-5&distance=300&sort=total", false},
	{"search=red+bar+cross+cross+arms+n+town+ye+bridge&lat=51.5&lng=-0.1&distance=500&sort=total&amount=100", false},
	{"search=*&lat=51.5&lng=-0.1&distance=20000&marker=red+lion&order=desc", true},
	{"search=lower+n+lion+south+%26+%26+bridge+n+lion+south+lion+red&lat=51.5&lng=-0.1&distance=20&page=20000", false},
	{"search=t&lat=51.5&lng=-0.1&distance=1000&marker=red+lion", true},
	{"search=" + strings.Repeat("st+", 22) + "inn+" + strings.Repeat("st+", 40), false},
	{"search=" + strings.Repeat("the+", 50) + "&lat=51.5&lng=-0.1&distance=20000&rated=true", true},
	{"search=thornhawm+gwynnne+broadbfridge+siunclairs+hazelbridgge+clovontubber+carricpkroe+weonburyx", false},
	{"search=*&lat=52&lng=-1&distance=5000&bbox=-179,-89,179,89&rated=true&sort=weighted&weights=beer:1,atmos:1&page=7" +
		"&include=rankings,local_rankings,match,label&facets=location,trading,common_category&format=geojson", false},
	{"search=soutth+soutth+soutth+soutth&lat=52&lng=-1&distance=2000&bbox=-180,-90,180,54&sort=relevance" +
		"&include=rankings,local_rankings,match,label&facets=location,trading,common_category&format=csv", false},
	{"search=The&lat=51.5&lng=-0.4&distance=1000&sort=relevance&page=7" +
		"&include=rankings,local_rankings,match,label&facets=location,trading,common_category&format=csv", false},
	{"search=*&near=51.6,-0.7&sort=relevance&amount=100" +
		"&include=rankings,local_rankings,match,label&facets=location,trading,common_category", false},
	{"search=The&near=51.3,-0.6&sort=relevance&amount=100&page=1180" +
		"&include=rankings,local_rankings,match,label&facets=location,trading,common_category", false},
	{"search=Inn+Inn+Inn+T+Inn+Inn+Inn&lat=53.3&lng=-1.5&distance=10000&bbox=-179,-89,179,89&sort=relevance&page=10&trading=open" +
		"&include=rankings,local_rankings,match,label&facets=location,trading,common_category&format=csv", false},
	{"search=The&lat=52&lng=-1&distance=400&bbox=-5,50,1,56&rated=true&sort=weighted&weights=beer:1,atmos:1&page=7" +
		"&include=rankings,local_rankings,match,label&facets=location,trading,common_category&format=csv", false},
	{"search=*&near=52.9,-0.4&sort=relevance&order=desc&page=4000&amount=100&trading=open" +
		"&bbox=-179,-89,179,89&include=rankings,local_rankings,match,label", false},
}

func BenchmarkWorst(b *testing.B) {
	for _, size := range sizes() {
		for i, c := range worst {
			b.Run(fmt.Sprintf("%d/%d", size, i+1), func(b *testing.B) {
				env := envOf(b, size)
				query := c.query
				if c.last {
					x := newBenchExchange(bench.Pubs)
					env.ask(b, x, []byte(query))
					query = fmt.Sprintf("%s&page=%d", query, x.params.pages(x.workspace.result.found.Total))
				}
				env.measure(b, bench.Pubs, []string{query})
			})
		}
	}
}

var (
	slowest     = flag.Duration("slowest", 0, "how long TestSlowest searches")
	slowestPubs = flag.Int("slowest-pubs", 50_000, "the number of pubs in the snapshot of TestSlowest")
	slowestSeed = flag.Uint64("slowest-seed", 1, "the random seed of TestSlowest")
)

// TestSlowest searches for slow requests by hill climbing and logs the slowest of each kind: go test -v -slowest 1m.
func TestSlowest(t *testing.T) {
	if *slowest == 0 {
		t.Skip("runs only with -slowest, such as -slowest 1m")
	}
	env := envOf(t, *slowestPubs)
	pubs := make([]index.Pub, env.corpus.Snapshot.Len())
	for i := range pubs {
		pubs[i] = *env.corpus.Snapshot.Pub(uint32(i))
	}
	begun := time.Now()
	found := bench.NewMix(pubs, *slowestSeed).Climb(env.cpu, func() bool { return time.Since(begun) < *slowest })
	for _, slow := range found[:min(len(found), 20)] {
		t.Logf("%v %s?%s", slow.CPU, slow.Path, slow.Query)
	}
}

// BenchmarkLongHeaders answers requests whose headers have the maximum size.
func BenchmarkLongHeaders(b *testing.B) {
	s, _ := withData(b, LogOff)
	server := NewServer(s)
	for _, c := range []struct{ name, head, item string }{
		{"Accept", "Accept: ", ","},
		{"AcceptMany", "Accept: ", "a,"},
		{"AcceptWeights", "Accept: ", "text/csv;q=1e-320,"},
		{"AcceptNoWeight", "Accept: text/csv", ";q=2"},
		{"IfNoneMatch", "If-None-Match: ", `"",`},
		{"IfNoneMatchLines", "X: y", "\r\nIf-None-Match: \"a\""},
		{"Connection", "Connection: ", "a,"},
		{"ConnectionLines", "X: y", "\r\nConnection: a"},
		{"KeyLines", "X: y", "\r\nx-api-key: a"},
		{"Cookie", "Cookie: ", "a=b;"},
	} {
		sent := []byte(get("pubid=u01", c.head+strings.Repeat(c.item, 14<<10/len(c.item))))
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t := &tape{sent: bytes.NewReader(sent)}
				_ = server.http.ServeConn(&connection{Conn: t})
				if got := t.received.Bytes(); !bytes.HasPrefix(got, []byte("HTTP/1.1 200 ")) && !bytes.HasPrefix(got, []byte("HTTP/1.1 403 ")) {
					b.Fatalf("got %.300q", got)
				}
			}
		})
	}
}

// cpu returns the CPU time of a request, the minimum of several measurements, or 0 if it is rejected.
func (env env) cpu(path, query string) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := newBenchExchange(path)
	x.request.query = []byte(query)
	least := time.Duration(math.MaxInt64)
	for range 4 {
		before := threadTime()
		env.service.handle(x)
		if least = min(least, threadTime()-before); x.response.status != 200 {
			return 0
		}
	}
	return least
}

func threadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

func processTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
